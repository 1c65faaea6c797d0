"""The record that every signal gives to ``choose``: a heading found at a place, not yet levelled for good."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import Number, parse_number
from pageindex_core.outline.titles import Place
from pageindex_core.records import Evidence, Line

_SMALL_CAPITALS = re.compile(r"^cmcsc|small-?caps|smcp|[-,]sc\b|caps\d", re.IGNORECASE)


class Style(NamedTuple):
    """How a heading is set; equal styles mean equal rank in one document. A tuple, since every candidate has one."""

    size: float
    """Displayed size in points, to half a point; negative where no font is known and nothing but its place tells a
    title from text."""
    bold: bool
    italic: bool
    caps: bool
    font: str = ""


class Candidate(NamedTuple):
    """A heading as one signal sees it."""

    title: str
    page_index: int
    line_index: int
    line_count: int
    evidence: Evidence
    confidence: float
    level: int | None = None
    """As the signal states it, 1 for the outermost; None where it cannot say."""
    style: Style | None = None
    """None where the title is not printed at that place."""
    number: Number | None = None
    y: float | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Sort key: reading order."""
        return self.page_index, self.line_index


def style_of(layout: Layout, page_index: int, line_index: int) -> Style:
    """The style of a printed line."""
    line = layout.pages[page_index].lines[line_index]
    caps = in_capitals(line.text) or is_small_capitals(line.font)
    return Style(style_size(line), line.bold, line.italic, caps, line.font)


def style_size(line: Line) -> float:
    """The size by which styles are told apart: that of a line, to half a point."""
    return round(line.font_size * 2) / 2


@lru_cache
def is_small_capitals(font: str) -> bool:
    """Whether a font has small capitals for small letters, by its name."""
    return _SMALL_CAPITALS.search(font) is not None


def in_capitals(text: str) -> bool:
    """Whether a text is set in capitals: three or more of them, no small letter, and no script without case."""
    if not text.isupper():
        return False
    letters = [char for char in text if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    return capitals >= 3 and capitals >= 0.9 * len(letters)


def candidate_at(
    layout: Layout,
    title: str,
    place: Place,
    *,
    evidence: Evidence,
    confidence: float,
    level: int | None = None,
) -> Candidate:
    """The candidate for a title that is printed at a place."""
    lines = layout.pages[place.page_index].lines
    line = lines[place.line_index]
    # A chapter number may stand on a line of its own in a size of its own: the longest line speaks for the title.
    span = range(place.line_index, min(place.line_index + max(place.line_count, 1), len(lines)))
    telling = place.line_index
    if len(span) > 1:
        telling = max(span, key=lambda index: sum(char.isalpha() for char in lines[index].text))
    return Candidate(
        title=title,
        page_index=place.page_index,
        line_index=place.line_index,
        line_count=place.line_count,
        evidence=evidence,
        confidence=confidence,
        level=level,
        style=style_of(layout, place.page_index, telling),
        number=parse_number(title),
        y=line.box.y0 if line.box else None,
    )


def candidate_at_height(
    layout: Layout,
    title: str,
    page_index: int,
    y: float | None,
    *,
    evidence: Evidence,
    confidence: float,
    level: int | None = None,
) -> Candidate:
    """The candidate for a title that is not printed where its target points: the first line at that height."""
    lines = layout.pages[page_index].lines
    line_index = 0
    if y is not None:
        below = (index for index, line in enumerate(lines) if line.box and line.box.y1 > y + 2)
        line_index = next(below, len(lines) - 1 if lines else 0)
    return Candidate(title, page_index, line_index, 0, evidence, confidence, level, None, parse_number(title), y)
