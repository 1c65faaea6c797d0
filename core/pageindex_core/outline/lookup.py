"""Finds the few lines of a page that a title may be printed on, so that only they are compared with it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

_OPENING = 2
"""Folded characters by which lines are looked up: titles of two characters are looked for as well."""

_LONGEST_NUMBER = 16
"""Folded characters within which a title begins behind its number: "appendixiv", "chaptertwelve"."""

_BEHIND_NUMBER = 3
"""Folded characters by which a title is looked up behind a number."""


class LineLookup:
    """The lines of one page by how their folded text begins and ends."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._opening: dict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(keys):
            self._opening[key[:_OPENING]].append(index)

    @cached_property
    def _lines(self) -> _Joined:
        return _Joined(self._keys)

    @cached_property
    def _heads(self) -> _Joined:
        return _Joined([key[:_LONGEST_NUMBER] for key in self._keys])

    def lines_like(self, full: str, bare: str) -> list[int]:
        """Give the indexes of lines that begin as a title does, with or without its number, or that end with it.

        Args:
            full: The folded title.
            bare: The title without its number; empty where it has none. The line may then have one.
        """
        found = set(self._opening.get(full[:_OPENING], ()))
        if bare:
            found.update(self._opening.get(bare[:_OPENING], ()))
            found.update(self._lines.lines_with(f"{bare}\n"))
        else:
            found.update(self._heads.lines_with(full[:_BEHIND_NUMBER]))
        return sorted(found)


class _Joined:
    """Lines as one text: searching that takes less time than looking at each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "\n".join(lines) + "\n"
        self._starts = list(accumulate([len(line) + 1 for line in lines], initial=0))

    def lines_with(self, part: str) -> Iterator[int]:
        at = self._text.find(part)
        while at >= 0:
            yield bisect_right(self._starts, at) - 1
            at = self._text.find(part, at + 1)
