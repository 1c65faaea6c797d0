"""Columns that a page draws row by row: PDFium gives each row as one line across all columns, and they are parted here.

A table is drawn the same way. What tells columns of prose apart: many lines, broken at the same places by a gap that
nothing crosses, full on each side of it, and words in every part.
"""

from __future__ import annotations

import re
from statistics import median
from typing import NamedTuple

from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.lines import MIXED, TextLines
from pageindex_core.records import Line

_SPACES = re.compile(r"\s+")

_WIDE_SHARE = 0.5
"""Share of the page's width that a line across two columns has at least."""

_LEAST_ROWS = 6
"""Rows that have to be broken alike; fewer are as often a list in two columns or an address block."""

_RUNNING_ON = 0.4
"""Share of a column's lines that start with a small letter: sentences that run on from the line above. Cells do not."""

_SAMPLED_ROWS = 4
"""Rows looked at first."""

_MOST_BROKEN = 0.8
"""Share of the wide lines that the gap has to break."""

_LEAST_GAP = 0.6
"""Width of the gap between columns, as a multiple of the font size; spaces of a justified line stay below."""

_FULL_SHARE = 0.7
"""How full of text a column's lines are in the middle of all; cells of a table leave more of their column empty."""

_LEAST_WORDS = 3
"""Words in a part of a row in the middle of all; cells hold names and numbers."""

_ONE_BASELINE = 1.9
"""Height of a line on one baseline, as a multiple of its font size; PDFium joins some rows that are drawn askew."""

_LEAST_LETTERS = 0.75
"""Share of letters in the text; tables of figures have fewer."""


class _Row(NamedTuple):
    """A line with the gaps in it: displayed start and end, index of the last character before and first after."""

    line_index: int
    gaps: tuple[tuple[float, float, int, int], ...]


def part_columns(found: TextLines, kept: list[int], geometry: PageGeometry) -> list[int]:
    """Give the lines column by column where columns of prose were drawn row by row; else as they come."""
    least_width = _WIDE_SHARE * geometry.width_pt
    wide = [index for index in kept if found.odd.get(index, 0) & MIXED and _is_row(found.lines[index], least_width)]
    # A few rows tell in nearly all cases that there is no gutter, and cost a tenth of looking at all.
    if len(wide) < _LEAST_ROWS or not _parted(found, wide[1 :: max(len(wide) // _SAMPLED_ROWS, 1)], 1)[1]:
        return kept
    gutters, rows, spans = _parted(found, wide, _LEAST_ROWS)
    parts = {index: [found.add(*part) for part in zip(row, spans[index], strict=True)] for index, row in rows.items()}
    return _reordered(found, kept, parts, gutters) if parts else kept


def _parted(
    found: TextLines, indexes: list[int], least_rows: int
) -> tuple[list[float], dict[int, list[Line]], dict[int, list[tuple[int, int]]]]:
    """Gutters that break most of some lines; the parts of each broken line, and their first and last characters."""
    rows = [_Row(index, _gaps(found, index)) for index in indexes[:1]]
    if rows[0].gaps or least_rows > 1:
        rows.extend(_Row(index, _gaps(found, index)) for index in indexes[1:])
    gutters = _gutters(rows)
    if not gutters:
        return [], {}, {}
    spans = {row.line_index: _spans(found, row, gutters) for row in rows}
    lines = {
        index: [line for first, last in parts if (line := found.line_of(first, last))]
        for index, parts in spans.items()
        if parts
    }
    lines = {index: row for index, row in lines.items() if len(row) == len(gutters) + 1}
    if len(lines) < least_rows or not _is_prose(list(lines.values()), gutters):
        return [], {}, {}
    return gutters, lines, spans


def _is_row(line: Line, least_width: float) -> bool:
    """Whether a line is wide, on one baseline, and of several words."""
    box = line.box
    return (
        box is not None
        and box[2] - box[0] > least_width
        and box[3] - box[1] < _ONE_BASELINE * line.font_size
        and line.text.count(" ") >= 2 * _LEAST_WORDS - 1
    )


def _gaps(found: TextLines, index: int) -> tuple[tuple[float, float, int, int], ...]:
    first, last = found.spans[index]
    least = _LEAST_GAP * found.lines[index].font_size
    gaps = []
    for space in _SPACES.finditer(found.text, first, last + 1):
        before, after = space.start() - 1, space.end()
        if before >= first and after <= last and found.is_far(before, after, least):
            left, right = found.char_box(before), found.char_box(after)
            if left and right and right.x0 > left.x1:
                gaps.append((left.x1, right.x0, before, after))
    return tuple(gaps)


def _gutters(rows: list[_Row]) -> list[float]:
    """Places at which most rows have a gap, left to right."""
    found: list[float] = []
    least = _MOST_BROKEN * len(rows)
    for start, end, _, _ in sorted(gap for row in rows for gap in row.gaps):
        if found and start <= found[-1]:
            continue
        # The left columns are ragged, so the right end of a gap is where its next column starts.
        place = end - 1.0
        if sum(any(gap[0] <= place <= gap[1] for gap in row.gaps) for row in rows) >= least:
            found.append(place)
    return found


def _spans(found: TextLines, row: _Row, gutters: list[float]) -> list[tuple[int, int]]:
    """First and last character of each column's part of a row; none where a gutter does not break it."""
    start, last = found.spans[row.line_index]
    spans = []
    for place in gutters:
        gap = next((gap for gap in row.gaps if gap[0] <= place <= gap[1]), None)
        if gap is None:
            return []
        spans.append((start, gap[2]))
        start = gap[3]
    return [*spans, (start, last)]


def _is_prose(rows: list[list[Line]], gutters: list[float]) -> bool:
    """Whether each column is full of words."""
    lefts = [min(line.box.x0 for row in rows for line in row[:1] if line.box), *gutters]
    for column, left in enumerate(lefts):
        lines = [row[column] for row in rows]
        rights = [line.box.x1 for line in lines if line.box]
        right = gutters[column] if column < len(gutters) else max(rights)
        if median(len(line.text.split()) for line in lines) < _LEAST_WORDS:
            return False
        if median(rights) - left < _FULL_SHARE * (right - left):
            return False
        if sum(line.text[0].islower() for line in lines) < _RUNNING_ON * len(lines):
            return False
    letters = sum(char.isalpha() for row in rows for line in row for char in line.text)
    return letters >= _LEAST_LETTERS * sum(len(line.text.replace(" ", "")) for row in rows for line in row)


def _reordered(found: TextLines, kept: list[int], parts: dict[int, list[int]], gutters: list[float]) -> list[int]:
    """Each column after the other; a line across a gutter comes after all that was drawn before it."""
    ordered: list[int] = []
    columns: list[list[int]] = [[] for _ in range(len(gutters) + 1)]
    for index in kept:
        if index in parts:
            for column, part in zip(columns, parts[index], strict=True):
                column.append(part)
            continue
        box = found.lines[index].box
        if box and not any(box.x0 < place < box.x1 for place in gutters) and any(columns):
            columns[sum(place <= box.x0 for place in gutters)].append(index)
            continue
        ordered.extend(index for column in columns for index in column)
        columns = [[] for _ in columns]
        ordered.append(index)
    return ordered + [index for column in columns for index in column]
