"""Samples and programs: ids and hashes."""

from __future__ import annotations

import hashlib

from codejury.model import Program, Sample, text_hash


def test_id_of_a_sample() -> None:
    """Problem and place."""
    assert "HumanEval/0#3" == Sample(problem_id="HumanEval/0", index=3, text="").id


def test_hash_is_of_the_bytes() -> None:
    """SHA-256 of UTF-8, whatever rule made the program; lone surrogates have a hash of their own."""
    assert hashlib.sha256("x = 'é'\n".encode()).hexdigest() == Program("x = 'é'\n", "solution").hash
    assert Program("a", "solution").hash == Program("a", "completion").hash
    assert 3 == len({text_hash("\ud800"), text_hash("\udfff"), text_hash("?")})
