"""Sizes of fonts that state none: Type 3 fonts, whose glyphs are drawings in units of their own.

TeX's bitmap fonts are such (ISO 32000-1, 9.6.5): every one of them claims a size of a tenth of a point. How large they
are is told by how high their letters are drawn.
"""

from __future__ import annotations

import ctypes
import statistics
from collections import defaultdict
from collections.abc import Mapping
from ctypes import c_double, c_void_p
from typing import Any

from pageindex_core.read.pdf.calls import char_ink, char_origin, char_piece, piece_font
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

_FIRST_IDEOGRAPH = "\u2e80"
_IDEOGRAPH_HEIGHT = 0.9
"""Han, kana and Hangul nearly fill their square."""

_STEP_PT = 0.5
"""Glyphs are drawn in pixels, so that sizes are no more exact than this."""

_ASCENT, _DESCENT = 0.7, 0.2
"""How far letters of most typefaces reach above and below their baseline, in the size of their font."""


class DrawnSizes:
    """The sizes of the fonts of one page, in points as displayed, as their letters tell.

    Args:
        page: Pointer to the text page, as an argument of ctypes.
        text: One character for each of PDFium's.
        geometry: Where the page is displayed.
    """

    def __init__(self, page: Any, text: str, geometry: PageGeometry) -> None:
        self._page = page
        self._text = text
        self._geometry = geometry
        self._sizes: Mapping[int, float] | None = None

    def size(self, font: int, index: int, stated: float) -> float:
        """Give the size of a font, one of whose characters is given: as stated, unless it is drawn far larger."""
        ink = self._ink(index)
        if ink is None or ink.y1 - ink.y0 <= _DRAWN_TIMES * stated:
            return stated
        if self._sizes is None:
            self._sizes = self._measured()
        return self._sizes.get(font) or self._sizes.get(0, stated)

    def full_box(self, box: Box, first: int, size: float) -> Box:
        """Give the box of a line from the top of high letters to the bottom of low ones, as other fonts state it."""
        x, y = c_double(), c_double()
        if not char_origin(self._page, first, ctypes.addressof(x), ctypes.addressof(y)):
            return box
        baseline = self._geometry.box(x.value, y.value, x.value, y.value).y0
        top, bottom = round(baseline - _ASCENT * size, 2), round(baseline + _DESCENT * size, 2)
        return box._replace(y0=min(box.y0, top), y1=max(box.y1, bottom))

    def _measured(self) -> Mapping[int, float]:
        """The size of each font with letters of known height, and at 0 that of most letters."""
        found: dict[int, list[float]] = defaultdict(list)
        for index, letter in enumerate(self._text):
            height = _IDEOGRAPH_HEIGHT if letter >= _FIRST_IDEOGRAPH else _HEIGHTS.get(letter)
            if height and (font := self._font(index)) and (ink := self._ink(index)):
                found[font].append((ink.y1 - ink.y0) / height)
        if found:
            found[0] = max(found.values(), key=len)
        return {font: round(statistics.median(sizes) / _STEP_PT) * _STEP_PT for font, sizes in found.items()}

    def _font(self, index: int) -> int:
        piece = char_piece(self._page, index)
        return piece_font(c_void_p(piece)) or 0 if piece else 0

    def _ink(self, index: int) -> Box | None:
        """Where a character is drawn; its own box may be as high as its neighbours."""
        edges = (c_double * 4)()
        start, step = ctypes.addressof(edges), ctypes.sizeof(c_double)
        if not char_ink(self._page, index, *range(start, start + 4 * step, step)):
            return None
        left, right, bottom, top = edges
        return self._geometry.box(left, bottom, right, top)
