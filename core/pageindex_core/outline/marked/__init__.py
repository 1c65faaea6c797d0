"""Titles that a text without positions marks itself: with rows of one sign, or with as many as they are deep."""

from __future__ import annotations

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.marked.hashes import behind_hashes
from pageindex_core.outline.marked.rows import SURE, underlined
from pageindex_core.outline.marked.signs import between_equal_signs
from pageindex_core.outline.marked.title import MarkedTitle

_LEAST_TITLES = 2
"""One alone ends or adorns something as often as it is a title."""

_CONFIDENCE = 0.9

_HEADED_SHARE = 0.5
"""Share of the pages that have a marked head or foot, from which those are none of the text's titles. Fewer come back
at the edges of pages by chance, where each version of a program has its "Fixed"."""


def read_marked(layout: Layout) -> list[Candidate]:
    """Give the marked titles with their levels; none where lines have positions, which tell a title better."""
    if layout.has_positions:
        return []
    if any(page.heading_tags for page in layout.pages):
        return behind_hashes(layout)
    pages = [(index, page.lines) for index, page in enumerate(layout.pages)]
    by_rows = [title for index, lines in pages for title in underlined(index, lines)]
    by_signs = [title for index, lines in pages for title in between_equal_signs(index, lines)]
    found = _without_heads(layout, max(by_rows, by_signs, key=len))
    if len(found) < _LEAST_TITLES and not any(title.kind == SURE for title in found):
        return []
    # Kinds of rows rank as they come, signs by their number.
    kinds = list(dict.fromkeys(title.kind for title in found))
    ranked = kinds if len(by_rows) >= len(by_signs) else sorted(kinds, key=str)
    return [
        candidate_at(
            layout,
            one.title,
            one.place,
            evidence="markup",
            confidence=_CONFIDENCE,
            level=ranked.index(one.kind) + 1,
        )
        for one in found
    ]


def _without_heads(layout: Layout, found: list[MarkedTitle]) -> list[MarkedTitle]:
    """Leave out ruled heads and feet of printed pages, but for the first of a title that runs on as a head."""
    heads = {title.place for title in found if _lines_of(title) & layout.furniture}
    if len({place.page_index for place in heads}) < _HEADED_SHARE * len(layout.pages):
        return found
    return [title for title in found if title.place not in heads or _lines_of(title) & layout.first_heads]


def _lines_of(title: MarkedTitle) -> frozenset[tuple[int, int]]:
    place = title.place
    return frozenset((place.page_index, place.line_index + at) for at in range(place.line_count))
