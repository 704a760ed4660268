"""Control runs: which changes of tests are made, and where."""

from __future__ import annotations

import ast
import importlib
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def controls() -> Any:
    """The loose file of the judge's side."""
    return importlib.import_module("controls")


def changed(controls: Any, source: str, *others: str, entry: str = "f", function: str | None = None) -> list[str]:
    """The first text with each of its changes made, without the newline at its end."""
    parts = [textwrap.dedent(source), *others]
    edits = controls.edits(parts, entry, function, ("solution",))
    return [controls.apply(parts, edit)[0].removesuffix("\n") for edit in edits if edit[0] == 0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert f(0) == 0", {"assert f(0) == 1"}),
        ("assert f(0) == True", {"assert f(0) == False"}),
        ("assert f(0) is None", {"assert f(0) is 0"}),
        ("assert f(1) == []", {"assert f(1) == [0]"}),
        ("assert f(1) == {}", {"assert f(1) == {0: 0}"}),
        ("assert f(1) == ()", {"assert f(1) == (0,)"}),
        ("assert f(1) == set()", {"assert f(1) == {0}"}),
        ("assert f(1) == ''", {f"assert f(1) == {x!r}" for x in "aeno"}),
        ("assert f(x) == y", {"assert f(x) != y", "assert f(x) == (y,)"}),
        ("assert f(1)", {"assert not (f(1))"}),
        ("assert not f(1)", {"assert f(1)"}),
        ("assert f(1) not in y", {"assert f(1) in y", "assert f(1) not in (y,)"}),
        ("assert f(1) is y", {"assert f(1) is not y", "assert f(1) is (y,)"}),
        ("assert f(1) >= 3", {"assert f(1) < 3", "assert f(1) >= (3,)"}),
        ("assert f(1) in (3, 4)", {"assert f(1) not in (3, 4)", "assert f(1) in ((3, 4),)"}),
        ("assert 'ab' in f(1)", {"assert 'ab' not in f(1)", "assert ('ab',) in f(1)", "assert 'abb' in f(1)"}),
        ("assert f(1) == 2 or f(1) == 3", {"assert not (f(1) == 2 or f(1) == 3)"}),
        (
            "assert isinstance(f(1), int)",
            {"assert not (isinstance(f(1), int))", "assert isinstance(f(1), (int,))"},
        ),
        ("self.assertTrue(f(1))", {"self.assertFalse(f(1))"}),
        ("self.assertIsNone(f(1))", {"self.assertIsNotNone(f(1))"}),
        ("self.assertGreater(f(1), 2)", {"self.assertLessEqual(f(1), 2)", "self.assertGreater(f(1), (2,))"}),
        ("m.assert_called_once()", {"m.assert_not_called()"}),
        ("x = f(1)", set()),
        ("assert True", {"assert False"}),
        ("if f(1) != 0:\n    raise ValueError", {"if f(1) != 1:\n    raise ValueError"}),
        ("if f(1) == 2:\n    raise ValueError", set()),
        ("if f(1) != 2:\n    print(1)", set()),
        ("print(3)", set()),
    ],
)
def test_changes(controls: Any, source: str, expected: set[str]) -> None:
    """All changes of one assertion, where nothing is left to chance but one of a few texts."""
    found = set(changed(controls, source))
    if source.endswith("''"):
        assert len(found) == 1
        assert found <= expected
    else:
        assert expected == found


def test_number_on_both_sides(controls: Any) -> None:
    """A number becomes one below and one above, one or two away."""
    found = [int(text.rpartition(" ")[2]) for text in changed(controls, "assert f(1) == 100")]
    assert 2 == len(found)
    assert 200 == sum(found)
    assert {1, 2} >= {abs(x - 100) for x in found}


def test_float_has_as_many_digits(controls: Any) -> None:
    """A float has another first digit, and all others as they were."""
    (text,) = changed(controls, "assert f(1) == 2.718281828459045")
    assert "assert f(1) == " == text[:-17]
    assert ".718281828459045" == text[-16:]
    assert text[-17] in "13456789"


@pytest.mark.parametrize(("value", "kinds"), [("ab", "l l"), ("7", "d"), ("A-b", "u-l")])
def test_text_differs_in_one_character_of_its_kind(controls: Any, value: str, kinds: str) -> None:
    """A text is as long as before, and one letter or digit is another."""
    (text,) = changed(controls, f"assert f(1) == {value!r}")
    new = ast.literal_eval(text.rpartition(" ")[2])
    assert 1 == sum(a != b for a, b in zip(value, new, strict=True)), kinds
    assert [c.isdigit() for c in value] == [c.isdigit() for c in new]
    assert [c.isupper() for c in value] == [c.isupper() for c in new]


def test_message_says_what_is_expected_now(controls: Any) -> None:
    """The message of an assertion does not tell what was expected."""
    source = "assert f(1) == True, f'it is True: {f(1)}, or Truey'"
    assert ["assert f(1) == False, f'it is False: {f(1)}, or Truey'"] == changed(controls, source)
    source = "self.assertEqual(f(1), 0, msg='0 is right, 10 is not')"
    assert "self.assertEqual(f(1), 1, msg='1 is right, 10 is not')" in changed(controls, source)


