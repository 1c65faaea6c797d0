"""The order in which the lines of a page are read, where it is not the order in which they are drawn.

PDFium gives lines as the page draws them, which is nearly always as they are read. What is changed here needs clear
evidence: lines set sideways that come in reverse, vertical lines of Chinese and Japanese, columns drawn row by row,
which PDFium gives as one line across all of them, and titles drawn after the columns they stand above.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from pageindex_core.read.pdf.columns import part_columns
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.late_titles import lift_titles
from pageindex_core.read.pdf.lines import MIXED, TURNED, TextLines
from pageindex_core.records import Box

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

_TALL_TIMES = 1.8
"""How much taller than wide the box of a vertical line is; two characters one below the other are twice as tall."""

_ASKEW_DEGREES = 15
"""How far from a quarter turn a line still counts as set sideways; stamps and watermarks are set at 30 to 60."""

_LEAST_TURNED = 2
"""Lines from which an order can be told."""

_SCATTERED = 4
_SCATTERED_SHARE = 0.6
"""Lines of one character, and their share of a page, from which they are a vertical text drawn across its lines."""


def in_reading_order(found: TextLines, kept: list[int], geometry: PageGeometry) -> tuple[list[int], bool]:
    """Give the lines as they are read, and whether vertical text was met whose order is not known."""
    kept = part_columns(found, kept, geometry) if any(odd & MIXED for odd in found.odd.values()) else kept
    kept = lift_titles(found, kept, geometry)
    # Text that is level in the file is displayed on its side where the page is turned, and PDFium may reverse it.
    if geometry.rotation or any(odd & TURNED for odd in found.odd.values()):
        kept = _turned_groups(found, kept, geometry)
    tall = [
        index
        for index in kept
        if (box := found.lines[index].box)
        and box[3] - box[1] > _TALL_TIMES * (box[2] - box[0])
        and _CJK.search(found.lines[index].text)
        and not found.odd.get(index, 0) & TURNED
    ]
    alone = [index for index in kept if len(found.lines[index].text) == 1]
    if len(alone) >= max(_SCATTERED, _SCATTERED_SHARE * len(kept)):
        return kept, all(_CJK.match(found.lines[index].text) for index in alone)
    return _vertical(found, kept, tall) if tall else kept, False


def _turned_groups(found: TextLines, kept: list[int], geometry: PageGeometry) -> list[int]:
    """Turn about the lines set sideways, or upside down, that come last line first."""
    ordered: list[int] = []
    group: list[int] = []
    group_turn = 0
    for index in [*kept, -1]:
        is_turned = index >= 0 and (geometry.rotation or found.odd.get(index, 0) & TURNED)
        turn = _turn(found, index, geometry) if is_turned else None
        if group and turn != group_turn:
            ordered.extend(_forwards(found, group, group_turn))
            group = []
        if turn is None:
            ordered.append(index)
        else:
            group.append(index)
            group_turn = turn
    return ordered[:-1]


def _turn(found: TextLines, index: int, geometry: PageGeometry) -> int | None:
    """Quarter turns, against the clock, by which a line is displayed turned; None for what stands askew."""
    direction = found.direction(found.spans[index][0])
    if direction is None:
        return None
    angle = math.degrees(math.atan2(direction[1], direction[0]))
    quarters = round(angle / 90)
    return (quarters - geometry.rotation) % 4 if abs(angle - 90 * quarters) < _ASKEW_DEGREES else None


def _forwards(found: TextLines, group: list[int], turn: int) -> list[int]:
    """The lines of one block, first line first: down the page, or right, up or left for one that is turned."""
    boxes = [box for index in group if (box := found.lines[index].box)]
    if len(boxes) < max(len(group), _LEAST_TURNED):
        return group
    steps = [_step(before, after, turn) for before, after in pairwise(boxes)]
    return group[::-1] if all(step < 0 for step in steps) else group


def _step(before: Box, after: Box, turn: int) -> float:
    return (
        after.y0 - before.y0,
        after.x0 - before.x0,
        before.y0 - after.y0,
        before.x0 - after.x0,
    )[turn]


def _vertical(found: TextLines, kept: list[int], tall: list[int]) -> list[int]:
    """Vertical lines right to left, tier by tier, where they are most of a page."""
    lines = found.lines
    if sum(len(lines[index].text) for index in tall) < 0.5 * sum(len(lines[index].text) for index in kept):
        return kept
    beside = {index for index in kept if len(lines[index].text) == 1 and _CJK.match(lines[index].text)}
    moved = [index for index in kept if index in beside or index in tall]
    places = iter(_right_to_left([(box, index) for index in moved if (box := lines[index].box)]))
    return [next(places) if index in beside or index in tall else index for index in kept]


def _right_to_left(placed: list[tuple[Box, int]]) -> list[int]:
    ordered: list[int] = []
    tier: list[tuple[float, int]] = []
    ends = 0.0
    for box, index in sorted(placed, key=lambda item: item[0].y0):
        if tier and box.y0 >= ends:
            ordered.extend(number for _, number in sorted(tier))
            tier = []
        ends = max(ends, box.y1) if tier else box.y1
        tier.append((-box.x1, index))
    return ordered + [number for _, number in sorted(tier)]
