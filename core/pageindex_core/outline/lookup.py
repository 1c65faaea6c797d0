"""Finds the few lines of a page that a title may be printed on, so that only they are compared with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

_OPENING = 2
"""Folded characters by which lines are looked up: titles of two characters are looked for as well."""

_ENDING = 3
"""Folded characters by which the ends of lines are looked up; titles without their number have at least three."""

_LONGEST_NUMBER = 16
"""Folded characters within which a title begins behind its number: "appendixiv", "chaptertwelve"."""


class LineLookup:
    """The lines of one page by how their folded text begins and ends."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._text = "\n".join(keys)
        self._opening: dict[str, list[int]] = defaultdict(list)
        self._ending: dict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(keys):
            self._opening[key[:_OPENING]].append(index)
            self._ending[key[-_ENDING:]].append(index)

    def lines_like(self, full: str, bare: str) -> list[int]:
        """Give the indexes of lines that begin as a title does, with or without its number, or that end with it.

        Args:
            full: The folded title.
            bare: The title without its number; empty where it has none. The line may then have one.
        """
        found = set(self._opening.get(full[:_OPENING], ()))
        if bare:
            found.update(self._opening.get(bare[:_OPENING], ()))
            found.update(index for index in self._ending.get(bare[-_ENDING:], ()) if self._keys[index].endswith(bare))
        elif full[:3] in self._text:
            opening = full[:3]
            found.update(index for index, key in enumerate(self._keys) if opening in key[:_LONGEST_NUMBER])
        return sorted(found)
