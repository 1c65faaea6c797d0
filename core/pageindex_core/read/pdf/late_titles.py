"""Titles that a page draws after the columns they stand above: read before them."""

from __future__ import annotations

from statistics import median

from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.lines import TextLines
from pageindex_core.records import Line

_LEAST_LINES = 3
"""Lines on either side of the middle from which they are columns."""

_LEAST_WIDTH = 0.2
"""Share of the page's width that lines of a column fill; cells, labels and axes fill less."""

_CENTRED = 0.03
"""Share of the page's width by which the middle of a title may miss that of the page."""

_LARGER = 1.1
"""How much larger than the columns' text a title is that is not centred."""

_MOST_ABOVE = 2
"""Lines further up that may be drawn between the columns and their title: running heads. More are text, and the title
stands within the columns."""

_SLACK_PT = 2.0
"""By how much boxes of lines that do not touch may overlap."""


_REACH_PT = 9.0
"""How far a title reaches over the middle on either side at least; lines of a column may touch it."""


def lift_titles(found: TextLines, kept: list[int], geometry: PageGeometry) -> list[int]:
    """Give the lines with each title across the middle, above columns drawn before it, before those columns."""
    middle = geometry.width_pt / 2
    left_of, right_of = middle - _REACH_PT, middle + _REACH_PT
    lines = found.lines
    late: list[int] = []
    last = second = third = 0.0
    for index in kept:
        box = lines[index].box
        if box is None:
            continue
        x0, y0, x1, y1 = box
        if x0 < left_of and x1 > right_of and (y1 < last or y1 < second or y1 < third):
            late.append(index)
        last, second, third = y0, last, second
    for index in late:
        kept = _lifted(lines, kept, index, middle)
    return kept


def _lifted(lines: list[Line], kept: list[int], index: int, middle: float) -> list[int]:
    place = kept.index(index)
    below = [other for other in kept if _is_below(lines[other], lines[index])]
    sides = _sides(lines, below, middle)
    columns = [at for at in range(place) if any(kept[at] in side for side in sides)]
    if len(columns) < _LEAST_LINES or not _is_title(lines, index, sides, middle):
        return kept
    first = columns[0]
    drawn_below = set(below)
    above = [other for other in kept[first:place] if other not in drawn_below]
    if len(above) > _MOST_ABOVE:
        return kept
    after = [other for other in kept[first:place] if other in drawn_below]
    return [*kept[:first], *above, index, *after, *kept[place + 1 :]]


def _is_below(other: Line, line: Line) -> bool:
    return other.box is not None and line.box is not None and other.box.y0 >= line.box.y1 - _SLACK_PT


def _sides(lines: list[Line], below: list[int], middle: float) -> tuple[list[int], list[int]]:
    """The lines on the left and on the right of the middle that are as wide as those of a column."""
    boxed = [(index, box) for index in below if (box := lines[index].box)]
    wide = [(index, box) for index, box in boxed if box.x1 - box.x0 > 2 * _LEAST_WIDTH * middle]
    left = [index for index, box in wide if box.x1 <= middle + _SLACK_PT]
    return left, [index for index, box in wide if box.x0 >= middle - _SLACK_PT]


def _is_title(lines: list[Line], index: int, sides: tuple[list[int], list[int]], middle: float) -> bool:
    """Whether a line is centred or large over columns side by side, and reaches over what is between them."""
    line = lines[index]
    left, right = ([box for other in side if (box := lines[other].box)] for side in sides)
    if line.box is None or min(len(left), len(right)) < _LEAST_LINES:
        return False
    if line.box.x0 > max(box.x1 for box in left) and line.box.x1 < min(box.x0 for box in right):
        return False  # in a column of its own between them
    starts = max(min(box.y0 for box in side) for side in (left, right))
    if starts >= min(max(box.y1 for box in side) for side in (left, right)):
        return False
    if line.font_size > _LARGER * median(lines[other].font_size for side in sides for other in side):
        return True
    return abs((line.box.x0 + line.box.x1) / 2 - middle) < 2 * _CENTRED * middle
