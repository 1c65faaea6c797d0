"""Titles that a plain text marks itself: with rows of one sign, as reStructuredText and READMEs, or with equal signs.

Sources: reStructuredText Markup Specification, "Sections": signs have no rank of their own, the first kind of row in a
text marks the outermost titles, the next new one those below. AsciiDoc, "Section Titles and Levels", and MediaWiki,
"Help:Formatting": as many equal signs as a title is deep, before it or on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from pageindex_core.folding import width_of
from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.titles import Place
from pageindex_core.records import Line

_ROW = re.compile(r"(([=\-~^\"#*+'`:<>])\2+)\s*")
"""Rows of dots lead to page numbers, and rows of underscores are to be filled in."""

_EQUAL_SIGNS = re.compile(r"(={1,6})(?:\s*(?=[^=\s])(.*[^=\s])\s*\1|\s+(?=[^=\s])(.*[^=\s]))\s*")

_LEAST_SHARE = 0.8
"""Width of a row, as a share of its title's; the specification wants all of it, and people miscount."""

_MOST_TIMES = 2
_MOST_MORE = 10
"""How much wider it may be below what ends like a sentence."""

_LEAST_SIGNS = 3
"""Signs of a row that is not exactly as wide as its title."""

_LEAST_TITLES = 2
"""One alone is a title only over a row of "=", which nothing else is drawn with."""

_LONGEST_TITLE = 120
_CONFIDENCE = 0.9


class _Marked(NamedTuple):
    title: str
    place: Place
    kind: Hashable
    """What titles of one level have in common."""


def read_marked(layout: Layout) -> list[Candidate]:
    """Give the marked titles with their levels; none where lines have positions, which tell a title better."""
    if layout.has_positions:
        return []
    pages = [(index, page.lines) for index, page in enumerate(layout.pages)]
    underlined = [title for index, lines in pages for title in _underlined(index, lines)]
    signed = [title for index, lines in pages for title in _signed(index, lines)]
    found = max(underlined, signed, key=len)
    if len(found) < _LEAST_TITLES and not any(title.kind == ("=", False) for title in found):
        return []
    kinds = list(dict.fromkeys(title.kind for title in found))
    if found is signed:
        kinds.sort(key=str)
    return [
        candidate_at(
            layout, one.title, one.place, evidence="markup", confidence=_CONFIDENCE, level=kinds.index(one.kind) + 1
        )
        for one in found
    ]


def _signed(page_index: int, lines: Sequence[Line]) -> list[_Marked]:
    """Titles with equal signs before them, or on both sides."""
    return [
        _Marked(title, Place(page_index, index, 1, 1.0), match[1])
        for index, line in enumerate(lines)
        if line.text[:1] == "="
        and (match := _EQUAL_SIGNS.fullmatch(line.text))
        and (title := match[2] or match[3])
        and (match[2] or _is_apart(lines, index))
        and _may_be_title(title)
    ]


def _underlined(page_index: int, lines: Sequence[Line]) -> list[_Marked]:
    """Titles over a row of one sign, or between two."""
    rows = {index: row for index, line in enumerate(lines) if (row := _ROW.fullmatch(line.text))}
    found: list[_Marked] = []
    for below, row in rows.items():
        at = below - 1
        if at < 0 or at in rows or (found and found[-1].place.line_index >= at):
            continue
        text = lines[at].text
        above = rows.get(at - 1)
        is_between = above is not None and above[1] == row[1]
        # What follows other text is the end of it, over a rule.
        if (is_between or _is_apart(lines, at)) and _is_over(text, row, is_between=is_between):
            first = at - is_between
            place = Place(page_index, first, below - first + 1, 1.0)
            found.append(_Marked(" ".join(text.split()), place, (row[2], is_between)))
    return found


def _is_over(text: str, row: re.Match[str], *, is_between: bool) -> bool:
    """Whether a line over a row may be its title."""
    title, signs = text.strip(), len(row[1])
    width = width_of(title)
    if not _may_be_title(title) or signs < _LEAST_SHARE * width or (signs < _LEAST_SIGNS and signs != width):
        return False
    if is_between:
        return True
    if text[0].isspace() or title.endswith((",", ";")):
        return False  # what is indented is quoted
    return not title.endswith((".", ":")) or signs <= _MOST_TIMES * width + _MOST_MORE


def _is_apart(lines: Sequence[Line], index: int) -> bool:
    """Whether nothing stands right above a line."""
    return index == 0 or not lines[index - 1].text.strip()


def _may_be_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and any(map(str.isalnum, text))
