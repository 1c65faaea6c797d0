"""The tree's JSON form, shared with ``pageindex``: writes ours, reads both.

The shared keys are ``doc_name``, ``structure`` and, in each node, ``title``, ``node_id``, ``start_index``,
``end_index``, ``summary``, ``key_items`` and ``nodes``. Ours adds optional ones and loads without them. Trees of
Markdown files written by ``pageindex`` count lines (``line_num``) where others count pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, TypeGuard, get_args

from pageindex_core.errors import TreeFormatError
from pageindex_core.records import Evidence, Note, PageTree, Section, TocSource
from pageindex_core.tree.keys import KeyMaker
from pageindex_core.tree.nest import MAX_DEPTH

DEEPEST_READ = MAX_DEPTH + 10
"""Deepest nesting read, a bound on hostile files: headings nest less deep, and page groups may stand below them."""

SCHEMA_VERSION = 1
"""Raised when a reader of the version before would misread a tree."""


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


def tree_from_json(data: Mapping[str, Any] | Sequence[Any] | str | Path) -> PageTree:
    """Read a tree written by this project or by ``pageindex``: JSON values, JSON text or a file.

    A list is taken as the ``structure``. Ids and keys that are missing are made; a section that ends before it starts,
    or before its last child, is stretched and a note says so.

    Raises:
        TreeFormatError: not a tree; the message names the place and what was expected there.
    """
    if isinstance(data, (str, Path)):
        data = _parse(data)
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
    reader = _Reader()
    last_page = _page(data, "page_count", "the top level", default=0, least=0)
    sections = _with_names(reader.sections(data["structure"], 1, "structure", last_page + 1 if last_page else None))
    notes = _notes(data.get("notes"))
    if reader.stretched:
        message = f"{reader.stretched} sections ended before their own start or their last child; they were stretched."
        notes = (*notes, Note("tree_repaired", message))
    source = data.get("toc_source")
    return PageTree(
        doc_name=_text(data, "doc_name", "the top level") or "",
        sections=sections,
        toc_source=source if _is_toc_source(source) else "detected",
        page_count=max([last_page, *(section.end_page for section in sections)]),
        shares=_shares(data.get("toc_shares")),
        notes=notes,
        description=_text(data, "doc_description", "the top level"),
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
        summary_model=section.summary_model,
        nodes=[_node(child) for child in section.children] or None,
    )
    return node


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _parse(source: str | Path) -> Any:
    try:
        return json.loads(source.read_text(encoding="utf-8") if isinstance(source, Path) else source)
    except OSError as error:
        raise TreeFormatError(f"{source} cannot be opened.", f"{error.strerror}.", "Check the path.") from error
    except ValueError as error:  # JSON and UTF-8 errors both are
        what = f"{source} is" if isinstance(source, Path) else "The text is"
        raise TreeFormatError(f"{what} not JSON.", f"{error}.", "Pass the JSON of a page tree.") from error
    except RecursionError as error:
        raise _wrong("the nesting", f"at most {DEEPEST_READ} levels") from error


class _Reader:
    """Reads nodes, and counts those whose end had to be moved."""

    def __init__(self) -> None:
        self.stretched = 0

    def sections(self, nodes: Sequence[Any], level: int, where: str, stop: int | None) -> tuple[Section, ...]:
        """Read siblings; ``stop`` is the page on which what follows them starts, None when nothing says."""
        if nodes and level > DEEPEST_READ:
            raise _wrong("the nesting", f"at most {DEEPEST_READ} levels")
        starts = [_start_of(node, f"{where}[{index}]") for index, node in enumerate(nodes)]
        stops = [*starts[1:], stop]
        return tuple(
            self._section(node, level, f"{where}[{index}]", starts[index], stops[index])
            for index, node in enumerate(nodes)
        )

    def _section(self, node: Mapping[str, Any], level: int, where: str, start: int, stop: int | None) -> Section:
        nodes = node.get("nodes") or []
        if not isinstance(nodes, list):
            raise _wrong(f"{where}.nodes", "a list")
        children = self.sections(nodes, level + 1, f"{where}.nodes", stop)
        least = max([start, *(child.end_page for child in children)])
        end = _page(node, "end_index", where, default=max(least, (stop or 0) - 1))
        self.stretched += end < least
        start_y = node.get("start_y")
        if start_y is not None and (isinstance(start_y, bool) or not isinstance(start_y, (int, float))):
            raise _wrong(f"{where}.start_y", "a number")
        evidence = node.get("evidence")
        return Section(
            node_id=_id_of(node, where),
            section_key=_text(node, "section_key", where) or "",
            title=node["title"],
            level=level,
            start_page=start,
            end_page=max(end, least),
            start_line=_page(node, "start_line", where, default=0, least=0),
            children=children,
            summary=_text(node, "summary", where) or _text(node, "prefix_summary", where),
            key_items=_key_items(node.get("key_items"), where),
            start_y=start_y,
            evidence=evidence if _is_evidence(evidence) else None,
            page_label=_text(node, "page_label", where),
            synthetic=node.get("synthetic") is True,
            line_range=_line_range(node.get("line_range"), where),
            summary_model=_text(node, "summary_model", where),
        )


def _start_of(node: Any, where: str) -> int:
    if not isinstance(node, Mapping) or not isinstance(node.get("title"), str):
        raise _wrong(where, "an object with a text `title`")
    return _page(node, "line_num" if "start_index" not in node and "line_num" in node else "start_index", where)


def _page(holder: Mapping[str, Any], key: str, where: str, *, default: int | None = None, least: int = 1) -> int:
    value = holder.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _wrong(f"{where}.{key}", f"a whole number from {least}")
    return value


def _text(holder: Mapping[str, Any], key: str, where: str) -> str | None:
    value = holder.get(key)
    if value is not None and not isinstance(value, str):
        raise _wrong(f"{where}.{key}", "a text")
    return value


def _id_of(node: Mapping[str, Any], where: str) -> str:
    value = node.get("node_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:04d}"
    return _text(node, "node_id", where) or ""


def _key_items(value: Any, where: str) -> tuple[str, ...]:
    if value is not None and (not isinstance(value, list) or not all(isinstance(item, str) for item in value)):
        raise _wrong(f"{where}.key_items", "a list of texts")
    return tuple(value or ())


def _line_range(value: Any, where: str) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(type(number) is int for number in value):
        raise _wrong(f"{where}.line_range", "two line numbers")
    return value[0], value[1]


def _notes(value: Any) -> tuple[Note, ...]:
    if value is not None and (not isinstance(value, list) or not all(isinstance(note, Mapping) for note in value)):
        raise _wrong("the top level.notes", "a list of objects")
    return tuple(
        Note(str(note.get("code", "")), str(note.get("message", "")), note.get("page_number")) for note in value or ()
    )


def _shares(value: Any) -> dict[str, float]:
    if value is not None and not isinstance(value, Mapping):
        raise _wrong("the top level.toc_shares", "an object")
    return dict(value or {})


def _is_toc_source(value: Any) -> TypeGuard[TocSource]:
    return value in get_args(TocSource)


def _is_evidence(value: Any) -> TypeGuard[Evidence]:
    return value in get_args(Evidence)


def _with_names(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """Number the nodes in pre-order where ids are missing or not unique, and make the keys that are missing."""
    ids = [section.node_id for root in sections for section in root.walk()]
    keep_ids = all(ids) and len(set(ids)) == len(ids)
    positions = count()
    keys = KeyMaker()

    def named(section: Section, above: tuple[str, ...]) -> Section:
        position = next(positions)
        path = (*above, section.title)
        key = keys.key_of(path)
        return replace(
            section,
            node_id=section.node_id if keep_ids else f"{position:04d}",
            section_key=section.section_key or key,
            children=tuple(named(child, path) for child in section.children),
        )

    return tuple(named(section, ()) for section in sections)


def _wrong(where: str, expected: str) -> TreeFormatError:
    return TreeFormatError(f"{where} is not as expected.", f"A page tree has {expected} there.", "Check the JSON.")
