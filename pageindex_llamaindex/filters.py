"""LlamaIndex ``MetadataFilters``, nested ones included, in the core's filter language.

The framework's own evaluator refuses nested filters; the core's does not. A filter on what a node says of its document
becomes part of the scope, so that the library never loads what it excludes; only filters on places inside a document
("page_label", "title", …) are tested on hits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from pageindex_core.library.filters import compile_filter
from pageindex_core.records import Metadata
from pageindex_llamaindex.nodes import UNIT_KEYS, as_in_nodes

Where = dict[str, Any]
"""A filter of the core; see ``pageindex_core.library.filters``."""


@dataclass(frozen=True, slots=True)
class FilterPlan:
    """What to test where; None lets everything pass."""

    on_documents: Callable[[Metadata], bool] | None = None
    """What a document has to pass, as the library's filters see it."""
    on_nodes: Where | None = None
    """What the whole metadata of a node has to pass."""


def plan_filters(filters: MetadataFilters | None) -> FilterPlan:
    """Part a filter by where it can be tested. Parts that must all hold are separated; others stay whole."""
    if filters is None or not filters.filters:
        return FilterPlan()
    together = filters.condition in (FilterCondition.AND, None)
    parts = filters.filters if together else [filters]
    on_nodes = [to_where(part) for part in parts if _keys(part) & UNIT_KEYS]
    on_documents = [to_where(part) for part in parts if not _keys(part) & UNIT_KEYS]
    passes = compile_filter({"$and": on_documents}) if on_documents else None
    return FilterPlan(
        None if passes is None else lambda seen: passes(as_in_nodes(seen)),
        {"$and": on_nodes} if on_nodes else None,
    )


def to_where(part: MetadataFilter | MetadataFilters) -> Where:
    """Give a filter in the core's language.

    As in the framework's vector stores a missing key passes only ``!=``, ``nin`` and ``is_empty``, and ``not`` means
    that none of its filters holds. Values that cannot be compared do not pass, where vector stores raise.
    """
    if isinstance(part, MetadataFilter):
        return _CONDITIONS[part.operator](part.key, part.value)
    inner = [to_where(each) for each in part.filters]
    if not inner:
        return {}
    if part.condition == FilterCondition.NOT:
        return {"$not": {"$or": inner}}
    return {"$or" if part.condition == FilterCondition.OR else "$and": inner}


def _keys(part: MetadataFilter | MetadataFilters) -> set[str]:
    return {part.key} if isinstance(part, MetadataFilter) else set().union(*map(_keys, part.filters))


def _is(operator: str) -> Callable[[str, Any], Where]:
    return lambda key, value: {key: {operator: value}}


def _is_one(operator: str) -> Callable[[str, Any], Where]:
    return lambda key, value: {key: {operator: value if isinstance(value, list) else [value]}}


def _holds(join: str) -> Callable[[str, Any], Where]:
    def condition(key: str, value: Any) -> Where:
        wanted = value if isinstance(value, list) else [value]
        return {join: [{key: {"$contains": each}} for each in wanted]} if wanted else {key: {"$in": []}}

    return condition


def _is_empty(key: str, value: Any) -> Where:
    return {"$or": [{key: {"$exists": False}}, {key: {"$in": [None, ""]}}, {key: {"$eq": []}}]}


_CONDITIONS: Mapping[FilterOperator, Callable[[str, Any], Where]] = {
    FilterOperator.EQ: _is("$eq"),
    FilterOperator.NE: _is("$ne"),
    FilterOperator.GT: _is("$gt"),
    FilterOperator.GTE: _is("$gte"),
    FilterOperator.LT: _is("$lt"),
    FilterOperator.LTE: _is("$lte"),
    FilterOperator.IN: _is_one("$in"),
    FilterOperator.NIN: _is_one("$nin"),
    FilterOperator.ANY: _holds("$or"),
    FilterOperator.ALL: _holds("$and"),
    FilterOperator.CONTAINS: _is("$contains"),
    FilterOperator.TEXT_MATCH: _is("$contains"),
    FilterOperator.TEXT_MATCH_INSENSITIVE: _is("$text_match"),
    FilterOperator.IS_EMPTY: _is_empty,
}
