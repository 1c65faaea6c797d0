"""A tree as a tool gives it: whole, by depth, below one section, and in parts that stay under a size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.records import Section

LIMIT_CHARACTERS = 100_000
"""Size at which hosts cut or refuse what a tool gives."""

PART_CHARACTERS = LIMIT_CHARACTERS * 95 // 100
"""Size of a part: room is left for what the host puts around it."""

MOST_TITLE_CHARACTERS = 1_000
MOST_SUMMARY_CHARACTERS = 2_000
"""No node alone may fill a part."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One section of the parts, with where it hangs."""

    node: dict[str, Any]
    above: tuple[dict[str, Any], ...]
    """Id and title of the sections it lies in, outermost first."""
    size: int


def structure_parts(
    sections: Sequence[Section],
    *,
    depth: int | None = None,
    summaries: bool = True,
    part_characters: int = PART_CHARACTERS,
) -> list[list[dict[str, Any]]]:
    """Give the structure as JSON values, in parts; one part where it is small enough.

    Each part is a forest. A section that is continued from the part before stands in it again with id and title alone,
    marked ``continued``, so that each part reads by itself and no section is lost.

    Args:
        sections: The outermost ones to show.
        depth: How many levels to show; None for all. Where more lie below, ``sections_below`` says how many.
        summaries: Whether to give them.
        part_characters: Most characters of a part as JSON.
    """
    parts: list[list[dict[str, Any]]] = []
    rows: list[_Row] = []
    size = 2
    for row in _rows(sections, (), 1, depth, summaries):
        stubs = sum(_size(stub) for stub in row.above)
        if rows and size + row.size > part_characters:
            parts.append(_forest(rows))
            rows, size = [], 2 + stubs
        rows.append(row)
        size += row.size
    if rows or not parts:
        parts.append(_forest(rows))
    return parts


def _rows(
    sections: Sequence[Section], above: tuple[dict[str, Any], ...], level: int, depth: int | None, summaries: bool
) -> Iterator[_Row]:
    for section in sections:
        node: dict[str, Any] = {
            "node_id": section.node_id,
            "title": section.title[:MOST_TITLE_CHARACTERS],
            "start_index": section.start_page,
            "end_index": section.end_page,
        }
        if summaries and section.summary:
            node["summary"] = section.summary[:MOST_SUMMARY_CHARACTERS]
        is_cut = depth is not None and level >= depth and bool(section.children)
        if is_cut:
            node["sections_below"] = sum(1 for _ in section.walk()) - 1
        yield _Row(node, above, _size(node))
        if not is_cut:
            stub = {"node_id": node["node_id"], "title": node["title"], "continued": True}
            yield from _rows(section.children, (*above, stub), level + 1, depth, summaries)


def _size(node: dict[str, Any]) -> int:
    """Characters of a node as JSON, with the list of its children and the commas around."""
    return len(json.dumps(node, ensure_ascii=False)) + len(', "nodes": [], ')


def _forest(rows: Sequence[_Row]) -> list[dict[str, Any]]:
    roots: list[dict[str, Any]] = []
    by_id: dict[str, dict[str, Any]] = {}
    for row in rows:
        siblings = roots
        for stub in row.above:
            holder = by_id.get(stub["node_id"])
            if holder is None:
                holder = dict(stub)
                by_id[stub["node_id"]] = holder
                siblings.append(holder)
            siblings = holder.setdefault("nodes", [])
        node = dict(row.node)
        by_id[node["node_id"]] = node
        siblings.append(node)
    return roots
