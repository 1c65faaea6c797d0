"""Titles over a row of one sign, or between two, as reStructuredText and READMEs write them.

Source: reStructuredText Markup Specification, "Sections": signs have no rank of their own, the first kind of row in a
text marks the outermost titles, the next new one those below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pageindex_core.folding import width_of
from pageindex_core.outline.marked.title import MarkedTitle, is_apart, is_short
from pageindex_core.outline.numbering import parse_number
from pageindex_core.outline.titles import Place
from pageindex_core.records import Line

_ROW = re.compile(r"(([=\-~^\"#*+'`:<>])\2+)\s*")
"""Rows of dots lead to page numbers, and rows of underscores are to be filled in."""

SURE = ("=", False)
"""The kind of which one title is enough: nothing else is drawn with a row of "="."""

_LEAST_SHARE = 0.8
"""Width of a row, as a share of its title's; the specification wants all of it, and people miscount."""

_MOST_TIMES = 2
_MOST_MORE = 10
"""How much wider it may be below what ends like a sentence; below a sentence of some words it is drawn to measure."""

_SENTENCE_SPACES = 3
_MISCOUNTED = 2

_COLUMNS = re.compile(r"\S(?: {3}|\t)\s*\S")
"""What stands apart on one line is the head or a row of a table, if it is no number and its title."""

_LEAST_TABLE_ROWS = 3
"""Lines between rules, each of which ends one and begins the next, from which they are rows of a table."""

_LEAST_SIGNS = 3
"""Signs of a row that is not exactly as wide as its title."""


def underlined(page_index: int, lines: Sequence[Line]) -> list[MarkedTitle]:
    """Titles over a row of one sign, or between two."""
    rows = {index: row for index, line in enumerate(lines) if (row := _ROW.fullmatch(line.text))}
    found: list[MarkedTitle] = []
    tabled = _in_tables(rows)
    for below, row in rows.items():
        at = below - 1
        if at < 0 or at in rows or at in tabled or (found and found[-1].place.line_index >= at):
            continue
        text = lines[at].text
        above = rows.get(at - 1)
        is_between = above is not None and above[1] == row[1]
        # What follows other text is the end of it, over a rule.
        if (is_between or is_apart(lines, at)) and _is_over(text, row, is_between=is_between):
            first = at - is_between
            place = Place(page_index, first, below - first + 1, 1.0)
            title = _unframed(text.strip(), row[2]) if is_between else text
            found.append(MarkedTitle(" ".join(title.split()), place, (row[2], is_between)))
    return found


def _in_tables(rows: Mapping[int, re.Match[str]]) -> set[int]:
    """Single lines between rules of one width, several in a row: a box of a title and its subtitle holds two."""
    found: set[int] = set()
    run: list[int] = []
    for index, row in rows.items():
        above = rows.get(index - 2)
        if above is None or index - 1 in rows or above[1] != row[1]:
            run = []
            continue
        run.append(index - 1)
        if len(run) >= _LEAST_TABLE_ROWS:
            found.update(run)
    return found


def _unframed(title: str, sign: str) -> str:
    """A title without the sides of its frame."""
    is_framed = len(title) > 2 and title[0] == title[-1] == sign and title[1].isspace() and title[-2].isspace()
    return title[1:-1] if is_framed else title


def _is_over(text: str, row: re.Match[str], *, is_between: bool) -> bool:
    """Whether a line over a row may be its title."""
    title, signs = text.strip(), len(row[1])
    width = width_of(title)
    if not is_short(title) or signs < _LEAST_SHARE * width or (signs < _LEAST_SIGNS and signs != width):
        return False
    if _COLUMNS.search(_unframed(title, row[2]).strip()) and parse_number(title) is None:
        return False
    if is_between:
        return True
    if text[0].isspace() or title.endswith((",", ";")):
        return False  # what is indented is quoted
    if title.endswith(".") and title.count(" ") >= _SENTENCE_SPACES:
        return signs <= width + _MISCOUNTED
    return not title.endswith((".", ":")) or signs <= _MOST_TIMES * width + _MOST_MORE
