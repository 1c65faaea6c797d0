"""Titles that a page draws after the text they stand above: read before it."""

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

_LEAST_TEXT = 6
"""Lines of a page below a title of its own, where they are no columns."""

_MUCH_LARGER = 1.3
"""How much larger than such text its title is."""

_INDENT_PT = 20.0
"""How far right of the text its title may start; what starts further right heads a column, or is a label."""

_MOST_ABOVE = 2
"""Lines further up that may be drawn between the text and its title: running heads. More are text, and the title stands
within it."""

_SLACK_PT = 2.0
"""By how much boxes of lines that do not touch may overlap."""

_REACH_PT = 9.0
"""How far a title reaches over the middle on either side at least; lines of a column may touch it."""


def lift_titles(found: TextLines, kept: list[int], geometry: PageGeometry) -> list[int]:
    """Give the lines with each title above columns, or above all text, that were drawn before it, before those."""
    middle = geometry.width_pt / 2
    left_of, right_of = middle - _REACH_PT, middle + _REACH_PT
    lines = found.lines
    late: list[int] = []
    last = second = third = (0.0, 0.0)
    for index in kept:
        _, box, size, *_ = lines[index]
        if box is None:
            continue
        x0, y0, x1, y1 = box
        if (y1 < last[0] or y1 < second[0] or y1 < third[0]) and (
            (x0 < left_of and x1 > right_of) or size > _MUCH_LARGER * min(last[1], second[1], third[1])
        ):
            late.append(index)
        last, second, third = (y0, size), last, second
    for index in late:
        kept = _lifted(lines, kept, index, middle)
    return kept


def _lifted(lines: list[Line], kept: list[int], index: int, middle: float) -> list[int]:
    place = kept.index(index)
    before = _below(lines, kept[:place], lines[index])
    if len(before) < _LEAST_LINES:
        return kept
    if _heads_page(lines, before, place, index):
        first = kept.index(before[0])
    else:
        sides = _sides(lines, _below(lines, kept, lines[index]), middle)
        columns = [other for other in before if any(other in side for side in sides)]
        if len(columns) < _LEAST_LINES or not _is_title(lines, index, sides, middle):
            return kept
        first = kept.index(columns[0])
    drawn_below = set(before)
    above = [other for other in kept[first:place] if other not in drawn_below]
    if len(above) > _MOST_ABOVE:
        return kept
    after = [other for other in kept[first:place] if other in drawn_below]
    return [*kept[:first], *above, index, *after, *kept[place + 1 :]]


def _heads_page(lines: list[Line], before: list[int], place: int, index: int) -> bool:
    """Whether a line is large and stands above nearly all that was drawn before it, flush with it."""
    line = lines[index]
    if line.box is None or len(before) < max(_LEAST_TEXT, place - _MOST_ABOVE):
        return False
    if line.font_size <= _MUCH_LARGER * median(lines[other].font_size for other in before):
        return False
    return line.box.x0 <= _INDENT_PT + min(box.x0 for other in before if (box := lines[other].box))


def _below(lines: list[Line], indexes: list[int], line: Line) -> list[int]:
    """Those of some lines that start where a line ends, or below."""
    if line.box is None:
        return []
    least = line.box.y1 - _SLACK_PT
    return [index for index in indexes if (box := lines[index].box) is not None and box[1] >= least]


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
    if not line.box.x0 < middle - _REACH_PT < middle + _REACH_PT < line.box.x1:
        return False
    if line.box.x0 > max(box.x1 for box in left) and line.box.x1 < min(box.x0 for box in right):
        return False  # in a column of its own between them
    starts = max(min(box.y0 for box in side) for side in (left, right))
    if starts >= min(max(box.y1 for box in side) for side in (left, right)):
        return False
    if line.font_size > _LARGER * median(lines[other].font_size for side in sides for other in side):
        return True
    return abs((line.box.x0 + line.box.x1) / 2 - middle) < 2 * _CENTRED * middle
