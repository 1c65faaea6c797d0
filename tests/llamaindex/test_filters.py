"""``MetadataFilters``, ``doc_ids`` and ``node_ids``: what a retriever may see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from pageindex_core.library.filters import compile_filter
from pageindex_llamaindex import PageIndex
from pageindex_llamaindex.filters import plan_filters, to_where

Paged = Callable[..., list[Document]]

RECORDS: dict[str, dict[str, Any]] = {
    "north": {"year": 2023, "team": "North", "tags": ["pumps", "steel"], "price": 9.5, "note": ""},
    "south": {"year": 2024, "team": "South", "tags": ["valves"], "price": 12.0},
    "bare": {},
}
"""Metadata with numbers, text and lists, with empty values, and with none at all."""

OPERATORS = [
    ("year", FilterOperator.EQ, 2024, {"south"}),
    ("team", FilterOperator.EQ, "North", {"north"}),
    ("year", FilterOperator.NE, 2024, {"north", "bare"}),
    ("year", FilterOperator.GT, 2023, {"south"}),
    ("year", FilterOperator.GTE, 2023, {"north", "south"}),
    ("price", FilterOperator.LT, 12.0, {"north"}),
    ("price", FilterOperator.LTE, 12.0, {"north", "south"}),
    ("team", FilterOperator.IN, ["North", "West"], {"north"}),
    ("year", FilterOperator.IN, [2024, 2025], {"south"}),
    ("team", FilterOperator.NIN, ["North", "West"], {"south", "bare"}),
    ("tags", FilterOperator.ANY, ["steel", "valves"], {"north", "south"}),
    ("tags", FilterOperator.ALL, ["steel", "pumps"], {"north"}),
    ("tags", FilterOperator.CONTAINS, "valves", {"south"}),
    ("team", FilterOperator.TEXT_MATCH, "ort", {"north"}),
    ("team", FilterOperator.TEXT_MATCH, "ORT", set()),
    ("team", FilterOperator.TEXT_MATCH_INSENSITIVE, "ORT", {"north"}),
    ("note", FilterOperator.IS_EMPTY, None, {"north", "south", "bare"}),
    ("year", FilterOperator.IS_EMPTY, None, {"bare"}),
]


def one(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
    """A filter on one key."""
    return MetadataFilter(key=key, value=value, operator=operator)


def passing(filters: MetadataFilter | MetadataFilters) -> set[str]:
    """Which of RECORDS pass."""
    passes = compile_filter(to_where(filters))
    return {name for name, metadata in RECORDS.items() if passes(metadata)}


@pytest.mark.parametrize(("key", "operator", "value", "expected"), OPERATORS)
def test_operators_mean_what_they_mean_in_the_framework(
    key: str, operator: FilterOperator, value: Any, expected: set[str]
) -> None:
    """Each operator passes what the newest of the framework's own evaluators passes."""
    assert passing(one(key, value, operator)) == expected


def test_every_operator_is_tried() -> None:
    """An operator that the framework adds has to be added here."""
    assert {operator for _, operator, _, _ in OPERATORS} == set(FilterOperator)


@pytest.mark.parametrize(
    ("condition", "expected"), [("and", set()), ("or", {"north", "south"}), ("not", {"bare"}), (None, set())]
)
def test_conditions_combine(condition: Any, expected: set[str]) -> None:
    """All, any and none of two filters, and all where nothing is said."""
    filters = MetadataFilters(filters=[one("year", 2023), one("team", "South")], condition=condition)
    assert passing(filters) == expected


def test_filters_nest() -> None:
    """What the framework refuses: conditions within conditions, three deep."""
    newer = MetadataFilters(
        filters=[one("year", 2024), one("price", 12.0, FilterOperator.GTE)], condition=FilterCondition.AND
    )
    either = MetadataFilters(filters=[newer, one("tags", "steel", FilterOperator.CONTAINS)], condition="or")
    neither = MetadataFilters(filters=[either], condition=FilterCondition.NOT)
    assert passing(either) == {"north", "south"}
    assert passing(neither) == {"bare"}
    assert passing(MetadataFilters(filters=[neither, one("year", 2023)], condition="or")) == {"north", "bare"}


def test_values_that_cannot_be_compared_do_not_pass() -> None:
    """Where vector stores raise, nothing is found."""
    assert passing(one("team", 3, FilterOperator.GT)) == set()
    assert passing(one("year", "x", FilterOperator.CONTAINS)) == set()


def test_no_filters_let_everything_pass() -> None:
    """An empty list and None are no filters, nested or not."""
    assert passing(MetadataFilters(filters=[])) == set(RECORDS)
    assert passing(MetadataFilters(filters=[MetadataFilters(filters=[])], condition="or")) == set(RECORDS)
    assert plan_filters(None) == plan_filters(MetadataFilters(filters=[]))


@pytest.fixture
def index(paged: Paged) -> PageIndex:
    """Two reports of two pages each, a year apart."""
    return PageIndex.from_documents(
        [
            *paged("a.pdf", "1 Sales\nSales of pumps rose.", "2 Staff\nThe staff makes pumps.", year=2023),
            *paged("b.pdf", "1 Sales\nSales of valves fell.", "2 Staff\nThe staff makes valves.", year=2024),
        ]
    )


