"""Files of mutants that are argued to be equivalent: what is read, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codejury.model import InputError
from codejury.sets.equivalents import Equivalent, read_equivalents

if TYPE_CHECKING:
    from pathlib import Path

ONE = '[[equivalent]]\nproblem = "t/a"\nmutant = "line 1: 0 to 1"\nreason = "It is not used."\n'
OWN = '[[equivalent]]\nmutant = "line 1: 0 to 1"\nreason = "It is not used."\n'


def test_tables_are_read_in_order(tmp_path: Path) -> None:
    """The same mutant may be argued for several problems."""
    path = tmp_path / "mine.toml"
    path.write_text(ONE + ONE.replace("t/a", "t/b") + ONE.replace("0 to 1", "0 to -1"), encoding="utf-8")
    expected = [("t/a", "line 1: 0 to 1"), ("t/b", "line 1: 0 to 1"), ("t/a", "line 1: 0 to -1")]
    found = read_equivalents(path)
    assert expected == [(equivalent.problem, equivalent.mutant) for equivalent in found]
    assert {"It is not used."} == {equivalent.reason for equivalent in found}


def test_a_file_of_one_problem(tmp_path: Path) -> None:
    """Its tables name none."""
    path = tmp_path / "mutants.toml"
    path.write_text(OWN, encoding="utf-8")
    expected = Equivalent(problem="t/a", mutant="line 1: 0 to 1", reason="It is not used.")
    assert [expected] == read_equivalents(path, problem="t/a")


@pytest.mark.parametrize(
    ("text", "problem", "message"),
    [
        (OWN, None, "field 'equivalent 1': Object missing required field `problem`: correct it"),
        (ONE, "t/a", "field 'equivalent 1': names a problem, where the file is of one: leave it out"),
        (ONE + ONE, None, "field 'equivalent 2': mutant 'line 1: 0 to 1' stands there twice: keep one"),
        (ONE.replace("It is not used.", " "), None, "field 'equivalent 1': has no reason: say why no test"),
        (ONE + 'why = "x"\n', None, "field 'equivalent 1': Object contains unknown field `why`: correct it"),
        (ONE.replace('"t/a"', "1"), None, "Expected `str`, got `int` - at `$.equivalent[0][...]`: take tables"),
        (ONE.replace("equivalent", "equal"), None, "Object contains unknown field `equal`: take tables"),
        ("", None, "Object missing required field `equivalent`: take tables"),
        ("[[equivalent", None, ": take tables [[equivalent]] of texts"),
        ("\udcff", None, ": take tables [[equivalent]] of texts"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, problem: str | None, message: str) -> None:
    """In one line, with the file and the table."""
    path = tmp_path / "mine.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError) as caught:
        read_equivalents(path, problem=problem)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Is named."""
    with pytest.raises(InputError, match=r"none\.toml: cannot be read: No such file or directory"):
        read_equivalents(tmp_path / "none.toml")
