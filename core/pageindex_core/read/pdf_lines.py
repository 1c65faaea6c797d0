"""One PDFium text page -> Lines.

By lines, not by characters: PDFium's own text comes in lines, and asking for box, size and font of two or three
characters a line adds little to the bare text pass, while asking for each character costs several times the pass.
"""

from __future__ import annotations

import ctypes
import math
import re
from ctypes import c_int, c_void_p
from dataclasses import dataclass
from typing import Any, TypeAlias

import pypdfium2.raw as pdfium_c

from pageindex_core.read.repair import SPLIT_MARK, repair_line
from pageindex_core.records import Box, Line

_BOLD_WEIGHT = 600
"""CSS and OpenType call 600 semi-bold; PDFium derives 400 or 700 for most fonts that state none."""

_BOLD_NAME = re.compile(r"bold|black|heavy|semibd|demi|[-,]bd\b|gothic-?b\b|medi(?![a-z])", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"italic|oblique|slanted|[-,]it\b|-ri\b", re.IGNORECASE)
_RUN = re.compile(f"[^\r\n{SPLIT_MARK}]+{SPLIT_MARK}?")
"""One line: PDFium ends lines with CR LF, or with its mark alone where a word is split."""

_MARK = re.compile(f"[{SPLIT_MARK}\x02]")
_SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
_Style: TypeAlias = tuple[float, bool, bool, str]
"""Displayed size, bold, italic and font name."""

_ITALIC_FLAG = 1 << 6
"""ISO 32000-1, table 123: font descriptor flag bit 7."""
_FORCE_BOLD_FLAG = 1 << 18
"""ISO 32000-1, table 123: font descriptor flag bit 19."""


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """Turns PDFium's page coordinates into displayed ones: points from the top left, crop and rotation applied."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int
    """Quarter turns, clockwise."""

    @classmethod
    def of(cls, raw_page: Any) -> PageGeometry:
        """Measure a loaded page."""
        rect = pdfium_c.FS_RECTF()
        if not pdfium_c.FPDF_GetPageBoundingBox(raw_page, rect) or rect.right <= rect.left or rect.top <= rect.bottom:
            rect = pdfium_c.FS_RECTF(0.0, 792.0, 612.0, 0.0)
        rotation = max(pdfium_c.FPDFPage_GetRotation(raw_page), 0) % 4
        return cls(rect.left, rect.bottom, rect.right, rect.top, rotation)

    @property
    def width_pt(self) -> float:
        """Displayed width."""
        return round(self.top - self.bottom if self.rotation % 2 else self.right - self.left, 2)

    @property
    def height_pt(self) -> float:
        """Displayed height."""
        return round(self.right - self.left if self.rotation % 2 else self.top - self.bottom, 2)

    def height_of(self, x: float | None, y: float | None) -> float | None:
        """How far below the top a point of page space is displayed; None where the number that tells is None."""
        if self.rotation == 0:
            down = None if y is None else self.top - y
        elif self.rotation == 1:
            down = None if x is None else x - self.left
        elif self.rotation == 2:
            down = None if y is None else y - self.bottom
        else:
            down = None if x is None else self.right - x
        return None if down is None else round(min(max(down, 0.0), self.height_pt), 2)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The displayed box of a rectangle of page space, given in any order of its edges."""
        if left > right:
            left, right = right, left
        if bottom > top:
            bottom, top = top, bottom
        rotation = self.rotation
        if rotation == 0:
            x0, y0, x1, y1 = left - self.left, self.top - top, right - self.left, self.top - bottom
        elif rotation == 1:
            x0, y0, x1, y1 = bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
        elif rotation == 2:
            x0, y0, x1, y1 = self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
        else:
            x0, y0, x1, y1 = self.top - top, self.right - right, self.top - bottom, self.right - left
        return Box(round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def read_lines(text_page: Any, geometry: PageGeometry) -> tuple[Line, ...]:
    """Give the lines of a text page in PDFium's order, which is the order in which the page draws them."""
    text = _whole_text(text_page)
    sampler = _Sampler(text_page, geometry)
    found = (sampler.line(run[0], run.start()) for run in _RUN.finditer(text))
    return tuple(line for line in found if line is not None)


def _whole_text(text_page: Any) -> str:
    """The text with one Python character for each PDFium character index."""
    count = pdfium_c.FPDFText_CountChars(text_page)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium_c.FPDFText_GetText(text_page, 0, count, buffer)
    if written - 1 == count:
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        if len(text) != count:
            text = "".join(map(chr, buffer[:count]))  # keeps the two units of a character apart, as PDFium counts
    else:
        # Characters without a Unicode value are missing from the text: go one by one.
        codes = (pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count))
        text = "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)
    # The mark of a split word is U+FFFE in the text and U+0002 alone; glyphs that mean NUL are given as U+FFFE too.
    return _MARK.sub(
        lambda mark: SPLIT_MARK if pdfium_c.FPDFText_IsHyphen(text_page, mark.start()) == 1 else "\0", text
    )


