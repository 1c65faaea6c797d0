"""Weighs the signals: one frame that states levels, and detected headings that complete it.

The frame is the strongest table of contents the document has: bookmarks that agree with the text, links of contents
pages, or printed contents. It teaches which style stands on which level. Headings found by layout are then placed
among the frame's entries by style and number. Without a frame, styles and numbers alone give the levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from pageindex_core.outline.bookmarks import read_bookmarks
from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.complete import complete, in_order
from pageindex_core.outline.contents import read_contents
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.links import read_links
from pageindex_core.outline.listing import read_listing
from pageindex_core.outline.marked import read_marked
from pageindex_core.outline.plain import find_plain
from pageindex_core.outline.slides import are_slides, find_slides
from pageindex_core.outline.tagged import read_tags
from pageindex_core.outline.typography import find_typographic
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
    if not bookmarks and are_slides(layout):
        found = find_slides(layout)
    else:
        frame, weaker, lists = _tables(layout, bookmarks, notes)
        find = find_typographic if layout.has_positions else find_plain
        detected = find(layout, lists)
        if _comes_late(layout, frame, detected):
            frame, weaker = [], [*frame, *weaker]
        found = complete(layout, in_order(frame), weaker, detected)
    headings = tuple(_heading(layout, candidate) for candidate in found)
    return Outline(headings, *_source(found), tuple(notes))


def _comes_late(layout: Layout, frame: list[Candidate], detected: list[Candidate]) -> bool:
    """Whether as many numbers and capitals stand before all that a text marks: it marks its end, or no titles."""
    if layout.has_positions or not frame or frame[0].evidence != "markup":
        return False
    opening = min(candidate.place for candidate in frame)
    strong = [one for one in detected if one.number is not None or (one.style is not None and one.style.caps)]
    return sum(one.place < opening for one in strong) >= len(frame)


def _tables(
    layout: Layout, bookmarks: list[Candidate], notes: list[Note]
) -> tuple[list[Candidate], list[Candidate], frozenset[tuple[int, int]]]:
    """The strongest table of contents, what weaker ones name, and the lines of printed ones; notes are added.

    An author's own outline comes first, the others by how much each tells for sure.
    """
    links, link_pages, link_notes = read_links(layout)
    contents, lists, contents_notes = read_contents(layout)
    notes += link_notes if links else contents_notes
    if not links and not contents:
        contents, listing_pages = read_listing(layout)
        link_pages |= listing_pages
    tagged, tag_notes = read_tags(layout)
    notes += tag_notes
    tables = (links, contents, tagged, read_marked(layout))
    ordered = sorted(tables, key=lambda found: -sum(candidate.confidence for candidate in found))
    frame, *weaker = [bookmarks, *ordered] if bookmarks else ordered
    lines = {(page, index) for page in link_pages for index in range(len(layout.pages[page].lines))}
    return frame, list(chain.from_iterable(weaker)), lists | lines


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
