"""LlamaIndex ``MetadataFilters``, nested ones included, in the core's filter language.

The framework's own evaluator refuses nested filters; the core's does not. A filter on what a node says of its document
becomes part of the scope, so that the library never loads what it excludes; only filters on places inside a document
("page_label", "title", …) are tested on hits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from pageindex_core.library.filters import Predicate, compile_filter, keys_of
from pageindex_llamaindex.nodes import UNIT_KEYS, as_in_nodes

Where = dict[str, Any]
"""A filter of the core; see ``pageindex_core.library.filters``."""

_NAMED_APART = {FilterOperator.TEXT_MATCH: "$contains", FilterOperator.TEXT_MATCH_INSENSITIVE: "$text_match"}
"""Operators that the core has under another name; the others are named alike."""


def plan_filters(filters: MetadataFilters | None) -> tuple[Predicate | None, Predicate | None]:
    """Part a filter by where it can be tested. Parts that must all hold are separated; others stay whole.

    Returns:
        What a document has to pass, as the library's filters see it, and what the whole metadata of a node has to; None
        lets everything pass.
    """
    if filters is None or not filters.filters:
        return None, None
    together = filters.condition in (FilterCondition.AND, None)
    parts = [to_where(part) for part in (filters.filters if together else [filters])]
    on_documents = _all_of([part for part in parts if UNIT_KEYS.isdisjoint(keys_of(part))])
    on_nodes = _all_of([part for part in parts if not UNIT_KEYS.isdisjoint(keys_of(part))])
    return None if on_documents is None else lambda seen: on_documents(as_in_nodes(seen)), on_nodes


def to_where(part: MetadataFilter | MetadataFilters) -> Where:
    """Give a filter in the core's language.

    As in the framework's vector stores a missing key passes only ``!=``, ``nin`` and ``is_empty``, and ``not`` means
    that none of its filters holds. Values that cannot be compared do not pass, where vector stores raise.
    """
    if isinstance(part, MetadataFilter):
        return _condition(part.key, part.operator, part.value)
    inner = [to_where(each) for each in part.filters]
    if not inner:
        return {}
    if part.condition == FilterCondition.NOT:
        return {"$not": {"$or": inner}}
    return {"$or" if part.condition == FilterCondition.OR else "$and": inner}


def _condition(key: str, operator: FilterOperator, value: Any) -> Where:
    values = value if isinstance(value, list) else [value]
    if operator == FilterOperator.IS_EMPTY:
        return {"$or": [{key: {"$exists": False}}, {key: {"$in": [None, ""]}}, {key: {"$eq": []}}]}
    if operator in (FilterOperator.ANY, FilterOperator.ALL):
        join = "$or" if operator == FilterOperator.ANY else "$and"
        return {join: [{key: {"$contains": each}} for each in values]} if values else {key: {"$in": []}}
    if operator in (FilterOperator.IN, FilterOperator.NIN):
        value = values
    return {key: {_NAMED_APART.get(operator, f"${operator.name.lower()}"): value}}


def _all_of(parts: Sequence[Where]) -> Predicate | None:
    return compile_filter({"$and": parts}) if parts else None
