"""Titles over a row of one sign, or between two, as reStructuredText and READMEs write them.

Source: reStructuredText Markup Specification, "Sections": signs have no rank of their own, the first kind of row in a
text marks the outermost titles, the next new one those below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.folding import width_of
from pageindex_core.outline.marked.title import MarkedTitle, is_apart, may_be_title
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
"""How much wider it may be below what ends like a sentence."""

_LEAST_SIGNS = 3
"""Signs of a row that is not exactly as wide as its title."""


def underlined(page_index: int, lines: Sequence[Line]) -> list[MarkedTitle]:
    """Titles over a row of one sign, or between two."""
    rows = {index: row for index, line in enumerate(lines) if (row := _ROW.fullmatch(line.text))}
    found: list[MarkedTitle] = []
    for below, row in rows.items():
        at = below - 1
        if at < 0 or at in rows or (found and found[-1].place.line_index >= at):
            continue
        text = lines[at].text
        above = rows.get(at - 1)
        is_between = above is not None and above[1] == row[1]
        # What follows other text is the end of it, over a rule.
        if (is_between or is_apart(lines, at)) and _is_over(text, row, is_between=is_between):
            first = at - is_between
            place = Place(page_index, first, below - first + 1, 1.0)
            found.append(MarkedTitle(" ".join(text.split()), place, (row[2], is_between)))
    return found


def _is_over(text: str, row: re.Match[str], *, is_between: bool) -> bool:
    """Whether a line over a row may be its title."""
    title, signs = text.strip(), len(row[1])
    width = width_of(title)
    if not may_be_title(title) or signs < _LEAST_SHARE * width or (signs < _LEAST_SIGNS and signs != width):
        return False
    if is_between:
        return True
    if text[0].isspace() or title.endswith((",", ";")):
        return False  # what is indented is quoted
    return not title.endswith((".", ":")) or signs <= _MOST_TIMES * width + _MOST_MORE
