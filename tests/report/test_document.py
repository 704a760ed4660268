"""Documents as JSON, and their schemas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import Problem, Sample, Timing, UsageError
from codejury.report import (
    JudgeDocument,
    SetsCheckDocument,
    SetsStrengthDocument,
    TimingRow,
    encode_json,
    schema,
    schema_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

GOLDEN = Path(__file__).parent / "golden"


def test_judge_document_is_as_published(judge_document: JudgeDocument) -> None:
    """The golden file is the contract with those who read documents."""
    assert (GOLDEN / "judge.json").read_bytes() == encode_json(judge_document)


def test_sets_check_document_is_as_published(sets_check_document: SetsCheckDocument) -> None:
    """The same for a set's check."""
    assert (GOLDEN / "sets-check.json").read_bytes() == encode_json(sets_check_document)


def test_sets_strength_document_is_as_published(sets_strength_document: SetsStrengthDocument) -> None:
    """The same for the strength of a set's tests."""
    assert (GOLDEN / "sets-strength.json").read_bytes() == encode_json(sets_strength_document)


def test_documents_can_be_read_back(
    judge_document: JudgeDocument,
    sets_check_document: SetsCheckDocument,
    sets_strength_document: SetsStrengthDocument,
) -> None:
    """With the structs that wrote them; another version is refused by its name."""
    body = encode_json(judge_document)
    assert judge_document == msgspec.json.decode(body, type=JudgeDocument)
    assert sets_check_document == msgspec.json.decode(encode_json(sets_check_document), type=SetsCheckDocument)
    again = msgspec.json.decode(encode_json(sets_strength_document), type=SetsStrengthDocument)
    assert sets_strength_document == again
    with pytest.raises(msgspec.ValidationError, match="schema"):
        msgspec.json.decode(body.replace(b'"judge/1"', b'"judge/2"'), type=JudgeDocument)


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_as_published(name: str) -> None:
    """A change of a document is seen in its schema's golden file."""
    assert (GOLDEN / f"{name}.schema.json").read_bytes() == encode_json(schema(name))


def test_documents_have_the_fields_of_their_schema(
    judge_document: JudgeDocument,
    sets_check_document: SetsCheckDocument,
    sets_strength_document: SetsStrengthDocument,
) -> None:
    """Every object holds all required properties and no others, of the types that the schema names."""
    for name, document in (
        ("judge", judge_document),
        ("sets-check", sets_check_document),
        ("sets-strength", sets_strength_document),
    ):
        published = schema(name)
        _check(msgspec.to_builtins(document), published, published["$defs"])


def test_unknown_schema_names_those_that_there_are() -> None:
    """In one line."""
    with pytest.raises(UsageError, match="no schema 'jury': take one of compare, doctor, "):
        schema("jury")


def test_schemas_of_files_are_strict() -> None:
    """Our own files refuse unknown fields, and an index may be left out."""
    problem, sample = schema("problem")["$defs"]["Problem"], schema("sample")["$defs"]["Sample"]
    assert [False, False] == [problem["additionalProperties"], sample["additionalProperties"]]
    assert set(Problem.__struct_fields__) == set(problem["properties"])
    assert set(Sample.__struct_fields__) == set(sample["properties"])
    assert ["problem_id", "text"] == sample["required"]


def test_timing_is_rounded() -> None:
    """Milliseconds, and tenths of a sample; nothing timed is 0."""
    assert TimingRow(wall_s=1.235, samples_per_s=0.8) == TimingRow.of(Timing(wall_s=1.23456, samples=1))
    assert TimingRow(wall_s=0.0, samples_per_s=0.0) == TimingRow.of(Timing(wall_s=0.0, samples=1))


def _check(value: Any, part: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    if "$ref" in part:
        part = definitions[part["$ref"].rpartition("/")[2]]
    if "anyOf" in part:  # of ours, always something or null
        (part,) = (choice for choice in part["anyOf"] if choice.get("type") != "null")
        if value is not None:
            _check(value, part, definitions)
    elif "enum" in part:
        assert value in part["enum"]
    else:
        names = {"object": "dict", "array": "list", "string": "str", "integer": "int", "number": "float"}
        assert names.get(part["type"], "bool") == type(value).__name__
        for item, expected in _children(value, part):
            _check(item, expected, definitions)


def _children(value: Any, part: Mapping[str, Any]) -> list[tuple[Any, Mapping[str, Any]]]:
    if part["type"] == "array":
        return [(item, part["items"]) for item in value]
    if part["type"] != "object":
        return []
    properties = part.get("properties", {})
    assert "additionalProperties" in part or set(properties) == set(value)
    return [(item, properties.get(name) or part["additionalProperties"]) for name, item in value.items()]
