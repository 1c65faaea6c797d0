"""The rows of a page: what is printed at one height, left to right. Entries of contents are read from them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from pageindex_core.records import Box, Page


class Row(NamedTuple):
    """What is printed at one height of a page, left to right. A tuple, since pages of tables have many."""

    page_index: int
    line_indexes: tuple[int, ...]
    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    bold: bool


def placed_rows(page: Page, page_index: int, skip: Container[tuple[int, int]]) -> list[Row]:
    """Give the rows of a page from top to bottom by where its lines stand; lines in ``skip`` are left out."""
    lines = sorted(
        ((box.y0 + box.y1) / 2, box.x0, index, line.font_size)
        for index, line in enumerate(page.lines)
        if (box := line.box) is not None and (page_index, index) not in skip
    )
    rows: list[list[int]] = []
    last_middle = -1e9
    for middle, _, index, size in lines:
        if rows and abs(middle - last_middle) <= max(2.0, 0.3 * size):
            rows[-1].append(index)
        else:
            rows.append([index])
            last_middle = middle
    return [row_of(page, page_index, indexes) for indexes in rows]


def unplaced_rows(page: Page, page_index: int, skip: Container[tuple[int, int]]) -> list[Row]:
    """Give each written line of a page without positions as a row; lines in ``skip`` are left out."""
    return [
        Row(page_index, (index,), line.text, 0.0, float(len(line.text)), float(index), index + 1.0, 0.0, False)
        for index, line in enumerate(page.lines)
        if line.text.strip() and (page_index, index) not in skip
    ]


def row_of(page: Page, page_index: int, indexes: Sequence[int]) -> Row:
    """Give one row of some lines of a page, which have positions."""
    lines = [page.lines[index] for index in indexes]
    if len(lines) > 1:
        lines.sort(key=lambda line: line.box.x0 if line.box else 0.0)
    box = _around([line.box for line in lines if line.box])
    return Row(
        page_index,
        tuple(sorted(indexes)),
        " ".join([line.text for line in lines]),
        box.x0,
        box.x1,
        box.y0,
        box.y1,
        round(max([line.font_size for line in lines]) * 2) / 2,
        lines[0].bold,
    )


def _around(boxes: Sequence[Box]) -> Box:
    if len(boxes) == 1:  # as in most rows
        return boxes[0]
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return Box(min(x0s), min(y0s), max(x1s), max(y1s))
