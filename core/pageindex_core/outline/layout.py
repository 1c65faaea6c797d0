"""The whole document's typographic facts, measured once: body style, running heads, folded texts, spacing.

Every signal judges lines against these, never page by page: a page of captions would otherwise declare itself normal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pageindex_core.outline.numbering import parse_number
from pageindex_core.records import Box, Page

_MARGIN_SHARE = 0.13
"""Running heads and feet stand within this share of the page height from its edges. Source: the widest header zone
seen in filings, papers, manuals and statutes was 0.11."""

_EDGE_LINES = 4
"""How many of the outermost lines of a page may be furniture on each side."""

_INDENT_PT = 20.0
"""How far a heading may be indented from the edge of running text."""

_HANGING_PT = 72.0
"""How far it may hang out to the left of it: manuals set text in an inch from their headings."""

_EDGE_SHARE = 0.08
"""Share of the long lines that have to start at an edge for it to count as one."""

_MIN_REPEATS = 3
"""A line has to come back on three pages before it counts as furniture: two may be chance."""

_BRACKETED_DATE = re.compile(r"\(\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\)")
"""Manuals and laws date each section behind its number; their contents and bookmarks leave the date out."""
_NOT_WORD = re.compile(r"[\W_]+")
_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)
_ASCII_NOT_WORD = bytes(code for code in range(128) if not chr(code).isalnum())
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|第)?\s*[-–—|(\[]?\s*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,3}-\d{1,3})\s*[-–—|)\]]?"
    r"(?:\s*(?:of|/|von)\s*\d{1,4})?\s*(?:页|頁|쪽)?",
    re.IGNORECASE,
)


def fold(text: str) -> str:
    """Text as compared between places: case, spacing and punctuation gone, and dates in brackets."""
    if "(" in text:
        text = _BRACKETED_DATE.sub("", text)
    if text.isascii():  # a ninth of the time, and most lines are
        return text.encode().translate(_ASCII_LOWER, _ASCII_NOT_WORD).decode()
    return _NOT_WORD.sub("", text.casefold())


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
            furniture=_find_furniture(pages, keys, size or 10.0),
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


def _find_furniture(pages: Sequence[Page], keys: list[list[str]], body_size: float) -> frozenset[tuple[int, int]]:
    """Lines at the edges of pages that come back: the same text, or a page number, or a header that varies."""
    same: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    bands: dict[tuple[int, float, bool], list[tuple[int, int]]] = defaultdict(list)
    numbers: list[tuple[int, int]] = []
    for page_index, page in enumerate(pages):
        if page.height_pt is None:
            _collect_outer_lines(page, page_index, keys[page_index], same, numbers)
            continue
        edge = page.height_pt * _MARGIN_SHARE
        top = sorted((line.box.y0, index) for index, line in enumerate(page.lines) if line.box and line.box.y0 < edge)[
            :_EDGE_LINES
        ]
        foot = sorted(
            (-line.box.y1, index)
            for index, line in enumerate(page.lines)
            if line.box and line.box.y1 > page.height_pt - edge
        )[:_EDGE_LINES]
        for rank, (y, line_index) in [*enumerate(top), *enumerate(foot)]:
            line = page.lines[line_index]
            place = (page_index, line_index)
            if _PAGE_NUMBER.fullmatch(line.text):
                numbers.append(place)
                continue
            key = keys[page_index][line_index]
            small = line.font_size <= body_size * 1.1
            same[(_DIGITS.sub("#", key), round(y / 6))].append(place)
            if rank == 0 and small:
                bands[(round(y / 2), round(line.font_size * 2) / 2, line.bold)].append(place)
    found: set[tuple[int, int]] = set(numbers) if len(numbers) >= _MIN_REPEATS else set()
    found.update(_counting_pages(pages, keys))
    for places in same.values():
        if len({page_index for page_index, _ in places}) >= _MIN_REPEATS and not _count_up(pages, places):
            found.update(places)
    for places in bands.values():
        # One line at the same height in the same style on most pages is a running head even if its words change.
        if len(places) >= max(_MIN_REPEATS, 0.5 * len(pages)) and not _count_up(pages, places):
            found.update(_unnumbered(pages, places))
    return frozenset(found)


def _unnumbered(pages: Sequence[Page], places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines but those with a "Note 3" or "Item 7" that stands on one page alone: headings that open their page."""
    numbers = [parse_number(pages[page_index].lines[line_index].text) for page_index, line_index in places]
    marks = [(number.kind, number.value) if number and number.kind != "decimal" else None for number in numbers]
    counts = Counter(marks)
    return (place for place, mark in zip(places, marks, strict=True) if mark is None or counts[mark] > 1)


def _counting_pages(pages: Sequence[Page], keys: list[list[str]]) -> set[tuple[int, int]]:
    """Outermost lines, at any height, that say the same and count the pages: heads and feet that follow the text."""
    same: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for page_index, page in enumerate(pages):
        placed = [(line.box.y1, index) for index, line in enumerate(page.lines) if line.box is not None]
        for _, line_index in {min(placed), max(placed)} if placed else ():
            key = keys[page_index][line_index]
            if key[-1:].isdecimal() or key[:1].isdecimal():
                number = _DIGITS.findall(key)[-1 if key[-1].isdecimal() else 0]
                same[_DIGITS.sub("#", key)].append((int(number[:9]) - page_index, page_index, line_index))
    found: set[tuple[int, int]] = set()
    for places in same.values():
        shift, count = Counter(place[0] for place in places).most_common(1)[0]
        if count >= _MIN_REPEATS and count > 0.5 * len(places):
            found.update((page_index, line_index) for other, page_index, line_index in places if other == shift)
    return found


def _count_up(pages: Sequence[Page], places: Sequence[tuple[int, int]]) -> bool:
    """Whether lines carry section numbers that are all different: headings that each open a page.

    Numbers that grow as the pages do are page numbers, "Chapter 1" on every page of it is a running head.
    """
    numbers = [
        (page_index, parse_number(pages[page_index].lines[line_index].text)) for page_index, line_index in places
    ]
    values = {(number.kind, number.value) for _, number in numbers if number is not None}
    if len(values) <= 0.6 * len(places):
        return False
    shifts = Counter(
        number.value[0] - page_index for page_index, number in numbers if number and number.kind == "decimal"
    )
    return not shifts or shifts.most_common(1)[0][1] <= 0.5 * len(places)


def _collect_outer_lines(
    page: Page,
    page_index: int,
    keys: list[str],
    same: dict[tuple[str, int], list[tuple[int, int]]],
    numbers: list[tuple[int, int]],
) -> None:
    """Offer the first and last written lines of a page without positions as furniture."""
    written = [index for index, key in enumerate(keys) if key]
    for place, outer in ((0, written[:2]), (1, written[-2:])):
        for line_index in outer:
            if _PAGE_NUMBER.fullmatch(page.lines[line_index].text.strip()):
                numbers.append((page_index, line_index))
            else:
                same[(_DIGITS.sub("#", keys[line_index]), place)].append((page_index, line_index))
