"""Printed lines that PDFium gave word by word, or letter by letter, put together again."""

from __future__ import annotations

from pageindex_core.read.pdf.lines import TURNED, TextLines
from pageindex_core.records import Line

_LEVEL = 0.15
"""By how much pieces of one line may stand higher or lower than each other, in their size; superscripts stand more."""

_SPACE = 0.12
"""White space from which a word ends, in the size of its letters: letters touch, and most spaces are wider."""

_WIDEST_SPACE = 0.45
"""White space that still is one space. Columns and cells stand further apart."""

_OVERLAP = -0.05
"""By how much a letter may reach over the next one."""

_LINE_END = 3
"""So many characters may stand between two pieces in the text of the page: a line end and a space."""


def join_torn(found: TextLines, kept: list[int]) -> list[int]:
    """Give the lines with each one that goes on right behind another, at its height and in its style, put to that."""
    lines = found.lines
    joined: list[int] = []
    before: Line | None = None
    for index in kept:
        line = lines[index]
        if before is not None and _goes_on(before, line) and _follows(found, joined[-1], index):
            before = _put_together(before, line)
            lines[joined[-1]] = before
            found.spans[joined[-1]] = (found.spans[joined[-1]][0], found.spans[index][1])
            if index in found.odd:
                found.odd[joined[-1]] = found.odd.get(joined[-1], 0) | found.odd[index]
        else:
            joined.append(index)
            before = line
    return joined


def _goes_on(before: Line, line: Line) -> bool:
    one, other, size = before.box, line.box, line.font_size
    if one is None or other is None or abs(other[3] - one[3]) > _LEVEL * size:
        return False  # as nearly all lines
    return (
        _OVERLAP * size <= other.x0 - one.x1 < _WIDEST_SPACE * size
        and abs(other.y0 - one.y0) <= _LEVEL * size
        and abs(size - before.font_size) < 0.5
        and (line.font, line.bold, line.italic) == (before.font, before.bold, before.italic)
    )


def _follows(found: TextLines, before: int, index: int) -> bool:
    between = found.spans[index][0] - found.spans[before][1]
    return 0 < between <= _LINE_END + 1 and not (found.odd.get(before, 0) | found.odd.get(index, 0)) & TURNED


def _put_together(before: Line, line: Line) -> Line:
    one, other = before.box, line.box
    if one is None or other is None:
        return before
    spaced = other.x0 - one.x1 > _SPACE * line.font_size or _are_words(before.text[-2:], line.text[:2])
    text = f"{before.text} {line.text}" if spaced else before.text + line.text
    box = one._replace(y0=min(one.y0, other.y0), x1=max(one.x1, other.x1), y1=max(one.y1, other.y1))
    return before._replace(text=text, box=box, font_size=max(before.font_size, line.font_size))


def _are_words(end: str, start: str) -> bool:
    """Whether a word and another, or the mark of a footnote, meet: what is torn into letters comes one by one."""
    return len(end) == 2 and end.isalpha() and (start[:1].isdigit() or (len(start) == 2 and start.isalpha()))
