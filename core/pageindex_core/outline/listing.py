"""Contents without page numbers: a list of titles at the front that all come back later, in order.

Statutes open with the list of their articles, text books with the sections of the chapter.
"""

from __future__ import annotations

from bisect import bisect_left
from statistics import median

from pageindex_core.folding import width_of
from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.entries import Entry
from pageindex_core.outline.entry_levels import levels_of
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.refuse import may_be_title
from pageindex_core.outline.rows import Row
from pageindex_core.outline.titles import Place

MIN_ENTRIES = 12
"""Shorter lists of titles are summaries or agendas."""

MAX_WIDTH = 45
"""Usual width of a title at most, in narrow characters: rows of full lines are text that comes back."""

_COMING_BACK = 0.7
"""Share of a page's rows that have to open a line further on."""

_DISTINCT = 0.8
"""Share of different rows: "General provisions" may head several chapters."""

_SEARCHED_PAGES = 8
"""Lists longer than this many pages have page numbers."""


def read_listing(layout: Layout) -> tuple[list[Candidate], frozenset[int]]:
    """Give the listed titles at the places where they come back and the list's pages (0-based)."""
    opening = _line_openings(layout)
    pages: list[int] = []
    entries: list[Entry] = []
    for page_index in range(min(_SEARCHED_PAGES, len(layout.pages) - 1)):
        rows = layout.rows_of(page_index)
        if median([width_of(row.text) for row in rows] or [99]) > MAX_WIDTH or _repeats(rows):
            if pages:
                break
            continue
        found = [Entry(row.text, row) for row in rows if len(fold(row.text)) >= 3]
        back = [entry for entry in found if _later(opening, fold(entry.title), (page_index + 1, -1)) is not None]
        if len(back) < (3 if pages else MIN_ENTRIES) or len(back) < _COMING_BACK * len(found):
            if pages:
                break
            continue
        pages.append(page_index)
        entries.extend(back)
    entries = [entry for entry in entries if may_be_title(entry.title)]
    if len(entries) < MIN_ENTRIES:
        return [], frozenset()
    return _placed(layout, entries, opening, (pages[-1] + 1, -1)), frozenset(pages)


def _repeats(rows: list[Row]) -> bool:
    """Whether rows come back among themselves, as the wording of contracts does and a list of titles does not."""
    return len({fold(row.text) for row in rows}) < _DISTINCT * len(rows)


def _line_openings(layout: Layout) -> list[tuple[str, int, int]]:
    """Every folded line with its place, sorted, so that what opens with a title is found by bisection."""
    return sorted(
        (key, page_index, line_index)
        for page_index, keys in enumerate(layout.keys)
        for line_index, key in enumerate(keys)
        if key and (page_index, line_index) not in layout.furniture
    )


def _later(opening: list[tuple[str, int, int]], key: str, after: tuple[int, int]) -> tuple[int, int] | None:
    """The first place after another one where a line opens with this text."""
    best: tuple[int, int] | None = None
    for text, page_index, line_index in opening[bisect_left(opening, (key, -1, -1)) :]:
        if not text.startswith(key):
            break
        place = (page_index, line_index)
        if place > after and (best is None or place < best):
            best = place
    return best


def _placed(
    layout: Layout, entries: list[Entry], opening: list[tuple[str, int, int]], after: tuple[int, int]
) -> list[Candidate]:
    """Each entry at the first place after the one before it; those that never come back in order are left out."""
    candidates: list[Candidate] = []
    levels = levels_of(entries)
    first, *others = entries
    if all(entry.row.size < first.row.size for entry in others):
        levels = [1, *(level + 1 for level in levels[1:])]  # the title of what is listed
    for entry, level in zip(entries, levels, strict=True):
        place = _later(opening, fold(entry.title), after)
        if place is None:
            continue
        after = place
        candidates.append(
            candidate_at(
                layout,
                entry.title,
                Place(place[0], place[1], 1, 0.9),
                evidence="contents",
                confidence=0.85,
                level=level,
            )
        )
    return candidates
