"""Nested headings -> Sections: which pages and lines each covers, and sections for what no heading covers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pageindex_core.records import Page, Section
from pageindex_core.tree.nest import Branch

PREFACE = "Preface"
"""Title of what stands before the first heading."""


def lay_out(branches: Sequence[Branch], pages: Sequence[Page]) -> tuple[Section, ...]:
    """Give the sections of a document, ids and keys included.

    Every page is covered: text before the first heading becomes ``Preface``, pages of a parent before its first child
    become ``<title> (intro)``. A page that two sections share belongs to both, unless the later heading opens it.
    """
    if not branches or not pages:
        return ()
    end = (len(pages) + 1, 0)
    sections = _siblings(branches, end, 1, pages)
    first = branches[0].heading
    if (first.page_number, first.line_index) > (1, 0) and _has_text(pages, (1, 0), (first.page_number, first.line_index)):
        sections.insert(0, _synthetic(PREFACE, 1, (1, 0), (first.page_number, first.line_index), pages))
    elif first.page_number > 1:
        sections.insert(0, _synthetic(PREFACE, 1, (1, 0), (first.page_number, first.line_index), pages))
    elif first.line_index > 0:
        sections[0] = _starting_at_zero(sections[0])
    return number_sections(sections, pages)


def number_sections(sections: Sequence[Section], pages: Sequence[Page]) -> tuple[Section, ...]:
    """Give the sections their ``node_id`` (pre-order), ``section_key``, label and line range."""
    flat = [section for root in sections for section in root.walk()]
    starts = [(section.start_page, section.start_line) for section in flat]
    ends = [*starts[1:], (len(pages) + 1, 0)]
    keys = iter(zip(range(len(flat)), starts, ends, strict=True))
    seen: Counter[str] = Counter()

    def finish(section: Section, path: tuple[str, ...]) -> Section:
        position, start, stop = next(keys)
        path = (*path, section.title)
        digest = hashlib.sha256("\x1f".join((*path, "\x1e", *_lines(pages, start, stop))).encode("utf-8", "replace")).hexdigest()
        seen[digest] += 1
        if seen[digest] > 1:
            digest = hashlib.sha256(f"{digest}#{seen[digest]}".encode()).hexdigest()
        children = tuple(finish(child, path) for child in section.children)
        page = pages[section.start_page - 1] if section.start_page <= len(pages) else None
        return replace(
            section,
            node_id=f"{position:04d}",
            section_key=digest[:12],
            children=children,
            page_label=page.page_label if page else None,
            line_range=_line_range(section, children, start, stop, pages),
        )

    return tuple(finish(section, ()) for section in sections)


def _siblings(branches: Sequence[Branch], end: tuple[int, int], level: int, pages: Sequence[Page]) -> list[Section]:
    sections = []
    for index, branch in enumerate(branches):
        following = branches[index + 1].heading if index + 1 < len(branches) else None
        stop = (following.page_number, following.line_index) if following else end
        sections.append(_section(branch, stop, level, pages))
    return sections


def _section(branch: Branch, stop: tuple[int, int], level: int, pages: Sequence[Page]) -> Section:
    heading = branch.heading
    start = (heading.page_number, heading.line_index)
    children = _siblings(branch.children, stop, level + 1, pages)
    if children and (own_end := _last_page(start, _start(children[0]))) >= start[0] and children[0].start_page > start[0]:
        intro = _synthetic(f"{heading.title} (intro)", level + 1, start, _start(children[0]), pages)
        if own_end > start[0] or _has_text(pages, (start[0], start[1] + 1), _start(children[0])):
            children.insert(0, replace(intro, start_y=heading.y))
    end_page = max([_last_page(start, stop), *(child.end_page for child in children)])
    return Section(
        node_id="",
        section_key="",
        title=heading.title,
        level=level,
        start_page=heading.page_number,
        end_page=min(end_page, len(pages)),
        start_line=heading.line_index,
        children=tuple(children),
        start_y=heading.y,
        evidence=heading.evidence,
    )


def _synthetic(
    title: str, level: int, start: tuple[int, int], stop: tuple[int, int], pages: Sequence[Page]
) -> Section:
    return Section(
        node_id="",
        section_key="",
        title=title,
        level=level,
        start_page=start[0],
        end_page=min(_last_page(start, stop), len(pages)),
        start_line=start[1],
        synthetic=True,
    )


def _start(section: Section) -> tuple[int, int]:
    return section.start_page, section.start_line


def _last_page(start: tuple[int, int], stop: tuple[int, int]) -> int:
    """Last page of a text that ends where ``stop`` begins."""
    return max(start[0], stop[0] if stop[1] > 0 else stop[0] - 1)


def _has_text(pages: Sequence[Page], start: tuple[int, int], stop: tuple[int, int]) -> bool:
    return any(line.strip() for line in _lines(pages, start, stop))


def _lines(pages: Sequence[Page], start: tuple[int, int], stop: tuple[int, int]) -> list[str]:
    """Texts of the lines from one place up to another."""
    found: list[str] = []
    for page_number in range(start[0], min(stop[0], len(pages)) + 1):
        lines = pages[page_number - 1].lines
        first = start[1] if page_number == start[0] else 0
        last = stop[1] if page_number == stop[0] else len(lines)
        found.extend(line.text for line in lines[first:last])
    return found


def _starting_at_zero(section: Section) -> Section:
    """Let a first section begin with its page when nothing readable stands above its heading."""
    children = section.children
    if children and _start(children[0]) == _start(section):
        children = (_starting_at_zero(children[0]), *children[1:])
    return replace(section, start_line=0, children=children)


def _line_range(
    section: Section,
    children: tuple[Section, ...],
    start: tuple[int, int],
    stop: tuple[int, int],
    pages: Sequence[Page],
) -> tuple[int, int] | None:
    """First and last source line of the whole subtree; None for paged formats."""
    first = pages[start[0] - 1].first_line_number if start[0] <= len(pages) else None
    if first is None:
        return None
    last_child = children[-1].line_range if children else None
    if last_child is not None:
        return first + start[1], last_child[1]
    count = len(_lines(pages, start, stop))
    return first + start[1], first + start[1] + max(count, 1) - 1
