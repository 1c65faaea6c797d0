"""The whole document's typographic facts, measured once: body style, running heads, folded texts, spacing.

Every signal judges lines against these, never page by page: a page of captions would otherwise declare itself normal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pageindex_core.folding import squash
from pageindex_core.outline.furniture import find_furniture
from pageindex_core.records import Box, Page

_INDENT_PT = 20.0
"""How far a heading may be indented from the edge of running text."""

_HANGING_PT = 72.0
"""How far it may hang out to the left of it: manuals set text in an inch from their headings."""

_EDGE_SHARE = 0.08
"""Share of the long lines that have to start at an edge for it to count as one."""

_BRACKETED_DATE = re.compile(r"\(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\)")
"""Manuals and laws date each section behind its number; their contents and bookmarks leave the date out."""


def fold(text: str) -> str:
    """Text as compared between places: case, spacing and punctuation gone, and dates in brackets."""
    if "(" in text:
        text = _BRACKETED_DATE.sub("", text)
    return squash(text)


@dataclass
class Layout:
    """A document with its measured style. Indexes are 0-based: ``page_index``, ``line_index``."""

    pages: Sequence[Page]
    body_size: float
    body_bold: bool
    body_font: str
    column_width: float
    """Usual width of a full line of running text, in points."""
    edges: tuple[float, ...]
    """Left edges at which running text starts: one for each column and page side."""
    furniture: frozenset[tuple[int, int]]
    """(page_index, line_index) of running heads, feet and page numbers."""
    keys: list[list[str]] = field(repr=False)
    """Folded text of each line of each page."""

    @classmethod
    def measure(cls, pages: Sequence[Page]) -> Layout:
        """Measure a document in one pass over its lines."""
        printed: Counter[tuple[float, bool]] = Counter()
        fonts: Counter[str] = Counter()
        widths: Counter[int] = Counter()
        starts: Counter[int] = Counter()
        for page in pages:
            for line in page.lines:
                length = len(line.text)
                printed[(line.font_size, line.bold)] += length
                fonts[line.font] += length
                if line.box is not None and length > 25:
                    widths[round((line.box.x1 - line.box.x0) / 10)] += length
                    starts[round(line.box.x0)] += 1
        sizes: Counter[tuple[float, bool]] = Counter()
        for (size, bold), length in printed.items():
            sizes[(round(size * 2) / 2, bold)] += length
        (size, bold), _ = max(sizes.items(), key=lambda item: item[1], default=((10.0, False), 0))
        keys = [[fold(line.text) for line in page.lines] for page in pages]
        return cls(
            pages=pages,
            body_size=size or 10.0,
            body_bold=bold,
            body_font=max(fonts, key=lambda name: fonts[name], default=""),
            column_width=10.0 * max(widths, key=lambda width: (widths[width], width), default=45),
            edges=_edges(starts),
            furniture=find_furniture(pages, keys, size or 10.0),
            keys=keys,
        )

    @cached_property
    def has_positions(self) -> bool:
        """Whether the format says where lines stand; plain text and pages from other loaders do not."""
        return any(line.box is not None for page in self.pages for line in page.lines)

    @cached_property
    def places(self) -> dict[str, list[tuple[int, int]]]:
        """Where each folded line text stands, furniture left out."""
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for page_index, keys in enumerate(self.keys):
            for line_index, key in enumerate(keys):
                if key and (page_index, line_index) not in self.furniture:
                    found[key].append((page_index, line_index))
        return found

    @cached_property
    def first_heads(self) -> frozenset[tuple[int, int]]:
        """Furniture that later pages repeat and no line before it says: a title that runs on from there as a head.

        What comes once, such as a head with the number of its page, is none.
        """
        first: dict[str, tuple[int, int]] = {}
        pages: dict[str, set[int]] = defaultdict(set)
        for page_index, keys in enumerate(self.keys):
            for line_index, key in enumerate(keys):
                spot = (page_index, line_index)
                first.setdefault(key, spot)
                if spot in self.furniture:
                    pages[key].add(page_index)
        return frozenset(first[key] for key, on in pages.items() if len(on) > 1 and first[key] in self.furniture)

    def stands_in_column(self, page_index: int, line_index: int) -> bool:
        """Whether a line starts where running text starts, or is centred on the page or on a column."""
        page = self.pages[page_index]
        box = page.lines[line_index].box
        if box is None or not self.edges:
            return True
        if any(-_HANGING_PT <= box.x0 - edge <= _INDENT_PT for edge in self.edges):
            return True
        middle = (box.x0 + box.x1) / 2
        centres = [(page.width_pt or 0.0) / 2, *(edge + self.column_width / 2 for edge in self.edges)]
        return any(abs(middle - centre) < 0.03 * (page.width_pt or 600.0) for centre in centres)

    def has_neighbour(self, page_index: int, line_index: int) -> bool:
        """Whether a line has another beside it that is not another column's text: a cell, a form, a figure."""
        lines = self.pages[page_index].lines
        box = lines[line_index].box
        if box is None:
            return False
        need = 0.5 * (box.y1 - box.y0)
        size = lines[line_index].font_size
        column = self._column_of(box)
        for index, line in enumerate(lines):
            other = line.box
            if other is None or index == line_index or other.y1 - box.y0 < need or box.y1 - other.y0 < need:
                continue
            if min(box.y1, other.y1) - max(box.y0, other.y0) < need:
                continue
            if other.x0 <= box.x1 + 4 and box.x0 <= other.x1 + 4:
                continue
            if (page_index, index) in self.furniture or abs(line.font_size - size) > 0.15 * size:
                continue
            if column is None or column == self._column_of(other):
                return True
        return False

    @cached_property
    def columns(self) -> tuple[float, ...]:
        """Left edges of the text columns; one or none for documents set in a single column."""
        found: list[float] = []
        for edge in self.edges:
            if not found or edge - found[-1] > 0.8 * self.column_width:
                found.append(edge)
        return tuple(found) if self.column_width < 0.55 * (self.pages[0].width_pt or 612.0) else tuple(found[:1])

    def _column_of(self, box: Box) -> float | None:
        """The column that holds a box; None when it reaches over several or none does."""
        slack = 0.1 * self.column_width
        inside = [
            edge for edge in self.columns if box.x0 >= edge - slack and box.x1 <= edge + self.column_width + slack
        ]
        return inside[-1] if inside and len(self.columns) > 1 else None

    def gap_above(self, page_index: int, line_index: int) -> float:
        """White space above a line, in its own font size; large at the top of a page or column."""
        lines = self.pages[page_index].lines
        line = lines[line_index]
        if line.box is None or not line.font_size:
            return 0.0
        above = line_index - 1
        while above >= 0 and (page_index, above) in self.furniture:
            above -= 1
        if above < 0:
            return 9.0
        other = lines[above].box
        if other is None or other.y1 > line.box.y1 + 1 or other.x0 > line.box.x1 or other.x1 < line.box.x0 - 200:
            return 9.0
        return (line.box.y0 - other.y1) / line.font_size

    def gap_below(self, page_index: int, line_index: int) -> float:
        """White space below a line, in its own font size; large at the foot of a page or column."""
        lines = self.pages[page_index].lines
        line = lines[line_index]
        if line.box is None or not line.font_size:
            return 0.0
        if line_index + 1 >= len(lines):
            return 9.0
        other = lines[line_index + 1].box
        if other is None or other.y0 < line.box.y0 - 1:
            return 9.0
        return (other.y0 - line.box.y1) / line.font_size


def _edges(starts: Counter[int]) -> tuple[float, ...]:
    total = sum(starts.values())
    merged: Counter[int] = Counter()
    for x0, count in starts.items():
        for near in range(x0 - 2, x0 + 3):
            merged[near] += count
    edges: list[float] = []
    for x0, count in sorted(merged.items(), key=lambda item: (-item[1], item[0])):
        if count >= _EDGE_SHARE * total and all(abs(x0 - edge) > 4 for edge in edges):
            edges.append(float(x0))
    return tuple(sorted(edges))
