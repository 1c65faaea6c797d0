"""Printed tables of contents: entries matched to physical pages by label, by title and by a consistent offset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pageindex_core.headlines import LISTS
from pageindex_core.outline.candidates import Candidate, candidate_at, candidate_at_height
from pageindex_core.outline.entries import (
    Entry,
    entry_titles,
    is_contents_headline,
    may_end_in_page,
    split_entry,
)
from pageindex_core.outline.entry_levels import levels_of
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import parse_number, roman_number
from pageindex_core.outline.refuse import is_caption
from pageindex_core.outline.rows import Row, row_of, with_pages_behind
from pageindex_core.outline.titles import find_near, find_only, find_whole
from pageindex_core.records import Note

Spot = tuple[int, int]
"""A line: page and line index, both 0-based."""

MIN_ENTRIES = 4
"""A table of contents has at least this many entries with a page number."""

_MIN_NUMBERED_ROWS = 0.4
"""Share of a page's rows that end in a page number, on contents pages."""

_SEARCHED_SHARE = 0.15
"""Contents stand in the first part of a document …"""

_SEARCHED_PAGES = 24
"""… or within its first pages: theses have cover, oath, thanks, summaries and lists of figures before them."""

_OPENING_LINES = 4
"""The headline of a list is among the first lines of its page."""

_WHOLE_PAGE = 0.8
"""Share of a page's lines from which a list is taken to fill it."""

_MIN_PRINTED = 0.4
"""Share of entries whose title has to be printed on its page for the whole to be believed."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Contents pages that follow each other."""

    pages: tuple[int, ...]
    entries: tuple[Entry, ...]
    named: bool
    """Whether a headline says that these are contents."""
    sure: bool
    """Whether a headline or leaders show that it is a list of titles and pages, whatever of."""
    ends: int
    """Index of the last line that belongs to the list, on its last page."""


def read_contents(layout: Layout) -> tuple[list[Candidate], frozenset[Spot], list[Note]]:
    """Give the entries of printed contents as candidates, the lines of all such lists, and notes.

    Lists of figures and contents in another language are told by their headline, or by not matching the text.
    Entries that can be placed neither by their title nor by an offset that their neighbours confirm are dropped and
    counted, and so are those whose title stands on another page than the printed one.
    """
    runs = _runs(layout)
    skip_pages = frozenset(page_index for run in runs for page_index in run.pages)
    listed = {spot for run in runs if run.sure for spot in _lines_of(layout, run)}
    rejected = False
    for run in sorted(runs, key=lambda run: not run.named):
        placed, dropped, moved = _match(layout, run, skip_pages)
        if placed:
            notes = [Note("contents_dropped", f"{dropped} contents entries could not be placed.")] if dropped else []
            if moved:
                message = f"{moved} contents entries stand on another page than the printed one; placed by their title."
                notes.append(Note("contents_moved", message))
            return placed, frozenset(listed | _lines_of(layout, run)), notes
        rejected = rejected or run.named
    notes = [Note("contents_rejected", "A printed table of contents does not match the text.")] if rejected else []
    return [], frozenset(listed), notes


def _match(layout: Layout, run: _Run, skip: frozenset[int]) -> tuple[list[Candidate], int, int]:
    """The entries of a list where the text has them, how many it has not, and how many it has on another page.

    Nothing where most are not there.
    """
    entries = list(run.entries)
    numbered = [entry for entry in entries if entry.printed_page is not None]
    if len(numbered) < MIN_ENTRIES:
        return [], 0, 0
    offset = _offset(layout, numbered, max(run.pages) + 1)
    levels = levels_of(entries)
    placed: list[Candidate] = []
    swallowed: set[int] = set()
    matched: list[tuple[str, int]] = []
    dropped = 0
    for index, (entry, level) in enumerate(zip(entries, levels, strict=True)):
        if entry.printed_page is None:
            continue
        guess = _physical(layout, entry.printed_page, offset)
        candidate, used = _place(layout, entries, index, guess, level, skip)
        swallowed.update(range(index - used, index))
        if candidate is None:
            dropped += 1
        else:
            if candidate.style is not None:
                matched.append((entry.printed_page, candidate.page_index))
            placed.append(candidate._replace(level=levels[index - used]))  # of the row in which the title begins
    if len(matched) < max(3, _MIN_PRINTED * len(numbered)):
        return [], 0, 0
    unnumbered = _unnumbered(layout, entries, levels, swallowed, placed, skip)
    return placed + unnumbered, dropped, _moved(layout, matched, offset)


