"""Entries of contents pages, whatever they were found by: rows, their levels, and where they lead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pageindex_core.headlines import CONTENTS
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import parse_number, roman_number

_TRAILING = re.compile(
    r"(?P<title>.*?)(?P<leader>\s*(?:[.·•…_‥･・⋅․]\s?){3,}\s*|\s+|(?<=[^\W\d])\s*(?=\d))"
    r"(?P<page>\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}[-–]\d{1,3}(?:[-–.]\d{1,3})?|\d{1,2}[-–]\d{1,3})\s*$",
    re.DOTALL,
)
_LEADER_CHARS = " .·•…_‥･・⋅․"
_LEADER_ONLY = re.compile(r"(?:[.·•…_‥･・⋅․]\s?){3,}")

_NAMED = frozenset(("part", "chapter", "item", "section", "subsection", "article", "note", "appendix"))
"""Kinds of number with a word of their own."""

_COLUMN_HEAD = re.compile(r"\s+(?:page|pages|page no\.?|seite|页码|頁)$", re.IGNORECASE)
"""What stands over the page numbers, at the end of the first row: "PART I … Page"."""

MIN_LEADING = 4
"""So many entries have to start with the number of their page for it not to be chance."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is printed at one height of a page, left to right."""

    page_index: int
    line_indexes: tuple[int, ...]
    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table of contents."""

    title: str
    row: Row
    printed_page: str | None = None
    leader: bool = False
    target_index: int | None = None
    """0-based page of a link; None without one."""
    target_y: float | None = None


def rows_of(layout: Layout, page_index: int) -> list[Row]:
    """Give the rows of a page from top to bottom, furniture left out."""
    if not layout.has_positions:
        return [
            Row(page_index, (index,), line.text, 0.0, float(len(line.text)), float(index), index + 1.0, 0.0, False)
            for index, line in enumerate(layout.pages[page_index].lines)
            if line.text.strip() and (page_index, index) not in layout.furniture
        ]
    lines = [
        (line.box, index, line)
        for index, line in enumerate(layout.pages[page_index].lines)
        if line.box is not None and (page_index, index) not in layout.furniture
    ]
    rows: list[list[int]] = []
    last_middle = -1e9
    for box, index, line in sorted(lines, key=lambda item: ((item[0].y0 + item[0].y1) / 2, item[0].x0)):
        middle = (box.y0 + box.y1) / 2
        if rows and abs(middle - last_middle) <= max(2.0, 0.3 * line.font_size):
            rows[-1].append(index)
        else:
            rows.append([index])
            last_middle = middle
    return [row_of(layout, page_index, indexes) for indexes in rows]


def row_of(layout: Layout, page_index: int, indexes: list[int]) -> Row:
    """Give one row of some lines of a page."""
    page = layout.pages[page_index]
    lines = sorted((page.lines[index] for index in indexes), key=lambda line: line.box.x0 if line.box else 0.0)
    boxes = [line.box for line in lines if line.box]
    return Row(
        page_index,
        tuple(sorted(indexes)),
        " ".join(line.text for line in lines),
        min(box.x0 for box in boxes),
        max(box.x1 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.y1 for box in boxes),
        round(max(line.font_size for line in lines) * 2) / 2,
        lines[0].bold,
    )


def split_entry(text: str) -> tuple[str, str | None, bool]:
    """Give the title, the printed page (None when there is none) and whether a leader stands between them."""
    match = _TRAILING.match(text.strip())
    if match is None or not match["title"].strip(_LEADER_CHARS):
        return _COLUMN_HEAD.sub("", _LEADER_ONLY.sub(" ", text).strip(_LEADER_CHARS)), None, False
    leader = bool(_LEADER_ONLY.search(match["leader"])) or bool(_LEADER_ONLY.search(match["title"][-4:]))
    page = match["page"]
    if not page[0].isdigit() and "-" not in page and "–" not in page and roman_number(page) is None:
        return text.strip(), None, False
    return _LEADER_ONLY.sub(" ", match["title"]).strip(_LEADER_CHARS), page, leader


def is_contents_headline(key: str) -> bool:
    """Whether a folded line is the headline of a table of contents."""
    return key in CONTENTS


def without_leading_pages(layout: Layout, entries: Sequence[Entry]) -> list[Entry]:
    """Take page numbers off titles where contents print them in front: "8 Welcome"."""
    shifts: Counter[int] = Counter()
    numbers = [parse_number(entry.title) for entry in entries]
    for entry, number in zip(entries, numbers, strict=True):
        if entry.printed_page is not None or entry.target_index is None:
            continue
        if number is not None and number.kind == "decimal" and number.depth == 1:
            shifts[entry.target_index - number.value[0]] += 1
    shift, count = shifts.most_common(1)[0] if shifts else (0, 0)
    if count < max(MIN_LEADING, 0.7 * sum(shifts.values())):
        return list(entries)
    return [
        replace(entry, title=number.title, printed_page=number.label, row=replace(entry.row, x0=0.0))
        if number is not None
        and number.title
        and number.kind == "decimal"
        and entry.printed_page is None
        and entry.target_index is not None
        and entry.target_index - number.value[0] == shift
        else entry
        for entry, number in zip(entries, numbers, strict=True)
    ]


def entry_titles(entries: Sequence[Entry], index: int) -> Iterator[tuple[str, int]]:
    """The ways to read an entry: alone, or as the end of one or two wrapped rows above it, longest last.

    Gives each title with the number of earlier entries that it swallows. One that begins with "Item 5" goes on with
    nothing, be it below "PART II".
    """
    title = entries[index].title
    yield title, 0
    for back in (1, 2):
        earlier = index - back
        if earlier < 0 or _opens_with_name(entries[earlier + 1].title):
            return
        if entries[earlier].printed_page is not None or entries[earlier].target_index is not None:
            return
        title = f"{entries[earlier].title} {title}"
        yield title, back


def _opens_with_name(title: str) -> bool:
    """Whether a row begins with a number that has a word of its own, and so with a title."""
    number = parse_number(title)
    return number is not None and number.kind in _NAMED
