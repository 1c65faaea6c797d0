"""The identity of a section: a hash of its title path and its own text, which edits elsewhere leave alone."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pageindex_core.records import Page

KEY_LENGTH = 12
"""Hex digits of a key: among a million sections, two meet by chance once in 500 libraries."""

_EDGE_LINES = 2
"""Page numbers are looked for among so many lines at each end of a page."""

_MIN_REPEATS = 3
"""A line numbers the pages when it does so on three of them: two may be chance."""

_LONGEST_LINE = 200
"""Characters of a running head at most; longer lines are text, however many numbers they hold."""

_NUMBER = re.compile(r"\d+")


class KeyMaker:
    """Gives the keys of one document, each once."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def key_of(self, path: Sequence[str], texts: Iterable[str] = ()) -> str:
        """Give the key of a section; those alike in path and text are told apart by their order."""
        digest = _digest("\x1f".join((*path, "\x1e", *texts)))
        self._given[digest] += 1
        return digest if self._given[digest] == 1 else _digest(f"{digest}#{self._given[digest]}")


def page_number_lines(pages: Sequence[Page]) -> frozenset[tuple[int, int]]:
    """Give the (page number, line index) of lines at the edges of pages whose number grows with the pages.

    They stay out of keys: a page inserted early in a document changes the number printed on every later one. Formats
    without pages of their own have none.
    """
    alike: dict[tuple[str, int, int], set[tuple[int, int]]] = defaultdict(set)
    for page in pages:
        if page.first_line_number is not None:
            continue
        size = len(page.lines)
        for index in {*range(min(_EDGE_LINES, size)), *range(max(size - _EDGE_LINES, 0), size)}:
            text = page.lines[index].text.strip()
            numbers = _NUMBER.findall(text) if len(text) <= _LONGEST_LINE else ()
            words = _NUMBER.sub("#", text) if numbers else ""
            for position, number in enumerate(numbers):
                alike[(words, position, int(number) - page.page_number)].add((page.page_number, index))
    return frozenset(
        place for places in alike.values() if len({page for page, _ in places}) >= _MIN_REPEATS for place in places
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:KEY_LENGTH]
