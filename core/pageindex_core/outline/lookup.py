"""Finds the few lines of a page that a title may be printed on, so that only they are compared with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

_OPENING = 2
"""Folded characters by which lines are looked up: titles of two characters are looked for as well."""

_LONGEST_NUMBER = 16
"""Folded characters within which a title begins behind its number: "appendixiv", "chaptertwelve"."""


class LineLookup:
    """The lines of one page by how their folded text begins and ends."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._opening: dict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(keys):
            self._opening[key[:_OPENING]].append(index)
        self._lines = "\n".join(keys) + "\n"
        self._heads = "\n".join([key[:_LONGEST_NUMBER] for key in keys])

    def lines_like(self, full: str, bare: str) -> list[int]:
        """Give the indexes of lines that begin as a title does, with or without its number, or that end with it.

        Args:
            full: The folded title.
            bare: The title without its number; empty where it has none. The line may then have one.
        """
        found = set(self._opening.get(full[:_OPENING], ()))
        if bare:
            found.update(self._opening.get(bare[:_OPENING], ()))
            if f"{bare}\n" in self._lines:
                found.update([index for index, key in enumerate(self._keys) if key.endswith(bare)])
        elif full[:3] in self._heads:
            opening = full[:3]
            found.update([index for index, key in enumerate(self._keys) if opening in key[:_LONGEST_NUMBER]])
        return sorted(found)