def _runs(layout: Layout) -> list[_Run]:
    """The lists of titles and page numbers in the first part of a document."""
    limit = min(len(layout.pages), max(_SEARCHED_PAGES, int(len(layout.pages) * _SEARCHED_SHARE)))
    runs: list[_Run] = []
    for page_index in range(limit):
        lines = layout.pages[page_index].lines
        keys = layout.keys[page_index]
        named = any(is_contents_headline(key) for key in keys)
        other = any(key in LISTS for key in keys[:_OPENING_LINES])
        before = runs[-1] if runs and not other and runs[-1].pages[-1] == page_index - 1 else None
        if named and before is not None and (layout.has_positions or not before.named):
            before = None
        least = 2 if before or other else MIN_ENTRIES
        if (layout.has_positions or not (named or before)) and (
            sum(line.text.rstrip()[-1:].isdigit() for line in lines) < 2
            or sum(may_end_in_page(line.text) for line in lines) < least
        ):
            continue
        rows = _rows(layout, page_index)
        likely = sum(may_end_in_page(row.text) for row in rows)
        if likely < least or not (named or likely >= _MIN_NUMBERED_ROWS * len(rows)):
            continue  # before its rows are read as entries, which takes longer
        found = [_entry(row) for row in rows]
        leaders = sum(entry.leader for entry in found)
        numbered = [entry for entry in found if entry.printed_page is not None]
        began = named or other or leaders >= MIN_ENTRIES or len(numbered) >= 0.6 * max(len(found), 8)
        enough = len(numbered) >= least and (named or len(numbered) >= _MIN_NUMBERED_ROWS * len(found))
        if not (began or before) or not enough or not _ascends(numbered):
            continue
        start = next((i for i, row in enumerate(rows) if is_contents_headline(fold(row.text))), -1) + 1
        stop = next((i for i in range(start, len(rows)) if fold(rows[i].text) in LISTS), len(rows))
        entries = _within(found[start:stop])
        if named and before is not None and _begins_again(before.entries, entries):
            before = None
        last = max((entry.row.line_indexes[-1] for entry in entries), default=0)
        run = _Run((page_index,), () if other else tuple(entries), named, named or other or leaders >= 2, last)
        if before is not None:
            runs[-1] = replace(
                run,
                pages=before.pages + run.pages,
                entries=before.entries + run.entries,
                named=before.named,
                sure=before.sure,
            )
        else:
            runs.append(run)
    return runs


def _rows(layout: Layout, page_index: int) -> list[Row]:
    """The rows of a page; where entries with their page numbers stand side by side, in columns, each line is a row."""
    page = layout.pages[page_index]
    rows = layout.rows_of(page_index)
    if not layout.has_positions:
        return with_pages_behind(rows)
    beside = [row for row in rows if len(row.line_indexes) > 1]
    full = sum(sum(_is_full(page.lines[index].text) for index in row.line_indexes) >= 2 for row in beside)
    if full < MIN_ENTRIES or full < 0.5 * len(beside):
        return rows
    single = (row_of(page, page_index, [index]) for row in rows for index in row.line_indexes)
    return sorted(single, key=lambda row: row.line_indexes)


def _is_full(text: str) -> bool:
    title, page, _ = split_entry(text) if may_end_in_page(text) else ("", None, False)
    return page is not None and sum(char.isalpha() for char in title) >= 3


def _lines_of(layout: Layout, run: _Run) -> set[Spot]:
    """The lines of a list's pages; on the last one, text that follows the list is left out."""
    lines = {(page, index) for page in run.pages[:-1] for index in range(len(layout.pages[page].lines))}
    last = run.pages[-1]
    size = len(layout.pages[last].lines)
    stop = size if run.ends >= _WHOLE_PAGE * size else run.ends + 1
    return lines | {(last, index) for index in range(stop)}


def _entry(row: Row) -> Entry:
    title, page, leader = split_entry(row.text)
    return Entry(title, row, page, leader)


def _within(found: list[Entry]) -> list[Entry]:
    """Cut what follows the last numbered entry: body text that starts on the contents page."""
    last = max((index for index, entry in enumerate(found) if entry.printed_page is not None), default=-1)
    return [
        entry
        for entry in found[: last + 1]
        if any(char.isalpha() for char in entry.title) and not is_caption(entry.title)
    ]


