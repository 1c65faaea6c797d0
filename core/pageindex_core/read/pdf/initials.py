"""Drop caps: the large letter that opens a chapter, put back before the rest of its word."""

from __future__ import annotations

from typing import NamedTuple

from pageindex_core.read.pdf.lines import INITIAL, TextLines
from pageindex_core.records import Box

_LEAST_TIMES = 1.8
"""How much larger than its text an initial is: two lines high at least."""

_MAX_GAP = 0.4
"""Space between an initial and its text, as a multiple of the initial's size."""

_WORDS_ALONE = frozenset("AIO")
"""Letters that are words of their own, and may stand before a whole word."""


class _Initial(NamedTuple):
    letter: str
    box: Box
    size: float
    line_index: int
    """The line that it is, or that it was found at the start of."""


def join_initials(found: TextLines, kept: list[int]) -> list[int]:
    """Give the lines without those that are one initial; each is put before the line that starts beside its top."""
    alone = [initial for index in kept if len(found.lines[index].text) == 1 and (initial := _alone(found, index))]
    if alone:
        # Letters alone are mostly parts of formulas, as small as all around them.
        sizes = [size for index in kept if (size := found.lines[index].font_size) > 0]
        least = _LEAST_TIMES * min(sizes, default=0.0)
        alone = [initial for initial in alone if initial.size >= least]
    joined = {
        initial.line_index
        for initial in alone
        if len(found.lines[initial.line_index].text) == 1 and _join(found, initial, kept)
    }
    for index in kept:
        if found.odd.get(index, 0) & INITIAL:
            _take_apart(found, index, kept)
    return [index for index in kept if index not in joined] if joined else kept


def _alone(found: TextLines, index: int) -> _Initial | None:
    line = found.lines[index]
    if not line.text.isupper() or line.box is None:
        return None
    return _Initial(line.text, line.box, line.font_size, index)


def _take_apart(found: TextLines, index: int, kept: list[int]) -> None:
    """Part a line from an initial that stands on its baseline, when the initial opens another line or this one."""
    first, last = found.spans[index]
    for place, span in ((first, (first + 1, last)), (last, (first, last - 1))):
        letter, box, size = found.text[place], found.char_box(place), found.size(place)
        rest = found.line_of(*span)
        if not letter.isupper() or box is None or rest is None or size < _LEAST_TIMES * rest.font_size:
            continue
        whole = found.lines[index]
        found.lines[index], found.spans[index] = rest, span
        if _join(found, _Initial(letter, box, size, -1), kept):
            return
        found.lines[index], found.spans[index] = whole, (first, last)


def _join(found: TextLines, initial: _Initial, kept: list[int]) -> bool:
    """Put an initial before the first of the lines beside it; False where none starts there."""
    box = initial.box
    beside = [
        (place.y0, index)
        for index in kept
        if index != initial.line_index
        and (place := found.lines[index].box)
        and -1 <= place.x0 - box.x1 <= _MAX_GAP * initial.size
        and box.y0 <= (place.y0 + place.y1) / 2 <= box.y1
        and 0 < found.lines[index].font_size * _LEAST_TIMES <= initial.size
    ]
    if not beside:
        return False
    index = min(beside)[1]
    line = found.lines[index]
    if line.box is None or not line.text[0].isalpha():
        return False
    parted = " " if initial.letter in _WORDS_ALONE and _is_word_here(line.text, found.text) else ""
    found.lines[index] = line._replace(
        text=initial.letter + parted + line.text, box=line.box._replace(x0=min(box.x0, line.box.x0))
    )
    return True


def _is_word_here(text: str, page_text: str) -> bool:
    """Whether the first word of a line stands elsewhere on its page too."""
    word = text.split(" ", 1)[0].casefold()
    return page_text.casefold().split().count(word) > 1
