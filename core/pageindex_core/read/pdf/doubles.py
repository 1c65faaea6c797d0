"""Text drawn twice with a small shift, which some programs do to make it look bold: kept once.

PDFium leaves out most of what is drawn twice in a row; what is drawn again later, or further aside, is left for here.
"""

from __future__ import annotations

from collections import Counter
from operator import eq

from pageindex_core.read.pdf.lines import MIXED, TextLines
from pageindex_core.read.repair import repair_line
from pageindex_core.records import Box

_LEAST_OVERLAP = 0.5
"""Share of a character that its twin covers. Neighbours in a word cover a tenth of each other at most."""

_LEAST_DOUBLED = 4
"""Characters that have to be drawn twice in a line before it is taken for bold made so."""


_PAIRED_START = 9
"""Characters at the start of a line that are looked at first; beyond them PDFium may have dropped some twins."""


_TITLE_SIZE_PT = 12.0
"""Words are looked at one by one from this size on: PDFium itself drops them but in the longest titles."""


def drop_doubles(found: TextLines, kept: list[int]) -> list[int]:
    """Give the lines without those drawn again, and mend those that hold their characters or words twice."""
    lines = found.lines
    for index in kept:
        text = lines[index].text
        if text[:1] == text[1:2] and _is_paired(text):
            _mend_characters(found, index)
    for index, odd in found.odd.items():
        if odd & MIXED and lines[index].font_size >= _TITLE_SIZE_PT:
            _mend_words(found, index)
    times = Counter([lines[index].text for index in kept])
    return kept if len(times) == len(kept) else _without_copies(found, kept, times)


def _without_copies(found: TextLines, kept: list[int], times: Counter[str]) -> list[int]:
    places: dict[str, list[Box]] = {}
    unique = []
    for index in kept:
        text, box, *_ = found.lines[index]
        if times[text] > 1 and box is not None and len(text) > 1:  # dots one below the other lie upon each other too
            earlier = places.setdefault(text, [])
            if any(_overlap(box, other) for other in earlier):
                continue
            earlier.append(box)
        unique.append(index)
    return unique


def _is_paired(text: str) -> bool:
    start = text[:_PAIRED_START].replace(" ", "")
    even = len(start) // 2 * 2
    return start.isalnum() and start[:even:2] == start[1:even:2]


def _mend_characters(found: TextLines, index: int) -> None:
    """Leave one of each two equal neighbours in a line that lie upon each other."""
    first, last = found.spans[index]
    once: list[str] = []
    before: tuple[str, Box | None] = ("", None)
    doubled = 0
    for char_index in range(first, last + 1):
        char = found.text[char_index]
        box = found.char_box(char_index) if char == before[0] or found.text[char_index + 1 : char_index + 2] == char \
            else None  # fmt: skip
        if char == before[0] and not char.isspace() and box and before[1] and _overlap(box, before[1]):
            doubled += 1
            continue
        once.append(char)
        before = (char, box)
    text = repair_line("".join(once))
    if doubled >= min(_LEAST_DOUBLED, len(text)):
        found.lines[index] = found.lines[index]._replace(text=text, lead=0)


def _mend_words(found: TextLines, index: int) -> None:
    """Leave one of two equal words in a line of which the second lies upon the first."""
    words = found.lines[index].text.split(" ")
    if not any(map(eq, words, words[1:])):
        return
    first, last = found.spans[index]
    kept: list[str] = []
    start = first
    doubled = False
    before: tuple[str, Box | None] = ("", None)
    for word in found.text[first : last + 1].split():
        start = found.text.index(word, start)
        box = found.char_box(start) if len(word) > 1 else None
        start += len(word)
        if word == before[0] and box and before[1] and _overlap(box, before[1]):
            doubled = True
            continue
        kept.append(word)
        before = (word, box)
    if doubled:
        found.lines[index] = found.lines[index]._replace(text=repair_line(" ".join(kept)), lead=0)


def _overlap(one: Box, other: Box) -> bool:
    """Whether the boxes of equal texts lie upon each other."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return (
        wide >= _LEAST_OVERLAP * max(one.x1 - one.x0, 0.1)
        and high >= _LEAST_OVERLAP * max(one.y1 - one.y0, 0.1)
    )  # fmt: skip
