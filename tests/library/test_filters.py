"""Metadata filters: which metadata passes, and which filters are refused."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pageindex_core.errors import FilterError
from pageindex_core.library.filters import MAX_DEPTH, matches, validate

METADATA = {
    "year": 2024,
    "ratio": 0.5,
    "company": "Acme Straße",
    "date": "2024-03-01",
    "tags": ["report", "annual", 7],
    "draft": False,
    "owner": None,
}


@pytest.mark.parametrize(
    ("where", "passes"),
    [
        ({}, True),
        ({"year": 2024}, True),
        ({"year": 2024.0}, True),
        ({"year": "2024"}, False),
        ({"year": 2024, "company": "Acme Straße"}, True),
        ({"year": 2024, "company": "Acme"}, False),
        ({"tags": "annual"}, True),
        ({"tags": ["report", "annual", 7]}, True),
        ({"tags": "quarterly"}, False),
        ({"tags": "ann"}, False),
        ({"draft": False}, True),
        ({"draft": 0}, False),
        ({"owner": None}, True),
        ({"absent": None}, False),
        ({"year": {"$eq": 2024}}, True),
        ({"year": {"$ne": 2024}}, False),
        ({"year": {"$ne": 2023}}, True),
        ({"tags": {"$ne": "annual"}}, False),
        ({"absent": {"$ne": 1}}, True),
        ({"year": {"$gt": 2023}}, True),
        ({"year": {"$gt": 2024}}, False),
        ({"year": {"$gte": 2024}}, True),
        ({"year": {"$lt": 2024}}, False),
        ({"year": {"$lte": 2024}}, True),
        ({"year": {"$gt": 2020, "$lt": 2024}}, False),
        ({"year": {"$gt": 2020, "$lt": 2025}}, True),
        ({"ratio": {"$lt": 1}}, True),
        ({"date": {"$gte": "2024-01-01", "$lt": "2025"}}, True),
        ({"year": {"$gt": "2000"}}, False),
        ({"year": {"$lt": "2000"}}, False),
        ({"company": {"$gt": 5}}, False),
        ({"owner": {"$lt": 5}}, False),
        ({"draft": {"$lt": 5}}, False),
        ({"year": {"$gt": datetime.date(2020, 1, 1)}}, False),
        ({"absent": {"$gt": 0}}, False),
        ({"absent": {"$lt": 0}}, False),
        ({"year": {"$in": [2023, 2024]}}, True),
        ({"year": {"$in": {2023, 2025}}}, False),
        ({"tags": {"$in": ("x", "annual")}}, True),
        ({"absent": {"$in": [None]}}, False),
        ({"year": {"$in": []}}, False),
        ({"year": {"$nin": [2023]}}, True),
        ({"tags": {"$nin": ["x", "annual"]}}, False),
        ({"absent": {"$nin": [1]}}, True),
        ({"tags": {"$contains": 7}}, True),
        ({"tags": {"$contains": "ann"}}, False),
        ({"company": {"$contains": "Acme"}}, True),
        ({"company": {"$contains": "acme"}}, False),
        ({"company": {"$contains": 1}}, False),
        ({"year": {"$contains": 2}}, False),
        ({"absent": {"$contains": "a"}}, False),
        ({"owner": {"$exists": True}}, True),
        ({"owner": {"$exists": False}}, False),
        ({"absent": {"$exists": False}}, True),
        ({"absent": {"$exists": True}}, False),
        ({"company": {"$text_match": "STRASSE"}}, True),
        ({"company": {"$text_match": "corp"}}, False),
        ({"tags": {"$text_match": "ANN"}}, True),
        ({"year": {"$text_match": "2024"}}, False),
        ({"absent": {"$text_match": ""}}, False),
        ({"$and": [{"year": 2024}, {"draft": False}]}, True),
        ({"$and": [{"year": 2024}, {"draft": True}]}, False),
        ({"$or": [{"year": 1}, {"draft": False}]}, True),
        ({"$or": [{"year": 1}, {"draft": True}]}, False),
        ({"$not": {"year": 2024}}, False),
        ({"$not": {"absent": 1}}, True),
        ({"year": {"$not": {"$gt": 2023}}}, False),
        ({"year": {"$not": {"$gt": 2024}}}, True),
        ({"$or": [{"$not": {"$and": [{"year": 2024}, {"draft": False}]}}, {"tags": "report"}], "ratio": 0.5}, True),
        ({"$or": [{"year": 2024}], "draft": True}, False),
        (lambda metadata: metadata["year"] > 2000, True),
        (lambda metadata: metadata["year"] > 3000, False),
    ],
)
def test_filters_pass_what_they_say(where: Any, passes: bool) -> None:
    """Each operator, and each way to combine them, on the metadata above."""
    assert matches(where, METADATA) is passes


@pytest.mark.parametrize(
    ("where", "named"),
    [
        (
            {"year": {"$like": 1}},
            r"'\$like'.*\$eq, \$ne, \$gt, \$gte, \$lt, \$lte, \$in, \$nin, \$contains, \$exists, \$text_match",
        ),
        ({"$nor": [{"year": 1}]}, r"'\$nor'"),
        ({"$or": []}, r"\$or is empty"),
        ({"$and": {"year": 1}}, r"\$and holds"),
        ({"$and": [5]}, r"\$and holds 5"),
        ({"$not": [{"year": 1}]}, r"\$not holds"),
        ({"year": {"$in": "2024"}}, r"\$in holds '2024'"),
        ({"year": {"$nin": 2024}}, r"\$nin holds 2024"),
        ({"year": {"$exists": 1}}, r"\$exists holds 1"),
        ({"year": {"$text_match": 1}}, r"\$text_match holds 1"),
        ({"year": {"$gt": 1, "x": 2}}, "no value and has no operators"),
        ({"year": {}}, "no value and has no operators"),
        ({"year": {"$not": 5}}, r"\$not on 'year'"),
        ({5: 1}, "key 5 is not text"),
        ({"$or": [{"year": 2024}, {"year": {"$bad": 1}}]}, r"'\$bad'"),
        ("year = 2024", "type str"),
    ],
)
def test_filters_that_cannot_be_meant_are_refused(where: Any, named: str) -> None:
    """A slip is an error that names it, found before any document is looked at."""
    with pytest.raises(FilterError, match=named):
        validate(where)
    with pytest.raises(FilterError, match=named):
        matches(where, {})


@pytest.mark.parametrize("on_key", [True, False])
def test_endless_nesting_is_refused(on_key: bool) -> None:
    """A filter from outside cannot exhaust the stack."""
    where: dict[str, Any] = {"$gt": 1} if on_key else {"year": 1}
    for _ in range(5000):
        where = {"$not": where}
    with pytest.raises(FilterError, match=f"deeper than {MAX_DEPTH}"):
        validate({"year": where} if on_key else where)


VALUES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, "a", "b", ""])
ORDERED = ["$gt", "$gte", "$lt", "$lte"]


@given(
    st.dictionaries(st.sampled_from("xy"), VALUES | st.lists(VALUES, max_size=2)),
    st.sampled_from("xy"),
    VALUES | st.lists(VALUES, max_size=2),
)
def test_negations_are_exact_and_comparisons_never_raise(metadata: dict[str, Any], key: str, value: Any) -> None:
    """``$ne`` is not ``$eq``, ``$nin`` is not ``$in``, ``$not`` turns any filter round, and odd types give False."""
    equal = matches({key: {"$eq": value}}, metadata)
    assert matches({key: {"$ne": value}}, metadata) is not equal
    assert matches({key: value}, metadata) is equal
    inside = matches({key: {"$in": [value, "b"]}}, metadata)
    assert matches({key: {"$nin": [value, "b"]}}, metadata) is not inside
    for name in ORDERED:
        plain = matches({key: {name: value}}, metadata)
        assert matches({"$not": {key: {name: value}}}, metadata) is not plain
        assert not plain or key in metadata
    both = [name for name in ORDERED if matches({key: {name: value}}, metadata)]
    assert both in ([], ["$gt", "$gte"], ["$lt", "$lte"], ["$gte", "$lte"])
