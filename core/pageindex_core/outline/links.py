"""Links on contents pages: each printed entry leads to an exact page and height.

Citations and cross-references are links too. Contents are told from them by density, order and by the titles being
printed where the links lead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from pageindex_core.headlines import LISTS
from pageindex_core.outline.candidates import Candidate, candidate_at, candidate_at_height
from pageindex_core.outline.entries import (
    Entry,
    is_contents_headline,
    split_entry,
    without_leading_pages,
)
from pageindex_core.outline.entry_levels import levels_of
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import parse_number
from pageindex_core.outline.refuse import is_caption
from pageindex_core.outline.rows import Row
from pageindex_core.outline.titles import Place, find_near, find_only, out_of_order
from pageindex_core.records import Link, Note

USUAL_CHAR_WIDTH = 0.5
"""Width of an average Latin character as a share of its font size."""

MIN_ENTRIES = 4
"""A table of contents has at least this many linked entries."""

_MIN_LINKED_ROWS = 0.4
"""Share of a page's rows that are linked, on contents pages. Bibliographies and indexes reach it too, and fail the
check of the titles."""

_MIN_PRINTED = 0.5
"""Share of the entries whose title is printed where the link leads, from which a page is believed."""

_SEARCHED_SHARE = 0.2
"""Contents stand in the first fifth of a document, or within its first 12 pages."""

_CLOSE = 0.6
_APART = 1.2
"""White space between the lines of a wrapped entry at most, in their size; and where both lead to the same height and
the second begins with a small letter, since theses are set with wide leading."""


FindPrinted: TypeAlias = Callable[[str, int, float | None], Place | None]
"""A title, the page (0-based) and the height that its link leads to -> where it is printed, a page away at most."""


def read_links(layout: Layout) -> tuple[list[Candidate], frozenset[int], list[Note]]:
    """Give the linked entries as candidates, the contents pages (0-based), and notes."""
    limit = max(12, int(len(layout.pages) * _SEARCHED_SHARE))

    @cache
    def find_printed(title: str, target: int, y: float | None) -> Place | None:
        return find_near(layout, title, target, 1, y)

    found: list[Candidate] = []
    contents_pages: set[int] = set()
    all_entries: list[Entry] = []
    every: list[Entry] = []
    of_floats = False
    for page_index in range(min(limit, len(layout.pages))):
        page = layout.pages[page_index]
        if len(page.links) < MIN_ENTRIES and not (contents_pages and page_index - 1 in contents_pages and page.links):
            continue
        entries = _entries(layout, page_index)
        if _is_contents(layout, page_index, entries, bool(contents_pages), find_printed):
            of_floats = of_floats and page_index - 1 in contents_pages
            contents_pages.add(page_index)
            every.extend(entries)
            entries, of_floats = _without_floats(layout, page_index, entries, of_floats)
            all_entries.extend(entries)
    if len(all_entries) < MIN_ENTRIES:
        all_entries = every  # what stands above them heads a part of the contents
    if len(all_entries) < MIN_ENTRIES:
        return [], frozenset(), []
    all_entries = without_leading_pages(layout, all_entries)
    levels = levels_of(all_entries)
    lost = moved = 0
    targets = [entry.target_index for entry in all_entries]
    for index, (entry, level) in enumerate(zip(all_entries, levels, strict=True)):
        astray = out_of_order(targets, index)
        candidate = _locate(layout, entry, level, frozenset(contents_pages), astray, find_printed)
        if candidate is None:
            lost += 1
        else:
            moved += _is_moved(layout, entry, candidate.page_index)
            found.append(candidate)
    notes = [Note("links_dropped", f"{lost} linked contents entries lead nowhere in this file.")] if lost else []
    if moved:
        message = f"{moved} linked contents entries lead to another page than that of their title; placed by it."
        notes.append(Note("links_moved", message))
    return found, frozenset(contents_pages), notes


def _entries(layout: Layout, page_index: int) -> list[Entry]:
    """The linked rows of a page in reading order, wrapped ones joined."""
    rows = layout.rows_of(page_index)
    by_row = _links_by_row(layout.pages[page_index].links, rows)
    right_edge = max((row.x1 for row in rows), default=0.0)
    entries: list[Entry] = []
    for row_index, row in enumerate(rows if by_row else ()):
        links = by_row.get(row_index, [])
        title, printed, leader = split_entry(row.text)
        linked = any(_names(link, row, title, printed) for link in links)
        if not linked and not (by_row and leader and printed is not None):
            continue
        if (
            not title
            or not any(char.isalpha() for char in title)
            or is_caption(title)
            or is_contents_headline(fold(title))
        ):
            continue
        link = min(links, key=lambda item: item.box.x0, default=None)
        target = (link.page_number - 1, link.y) if link is not None else (None, None)
        entry = Entry(title, row, printed, leader, *target)
        previous = entries[-1] if entries else None
        if previous is not None and _continues(previous, entry, right_edge):
            start = previous.title if previous.printed_page is None else previous.row.text
            entries[-1] = replace(
                previous, title=f"{start} {title}", printed_page=printed, row=_taller(previous.row, row)
            )
        else:
            entries.append(entry)
    return entries


def _without_floats(layout: Layout, page_index: int, entries: list[Entry], of_floats: bool) -> tuple[list[Entry], bool]:
    """The entries of a contents page but for those below the headline of a list of figures or tables.

    Args:
        layout: The measured document.
        page_index: 0-based.
        entries: The linked rows of the page.
        of_floats: Whether such a list goes on from the page before.

    Returns:
        What remains, and whether such a list goes on at the end of the page.
    """
    keys = layout.keys[page_index]
    linked = {index for entry in entries for index in entry.row.line_indexes}
    turns = [i for i, key in enumerate(keys) if i not in linked and (key in LISTS or is_contents_headline(key))]
    if not turns:
        return ([] if of_floats else entries), of_floats
    kept = []
    for entry in entries:
        above = [index for index in turns if index < entry.row.line_indexes[0]]
        if not (keys[above[-1]] in LISTS if above else of_floats):
            kept.append(entry)
    return kept, keys[turns[-1]] in LISTS


def _links_by_row(links: Sequence[Link], rows: Sequence[Row]) -> dict[int, list[Link]]:
    """The links that cover at least half the height of a row, by its index."""
    found: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        box = link.box
        height = max(box.y1 - box.y0, 1.0)
        for index, row in enumerate(rows):
            if row.y0 >= box.y1 or row.y1 <= box.y0:
                continue
            overlap = min(row.y1, box.y1) - max(row.y0, box.y0)
            shared = min(row.x1, box.x1) - max(row.x0, box.x0)
            if shared > 0 and overlap > 0.5 * min(row.y1 - row.y0, height):
                found[index].append(link)
    return found


def _names(link: Link, row: Row, title: str, printed: str | None) -> bool:
    """Whether a link spans most of an entry's title, or the page number at either end of it.

    References within running text cover a few words of a line.
    """
    title_width = min(row.x1 - row.x0, USUAL_CHAR_WIDTH * row.size * len(title))
    if min(row.x1, link.box.x1) - max(row.x0, link.box.x0) >= 0.5 * title_width:
        return True
    if printed is not None and abs(link.box.x1 - row.x1) < 6 and link.box.x0 > (row.x0 + row.x1) / 2:
        return True
    return link.box.x0 <= row.x0 + 2 and row.text.split(" ", 1)[0].isdigit()


def _continues(previous: Entry, entry: Entry, right_edge: float) -> bool:
    """Whether a row is the second line of the entry above: same target, set directly below, the row above full."""
    if previous.target_index is None or (previous.target_index, previous.target_y) != (
        entry.target_index,
        entry.target_y,
    ):
        return False
    reach = _APART if entry.target_y is not None and entry.title[:1].islower() else _CLOSE
    close = entry.row.y0 - previous.row.y1 < reach * max(entry.row.size, 1.0)
    if not close or entry.row.size != previous.row.size or entry.row.x0 < previous.row.x0 - 2:
        return False
    if entry.title[:1].islower():
        return True
    return previous.printed_page is None and previous.row.x1 > 0.75 * right_edge and parse_number(entry.title) is None


def _taller(first: Row, second: Row) -> Row:
    line_indexes = first.line_indexes + second.line_indexes
    return first._replace(y1=second.y1, x1=max(first.x1, second.x1), line_indexes=line_indexes)


def _is_contents(layout: Layout, page_index: int, entries: list[Entry], began: bool, find_printed: FindPrinted) -> bool:
    if sum(entry.target_index is not None for entry in entries) < (2 if began else MIN_ENTRIES):
        return False
    rows = layout.rows_of(page_index)
    headline = any(is_contents_headline(key) for key in layout.keys[page_index])
    if len(entries) < _MIN_LINKED_ROWS * len(rows) and not headline:
        return False
    targets = [entry.target_index for entry in entries if entry.target_index is not None]
    forward = sum(later >= earlier for earlier, later in pairwise(targets))
    if forward < 0.75 * (len(targets) - 1):
        return False
    if len(set(targets)) < max(2, len(targets) // 8) or sum(target >= page_index for target in targets) < 0.8 * len(
        targets
    ):
        return False
    printed = sum(
        find_printed(entry.title, entry.target_index, entry.target_y) is not None
        for entry in entries
        if entry.target_index is not None
    )
    return printed >= _MIN_PRINTED * len(entries)


def _is_moved(layout: Layout, entry: Entry, page_index: int) -> bool:
    """Whether a title stands on another page than the link leads to; the foot of the page before is where it stands."""
    target, y = entry.target_index, entry.target_y
    if target is None or target == page_index:
        return False
    return (
        target + 1 != page_index
        or y is None
        or any(
            line.box is not None and line.box.y1 > y and (target, index) not in layout.furniture
            for index, line in enumerate(layout.pages[target].lines)
        )
    )


def _locate(
    layout: Layout, entry: Entry, level: int, skip: frozenset[int], astray: bool, find_printed: FindPrinted
) -> Candidate | None:
    target = entry.target_index
    if target is not None and 0 <= target < len(layout.pages):
        place = find_printed(entry.title, target, entry.target_y)
        if place is None and astray:
            place = find_only(layout, entry.title, skip)
        if place is None:
            return candidate_at_height(
                layout, entry.title, target, entry.target_y, evidence="links", confidence=0.7, level=level
            )
    else:
        place = find_only(layout, entry.title, skip)
    if place is None:
        return None
    return candidate_at(layout, entry.title, place, evidence="links", confidence=0.97, level=level)
