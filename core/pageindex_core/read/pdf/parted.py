"""Printed lines that PDFium joined into one, parted again.

PDFium ends a line where the next text is drawn lower, but not always: a short last line of a paragraph and the heading
below it, or the items of a list, may come as one line two or more lines high.
"""

from __future__ import annotations

from pageindex_core.read.pdf.lines import TURNED, TextLines
from pageindex_core.records import Box

_TALL_TIMES = 1.6
"""Height of a line's box, in its font size and in the height of its first letter, from which it may be several lines:
two lines set without any space between them are twice as high."""

_OVERLAP = 0.3
"""Share of a letter's height by which lines set closer than their letters are high may overlap. Subscripts and small
capitals overlap far more with what they stand beside."""

_CLEAR = 0.5
"""White space above a letter, in its height, with which it begins a line wherever it stands."""

_BACK_SHARE = 0.5
"""Share of a line's width from its start, within which what stands closer has to begin: the lower half of a fraction
stands further on."""


def part_lines(found: TextLines, kept: list[int]) -> list[int]:
    """Give the lines with those in several parts after each other; one whose letters rise again is left, a formula."""
    lines = found.lines
    parts: dict[int, list[int]] = {}
    for index in kept:
        _, box, size, *_ = lines[index]
        if (
            box is not None
            and box[3] - box[1] > _TALL_TIMES * size
            and box.x1 - box.x0 > box.y1 - box.y0
            and not found.odd.get(index, 0) & TURNED
        ):
            starts = _starts(found, index, box)
            if starts:
                parts[index] = _part(found, index, starts)
    return [part for index in kept for part in parts.get(index, (index,))] if parts else kept


def _starts(found: TextLines, index: int, line_box: Box) -> list[int]:
    """The characters with which a line begins lower than all before them; none where that is not clear."""
    first, last = found.spans[index]
    opening = found.char_box(first)
    if opening is None or line_box.y1 - line_box.y0 < _TALL_TIMES * (opening.y1 - opening.y0):
        return []
    text = found.text
    half = line_box.x0 + _BACK_SHARE * (line_box.x1 - line_box.x0)
    starts: list[int] = []
    lowest = opening.y1
    ceiling = opening.y0
    for at in range(first + 1, last + 1):
        if text[at].isspace():
            continue
        if not (text[at - 1].isspace() or text[at + 1 : at + 2].isspace() or at == last):
            continue  # within a word
        box = found.char_box(at)
        if box is None:
            continue
        height = box.y1 - box.y0
        below = box.y0 - lowest
        if text[at - 1].isspace() and (
            below >= _CLEAR * height or (below >= -_OVERLAP * height and box.x0 < half)
        ):  # fmt: skip
            starts.append(at)
            ceiling, lowest = lowest, box.y1
        elif box.y1 < ceiling + _OVERLAP * height and starts:
            return []
        else:
            lowest = max(lowest, box.y1)
    return starts


def _part(found: TextLines, index: int, starts: list[int]) -> list[int]:
    """Part a line at some of its characters; give the indexes of its parts."""
    first, last = found.spans[index]
    indexes: list[int] = []
    for start, end in zip([first, *starts], [*(start - 1 for start in starts), last], strict=True):
        while end > start and found.text[end].isspace():
            end -= 1
        line = found.line_of(start, end)
        if line is None:
            continue
        if not indexes:
            found.lines[index], found.spans[index] = line, (start, end)
            indexes.append(index)
        else:
            part = found.add(line, (start, end))
            if index in found.odd:
                found.odd[part] = found.odd[index]
            indexes.append(part)
    return indexes
