"""One PDFium text page -> Lines.

By lines, not by characters: PDFium's own text comes in lines, and asking for box, size and font of two or three
characters a line adds little to the bare text pass, while asking for each character costs several times the pass.
"""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium_c

from pageindex_core.read.repair import SPLIT_MARK, repair_line
from pageindex_core.records import Box, Line

_BOLD_WEIGHT = 600
"""CSS and OpenType call 600 semi-bold; PDFium derives 400 or 700 for most fonts that state none."""

_BOLD_NAME = re.compile(r"bold|black|heavy|semibd|demi|[-,]bd\b|gothic-?b\b|medi(?![a-z])", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"italic|oblique|slanted|[-,]it\b|-ri\b", re.IGNORECASE)
_RUN = re.compile(f"[^\r\n{SPLIT_MARK}]+{SPLIT_MARK}?")
"""One line: PDFium ends lines with CR LF, or with its mark alone where a word is split."""

_SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
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

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of page space is displayed."""
        if self.rotation == 1:
            return y - self.bottom, x - self.left
        if self.rotation == 2:
            return self.right - x, y - self.bottom
        if self.rotation == 3:
            return self.top - y, self.right - x
        return x - self.left, self.top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The displayed box of a rectangle of page space."""
        x0, y0 = self.point(left, top)
        x1, y1 = self.point(right, bottom)
        return Box(
            round(min(x0, x1), 2), round(min(y0, y1), 2), round(max(x0, x1), 2), round(max(y0, y1), 2)
        )


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
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    # Characters without a Unicode value are missing from the text, and others take two units in it: go one by one.
    codes = (pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)


class _Sampler:
    """Asks PDFium about single characters of one page, remembering what it said of each font."""

    def __init__(self, text_page: Any, geometry: PageGeometry) -> None:
        self._page = text_page
        self._geometry = geometry
        self._rect = pdfium_c.FS_RECTF()
        self._matrix = pdfium_c.FS_MATRIX()
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(256)
        self._fonts: dict[tuple[bytes, int, int], tuple[str, bool, bool]] = {}

    def line(self, run: str, start: int) -> Line | None:
        """The line whose characters start at the given index; None when nothing readable is in it."""
        text = repair_line(run)
        if not text:
            return None
        first = start + len(run) - len(run.lstrip())
        last = start + len(run.rstrip()) - 1
        middle = _inked(run, start, (first + last) // 2)
        boxes = [box for box in (self._box(first), self._box(last)) if box is not None]
        size, bold, italic, font = self._style(first)
        if last - first >= 2:
            middle_size, middle_bold, middle_italic, _ = self._style(middle)
            last_size, last_bold, last_italic, _ = self._style(_inked(run, start, last))
            size = max(size, middle_size) if middle_size < 2 * size else size
            size = max(size, last_size) if last_size < 2 * size else size
            bold = bold and middle_bold and last_bold
            italic = italic and middle_italic and last_italic
        box = None
        if boxes:
            box = Box(
                min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes)
            )
        return Line(text, box, size, bold, italic, font)

    def _box(self, index: int) -> Box | None:
        rect = self._rect
        if not pdfium_c.FPDFText_GetLooseCharBox(self._page, index, rect):
            return None
        return self._geometry.box(rect.left, rect.bottom, rect.right, rect.top)

    def _style(self, index: int) -> tuple[float, bool, bool, str]:
        """Displayed size, bold, italic and font name of one character."""
        size = pdfium_c.FPDFText_GetFontSize(self._page, index)
        matrix = self._matrix
        if pdfium_c.FPDFText_GetMatrix(self._page, index, matrix):
            size *= math.hypot(matrix.c, matrix.d)
        length = pdfium_c.FPDFText_GetFontInfo(self._page, index, self._name, len(self._name), self._flags)
        weight = pdfium_c.FPDFText_GetFontWeight(self._page, index)
        key = (self._name.raw[: max(length - 1, 0)] if length <= len(self._name) else b"", self._flags.value, weight)
        style = self._fonts.get(key)
        if style is None:
            style = self._fonts[key] = _font_style(*key)
        font, bold, italic = style
        return round(size, 1), bold, italic, font


def _font_style(raw_name: bytes, flags: int, weight: int) -> tuple[str, bool, bool]:
    name = _SUBSET_PREFIX.sub("", raw_name.decode("utf-8", "replace"))
    bold = weight >= _BOLD_WEIGHT or bool(flags & _FORCE_BOLD_FLAG) or bool(_BOLD_NAME.search(name))
    italic = bool(flags & _ITALIC_FLAG) or bool(_ITALIC_NAME.search(name))
    return name, bold, italic


def _inked(run: str, start: int, index: int) -> int:
    """The given index, or the nearest one before it that is not a space."""
    while index > start and run[index - start].isspace():
        index -= 1
    return index
