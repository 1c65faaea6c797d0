"""Breaks very long lines of a source text into pieces, so that pages and windows can be cut within them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pageindex_core.records import Line

LONGEST_LINE_CHARS = 1_000
"""A longer line is broken. Web loaders and ``pandoc --wrap=none`` write a paragraph, or a whole text, on one line; an
ordinary paragraph has some 500 to 800 characters and stays whole, and a few pieces of this size fill a page."""

_LEAST_PIECE = 0.5
"""No piece but the last is shorter than this share of the longest: there is a sentence end in nearly every 500
characters of prose, and pieces stay much longer than any heading."""

_LEAST_REST = 0.25
"""The last piece holds at least this share, so that it is never so short as to look like a heading."""

_SENTENCE_END = re.compile(r"[.!?…؟।॥][\"'”’»)\]]*\s+|[。！？｡][」』”’）】]*\s*")
_SPACE = re.compile(r"\s+")


def break_lines(lines: Iterable[str]) -> list[Line]:
    """Give the lines of a text, the long ones in pieces that ``join_lines`` puts together again exactly."""
    broken: list[Line] = []
    for line in lines:
        if len(line) <= LONGEST_LINE_CHARS:
            broken.append(Line(line))
        else:
            broken += [Line(piece, continues=at > 0) for at, piece in enumerate(break_line(line))]
    return broken


def break_line(line: str) -> list[str]:
    """Give the pieces of a line: up to the last sentence end, space or character that the longest piece can hold."""
    pieces: list[str] = []
    start = 0
    while len(line) - start > LONGEST_LINE_CHARS:
        rest = len(line) - start
        latest = start + min(LONGEST_LINE_CHARS, rest - int(LONGEST_LINE_CHARS * _LEAST_REST))
        earliest = start + int(LONGEST_LINE_CHARS * _LEAST_PIECE)
        end = next(filter(None, (_last_end(mark, line, earliest, latest) for mark in (_SENTENCE_END, _SPACE))), latest)
        pieces.append(line[start:end])
        start = end
    return [*pieces, line[start:]]


def _last_end(mark: re.Pattern[str], line: str, earliest: int, latest: int) -> int | None:
    return max((match.end() for match in mark.finditer(line, earliest, latest)), default=None)
