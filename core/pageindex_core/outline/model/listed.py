"""Entries that a model read off contents pages: checked against those pages, and placed in the text by their titles.

Nothing here asks a model. An entry is believed when its title is printed on the contents pages, and placed when its
title is printed where its number leads, or stands in only one place behind the contents.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.model.named import MAX_LEVEL, Spot, in_order, whole
from pageindex_core.outline.numbering import parse_number, roman_number
from pageindex_core.outline.titles import Place, find_on_page

REACH = 1
"""Pages around the expected one on which a title is sought without asking: numbers may be off by a blank page."""

GOOD = 0.85
"""Quality of a place (see ``titles.Place``) from which the title fills its lines."""

_LEAST_KEY = 6
"""Shorter folded titles stand in too many places to tell one page from another."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of a table of contents as a model read it."""

    title: str
    label: str | None
    """The page number printed beside it; None where there is none."""
    level: int


def listed_in(value: Any, layout: Layout, contents_pages: Sequence[int]) -> tuple[list[Listed], int]:
    """Read the entries of a reply; give those whose title is printed on the contents pages, and count the others."""
    items = value.get("entries") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return [], 0
    printed = "".join(key for number in contents_pages for key in layout.keys[number - 1])
    listed = []
    for item in items:
        title = item.get("title") if isinstance(item, dict) else None
        if not isinstance(title, str) or len(fold(title)) < 2 or fold(title) not in printed:
            continue
        label = item.get("page")
        text = str(label).strip() if isinstance(label, (str, int)) and not isinstance(label, bool) else ""
        level = min(max(whole(item.get("level")) or 1, 1), MAX_LEVEL)
        listed.append(Listed(" ".join(title.split()), text or None, level))
    return listed, len(items) - len(listed)


def guesses(layout: Layout, listed: Sequence[Listed], start: Spot) -> list[int | None]:
    """Give the physical page to which each entry's printed number leads; None where nothing tells.

    Page labels of the file come first, then the offset on which the titles agree that stand alone behind the contents.
    """
    labels = {page.page_label.casefold(): page.page_number for page in layout.pages if page.page_label is not None}
    offset = _offset(layout, listed, start)
    found: list[int | None] = []
    for entry in listed:
        number = _number(entry.label)
        page = None
        if number is not None and offset is not None and entry.label is not None and entry.label.isdecimal():
            page = number + offset
        elif entry.label is not None:
            page = labels.get(entry.label.casefold())
        found.append(page if page is not None and 1 <= page <= len(layout.pages) else None)
    return found


def placed(
    layout: Layout, listed: Sequence[Listed], expected: Sequence[int | None], start: Spot
) -> list[Candidate | None]:
    """Give each entry's place where its title is printed at or beside its expected page, else where it alone can be."""
    return [place_of(layout, entry, page, start) for entry, page in zip(listed, expected, strict=True)]


def place_of(layout: Layout, entry: Listed, expected: int | None, start: Spot) -> Candidate | None:
    """Give the place of one entry behind the contents; None when its title cannot be found without asking."""
    if expected is not None:
        for number in (expected, *(expected + step * sign for step in range(1, REACH + 1) for sign in (1, -1))):
            found = _good_place(layout, entry.title, number, start)
            if found is not None:
                return as_candidate(layout, entry, found)
    key = fold(entry.title)
    spots = layout.places_of(key) or [spot for spot in layout.first_heads if layout.keys[spot[0]][spot[1]] == key]
    pages = {page + 1 for page, line in spots if (page + 1, line) >= start}
    if len(key) < _LEAST_KEY or len(pages) != 1:
        return None
    found = _good_place(layout, entry.title, pages.pop(), start)
    return None if found is None else as_candidate(layout, entry, found)


def place_told(layout: Layout, entry: Listed, page_number: int, line: str, start: Spot) -> Candidate | None:
    """Give the place of an entry that a model says it found; None unless that line is printed there and is the title.

    The printed heading may word it otherwise: half of the words of the shorter have to be in the longer.
    """
    found = _good_place(layout, line, page_number, start)
    return None if found is None or not _alike(entry.title, line) else as_candidate(layout, entry, found)


def _good_place(layout: Layout, title: str, page_number: int, start: Spot) -> Place | None:
    found = find_on_page(layout, title, page_number - 1)
    if found is None or found.quality < GOOD or (found.page_index + 1, found.line_index) < start:
        return None
    return found


def as_candidate(layout: Layout, entry: Listed, place: Place) -> Candidate:
    """Give the entry as a heading found at a place."""
    return candidate_at(layout, entry.title, place, evidence="contents", confidence=0.9, level=entry.level)


def without_strays(found: Sequence[Candidate | None]) -> list[Candidate | None]:
    """Give the places with those taken out that break the order of the contents."""
    kept = {id(candidate) for candidate in in_order([one for one in found if one is not None])}
    return [candidate if candidate is not None and id(candidate) in kept else None for candidate in found]


def neighbours(found: Sequence[Candidate | None], index: int, first_page: int, last_page: int) -> tuple[int, int, int]:
    """Give the first and last page on which an entry can begin, by its placed neighbours, and the page in proportion.

    Entries are about as far apart as their neighbours on the list make them: the third of nine between pages 10 and
    100 may be sought around page 40.
    """
    placed_at = [position for position, candidate in enumerate(found) if candidate is not None]
    at = bisect_right(placed_at, index)
    above, below = (placed_at[at - 1] if at else -1), (placed_at[at] if at < len(placed_at) else len(found))
    before, after = (found[above] if at else None), (found[below] if below < len(found) else None)
    low = before.page_index + 1 if before is not None else first_page
    high = max(low, after.page_index + 1 if after is not None else last_page)
    return low, high, low + (high - low) * (index - above) // (below - above)


def _offset(layout: Layout, listed: Sequence[Listed], start: Spot) -> int | None:
    """Physical page less printed number, as at least two titles agree; None when they do not."""
    votes: Counter[int] = Counter()
    for entry in listed:
        if entry.label is None or not entry.label.isdecimal():
            continue
        number = parse_number(entry.title)
        for key in {fold(entry.title), fold(number.title) if number else ""}:
            places = layout.places_of(key) if len(key) >= _LEAST_KEY else ()
            votes.update({page + 1 - int(entry.label) for page, line in places if (page + 1, line) >= start})
    if not votes:
        return None
    offset, count = max(votes.items(), key=lambda vote: (vote[1], -abs(vote[0])))
    return offset if count >= 2 else None


def _number(label: str | None) -> int | None:
    if label is None:
        return None
    return int(label) if label.isdecimal() else roman_number(label)


def _alike(title: str, line: str) -> bool:
    ours, theirs = ({fold(word) for word in text.split()} - {""} for text in (title, line))
    if fold(title) in fold(line) or fold(line) in fold(title):
        return bool(ours and theirs)
    return len(ours & theirs) >= 0.5 * max(1, min(len(ours), len(theirs)))
