"""LlamaIndex ``MetadataFilters``, nested ones included, in the core's filter language.

The framework's own evaluator refuses nested filters; the core's does not. A filter on document metadata becomes part
of the scope, so that the library never loads what it excludes; only filters on places inside a document
("page_label", "title", …) are tested on hits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from pageindex_llamaindex.nodes import DERIVED_KEYS, RENAMED, UNIT_KEYS

Where = dict[str, Any]
"""A filter of the core; see ``pageindex_core.library.filters``."""


@dataclass(slots=True)
class FilterPlan:
    """What to test where. Each part is a filter of the core, and an empty one lets everything pass."""

    stored: Where = field(default_factory=dict)
    """On the metadata that the library keeps of a document."""
    derived: Where = field(default_factory=dict)
    """On what a node says of its document besides, such as its file name."""
    unit: Where = field(default_factory=dict)
    """On the whole metadata of a node."""


def plan_filters(filters: MetadataFilters | None) -> FilterPlan:
    """Part a filter by where it can be tested. Parts that must all hold are separated; others stay whole."""
    if filters is None or not filters.filters:
        return FilterPlan()
    together = filters.condition in (FilterCondition.AND, None)
    parts: dict[str, list[Where]] = {"stored": [], "derived": [], "unit": []}
    for part in filters.filters if together else [filters]:
        keys = _keys(part)
        derived = any(key in DERIVED_KEYS or key.startswith(RENAMED) for key in keys)
        parts["unit" if keys & UNIT_KEYS else "derived" if derived else "stored"].append(to_where(part))
    return FilterPlan(**{place: {"$and": wheres} for place, wheres in parts.items() if wheres})


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
