"""A line too long to be given whole: the part of it that holds most of what was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pageindex_core.tokens import count_tokens

_SENTENCE_END = re.compile(r"[.!?]['\"”’)]*\s+|[。！？]")


class Mark(NamedTuple):
    """Where in a line something asked for stands."""

    offset: int
    """Of its first character."""
    clause: int
    """Which thing it is: a second of the same adds nothing."""
    weight: float


Marks = Callable[[int, str], Sequence[Mark]]
"""Gives the marks of a line, by its number counted through the document and its text, in any order."""


def cut_line(text: str, marks: Sequence[Mark], max_tokens: int) -> str:
    """Give a part of a line within a number of tokens, around its marks, from a sentence's or a word's start.

    Args:
        text: A line of more tokens than that.
        marks: What the part should hold; without any it is the line's beginning.
        max_tokens: As ``count_tokens`` counts them.
    """
    size = max(1, max_tokens * len(text) // count_tokens(text))
    first, last = _best_span(sorted(marks), size)
    low = _start(text, max(0, min(first - (size - (last - first)) // 2, len(text) - size)), first)
    part = text[low : low + size]
    while (excess := count_tokens(part) - max_tokens) > 0:
        part = part[:-excess]
    if low + len(part) < len(text) and " " in part.strip() and not text[low + len(part)].isspace():
        part = part.rsplit(None, 1)[0]
    return part.strip()


def _best_span(marks: Sequence[Mark], size: int) -> tuple[int, int]:
    """Give the first and last offset of the marks that weigh most together within three quarters of a size."""
    best, span = 0.0, (0, 0)
    for at, mark in enumerate(marks):
        held: dict[int, float] = {}
        last = mark.offset
        for other in marks[at:]:
            if other.offset > mark.offset + size * 3 // 4:
                break
            if other.clause not in held:
                last = other.offset
            held[other.clause] = max(other.weight, held.get(other.clause, 0.0))
        if sum(held.values()) > best:
            best, span = sum(held.values()), (mark.offset, last)
    return span


def _start(text: str, low: int, first: int) -> int:
    """Give the first start of a sentence between two offsets, or else of a word, or else the earlier offset."""
    if low == 0:
        return 0
    sentence = _SENTENCE_END.search(text, low - 1, first)
    if sentence is not None:
        return sentence.end()
    space = text.find(" ", low - 1, first)
    return low if space < 0 else space + 1
