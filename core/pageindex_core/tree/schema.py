"""The tree's JSON form, shared with ``pageindex``: writes ours, reads both.

The shared keys are ``doc_name``, ``structure`` and, in each node, ``title``, ``node_id``, ``start_index``,
``end_index``, ``summary``, ``key_items`` and ``nodes``. Ours adds optional ones and loads without them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pageindex_core.errors import TreeFormatError
from pageindex_core.records import Note, PageTree, Section, TocSource

SCHEMA_VERSION = 1
"""Raised when a reader of the version before would misread a tree."""

MAX_DEPTH = 200
"""Deepest nesting read: far above any document, and a bound on hostile files."""


def tree_to_json(tree: PageTree) -> dict[str, Any]:
    """Give the tree as JSON values."""
    out: dict[str, Any] = {
        "doc_name": tree.doc_name,
        "structure": [_node(section) for section in tree.sections],
        "toc_source": tree.toc_source,
        "schema_version": SCHEMA_VERSION,
        "page_count": tree.page_count,
    }
    if tree.shares:
        out["toc_shares"] = dict(tree.shares)
    if tree.description is not None:
        out["doc_description"] = tree.description
    if tree.notes:
        out["notes"] = [_given(code=n.code, message=n.message, page_number=n.page_number) for n in tree.notes]
    return out


def tree_from_json(data: Mapping[str, Any] | str | Path) -> PageTree:
    """Read a tree written by this project or by ``pageindex``, from JSON values, JSON text or a file.

    Raises:
        TreeFormatError: not a tree; the message names the place and what was expected there.
    """
    if isinstance(data, Path):
        data = data.read_text(encoding="utf-8")
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except json.JSONDecodeError as error:
            raise TreeFormatError("The text is not JSON.", f"{error}.", "Pass the JSON of a page tree.") from error
    if isinstance(data, list):
        data = {"structure": data}
    if not isinstance(data, Mapping) or not isinstance(data.get("structure"), list):
        raise _wrong("the top level", "an object with a list `structure`")
    version = data.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise TreeFormatError(
            f"The tree has schema version {version!r}.",
            f"This release reads version {SCHEMA_VERSION}.",
            "Index the document again, or upgrade pageindex-rag.",
        )
    source = data.get("toc_source")
    sections = _sections(data["structure"], 1, "structure")
    sections = _with_ids(sections)
    ends = [section.end_page for section in sections]
    return PageTree(
        doc_name=str(data.get("doc_name") or ""),
        sections=sections,
        toc_source=source if source in get_args(TocSource) else "detected",
        page_count=int(data.get("page_count") or max(ends, default=0)),
        shares=dict(data.get("toc_shares") or {}),
        notes=tuple(
            Note(str(note.get("code", "")), str(note.get("message", "")), note.get("page_number"))
            for note in data.get("notes") or ()
        ),
        description=data.get("doc_description"),
    )


def _node(section: Section) -> dict[str, Any]:
    node: dict[str, Any] = {
        "title": section.title,
        "node_id": section.node_id,
        "start_index": section.start_page,
        "end_index": section.end_page,
    }
    node |= _given(
        summary=section.summary,
        key_items=list(section.key_items) or None,
        level=section.level,
        start_line=section.start_line or None,
        start_y=section.start_y,
        evidence=section.evidence,
        page_label=section.page_label,
        synthetic=section.synthetic or None,
        section_key=section.section_key or None,
        line_range=list(section.line_range) if section.line_range else None,
        nodes=[_node(child) for child in section.children] or None,
    )
    return node


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _sections(nodes: Sequence[Any], level: int, where: str) -> tuple[Section, ...]:
    if level > MAX_DEPTH:
        raise _wrong(where, f"at most {MAX_DEPTH} levels")
    return tuple(_section(node, level, f"{where}[{index}]") for index, node in enumerate(nodes))


def _section(node: Any, level: int, where: str) -> Section:
    if not isinstance(node, Mapping) or not isinstance(node.get("title"), str):
        raise _wrong(where, "an object with a text `title`")
    nodes = node.get("nodes") or []
    if not isinstance(nodes, list):
        raise _wrong(f"{where}.nodes", "a list")
    children = _sections(nodes, level + 1, f"{where}.nodes")
    start = _page(node.get("start_index", node.get("line_num")), f"{where}.start_index")
    end = _page(node.get("end_index", max([start, *(child.end_page for child in children)])), f"{where}.end_index")
    lines = node.get("line_range")
    return Section(
        node_id=str(node.get("node_id") or ""),
        section_key=str(node.get("section_key") or ""),
        title=node["title"],
        level=level,
        start_page=start,
        end_page=max(end, start),
        start_line=int(node.get("start_line") or 0),
        children=children,
        summary=node.get("summary") or node.get("prefix_summary"),
        key_items=tuple(str(item) for item in node.get("key_items") or ()),
        start_y=node.get("start_y"),
        evidence=node.get("evidence"),
        page_label=node.get("page_label"),
        synthetic=bool(node.get("synthetic")),
        line_range=(int(lines[0]), int(lines[1])) if lines else None,
    )


def _page(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _wrong(where, "a page number from 1")
    return value


def _with_ids(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """Number the nodes in pre-order where ids are missing or not unique."""
    ids = [section.node_id for root in sections for section in root.walk()]
    if all(ids) and len(set(ids)) == len(ids):
        return sections
    position = iter(range(len(ids)))

    def numbered(section: Section) -> Section:
        node_id = f"{next(position):04d}"
        return replace(section, node_id=node_id, children=tuple(numbered(child) for child in section.children))

    return tuple(numbered(section) for section in sections)


def _wrong(where: str, expected: str) -> TreeFormatError:
    return TreeFormatError(f"{where} is not as expected.", f"A page tree has {expected} there.", "Check the JSON.")
