"""The lines of pages without positions: which say something, what stands around them, and how wide the text is set."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import pairwise
from typing import NamedTuple

from pageindex_core.folding import LIGATURES, width_of
from pageindex_core.outline.layout import Layout

MAX_CHARS = 100
"""Longer lines are text: nothing but their wording could make them a heading."""

_FULL_FROM_CHARS = 25
"""Shorter lines say nothing about how wide the text is set."""

_SPACED_SHARE = 0.4
"""Share of lines with a blank one below from which on blank lines say nothing: some loaders put one after each line."""

_LETTERS_APART = re.compile(r"\w(?: \w){3,}")
_WORDS_APART = re.compile(r" {2,}")


class TextLine(NamedTuple):
    """A line that says something, with its neighbours on the page."""

    page_index: int
    line_index: int
    text: str
    before: str
    """Empty at the top of a page."""
    after: str
    """Empty at the foot of a page."""
    is_apart: bool
    """Whether a blank line, or nothing, stands above; never where the loader has put one everywhere."""


def lines_of(layout: Layout, skip: Container[tuple[int, int]]) -> list[TextLine]:
    """Give the lines that say something, in reading order, without furniture and those in ``skip``."""
    pages = []
    blanks = followed = 0
    for page_index, page in enumerate(layout.pages):
        said = [
            (line_index, " ".join(line.text.translate(LIGATURES).split()), line.text.strip())
            for line_index, line in enumerate(page.lines)
            if not line.continues and line.text.strip() and (page_index, line_index) not in layout.furniture
        ]
        followed += max(len(said) - 1, 0)
        blanks += sum(later[0] - earlier[0] > 1 for earlier, later in pairwise(said))
        pages.append(said)
    tells = blanks < _SPACED_SHARE * followed
    lines = []
    for page_index, said in enumerate(pages):
        for at, (line_index, text, raw) in enumerate(said):
            if (page_index, line_index) in skip:
                continue
            lines.append(
                TextLine(
                    page_index,
                    line_index,
                    _closed_up(raw) or text,
                    said[at - 1][1] if at else "",
                    said[at + 1][1] if at + 1 < len(said) else "",
                    not at or (tells and line_index - said[at - 1][0] > 1),
                )
            )
    return lines


def _closed_up(text: str) -> str | None:
    """A letter-spaced title as words; None where the text is none."""
    if not _LETTERS_APART.match(text):
        return None
    words = _WORDS_APART.split(text)
    if not all(len(part) == 1 for word in words for part in word.split(" ")):
        return None
    return " ".join(word.replace(" ", "") for word in words)


def full_width(texts: Iterable[str]) -> int:
    """Give the usual width of a full line of text, in narrow characters: half of the text stands in lines so wide."""
    widths = sorted(width for width in map(width_of, texts) if width >= _FULL_FROM_CHARS)
    left = sum(widths) / 2
    for width in widths:
        left -= width
        if left <= 0:
            return min(width, MAX_CHARS)
    return MAX_CHARS