def _by_address(function: Any, result: type | None, *arguments: type) -> Any:
    """Give a PDFium function that takes and gives plain addresses instead of pypdfium2's typed pointers.

    Asking costs a quarter less this way, and a long document is asked a hundred thousand times.
    """
    plain = type(function)(ctypes.cast(function, ctypes.c_void_p).value)
    plain.restype = result
    plain.argtypes = arguments
    return plain


_char_box = _by_address(pdfium_c.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
_char_piece = _by_address(pdfium_c.FPDFText_GetTextObject, c_void_p, c_void_p, c_int)
_char_matrix = _by_address(pdfium_c.FPDFText_GetMatrix, c_int, c_void_p, c_int, c_void_p)
_char_size = _by_address(pdfium_c.FPDFText_GetFontSize, ctypes.c_double, c_void_p, c_int)
_piece_font = _by_address(pdfium_c.FPDFTextObj_GetFont, c_void_p, c_void_p)


class _Sampler:
    """Asks PDFium about single characters of one page.

    It remembers what it was told of each piece of text drawn at once, since all characters of a piece share font,
    size and matrix, and of each font.
    """

    def __init__(self, text_page: Any, geometry: PageGeometry) -> None:
        self._text_page = text_page
        self._page = ctypes.addressof(text_page.contents)
        self._geometry = geometry
        self._rect = pdfium_c.FS_RECTF()
        self._rect_address = ctypes.addressof(self._rect)
        self._matrix = pdfium_c.FS_MATRIX()
        self._matrix_address = ctypes.addressof(self._matrix)
        self._flags = c_int()
        self._name = ctypes.create_string_buffer(256)
        self._styles: dict[int, _Style] = {}
        self._fonts: dict[int, tuple[bool, bool, str]] = {}

    def line(self, run: str, start: int) -> Line | None:
        """The line whose characters start at the given index; None when nothing readable is in it."""
        text = repair_line(run)
        if not text:
            return None
        first = start + len(run) - len(run.lstrip())
        last = start + len(run.rstrip()) - 1
        size, bold, italic, font = style = self._style(first)
        if last - first >= 2:
            middle = _inked(run, start, (first + last) // 2)
            for other in (self._style(middle), self._style(last)):
                if other is not style:
                    size = max(size, other[0]) if other[0] < 2 * size else size
                    bold = bold and other[1]
                    italic = italic and other[2]
        return Line(text, self._box(first, last), size, bold, italic, font)

    def _box(self, first: int, last: int) -> Box | None:
        """The displayed box around two characters."""
        rect = self._rect
        if not _char_box(self._page, first, self._rect_address):
            first = last
            if not _char_box(self._page, last, self._rect_address):
                return None
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        if first != last and _char_box(self._page, last, self._rect_address):
            left = min(left, rect.left)
            bottom = min(bottom, rect.bottom)
            right = max(right, rect.right)
            top = max(top, rect.top)
        return self._geometry.box(left, bottom, right, top)

    def _style(self, index: int) -> _Style:
        """Displayed size, bold, italic and font name of one character."""
        piece = _char_piece(self._page, index)
        style = self._styles.get(piece)
        if style is not None:
            return style
        font = _piece_font(piece) if piece else None
        looks = self._fonts.get(font) if font else None
        if looks is None:
            looks = self._font(index)
            if font:
                self._fonts[font] = looks
        size = _char_size(self._page, index)
        if _char_matrix(self._page, index, self._matrix_address):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        style = (round(size, 1), *looks)
        if piece:
            self._styles[piece] = style
        return style

    def _font(self, index: int) -> tuple[bool, bool, str]:
        """Bold, italic and name of the font of one character."""
        page = self._text_page
        length = pdfium_c.FPDFText_GetFontInfo(page, index, self._name, len(self._name), self._flags)
        weight = pdfium_c.FPDFText_GetFontWeight(page, index)
        raw_name = self._name.raw[: max(length - 1, 0)] if length <= len(self._name) else b""
        return _font_style(raw_name, self._flags.value, weight)


def _font_style(raw_name: bytes, flags: int, weight: int) -> tuple[bool, bool, str]:
    name = _SUBSET_PREFIX.sub("", raw_name.decode("utf-8", "replace"))
    bold = weight >= _BOLD_WEIGHT or bool(flags & _FORCE_BOLD_FLAG) or bool(_BOLD_NAME.search(name))
    italic = bool(flags & _ITALIC_FLAG) or bool(_ITALIC_NAME.search(name))
    return bold, italic, name


def _inked(run: str, start: int, index: int) -> int:
    """The given index, or the nearest one before it that is not a space."""
    while index > start and run[index - start].isspace():
        index -= 1
    return index
