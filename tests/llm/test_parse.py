"""JSON read out of what models write, and held against its schema."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pageindex_core.llm.parse import JsonNotFoundError, parse_json
from pageindex_core.llm.schema import SchemaError, fitted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("\ufeff[1, 2]", [1, 2]),
        ('```json\n{"a": [1]}\n```', {"a": [1]}),
        ('Sure! Here it is:\n{"a": "x"}\nHope it helps.', {"a": "x"}),
        ("See [1] for details. The answer: {'id': '0007'}", {"id": "0007"}),
        ('<think>maybe {"a": 2}?</think>{"a": 3}', {"a": 3}),
        ('{"a": 1,}', {"a": 1}),
        ("[1, 2,, 3]", [1, 2, 3]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{'a': 'the driver's seat', 'b': True, 'c': None}", {"a": "the driver's seat", "b": True, "c": None}),
        ("{a: 1, b_c: 'x'}", {"a": 1, "b_c": "x"}),
        ("{\u201ca\u201d: \u201cx\u201d}", {"a": "x"}),
        ('{"a": 1 // one\n, /* two */ "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "line one\nline two"}', {"a": "line one\nline two"}),
        ('{"a": "tab\\t \\u00e9 \\ud83d\\ude00 \\q",}', {"a": "tab\t é 😀 q"}),
        ('{"id": 0012}', {"id": "0012"}),
        ('{"a": -1.5e3,}', {"a": -1500.0}),
        ("null", None),
        ('"text"', "text"),
        ("42", 42),
    ],
)
def test_what_was_meant_is_read(text: str, value: Any) -> None:
    """Fences, prose, quotes, commas, comments and byte order marks do not hide a value."""
    assert parse_json(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"nodes": ["0001", "0002", "00', {"nodes": ["0001", "0002"]}),
        ('[{"id": 1, "why": "x"}, {"id": 2, "why": "unfin', [{"id": 1, "why": "x"}, {"id": 2}]),
        ('{"a": {"b": [1, 2', {"a": {"b": [1]}}),
        ('{"a": 1, "b": tru', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('```json\n{"a": 1, "b": "x', {"a": 1}),
    ],
)
def test_of_a_broken_off_reply_the_whole_parts_are_kept(text: str, value: Any) -> None:
    """A value that ends in the middle is dropped, not completed; what stands before it is kept."""
    assert parse_json(text) == value


@pytest.mark.parametrize("text", ["", "   ", "I do not know.", "[see above]", "{", '{"a', "f(x) = {y}"])
def test_a_reply_without_json_is_refused(text: str) -> None:
    """Prose, nothing, and a bracket alone hold no value."""
    with pytest.raises(JsonNotFoundError):
        parse_json(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_every_json_value_is_read_exactly(value: Any) -> None:
    """Correct JSON is never changed by the tolerance."""
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


@given(json_values.filter(lambda value: isinstance(value, dict | list) and bool(value)))
def test_every_value_in_a_fence_is_read_exactly(value: Any) -> None:
    """A fence around correct JSON changes nothing either."""
    assert parse_json(f"Here:\n```json\n{json.dumps(value)}\n```\nDone.") == value


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Any text gives a value or the one error."""
    try:
        parse_json(text)
    except JsonNotFoundError:
        return


@given(st.text(alphabet="[]{}\"':,\\ a1n/*", max_size=60))
def test_no_mess_of_brackets_breaks_the_parser(text: str) -> None:
    """Nor does anything made of JSON's own signs."""
    try:
        parse_json(text)
    except JsonNotFoundError:
        return


@pytest.mark.parametrize("piece", ["[", "{", '{"a":', "['aaa ", '["a', "{'a': ['", "[1,", "[[]", "/*[", "```\n["])
def test_a_hostile_reply_is_given_up_in_bounded_time(piece: str) -> None:
    """A hundred thousand open brackets neither exhaust the stack nor the minute that a test may take."""
    with contextlib.suppress(JsonNotFoundError):
        parse_json(piece * 20_000)


SCHEMA = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "page": {"type": "integer"},
        "why": {"type": "string"},
        "sure": {"type": "boolean"},
        "next": {"type": ["string", "null"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
    },
    "required": ["ids"],
}


@pytest.mark.parametrize(
    ("value", "fit"),
    [
        ({"ids": ["a"]}, {"ids": ["a"]}),
        ({"ids": "a"}, {"ids": ["a"]}),
        ({"ids": '["a", "b"]'}, {"ids": ["a", "b"]}),
        ({"ids": [], "page": "12"}, {"ids": [], "page": 12}),
        ({"ids": [], "page": 12.0}, {"ids": [], "page": 12}),
        ({"ids": [], "why": 3}, {"ids": [], "why": "3"}),
        ({"ids": [], "sure": "yes"}, {"ids": [], "sure": True}),
        ({"ids": [], "next": None}, {"ids": [], "next": None}),
        ({"ids": [], "either": ["1", 2]}, {"ids": [], "either": [1, 2]}),
    ],
)
def test_what_is_plain_is_read_as_meant(value: Any, fit: Any) -> None:
    """Numbers in quotes, single values for arrays and the like are put right without a note."""
    assert fitted(value, SCHEMA) == (fit, ())


@pytest.mark.parametrize(
    ("value", "fit", "note"),
    [
        ({"ids": ["a", "z"]}, {"ids": ["a"]}, 'ids[1]: "z" is not one of the 2'),
        ({"ids": ["a"], "extra": 1}, {"ids": ["a"]}, "extra: unknown key"),
        ({"ids": ["a"], "page": "soon"}, {"ids": ["a"]}, 'page: "soon" is no integer'),
        ({"ids": ["a"], "sure": 3}, {"ids": ["a"]}, "sure: 3 is no boolean"),
        ({"ids": ["a"], "page": True}, {"ids": ["a"]}, "page: true is no integer"),
    ],
)
def test_what_does_not_fit_is_dropped_and_named(value: Any, fit: Any, note: str) -> None:
    """Values outside their set, unknown keys and wrong types go, each with a note that names it."""
    result, notes = fitted(value, SCHEMA)

    assert result == fit
    assert len(notes) == 1
    assert note in notes[0]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "is no object"),
        ("text", "is no object"),
        (None, "is no object"),
        ({}, "ids is missing"),
        ({"ids": None}, "is no array"),
    ],
)
def test_a_value_that_cannot_be_mended_is_refused(value: Any, problem: str) -> None:
    """A wrong whole and a missing key are errors that say what is wrong."""
    with pytest.raises(SchemaError, match=problem):
        fitted(value, SCHEMA)
