"""Drop caps: the large letter that opens a chapter, put back before the rest of its word."""

from __future__ import annotations

import re
from typing import NamedTuple

from pageindex_core.read.pdf.lines import INITIAL, MIXED, TextLines
from pageindex_core.records import Box

_LEAST_TIMES = 1.8
"""How much larger than its text an initial is: two lines high at least."""

_MAX_GAP = 0.4
"""Space between an initial and its text, as a multiple of the initial's size."""

_WORDS_ALONE = frozenset("AIO")
"""Letters that are words of their own, and may stand before a whole word."""

_OPENING = "\"'“‘„‚«‹"
_INITIAL = re.compile(rf"[{_OPENING}]?[^\W\d_]")
"""A letter, behind a quotation mark where speech opens the chapter."""

_TWO_LINES = 1.9
"""Height of a box, as a multiple of its font size, that is two lines which PDFium joined over an initial."""


class _Initial(NamedTuple):
    text: str
    box: Box
    size: float
    line_index: int
    """The line that it is, or that it was found in."""


def join_initials(found: TextLines, kept: list[int]) -> list[int]:
    """Give the lines without those that are one initial; each is put before the line that starts beside its top."""
    lines = found.lines
    alone = [initial for index in kept if len(lines[index].text) <= 2 and (initial := _alone(found, index))]
    if alone:
        # Letters alone are mostly parts of formulas, as small as all around them.
        sizes = [size for index in kept if (size := found.lines[index].font_size) > 0]
        least = _LEAST_TIMES * min(sizes, default=0.0)
        alone = [initial for initial in alone if initial.size >= least]
    joined = {
        initial.line_index
        for initial in alone
        if found.lines[initial.line_index].text == initial.text and _join(found, initial, kept)
    }
    parted: dict[int, int] = {}
    for index in kept:
        odd = found.odd.get(index, 0)
        if odd & INITIAL:
            _take_apart(found, index, kept)
        elif odd & MIXED and (rest := _part_from_two(found, index, kept)) is not None:
            parted[index] = rest
    if parted:
        kept = [part for index in kept for part in ((index, parted[index]) if index in parted else (index,))]
    return [index for index in kept if index not in joined] if joined else kept


def _alone(found: TextLines, index: int) -> _Initial | None:
    line = found.lines[index]
    if not line.text.isupper() or line.box is None or _INITIAL.fullmatch(line.text) is None:
        return None
    return _Initial(line.text, line.box, line.font_size, index)


def _take_apart(found: TextLines, index: int, kept: list[int]) -> None:
    """Part a line from an initial that stands on its baseline, when the initial opens another line or this one."""
    first, last = found.spans[index]
    opens = first + (found.text[first] in _OPENING)
    closes = last - (found.text[last - 1] in _OPENING)
    for start, end, span in ((first, opens, (opens + 1, last)), (closes, last, (first, closes - 1))):
        initial = _at(found, start, end, index)
        rest = found.line_of(*span)
        if initial is None or rest is None or initial.size < _LEAST_TIMES * rest.font_size:
            continue
        whole = found.lines[index]
        found.lines[index], found.spans[index] = rest, span
        if _join(found, initial, kept):
            return
        found.lines[index], found.spans[index] = whole, (first, last)


def _part_from_two(found: TextLines, index: int, kept: list[int]) -> int | None:
    """Part two lines that were joined over the initial between them; give the index of the second, None for others."""
    line = found.lines[index]
    box = line.box
    if box is None or box[3] - box[1] < _TWO_LINES * line.font_size:
        return None
    first, last = found.spans[index]
    for place in range(first + 1, last):
        if not found.text[place].isupper() or found.size(place) < _LEAST_TIMES * line.font_size:
            continue
        start = place - (found.text[place - 1] in _OPENING)
        initial = _at(found, start, place, index)
        before, after = found.line_of(first, start - 1), found.line_of(place + 1, last)
        if initial is None or before is None or after is None:
            return None
        found.lines[index] = before
        if not _join(found, initial, kept):
            found.lines[index] = line
            return None
        found.spans[index] = (first, start - 1)
        return found.add(after, (place + 1, last))
    return None


def _at(found: TextLines, start: int, end: int, index: int) -> _Initial | None:
    box, opening = found.char_box(end), found.char_box(start)
    if box is None or opening is None or not found.text[end].isupper():
        return None
    box = box._replace(x0=min(box.x0, opening.x0))
    return _Initial(found.text[start : end + 1], box, found.size(end), index)


def _join(found: TextLines, initial: _Initial, kept: list[int]) -> bool:
    """Put an initial before the first of the lines beside it; False where none starts there."""
    box = initial.box
    beside = [
        (place.y0, index)
        for index in kept
        if (place := found.lines[index].box)
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
    parted = " " if initial.text[-1] in _WORDS_ALONE and _is_word_here(line.text, found.text) else ""
    opening = initial.text + parted
    found.lines[index] = line._replace(
        text=opening + line.text,
        box=line.box._replace(x0=min(box.x0, line.box.x0)),
        lead=line.lead + len(opening) if line.lead else 0,
    )
    return True


def _is_word_here(text: str, page_text: str) -> bool:
    """Whether the first word of a line stands elsewhere on its page too."""
    word = text.split(" ", 1)[0].casefold()
    return page_text.casefold().split().count(word) > 1
