"""The rows of a page: what is printed at one height, left to right. Entries of contents are read from them."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise
from typing import NamedTuple

from pageindex_core.folding import squash
from pageindex_core.headlines import CONTENTS
from pageindex_core.records import Box, Page

_PAGE_IN_FRONT = re.compile(r"(\d{1,4})\s+([^\W\d].*)")
_LEAST_IN_FRONT = 4
"""Rows with a page number in front from which a list is taken to have them there."""

_OPENS_ROW = re.compile(r"\d{1,2}\.|\d{1,2}(?:\.\d{1,3}){1,5}(?:\s+[^\W\d])?")
"""A section number, perhaps with the first letter of its title, as loaders give them where the next letter is smaller.
"""


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
    """Give the written lines of a page without positions as rows; lines in ``skip`` are left out.

    A section number on a line of its own opens the row below it, a page number ends the one above.
    """
    rows: list[tuple[list[int], str]] = []
    for index, line in enumerate(page.lines):
        text = line.text.strip()
        if not text or (page_index, index) in skip:
            continue
        above = rows[-1][1] if rows else ""
        if _OPENS_ROW.fullmatch(above):
            goes_on = line.text[0].isdecimal() or line.text[0].islower()  # in the middle of a number or a word
            rows[-1] = ([*rows[-1][0], index], f"{above}{text}" if goes_on else f"{above} {text}")
        elif text.isdecimal() and above and not above[-1].isdecimal() and squash(above) not in CONTENTS:
            rows[-1] = ([*rows[-1][0], index], f"{above} {text}")
        else:
            rows.append(([index], text))
    return [
        Row(page_index, tuple(at), text, 0.0, float(len(text)), float(at[0]), at[-1] + 1.0, 0.0, False)
        for at, text in rows
    ]


def with_pages_behind(rows: list[Row]) -> list[Row]:
    """Give the rows of contents with page numbers in front ("8 Welcome") as if they stood behind; others as they are.

    Numbers that count one by one are those of chapters.
    """
    matches = [_PAGE_IN_FRONT.match(row.text) for row in rows]
    pages = [int(match[1]) for match in matches if match is not None]
    one_by_one = sum(later - earlier == 1 for earlier, later in pairwise(pages))
    if len(pages) < _LEAST_IN_FRONT or pages != sorted(pages) or one_by_one > 0.5 * len(pages):
        return rows
    return [
        row._replace(text=f"{match[2]} {match[1]}") if match is not None else row
        for row, match in zip(rows, matches, strict=True)
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
