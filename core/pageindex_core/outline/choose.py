"""Weighs the signals: one frame that states levels, and detected headings that complete it.

The frame is the strongest table of contents the document has: bookmarks that agree with the text, links of contents
pages, or printed contents. It teaches which style stands on which level. Headings found by layout are then placed
among the frame's entries by style and number. Without a frame, styles and numbers alone give the levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pageindex_core.outline.bookmarks import read_bookmarks
from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.contents import read_contents
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.levels import FrameLevels, level_by_style, level_within
from pageindex_core.outline.links import read_links
from pageindex_core.outline.typography import LARGER, find_typographic
from pageindex_core.records import Evidence, Heading, Note, Outline, Pages, TocSource

DOMINANT = 0.9
"""Share from which one signal names the whole tree; below it the tree is ``hybrid``."""


def choose(pages: Pages, layout: Layout, *, use_bookmarks: bool) -> Outline:
    """Give the headings of a document from all its signals, in reading order."""
    notes: list[Note] = []
    bookmarks: list[Candidate] = []
    if use_bookmarks:
        bookmarks, bookmark_notes = read_bookmarks(layout, pages.bookmarks)
        notes += bookmark_notes
    links, link_pages, link_notes = read_links(layout)
    contents, contents_pages, contents_notes = read_contents(layout)
    notes += link_notes if links else contents_notes
    frame = _frame(bookmarks, links, contents)
    detected = find_typographic(layout, link_pages | contents_pages)
    found = _complete(layout, frame, detected)
    headings = tuple(_heading(candidate) for candidate in found)
    return Outline(headings, *_source(found), tuple(notes))


def _frame(bookmarks: list[Candidate], links: list[Candidate], contents: list[Candidate]) -> list[Candidate]:
    """The signal to trust, completed by what the next one knows besides."""
    printed = max((links, contents), key=_worth)
    if not bookmarks:
        return _sorted(printed)
    return _sorted(bookmarks)


def _worth(candidates: list[Candidate]) -> float:
    return sum(candidate.confidence for candidate in candidates)


def _sorted(candidates: list[Candidate]) -> list[Candidate]:
    """Reading order; entries at one place stay in their order; the same title at the same place counts once."""
    seen: set[tuple[tuple[int, int], str]] = set()
    kept = []
    for candidate in sorted(candidates, key=lambda item: item.place):
        mark = (candidate.place, fold(candidate.title))
        if mark not in seen:
            seen.add(mark)
            kept.append(candidate)
    return kept


def _complete(layout: Layout, frame: list[Candidate], detected: list[Candidate]) -> list[Candidate]:
    taken: dict[tuple[int, int], Candidate] = {}
    listed = {fold(candidate.title) for candidate in frame}
    for candidate in frame:
        for line_index in range(candidate.line_index, candidate.line_index + max(candidate.line_count, 1)):
            taken[(candidate.page_index, line_index)] = candidate
    extra = [
        candidate
        for candidate in _without_repeats(detected)
        if not any(
            (candidate.page_index, line_index) in taken
            for line_index in range(candidate.line_index, candidate.line_index + candidate.line_count)
        )
        and fold(candidate.title) not in listed
    ]
    if not frame:
        return level_by_style(_without_cover(layout, extra))
    levels = FrameLevels.learn(frame)
    return level_within(levels, _sorted([*frame, *_after_opening(levels, frame, extra)]))


def _without_repeats(detected: list[Candidate]) -> list[Candidate]:
    """Keep one of each numbered title, the most prominent: chapters may open with a list of their own sections. Drop
    titles that go on at the top of the next page."""
    largest: dict[str, float] = {}
    for candidate in detected:
        if candidate.number is not None and candidate.style is not None:
            key = fold(candidate.title)
            largest[key] = max(largest.get(key, 0.0), candidate.style.size)
    kept: list[Candidate] = []
    last_at: dict[tuple[str, Style | None], int] = {}
    for candidate in detected:
        key = fold(candidate.title)
        mark = (key, candidate.style)
        goes_on = candidate.page_index - last_at.get(mark, -9) == 1 and candidate.y is not None
        if candidate.number is not None and candidate.style is not None and candidate.style.size < largest[key]:
            continue
        last_at[mark] = candidate.page_index
        if not goes_on:
            kept.append(candidate)
    return kept


def _without_cover(layout: Layout, found: list[Candidate]) -> list[Candidate]:
    """Drop the document's own title: the largest heading of the first page, when others follow it."""
    on_first = [candidate for candidate in found if candidate.page_index == 0 and candidate.style is not None]
    if len(found) < 3 or not on_first:
        return found
    largest = max(candidate.style.size for candidate in on_first if candidate.style)
    later = max((c.style.size for c in found if c.style and c.page_index > 0), default=0.0)
    title = next(candidate for candidate in on_first if candidate.style and candidate.style.size == largest)
    if title.number is not None or largest < later or largest < layout.body_size * LARGER:
        return found
    return [candidate for candidate in found if candidate.place > title.place or candidate.number is not None]


def _after_opening(levels: FrameLevels, frame: list[Candidate], extra: list[Candidate]) -> list[Candidate]:
    """Drop what only cover and imprint pages hold: headings before the frame's first entry that look unlike it."""
    first = frame[0].place
    return [c for c in extra if c.place > first or levels.level_of(c) == (frame[0].level or 1)]


def _heading(candidate: Candidate) -> Heading:
    return Heading(
        title=candidate.title,
        level=max(candidate.level or 1, 1),
        page_number=candidate.page_index + 1,
        line_index=candidate.line_index,
        y=candidate.y,
        evidence=candidate.evidence,
        confidence=round(candidate.confidence, 3),
    )


def _source(found: Sequence[Candidate]) -> tuple[TocSource, dict[str, float]]:
    if not found:
        return "pages", {}
    counts: Counter[Evidence] = Counter(candidate.evidence for candidate in found)
    shares = {str(evidence): round(count / len(found), 3) for evidence, count in counts.most_common()}
    first, count = counts.most_common(1)[0]
    return (first if count >= DOMINANT * len(found) else "hybrid"), shares


