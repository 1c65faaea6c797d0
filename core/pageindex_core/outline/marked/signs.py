"""Titles behind as many equal signs as they are deep, or between them, as wikis and AsciiDoc write them.

Sources: MediaWiki, "Help:Formatting"; AsciiDoc, "Section Titles and Levels".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.outline.marked.title import MarkedTitle, is_apart, is_short
from pageindex_core.outline.titles import Place
from pageindex_core.records import Line

_EQUAL_SIGNS = re.compile(r"(={1,6})(?:\s*(?=[^=\s])(.*[^=\s])\s*\1|\s+(?=[^=\s])(.*[^=\s]))\s*")

_ATTRIBUTES = re.compile(r"\[.*\]\s*")
"""``[[anchor]]`` or ``[appendix]`` of AsciiDoc, on the line above a title."""


def between_equal_signs(page_index: int, lines: Sequence[Line]) -> list[MarkedTitle]:
    """Give the titles of a page with equal signs before them, or on both sides."""
    return [
        MarkedTitle(title, Place(page_index, index, 1, 1.0), len(match[1]))
        for index, line in enumerate(lines)
        if line.text[:1] == "="
        and (match := _EQUAL_SIGNS.fullmatch(line.text))
        and (title := match[2] or match[3])
        and (match[2] or (is_apart(lines, _first_of(lines, index)) and not _is_sum(match)))
        and is_short(title)
    ]


def _first_of(lines: Sequence[Line], index: int) -> int:
    """Where what belongs to a title begins: its attributes stand above it."""
    while index and _ATTRIBUTES.fullmatch(lines[index - 1].text):
        index -= 1
    return index


def _is_sum(match: re.Match[str]) -> bool:
    """Whether a single sign stands before what does not open like a title: formulas go on with one."""
    return len(match[1]) == 1 and (not match[3][0].isalpha() or match[3][0].islower())
