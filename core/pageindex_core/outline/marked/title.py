"""A title that a text marks itself, and what every kind of mark asks of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from pageindex_core.outline.titles import Place
from pageindex_core.records import Line

_LONGEST_TITLE = 120


class MarkedTitle(NamedTuple):
    """A title, without its mark."""

    title: str
    place: Place
    kind: Hashable
    """What titles of one level have in common."""


def is_apart(lines: Sequence[Line], index: int) -> bool:
    """Whether nothing stands right above a line."""
    return index == 0 or not lines[index - 1].text.strip()


def is_short(text: str) -> bool:
    """Whether a text says something, and not too much."""
    return len(text) <= _LONGEST_TITLE and any(map(str.isalnum, text))
