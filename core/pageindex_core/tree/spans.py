"""Nested headings -> Sections: which pages and lines each covers, and sections for what no heading covers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import count

from pageindex_core.records import Heading, Page, Section
from pageindex_core.tree.groups import is_page_group
from pageindex_core.tree.keys import KeyMaker, page_number_lines
from pageindex_core.tree.nest import Branch

PREFACE = "Preface"
"""Title of what stands before the first heading."""

Place = tuple[int, int]
"""Page number and line index: where a text starts, or stops before."""


def lay_out(branches: Sequence[Branch], pages: Sequence[Page]) -> tuple[Section, ...]:
    """Give the sections of a document; ids and keys are not yet made.

    Every page is covered: text before the first heading becomes ``Preface``, pages of a parent before its first child
    become ``<title> (intro)``. A page that two sections share belongs to both, unless the later heading opens it.
    """
    if not branches or not pages:
        return ()
    sections = lay_out_below(branches, (len(pages) + 1, 0), 1, pages)
    first = start_of(sections[0])
    if first[0] > 1 or has_text(pages, (1, 0), first):
        sections.insert(0, _synthetic(PREFACE, 1, (1, 0), first))
    else:
        sections[0] = starting_at_zero(sections[0])
    return tuple(sections)


def number_sections(sections: Sequence[Section], pages: Sequence[Page]) -> tuple[Section, ...]:
    """Give the sections their ``node_id`` (pre-order), ``section_key``, label and line range."""
    starts = [start_of(section) for root in sections for section in root.walk()]
    starts.append((len(pages) + 1, 0))
    sizes: dict[int, int] = {}
    for root in sections:
        _count_sections(root, sizes)
    numbering = page_number_lines(pages)
    keys = KeyMaker()
    positions = count()

    def finish(section: Section, above: tuple[str, ...]) -> Section:
        position = next(positions)
        after = starts[position + sizes[id(section)]]
        # A page group is what its pages say: its title holds page numbers, and its own text is that of its pages.
        is_group = is_page_group(section)
        path = (*above, "" if is_group else section.title)
        own_stop = after if is_group else starts[position + 1]
        key = keys.key_of(path, texts_between(pages, starts[position], own_stop, numbering))
        children = tuple(finish(child, path) for child in section.children)
        return replace(
            section,
            node_id=f"{position:04d}",
            section_key=key,
            children=children,
            page_label=pages[section.start_page - 1].page_label,
            line_range=_line_range(pages, starts[position], after),
        )

    return tuple(finish(section, ()) for section in sections)


def _count_sections(section: Section, sizes: dict[int, int]) -> int:
    """Count the sections of a subtree, itself included, and note it for each of them, by its ``id``."""
    size = 1 + sum(_count_sections(child, sizes) for child in section.children)
    sizes[id(section)] = size
    return size


def lay_out_below(branches: Sequence[Branch], end: Place, level: int, pages: Sequence[Page]) -> list[Section]:
    """Give the sections of one level, the last of which ends where ``end`` begins; ids and keys are not yet made."""
    stops = [*(_place(branch.heading) for branch in branches), end][1:]
    return [section_of(branch, stop, level, pages) for branch, stop in zip(branches, stops, strict=True)]


def section_of(branch: Branch, stop: Place, level: int, pages: Sequence[Page]) -> Section:
    """Give the section of one heading with all below it, up to ``stop``; ids and keys are not yet made."""
    heading = branch.heading
    start = _place(heading)
    children = lay_out_below(branch.children, stop, level + 1, pages)
    if children and _needs_intro(start, start_of(children[0]), pages):
        intro = _synthetic(f"{heading.title} (intro)", level + 1, start, start_of(children[0]))
        children.insert(0, replace(intro, start_y=heading.y))
    end_page = max([last_page(start, stop), *(child.end_page for child in children)])
    return Section(
        node_id="",
        section_key="",
        title=heading.title,
        level=level,
        start_page=heading.page_number,
        end_page=end_page,
        start_line=heading.line_index,
        children=tuple(children),
        start_y=heading.y,
        evidence=heading.evidence,
    )


def _needs_intro(start: Place, first_child: Place, pages: Sequence[Page]) -> bool:
    """Whether a parent has pages of its own before its first child, and more on them than its heading."""
    if first_child[0] == start[0]:
        return False
    return last_page(start, first_child) > start[0] or has_text(pages, (start[0], start[1] + 1), first_child)


def _synthetic(title: str, level: int, start: Place, stop: Place) -> Section:
    return Section(
        node_id="",
        section_key="",
        title=title,
        level=level,
        start_page=start[0],
        end_page=last_page(start, stop),
        start_line=start[1],
        synthetic=True,
    )


def starting_at_zero(section: Section) -> Section:
    """Let a first section begin with its page when nothing readable stands above its heading."""
    children = section.children
    if children and start_of(children[0]) == start_of(section):
        children = (starting_at_zero(children[0]), *children[1:])
    return replace(section, start_line=0, children=children)


def _place(heading: Heading) -> Place:
    return heading.page_number, heading.line_index


def start_of(section: Section) -> Place:
    """Give the place where a section's text starts."""
    return section.start_page, section.start_line


def last_page(start: Place, stop: Place) -> int:
    """Last page of a text that ends where ``stop`` begins."""
    return max(start[0], stop[0] if stop[1] > 0 else stop[0] - 1)


def texts_between(
    pages: Sequence[Page], start: Place, stop: Place, skip: Container[Place] = frozenset()
) -> Iterator[str]:
    """The texts of the lines from one place up to another, without those in ``skip``."""
    for page_number in range(start[0], min(stop[0], len(pages)) + 1):
        first = start[1] if page_number == start[0] else 0
        last = stop[1] if page_number == stop[0] else None
        for line_index, line in enumerate(pages[page_number - 1].lines[first:last], start=first):
            if (page_number, line_index) not in skip:
                yield line.text


def has_text(pages: Sequence[Page], start: Place, stop: Place) -> bool:
    """Whether anything readable stands from one place up to another."""
    return any(text.strip() for text in texts_between(pages, start, stop))


def _line_range(pages: Sequence[Page], start: Place, stop: Place) -> tuple[int, int] | None:
    """First and last line in the source text from one place up to another; None for paged formats."""
    first = pages[start[0] - 1].line_number(start[1])
    if first is None:
        return None
    ends = pages[stop[0] - 1] if stop[1] > 0 else pages[stop[0] - 2]
    last = ends.line_number((stop[1] if stop[1] > 0 else len(ends.lines)) - 1)
    return first, max(first, last or first)
