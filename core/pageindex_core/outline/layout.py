"""The whole document's typographic facts, measured once: body style, running heads, folded texts, spacing.

Every signal judges lines against these, never page by page: a page of captions would otherwise declare itself normal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import median

from pageindex_core.folding import squash
from pageindex_core.outline.furniture import find_furniture
from pageindex_core.outline.lookup import LineLookup
from pageindex_core.outline.rows import Row, placed_rows, unplaced_rows
from pageindex_core.records import Box, Line, Page

_INDENT_PT = 20.0
"""How far a heading may be indented from the edge of running text."""

_HANGING_PT = 72.0
"""How far it may hang out to the left of it: manuals set text in an inch from their headings."""

_EDGE_SHARE = 0.08
"""Share of the long lines that have to start at an edge for it to count as one."""

FULL_WIDTH = 0.8
"""Share of a column from which a line fills it."""

_SPACED_PAGES = 12
_FULL_LINE_CHARS = 40
_WIDEST_SPACING = 1.5
"""Of how many pages, spread over a document, the space between lines is measured; between what lines; up to what."""

_WRAP_GAP = 0.55
_MORE_SPACE = 0.1
"""White space within a title of a document set in the usual way, in its size; how much more than within its text."""

_TEXT_SHARE = 0.1
"""Share of a document's characters, in lines of some length, from which a style is one of text."""

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
    texts: frozenset[tuple[float, bool, str]]
    """Size, weight and font of all that much of the document is set in: listings may outnumber the text they are in."""
    column_width: float
    """Usual width of a full line of running text, in points."""
    edges: tuple[float, ...]
    """Left edges at which running text starts: one for each column and page side."""
    furniture: frozenset[tuple[int, int]]
    """(page_index, line_index) of running heads, feet and page numbers."""
    keys: list[list[str]] = field(repr=False)
    """Folded text of each line of each page."""
    _lookups: dict[int, LineLookup] = field(default_factory=dict, init=False, repr=False)
    _rows: dict[int, list[Row]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def measure(cls, pages: Sequence[Page]) -> Layout:
        """Measure a document in one pass over its lines."""
        printed: dict[tuple[float, bool, str], int] = defaultdict(int)
        widths: dict[int, int] = defaultdict(int)
        starts: Counter[int] = Counter()
        full: dict[tuple[float, bool, str], int] = defaultdict(int)
        for page in pages:
            for text, box, size, bold, _, font, *_ in page.lines:
                length = len(text)
                printed[size, bold, font] += length
                if length > 25 and box is not None:
                    full[size, bold, font] += length
                    start, _, end, _ = box
                    widths[round((end - start) / 10)] += length
                    starts[round(start)] += 1
        total = sum(printed.values())
        sizes: Counter[tuple[float, bool]] = Counter()
        fonts: Counter[str] = Counter()
        for (size, bold, font), length in printed.items():
            sizes[round(size * 2) / 2, bold] += length
            fonts[font] += length
        (size, bold), _ = max(sizes.items(), key=lambda item: item[1], default=((10.0, False), 0))
        keys = [[fold(line.text) for line in page.lines] for page in pages]
        return cls(
            pages=pages,
            body_size=size or 10.0,
            body_bold=bold,
            texts=frozenset(
                (round(size * 2) / 2, bold, font)
                for (size, bold, font), length in full.items()
                if length >= _TEXT_SHARE * total
            ),
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
    def labelled(self) -> dict[str, int]:
        """The first page of each label, case folded; 0-based."""
        labels = [(page.page_label.casefold(), at) for at, page in enumerate(self.pages) if page.page_label is not None]
        return dict(reversed(labels))

    def places_of(self, key: str) -> list[tuple[int, int]]:
        """Where lines stand whose folded text is this, furniture left out."""
        return [place for place in self._places.get(key, ()) if place not in self.furniture]

    @cached_property
    def _places(self) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for page_index, keys in enumerate(self.keys):
            for line_index, key in enumerate(keys):
                if key:
                    found[key].append((page_index, line_index))
        return found

    def rows_of(self, page_index: int) -> list[Row]:
        """Give the rows of a page from top to bottom, furniture left out."""
        if page_index not in self._rows:
            rows = placed_rows if self.has_positions else unplaced_rows
            self._rows[page_index] = rows(self.pages[page_index], page_index, self.furniture)
        return self._rows[page_index]

    def lookup(self, page_index: int) -> LineLookup:
        """Give what finds the lines of a page on which a title may be printed."""
        if page_index not in self._lookups:
            self._lookups[page_index] = LineLookup(self.keys[page_index])
        return self._lookups[page_index]

    @cached_property
    def wrap_gap(self) -> float:
        """White space between two lines of one title at most, in their size: as between lines of text, and more."""
        found = []
        for page in self.pages[:: max(len(self.pages) // _SPACED_PAGES, 1)]:
            for above, below in pairwise(page.lines):
                if above.box is not None and below.box is not None and above.font_size == below.font_size:
                    gap = (below.box.y0 - above.box.y1) / (below.font_size or 10.0)
                    if 0 <= gap < _WIDEST_SPACING and len(above.text) > _FULL_LINE_CHARS:
                        found.append(gap)
        return max(_WRAP_GAP, median(found) + _MORE_SPACE if found else 0.0)

    @cached_property
    def crowded(self) -> list[set[int]]:
        """On each page, the lines that have a neighbour on their baseline: cells, forms, heads of two columns."""
        return [_shared_baselines(page.lines) for page in self.pages]

    @cached_property
    def first_heads(self) -> frozenset[tuple[int, int]]:
        """Furniture that later pages repeat and no line before it says: a title that runs on from there as a head.

        What comes once, such as a head with the number of its page, is none.
        """
        heads = [spots for spots in self._places.values() if spots[0] in self.furniture]
        return frozenset(
            spots[0] for spots in heads if len({page for page, _ in self.furniture.intersection(spots)}) > 1
        )

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
        top, foot = box.y0, box.y1
        need = 0.5 * (foot - top)
        at_its_height = [
            (index, other)
            for index, line in enumerate(lines)
            if (other := line.box) is not None and other[3] - top >= need and foot - other[1] >= need
        ]
        size = lines[line_index].font_size
        column = self._column_of(box)
        for index, other in at_its_height:
            if index == line_index or min(foot, other.y1) - max(top, other.y0) < need:
                continue
            if other.x0 <= box.x1 + 4 and box.x0 <= other.x1 + 4:
                continue
            if (page_index, index) in self.furniture or abs(lines[index].font_size - size) > 0.15 * size:
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


def _shared_baselines(lines: Sequence[Line]) -> set[int]:
    """Lines that have a neighbour on the same baseline at some distance.

    Cells set at different heights give lines that lie over one another.
    """
    crowded: set[int] = set()
    before: Box | None = None
    for index, line in enumerate(lines):
        here = line.box
        if here is not None and before is not None and _are_beside(here, before, line.font_size):
            crowded.update((index, index - 1))
        before = here
    return crowded


def _are_beside(here: Box, before: Box, size: float) -> bool:
    x0, y0, x1, y1 = here
    left, top, right, foot = before
    down = y1 - foot
    if down >= 2.0 and y0 >= foot:
        return False  # below it, as nearly all lines are
    if x0 > right + 6 or left > x1 + 6:
        return abs(down) < 2.0
    if y0 >= foot or top >= y1:
        return False
    if min(y1, foot) - max(y0, top) <= 0.5 * size:
        return False
    return min(x1, right) - max(x0, left) > 6


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