def places(index: PageIndex, filters: MetadataFilters | None = None, **how: Any) -> set[tuple[str, int]]:
    """File and page of every page that a retriever with these filters may return."""
    retriever = index.as_retriever(similarity_top_k=10, unit="page", filters=filters, **how)
    found = [each.node.metadata for each in retriever.retrieve("sales staff")]
    return {(metadata["file_name"], metadata["page_start"]) for metadata in found}


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("year", 2024, {("b.pdf", 1), ("b.pdf", 2)}),
        ("file_name", "a.pdf", {("a.pdf", 1), ("a.pdf", 2)}),
        ("file_path", "/data/b.pdf", {("b.pdf", 1), ("b.pdf", 2)}),
        ("page_label", "2", {("a.pdf", 2), ("b.pdf", 2)}),
        ("page_start", 1, {("a.pdf", 1), ("b.pdf", 1)}),
        ("year", 1999, set()),
        ("page_label", "99", set()),
    ],
)
def test_filters_reach_documents_and_places(
    index: PageIndex, key: str, value: Any, expected: set[tuple[str, int]]
) -> None:
    """What a node's metadata says can be filtered by: stored keys, derived ones, and pages."""
    assert places(index, MetadataFilters(filters=[one(key, value)])) == expected


def test_filters_of_every_kind_combine(index: PageIndex) -> None:
    """Together each part is tested where it can be; alternatives across kinds are tested on nodes."""
    parts = [one("year", 2023), one("file_name", "a.pdf"), one("page_start", 2)]
    assert places(index, MetadataFilters(filters=parts)) == {("a.pdf", 2)}
    either = MetadataFilters(filters=[one("year", 2023), one("page_start", 1)], condition="or")
    assert places(index, either) == {("a.pdf", 1), ("a.pdf", 2), ("b.pdf", 1)}


def test_files_can_be_filtered_by_name(manual: Path, notes: Path) -> None:
    """Files carry no metadata of their own, and are filtered by what nodes say of them all the same."""
    index = PageIndex.from_files([manual, notes])
    assert places(index, MetadataFilters(filters=[one("file_name", "notes.md")])) == {("notes.md", 1)}


def test_keys_of_the_document_are_filtered_by_the_names_that_nodes_give_them(paged: Paged) -> None:
    """A title of the document's own is ``document_title``, and a ``doc_id`` of its own is found by either name."""
    documents = [*paged("a.pdf", "1 Sales\nSales rose.", title="Annual report", doc_id="A-1"), *paged("b.pdf", "2 No")]
    index = PageIndex.from_documents(documents)
    for key, value in (("document_title", "Annual report"), ("document_doc_id", "A-1"), ("source", "/data/a.pdf")):
        assert places(index, MetadataFilters(filters=[one(key, value)])) == {("a.pdf", 1)}
    (b,) = [info for info in index.library.list() if info.name == "b.pdf"]
    assert places(index, MetadataFilters(filters=[one("doc_id", b.doc_id)])) == {("b.pdf", 1)}


def test_filters_do_not_cost_results(paged: Paged) -> None:
    """Enough nodes come back although the best ones of the library are filtered out."""
    texts = [f"Item {number}\nPumps pumps pumps." for number in range(60)]
    index = PageIndex.from_documents([*paged("big.pdf", *texts), *paged("late.pdf", *["One word on pumps."] * 61)])
    wanted = MetadataFilters(filters=[one("page_start", 55, FilterOperator.GTE), one("file_name", "late.pdf")])
    found = index.as_retriever(similarity_top_k=4, unit="page", filters=wanted).retrieve("pumps")
    assert len(found) == 4
    assert all(each.node.metadata["page_start"] >= 55 for each in found)


def test_doc_ids_name_documents_in_every_way(index: PageIndex) -> None:
    """By the framework's id of a page, by source, by document id, by name; unknown ones find nothing."""
    (info,) = [info for info in index.library.list() if info.name == "b.pdf"]
    whole = {("b.pdf", 1), ("b.pdf", 2)}
    assert places(index, doc_ids=["b.pdf-2"]) == {("b.pdf", 2)}
    assert places(index, doc_ids=[info.source_id]) == whole
    assert places(index, doc_ids=[info.doc_id]) == whole
    assert places(index, doc_ids=["b.pdf"]) == whole
    assert places(index, doc_ids=["a.pdf-1", "b.pdf"]) == {("a.pdf", 1), *whole}
    assert places(index, doc_ids=["nobody"]) == places(index, doc_ids=[]) == set()


def test_node_ids_are_those_of_results_or_of_stored_nodes(index: PageIndex) -> None:
    """Both ids that a user can come by restrict a search."""
    found = index.as_retriever(similarity_top_k=10, unit="page").retrieve("valves")
    wanted = found[1].node
    again = index.as_retriever(similarity_top_k=10, unit="page", node_ids=[wanted.node_id]).retrieve("staff")
    assert [each.node.node_id for each in again] == [wanted.node_id]
    assert places(index, node_ids=index.ref_doc_info["a.pdf-2"].node_ids) == {("a.pdf", 2)}
    assert places(index, node_ids=["nothing"]) == set()
    assert places(index, doc_ids=["b.pdf"], node_ids=index.ref_doc_info["a.pdf-2"].node_ids) == set()