def test_literals_change_places(controls: Any) -> None:
    """A literal becomes one of the same type of another assertion, also of another text."""
    found = changed(controls, "assert f(1) == [1, 2]", "assert f(2) == []\n", "assert f(3) == 'x'\n")
    assert "assert f(1) == []" in found
    assert "assert f(1) == 'x'" not in found
    assert "assert f(1) == None" in changed(controls, "assert f(1) == 'x'", "assert f(2) == None\n")


@pytest.mark.parametrize(
    ("source", "untouched"),
    [
        ("assert f(7) == 0", "f(7)"),
        ("x = 7\nassert f(x) == 0", "x = 7"),
        ("assert f(g(7), y=[8]) == 0", "f(g(7), y=[8])"),
        ("assert round(f(1), 2) == 0", "round(f(1), 2)"),
        ("assert f(1) % 2 == 0", "f(1) % 2"),
        ("assert f(1)[3] == 0", "f(1)[3]"),
        ("assert sorted(f(1), key=lambda x: x[1]) == 0", "lambda x: x[1]"),
        ("assert abs(f(1) - 0) < 1e-06", "< 1e-06"),
        ("self.assertAlmostEqual(f(1), 0, places=3)", "places=3"),
        ("for x, y in [(7, 0), (8, 0)]:\n    assert f(x) == y", "8"),
        ("@pytest.mark.parametrize('x, y', [(7, 0)])\ndef test(x, y):\n    assert f(x) == y", "7"),
        ("from solution import g\nassert g(7) == 0", "g(7)"),
        ("def run(h):\n    return h(7)\nassert run(f) == 0", "h(7)"),
    ],
)
def test_what_is_given_stays(controls: Any, source: str, untouched: str) -> None:
    """What the program is given, and what only shapes or bounds its value, is in every change as it was."""
    found = changed(controls, source)
    assert found
    assert [] == [text for text in found if untouched not in text]


def test_tables_and_names_are_followed(controls: Any) -> None:
    """What is expected may stand in a table, or have a name."""
    table = "for x, y in [(7, 0), (8, True)]:\n    assert f(x) == y"
    assert table.replace("(7, 0)", "(7, 1)") in changed(controls, table)
    assert table.replace("True", "False") in changed(controls, table)
    assert "want = 1\nassert f(7) == want" in changed(controls, "want = 0\nassert f(7) == want")


@pytest.mark.parametrize("name", ["ValueError", "KeyError", "IndexError"])
def test_another_exception(controls: Any, name: str) -> None:
    """A common class becomes another common one."""
    (text,) = changed(controls, f"with self.assertRaises({name}):\n    f(1)")
    assert f"with self.assertRaises({name}):" != text.splitlines()[0]
    assert any(f"({other})" in text for other in controls.EXCEPTIONS)


@pytest.mark.parametrize("name", ["Exception", "LookupError", "solution.Empty", "(KeyError, ValueError)"])
def test_foreign_exception(controls: Any, name: str) -> None:
    """A class with others below it, or one of the program's own, becomes one that no program here raises."""
    (text,) = changed(controls, f"with pytest.raises({name}):\n    f(1)")
    assert any(f"raises({other})" in text for other in controls.FOREIGN_EXCEPTIONS)


def test_same_each_time(controls: Any) -> None:
    """The same tests have the same changes."""
    parts = ["assert f(1) == 12\n", "assert f(2) == 'some text'\n"]
    assert controls.edits(parts, "f", None) == controls.edits(parts, "f", None)


def test_most_of_one_assertion(controls: Any) -> None:
    """One long literal does not take all controls."""
    assert controls.MOST_OF_SITE == len(changed(controls, f"assert f(1) == {list(range(100))}"))


def test_lines_end_as_in_code(controls: Any) -> None:
    """A form feed or another separator of text ends no line of code, and bytes are no characters."""
    source = "x = '\x0c\u2028é'; y = 'ß'; assert f(x) == 0\r\nassert f('é') == 0\n"
    one, other = changed(controls, source)
    assert source.replace("f(x) == 0", "f(x) == 1").removesuffix("\n") == one
    assert source.replace("f('é') == 0", "f('é') == 1").removesuffix("\n") == other


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 99)
    | st.floats(0, 99)
    | st.text(max_size=4)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(
    st.lists(st.tuples(VALUES, VALUES, st.sampled_from(["==", "is", "!=", "in", "<="])), min_size=1, max_size=4)
)
def test_changes_of_any_assertions(controls: Any, rows: list[tuple[Any, Any, str]]) -> None:
    """Each change makes other code that compiles, in its span alone, and leaves what the program is given."""
    parts = [f"assert f({given!r}, y={given!r}) {sign} {wanted!r}\n" for given, wanted, sign in rows]
    for edit in controls.edits(parts, "f", None):
        number, start, end, text = edit
        new = controls.apply(parts, edit)
        assert [part for i, part in enumerate(parts) if i != number] == [
            part for i, part in enumerate(new) if i != number
        ]
        assert (parts[number][:start], parts[number][end:]) == (
            new[number][:start],
            new[number][start + len(text) :],
        )
        assert parts[number] != new[number]
        old_call, new_call = (
            next(n for n in ast.walk(ast.parse(x)) if isinstance(n, ast.Call))
            for x in (parts[number], new[number])
        )
        assert ast.dump(old_call) == ast.dump(new_call)
