"""Slides: one section a slide, named by its title."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.refuse import MAX_HEADING_CHARS
from pageindex_core.outline.titles import MAX_TITLE_LINES, Place
from pageindex_core.records import Line

_LANDSCAPE = 0.8
"""Share of pages wider than high, in decks; reports turn a few pages for their tables."""

_FEW_WORDS = 150
"""Words of the usual slide at most. Landscape reports and brochures have more than 200 a page."""

_TITLE_ZONE = 0.5
"""Share of a slide's height, from the top, in which its title stands."""

_MIN_SLIDES = 3


def are_slides(layout: Layout) -> bool:
    """Whether a document is a deck of slides: landscape pages of few words."""
    pages = [page for page in layout.pages if page.lines]
    if len(pages) < _MIN_SLIDES:
        return False
    landscape = sum((page.width_pt or 0.0) > (page.height_pt or 0.0) for page in pages)
    words = [sum(len(line.text.split()) for line in page.lines) for page in pages]
    return landscape >= _LANDSCAPE * len(pages) and median(words) <= _FEW_WORDS


def find_slides(layout: Layout) -> list[Candidate]:
    """Give the title of each slide that has one: its largest lines near the top, all on one level."""
    found: list[Candidate] = []
    for page_index, page in enumerate(layout.pages):
        zone = _TITLE_ZONE * (page.height_pt or 0.0)
        lines = {
            index: line
            for index, line in enumerate(page.lines)
            if line.box is not None
            and line.box.y0 < zone
            and (page_index, index) not in layout.furniture
            and sum(char.isalpha() for char in line.text) >= 2
        }
        if not lines:
            continue
        chosen = _largest(lines)
        first = chosen[0]
        title = " ".join(lines[index].text for index in chosen)
        if len(title) <= MAX_HEADING_CHARS:
            place = Place(page_index, first, len(chosen), 1.0)
            found.append(candidate_at(layout, title, place, evidence="detected", confidence=0.7, level=1))
    return found


def _largest(lines: Mapping[int, Line]) -> list[int]:
    """The first of the largest lines and those that follow it at once in that size."""
    large = 0.95 * max(line.font_size for line in lines.values())
    chosen = [next(index for index, line in lines.items() if line.font_size >= large)]
    while len(chosen) < MAX_TITLE_LINES:
        following = lines.get(chosen[-1] + 1)
        if following is None or following.font_size < large:
            break
        chosen.append(chosen[-1] + 1)
    return chosen
