"""Titles set with space between their letters ("C H A P T E R  O N E"), read as words."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from pageindex_core.read.pdf.lines import TextLines

_LEAST_LETTERS = 4
"""Fewer letters alone in a row are as often initials, list marks or a table's columns."""

_WIDEST_GAP = 0.9
"""Space between letters, as a multiple of the font size; the columns of a table are further apart."""

_WORD_GAP = 1.5
"""How much wider than between letters the space is between words: by one space at least."""

_BESIDE_LETTERS = frozenset(".,:;&-/'()")


def join_spaced(found: TextLines, kept: list[int]) -> None:
    """Mend the lines whose letters stand apart."""
    for index in kept:
        text = found.lines[index].text
        if text[1:2] == " " == text[3:4]:
            joined = _joined(found, index)
            if joined is not None:
                found.lines[index] = found.lines[index]._replace(text=joined, letterspaced=True, lead=0)


def _joined(found: TextLines, index: int) -> str | None:
    """The words of a line; None where its letters do not stand apart, or are no words."""
    first, last = found.spans[index]
    inked = [char_index for char_index in range(first, last + 1) if not found.text[char_index].isspace()]
    if len(found.lines[index].text.split()) != len(inked) or not _may_be_words([found.text[i] for i in inked]):
        return None
    boxes = [found.char_box(char_index) for char_index in inked]
    edges = [(box.x0, box.x1) for box in boxes if box]
    if len(edges) != len(inked):
        return None
    gaps = [following[0] - before[1] for before, following in pairwise(edges)]
    usual = median(gaps)
    size = found.lines[index].font_size
    if not 0 < usual <= _WIDEST_GAP * size:
        return None
    parts = [found.text[inked[0]]]
    for gap, char_index in zip(gaps, inked[1:], strict=True):
        parts.append(" " * (gap > _WORD_GAP * usual) + found.text[char_index])
    return "".join(parts)


def _may_be_words(chars: list[str]) -> bool:
    letters = [char for char in chars if char.isalpha()]
    if len(letters) < _LEAST_LETTERS or not all(
        char.isalnum() or char in _BESIDE_LETTERS for char in chars
    ):  # fmt: skip
        return False
    word = "".join(letters)
    if len(letters) < 0.6 * len(chars) or not (word.isupper() or word.istitle()):
        return False
    codes = [ord(letter.lower()) for letter in letters]
    return any(following != before + 1 for before, following in pairwise(codes))
