"""Titles behind as many equal signs as they are deep, or between them, as wikis and AsciiDoc write them.

Sources: MediaWiki, "Help:Formatting"; AsciiDoc, "Section Titles and Levels".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.outline.marked.title import MarkedTitle, is_apart, may_be_title
from pageindex_core.outline.titles import Place
from pageindex_core.records import Line

_EQUAL_SIGNS = re.compile(r"(={1,6})(?:\s*(?=[^=\s])(.*[^=\s])\s*\1|\s+(?=[^=\s])(.*[^=\s]))\s*")


def between_equal_signs(page_index: int, lines: Sequence[Line]) -> list[MarkedTitle]:
    """Give the titles of a page with equal signs before them, or on both sides."""
    return [
        MarkedTitle(title, Place(page_index, index, 1, 1.0), len(match[1]))
        for index, line in enumerate(lines)
        if line.text[:1] == "="
        and (match := _EQUAL_SIGNS.fullmatch(line.text))
        and (title := match[2] or match[3])
        and (match[2] or is_apart(lines, index))
        and may_be_title(title)
    ]
