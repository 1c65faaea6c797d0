"""Fonts that say nothing of themselves: Type 3 fonts, whose glyphs are drawings in units of their own.

TeX's bitmap fonts are such (ISO 32000-1, 9.6.5). They have no name, and some claim to be a tenth of a point large. How
large they are, and whether they are bold, is told by how high and how wide their letters are drawn.
"""

from __future__ import annotations

import ctypes
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from ctypes import c_double
from typing import Any, NamedTuple

from pageindex_core.read.pdf.calls import char_ink, char_origin, char_piece, piece_font, pointer_to
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.records import Box

_DRAWN_TIMES = 3.0
"""How much larger than stated letters have to be drawn, for the stated size to mean nothing."""

_HEIGHTS = {
    **dict.fromkeys("acemnorsuvwxz", 0.44),
    **dict.fromkeys("bdfhklABCDEFGHIKLMNOPRSTUVWXYZ", 0.69),
    **dict.fromkeys("0123456789", 0.65),
}
"""How high letters are, in the size of their font: those of Computer Modern, 0.43, 0.69 and 0.64, which bitmap fonts
nearly always are, and those of Times, 0.45, 0.67 and 0.68."""

_WIDTHS = {
    "a": 0.985, "c": 0.832, "e": 0.845, "m": 1.767, "n": 1.138, "o": 0.967, "r": 0.760, "s": 0.714, "u": 1.113,
    "v": 1.109, "w": 1.553, "x": 1.169, "z": 0.865,
}  # fmt: skip
"""How wide the small letters of Computer Modern Roman are, in their height (measured on CMR10)."""

_BOLD_TIMES = 1.08
"""How much wider those of its bold fonts are: 1.10 to 1.17 times, where others have 0.93 to 1.03 from 9 points on."""

_LEAST_LETTERS = 8
"""From which boldness is told."""

_LEAST_BOLD_PT = 8.5
"""Smaller fonts are drawn as wide as bold ones."""

_MOST_LETTERS = 40
"""Of one font on a page that are measured."""

_FIRST_IDEOGRAPH = "\u2e80"
_IDEOGRAPH_HEIGHT = 0.9
"""Han, kana and Hangul nearly fill their square."""

_STEP_PT = 0.5
"""Glyphs are drawn in pixels, so that sizes are no more exact than this."""

_ASCENT, _DESCENT = 0.7, 0.2
"""How far letters of most typefaces reach above and below their baseline, in the size of their font."""


class _Drawn(NamedTuple):
    size: float
    is_bold: bool


class DrawnFonts:
    """The fonts of one page as their letters tell: sizes in points as displayed, and which are bold.

    Args:
        page: Pointer to the text page, as an argument of ctypes.
        text: One character for each of PDFium's.
        geometry: Where the page is displayed.
    """

    def __init__(self, page: Any, text: str, geometry: PageGeometry) -> None:
        self._page = page
        self._text = text
        self._geometry = geometry
        self._fonts: Mapping[int, _Drawn] | None = None

    def size(self, font: int, index: int, stated: float) -> float:
        """Give the size of a font, one of whose characters is given: as stated, unless it is drawn far larger."""
        ink = self._ink(index)
        if ink is None or ink.y1 - ink.y0 <= _DRAWN_TIMES * stated:
            return stated
        fonts = self._measured()
        drawn = fonts.get(font) or fonts.get(0)
        return drawn.size if drawn else stated

    def is_bold(self, font: int) -> bool:
        """Whether a font is drawn as wide as the bold ones of its kind."""
        drawn = self._measured().get(font)
        return drawn is not None and drawn.is_bold

    def full_box(self, box: Box, first: int, size: float) -> Box:
        """Give the box of a line from the top of high letters to the bottom of low ones, as other fonts state it."""
        x, y = c_double(), c_double()
        if not char_origin(self._page, first, ctypes.addressof(x), ctypes.addressof(y)):
            return box
        baseline = self._geometry.box(x.value, y.value, x.value, y.value).y0
        top, bottom = round(baseline - _ASCENT * size, 2), round(baseline + _DESCENT * size, 2)
        return box._replace(y0=min(box.y0, top), y1=max(box.y1, bottom))

    def _measured(self) -> Mapping[int, _Drawn]:
        """Each font with letters of known height, and at 0 that of most letters."""
        if self._fonts is None:
            self._fonts = self._measure()
        return self._fonts

    def _measure(self) -> Mapping[int, _Drawn]:
        sizes: dict[int, list[float]] = defaultdict(list)
        widths: dict[int, list[float]] = defaultdict(list)
        letters: Counter[int] = Counter()
        for index, letter in enumerate(self._text):
            height = _IDEOGRAPH_HEIGHT if letter >= _FIRST_IDEOGRAPH else _HEIGHTS.get(letter)
            font = self._font(index) if height else 0
            letters[font] += 1
            if not height or not font or letters[font] > _MOST_LETTERS:
                continue
            ink = self._ink(index)
            if ink is not None and ink.y1 > ink.y0:
                sizes[font].append((ink.y1 - ink.y0) / height)
                if letter in _WIDTHS:
                    widths[font].append((ink.x1 - ink.x0) / (ink.y1 - ink.y0) / _WIDTHS[letter])
        found = {font: _drawn(sizes[font], widths[font]) for font in sizes}
        if found:
            found[0] = found[max(found, key=letters.__getitem__)]
        return found

    def _font(self, index: int) -> int:
        piece = char_piece(self._page, index)
        return piece_font(pointer_to(piece)) or 0 if piece else 0

    def _ink(self, index: int) -> Box | None:
        """Where a character is drawn; its own box may be as high as its neighbours."""
        edges = (c_double * 4)()
        start, step = ctypes.addressof(edges), ctypes.sizeof(c_double)
        if not char_ink(self._page, index, *range(start, start + 4 * step, step)):
            return None
        left, right, bottom, top = edges
        return self._geometry.box(left, bottom, right, top)


def _drawn(sizes: Sequence[float], widths: Sequence[float]) -> _Drawn:
    size = statistics.median(sizes)
    wide = len(widths) >= _LEAST_LETTERS and statistics.median(widths) >= _BOLD_TIMES
    return _Drawn(round(size / _STEP_PT) * _STEP_PT, wide and size >= _LEAST_BOLD_PT)
