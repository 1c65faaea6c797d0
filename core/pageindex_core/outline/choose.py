"""Weighs the signals: one frame that states levels, and detected headings that complete it.

The frame is the strongest table of contents the document has: bookmarks that agree with the text, links of contents
pages, or printed contents. It teaches which style stands on which level. Headings found by layout are then placed
among the frame's entries by style and number. Without a frame, styles and numbers alone give the levels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pageindex_core.outline.bookmarks import read_bookmarks
from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.contents import read_contents
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.levels import FrameLevels, level_by_style, level_within, style_key
from pageindex_core.outline.links import read_links
from pageindex_core.outline.listing import read_listing
from pageindex_core.outline.plain import find_plain
from pageindex_core.outline.tagged import read_tags
from pageindex_core.outline.typography import LARGER, find_typographic
from pageindex_core.records import Evidence, Heading, Note, Outline, Pages, TocSource

LONG_LEAF_PAGES = 5
"""Leaves longer than this cost a reader more than the routing step that would divide them."""

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
    listing: list[Candidate] = []
    if not links and not contents:
        listing, contents_pages, _ = read_listing(layout)
    tagged, tag_notes = read_tags(layout)
    notes += tag_notes
    frame = _frame(bookmarks, links, contents or listing, tagged)
    find = find_typographic if layout.has_positions else find_plain
    detected = find(layout, link_pages | contents_pages)
    found = _complete(layout, frame, detected)
    headings = tuple(_heading(layout, candidate) for candidate in found)
    return Outline(headings, *_source(found), tuple(notes))


def _frame(bookmarks: list[Candidate], *others: list[Candidate]) -> list[Candidate]:
    """The signal to trust: an author's own outline, else the one that tells most."""
    return _sorted(bookmarks or max(others, key=_worth))


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
    if frame[0].evidence == "bookmarks":
        extra = _in_long_leaves(frame, extra, len(layout.pages))
        return level_within(FrameLevels({}, {}), _sorted([*frame, *extra]))
    levels = FrameLevels.learn(frame, extra)
    return level_within(levels, _sorted([*frame, *_after_opening(frame, extra)]))


def _in_long_leaves(frame: list[Candidate], extra: list[Candidate], page_count: int) -> list[Candidate]:
    """Complete an author's own outline only where it leaves more than ``LONG_LEAF_PAGES`` pages undivided."""
    starts = [candidate.place for candidate in frame]
    ends = [*(place[0] for place in starts[1:]), page_count]
    kept = []
    for candidate in extra:
        index = bisect_right(starts, candidate.place) - 1
        if index >= 0 and ends[index] - starts[index][0] > LONG_LEAF_PAGES:
            kept.append(candidate)
    return kept


def _without_repeats(detected: list[Candidate]) -> list[Candidate]:
    """Keep the most prominent of equal titles, and drop those that go on at the top of the next page.

    Chapters may open with a list of their own sections, which come back in larger letters.
    """
    largest: dict[str, float] = {}
    for candidate in detected:
        if candidate.style is not None:
            key = fold(candidate.title)
            largest[key] = max(largest.get(key, 0.0), candidate.style.size)
    listed = _in_lists(detected)
    kept: list[Candidate] = []
    last_at: dict[tuple[str, Style | None], int] = {}
    for candidate in detected:
        key = fold(candidate.title)
        mark = (key, candidate.style)
        goes_on = candidate.page_index - last_at.get(mark, -9) == 1 and candidate.y is not None
        smaller = candidate.style is not None and candidate.style.size < largest[key]
        if smaller and (candidate.number is not None or candidate.place in listed):
            continue
        last_at[mark] = candidate.page_index
        if not goes_on:
            kept.append(candidate)
    return kept


def _in_lists(detected: list[Candidate]) -> set[tuple[int, int]]:
    """Places of candidates that follow each other line by line, three or more: a list, not headings over text."""
    places: set[tuple[int, int]] = set()
    run: list[Candidate] = []
    for candidate in detected:
        if run and candidate.place != (run[-1].page_index, run[-1].line_index + run[-1].line_count):
            run = []
        run.append(candidate)
        if len(run) >= 3:
            places.update(member.place for member in run)
    return places


def _without_cover(layout: Layout, found: list[Candidate]) -> list[Candidate]:
    """Drop the document's own title: the largest heading of the first page, when others follow it."""
    on_first = [candidate for candidate in found if candidate.page_index == 0 and candidate.style is not None]
    if len(found) < 3 or not on_first:
        return found
    largest = max(candidate.style.size for candidate in on_first if candidate.style)
    sizes = Counter(candidate.style.size for candidate in found if candidate.style and candidate.page_index > 0)
    later = max((size for size, count in sizes.items() if count > 1), default=0.0)
    title = next(candidate for candidate in on_first if candidate.style and candidate.style.size == largest)
    alone = sum(candidate.style is not None and candidate.style.size == largest for candidate in on_first) == 1
    if not alone or title.number is not None or largest <= later or largest < layout.body_size * LARGER:
        return found
    return [candidate for candidate in found if candidate.place > title.place or candidate.number is not None]


def _after_opening(frame: list[Candidate], extra: list[Candidate]) -> list[Candidate]:
    """Drop what only cover and imprint pages hold: headings before the frame's first entry that look unlike it."""
    first = frame[0].place
    top = min(candidate.level or 1 for candidate in frame)
    chapters = {style_key(c.style) for c in frame if c.style is not None and c.level == top}
    return [
        candidate if candidate.place > first else replace(candidate, level=top)
        for candidate in extra
        if candidate.place > first or (candidate.style is not None and style_key(candidate.style) in chapters)
    ]


def _heading(layout: Layout, candidate: Candidate) -> Heading:
    above = range(candidate.line_index)
    opens_page = all((candidate.page_index, index) in layout.furniture for index in above)
    return Heading(
        title=candidate.title,
        level=max(candidate.level or 1, 1),
        page_number=candidate.page_index + 1,
        line_index=0 if opens_page else candidate.line_index,
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
