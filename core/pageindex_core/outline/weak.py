"""Headings by weaker evidence, for leaves that are too long where there is no model to ask.

What the document as a whole did not accept as headings may still divide one long section: short lines that stand apart
or are set apart, if they are few and look alike.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.levels import level_by_style, style_key
from pageindex_core.outline.model.named import Spot, as_heading
from pageindex_core.outline.refuse import is_table_row, may_be_title
from pageindex_core.outline.titles import Place
from pageindex_core.records import Heading

MOST_PER_PAGE = 3
"""Lines of one kind that come more often than this, on the average of the leaf's pages, are part of the text."""

LEAST = 2
"""A single line divides nothing that its page does not show anyway."""

MAX_CHARS = 80
"""Longer lines are text, unless stronger evidence says otherwise."""

_APART = 0.6
"""White space above, in the line's own size: half as much again as between lines of running text."""


def weak_headings(layout: Layout, start: Spot, stop: Spot) -> list[Heading]:
    """Give the lines of a leaf, after its own heading, that may head its parts; levels from 1, in order."""
    kinds: dict[Any, list[Candidate]] = defaultdict(list)
    for page_index in range(start[0] - 1, min(stop[0], len(layout.pages))):
        for line_index in range(len(layout.pages[page_index].lines)):
            spot = (page_index + 1, line_index)
            if start < spot < stop and _may_head(layout, page_index, line_index):
                candidate = _candidate(layout, page_index, line_index)
                number = candidate.number
                style = style_key(candidate.style) if candidate.style else None
                kinds[(style, (number.kind, number.depth) if number else None)].append(candidate)
    pages = stop[0] - start[0] + 1
    kept = [
        candidate
        for members in kinds.values()
        if len(members) <= MOST_PER_PAGE * pages and _differ(members)
        for candidate in members
    ]
    if len(kept) < LEAST:
        return []
    levelled = level_by_style(sorted(kept, key=lambda candidate: candidate.place))
    return [as_heading(candidate, "detected") for candidate in levelled]


def _may_head(layout: Layout, page_index: int, line_index: int) -> bool:
    lines = layout.pages[page_index].lines
    line = lines[line_index]
    text = line.text.strip()
    if not 3 <= len(text) <= MAX_CHARS or (page_index, line_index) in layout.furniture:
        return False
    if not may_be_title(text) or is_table_row(line) or text[-1] in ".;,:":
        return False
    if not layout.has_positions:
        before = lines[line_index - 1].text.strip() if line_index else ""
        return not before or before[-1] in ".!?:。"
    if not layout.stands_in_column(page_index, line_index) or layout.has_neighbour(page_index, line_index):
        return False
    short = line.box is None or line.box.x1 - line.box.x0 < 0.8 * layout.column_width
    set_apart = (line.bold and not layout.body_bold) or line.italic or line.font_size > layout.body_size * 1.05
    return short and (set_apart or layout.gap_above(page_index, line_index) > _APART)


def _candidate(layout: Layout, page_index: int, line_index: int) -> Candidate:
    place = Place(page_index, line_index, 1, 1.0)
    title = " ".join(layout.pages[page_index].lines[line_index].text.split())
    return candidate_at(layout, title, place, evidence="detected", confidence=0.3)


def _differ(members: list[Candidate]) -> bool:
    """Whether lines of one kind say different things: labels that come back are none."""
    return len({fold(member.title) for member in members}) >= 0.7 * len(members)