def _ascends(numbered: list[Entry]) -> bool:
    values = [int(entry.printed_page) for entry in numbered if entry.printed_page and entry.printed_page.isdigit()]
    steps = sum(later >= earlier for earlier, later in pairwise(values))
    return len(values) < 2 or (steps >= 0.75 * (len(values) - 1) and len(set(values)) >= min(3, len(values)))


def _begins_again(before: Sequence[Entry], entries: Sequence[Entry]) -> bool:
    """Whether the page numbers of a list start anew below its headline, as those of another language do."""
    pages = [
        int(page)
        for found in (before[-1:], entries[:1])
        for entry in found
        if (page := entry.printed_page or "").isdigit()
    ]
    return pages != sorted(pages)


def _offset(layout: Layout, numbered: list[Entry], first_after: int) -> int | None:
    """The difference between physical index and printed number on which most titles agree."""
    votes: Counter[int] = Counter()
    for entry in numbered:
        if entry.printed_page is None or not entry.printed_page.isdigit():
            continue
        number = parse_number(entry.title)
        keys = {fold(entry.title), *({fold(number.title)} if number else ())}
        for key in keys:
            places = layout.places_of(key) if len(key) >= 4 else []
            for page_index in {page for page, _ in places if page >= first_after - 1}:
                votes[page_index - int(entry.printed_page)] += 1
    if not votes:
        return None
    offset, count = max(votes.items(), key=lambda item: (item[1], -abs(item[0])))
    return offset if count >= 2 else None


def _physical(layout: Layout, printed: str, offset: int | None) -> int | None:
    """0-based page of a printed number, by offset, by label, or taken literally."""
    if printed.isdigit() and offset is not None:
        return int(printed) + offset
    labelled = layout.labelled.get(printed.casefold())
    if labelled is not None:
        return labelled
    if printed.isdigit():
        return int(printed) - 1
    roman = roman_number(printed)
    return roman - 1 if roman is not None else None


def _moved(layout: Layout, matched: list[tuple[str, int]], offset: int | None) -> int:
    """How many titles stand on a page that neither bears the printed number nor has the usual distance from it."""
    distances = Counter(page_index - int(printed) for printed, page_index in matched if printed.isdigit())
    if offset is None:
        offset = max(distances, key=lambda distance: (distances[distance], -abs(distance)), default=0)
    moved = 0
    for printed, page_index in matched:
        label = layout.pages[page_index].page_label
        if (label is not None and label.casefold() == printed.casefold()) or printed in layout.keys[page_index]:
            continue
        moved += page_index - int(printed) != offset if printed.isdigit() else label is not None
    return moved


def _place(
    layout: Layout, entries: list[Entry], index: int, guess: int | None, level: int, skip: frozenset[int]
) -> tuple[Candidate | None, int]:
    """The candidate for an entry and how many wrapped rows above it belong to its title."""
    best: tuple[float, Candidate, int] | None = None
    for title, used in entry_titles(entries, index):
        place = find_near(layout, title, guess, 2, skip=skip) if guess is not None else None
        place = place or find_only(layout, title, skip)
        if place is None and guess is None and not layout.has_positions:
            place = find_whole(layout, title, skip)
        if place is None:
            continue
        merit = place.quality + 0.05 * used
        if best is None or merit > best[0]:
            found = candidate_at(layout, title, place, evidence="contents", confidence=0.9, level=level)
            best = (merit, found, used)
    if best is not None:
        return best[1], best[2]
    if guess is None or not 0 <= guess < len(layout.pages) or guess in skip:
        return None, 0
    title = entries[index].title
    return candidate_at_height(layout, title, guess, None, evidence="contents", confidence=0.4, level=level), 0


def _unnumbered(
    layout: Layout,
    entries: list[Entry],
    levels: list[int],
    swallowed: set[int],
    placed: list[Candidate],
    skip: frozenset[int],
) -> list[Candidate]:
    """Entries without a page number of their own (PART I): printed between their neighbours' places."""
    found = []
    starts = {fold(candidate.title): candidate.page_index for candidate in placed}
    keys = [fold(entry.title) for entry in entries]
    for index, (entry, level) in enumerate(zip(entries, levels, strict=True)):
        if entry.printed_page is not None or index in swallowed:
            continue
        following = next((starts[key] for key in keys[index + 1 :] if key in starts), None)
        if following is None:
            continue
        place = find_near(layout, entry.title, following, 1, skip=skip)
        if place is not None and place.quality >= 0.9:
            found.append(candidate_at(layout, entry.title, place, evidence="contents", confidence=0.8, level=level))
    return found
