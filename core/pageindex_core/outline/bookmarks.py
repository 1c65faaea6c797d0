"""Bookmarks, checked against the text: is each title printed where it leads?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.outline.candidates import Candidate, candidate_at, candidate_at_height
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.titles import find_near, find_only, out_of_order
from pageindex_core.records import Bookmark, Note

MIN_AGREEMENT = 0.5
"""Share of bookmarks that have to be printed on or next to their page for the outline to be trusted. Files whose
bookmarks are file names or page counters reach 0.1 at most, real outlines 0.7 and more."""

_FILE_NAME = re.compile(r".+\.(pdf|docx?|indd|pptx?|xlsx?|tex|fm|qxd)$", re.IGNORECASE)
_PAGE_COUNTER = re.compile(r"(page|seite|slide|blank|p\.?)?\s*[\divxlc]+", re.IGNORECASE)


def read_bookmarks(layout: Layout, bookmarks: Sequence[Bookmark]) -> tuple[list[Candidate], list[Note]]:
    """Give the bookmarks as candidates, each moved to where its title is printed if that is a page away at most.

    Nothing is given when the outline as a whole contradicts the text; a note says so.
    """
    if not bookmarks:
        return [], []
    notes: list[Note] = []
    found: list[Candidate] = []
    checked = agreeing = off_by_one = far_off = 0
    targets = [bookmark.page_number for bookmark in bookmarks]
    for index, bookmark in enumerate(bookmarks):
        if bookmark.page_number is None or bookmark.page_number > len(layout.pages):
            continue
        page_index = bookmark.page_number - 1
        has_text = bool(layout.pages[page_index].lines)
        place = find_near(layout, bookmark.title, page_index, 1, bookmark.y) if has_text else None
        checked += has_text
        if place is not None:
            agreeing += 1
            off_by_one += place.page_index != page_index
        elif out_of_order(targets, index):
            place = find_only(layout, bookmark.title)
            far_off += place is not None
        if place is not None:
            found.append(
                candidate_at(layout, bookmark.title, place, evidence="bookmarks", confidence=0.98, level=bookmark.level)
            )
        else:
            found.append(
                candidate_at_height(
                    layout,
                    bookmark.title,
                    page_index,
                    bookmark.y,
                    evidence="bookmarks",
                    confidence=0.6,
                    level=bookmark.level,
                )
            )
    if off_by_one:
        notes.append(Note("bookmarks_moved", f"{off_by_one} bookmarks lead one page off their printed title; mended."))
    if far_off:
        notes.append(
            Note("bookmarks_far_off", f"{far_off} bookmarks lead far off the only page with their title; mended.")
        )
    names = sum(bool(_FILE_NAME.fullmatch(b.title) or _PAGE_COUNTER.fullmatch(b.title)) for b in bookmarks)
    if not found or (checked and agreeing < MIN_AGREEMENT * checked) or names > 0.5 * len(bookmarks):
        notes.append(
            Note(
                "bookmarks_rejected",
                f"The file's {len(bookmarks)} bookmarks were set aside: {agreeing} of {checked} titles are printed "
                f"where they lead, {names} are file names or page counters.",
            )
        )
        return [], notes
    lost = len(bookmarks) - len(found)
    if lost:
        notes.append(Note("bookmarks_dropped", f"{lost} bookmarks without a page in this file were dropped."))
    return _in_order(found, notes), notes


def _in_order(found: list[Candidate], notes: list[Note]) -> list[Candidate]:
    """Move entries that jump back to their neighbour: far ones not printed where they lead, and those of its page.

    On one page the order of the bookmarks says more about what belongs to what than the order of the lines.
    """
    kept: list[Candidate] = []
    for index, candidate in enumerate(found):
        before = kept[-1].page_index if kept else 0
        after = found[index + 1].page_index if index + 1 < len(found) else len(found)
        stray = candidate.style is None and candidate.page_index < before and after >= before
        if stray:
            notes.append(
                Note(
                    "bookmark_out_of_order", f"Bookmark {candidate.title!r} leads back; it was placed at its neighbour."
                )
            )
        if stray or (kept and candidate.page_index == before and candidate.line_index < kept[-1].line_index):
            candidate = candidate._replace(
                page_index=before, line_index=kept[-1].line_index, y=kept[-1].y, line_count=0
            )
        kept.append(candidate)
    return kept
