"""Pages whose text is set on its side, laid out as they read: a heading is then above its text here as well.

Sideways tables and appendices of reports are such pages, and so are those of vertical Chinese and Japanese.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pageindex_core.records import Box, Outline, Page

_SIDEWAYS_SHARE = 0.7
"""Share of a page's characters in upright lines or in sideways ones that decides for the page."""

_LEAST_LENGTH = 2.2
"""A line is sideways when it is so many times as tall as its letters, and taller than wide."""


def as_read(pages: Sequence[Page]) -> Sequence[Page]:
    """Give the pages with the boxes of sideways ones turned upright; the same sequence where there are none."""
    turned = [_upright(page) for page in pages]
    return turned if any(before is not after for before, after in zip(pages, turned, strict=True)) else pages


def as_displayed(outline: Outline, pages: Sequence[Page], turned: Sequence[Page]) -> Outline:
    """Give the headings of pages that were turned the heights at which their lines are displayed."""
    headings = [
        heading
        if pages[heading.page_number - 1] is turned[heading.page_number - 1]
        else replace(heading, y=_top(pages[heading.page_number - 1], heading.line_index))
        for heading in outline.headings
    ]
    return replace(outline, headings=tuple(headings))


def _top(page: Page, line_index: int) -> float | None:
    box = page.lines[line_index].box if line_index < len(page.lines) else None
    return None if box is None else box.y0


def _upright(page: Page) -> Page:
    tall = [line for line in page.lines if (box := line.box) and box[3] - box[1] > _LEAST_LENGTH * line.font_size]
    sideways = [line for line in tall if line.box and line.box.y1 - line.box.y0 > line.box.x1 - line.box.x0]
    if not sideways or page.width_pt is None or page.height_pt is None:
        return page
    if sum(len(line.text) for line in sideways) < _SIDEWAYS_SHARE * sum(len(line.text) for line in page.lines):
        return page
    starts = [line.box.x0 for line in sideways if line.box is not None]
    steps = [after - before for before, after in pairwise(starts)]
    is_downward = sum(step < 0 for step in steps) >= sum(step > 0 for step in steps)  # lines follow from right to left
    lines = tuple(
        line if line.box is None else line._replace(box=_turned(line.box, page, is_downward=is_downward))
        for line in page.lines
    )
    return replace(page, lines=lines, width_pt=page.height_pt, height_pt=page.width_pt)


def _turned(box: Box, page: Page, *, is_downward: bool) -> Box:
    width, height = page.width_pt or 0.0, page.height_pt or 0.0
    if is_downward:
        return Box(box.y0, width - box.x1, box.y1, width - box.x0)
    return Box(height - box.y1, box.x0, height - box.y0, box.x1)
