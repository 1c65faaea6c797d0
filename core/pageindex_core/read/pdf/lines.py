"""One PDFium text page -> lines.

By lines, not by characters: PDFium's own text comes in lines, and asking for box, size and font of two or three
characters a line adds little to the bare text pass, while asking for each character costs several times the pass.
What looks odd in those characters is marked, and only then does another module look closer.
"""

from __future__ import annotations

import ctypes
import math
import re
from ctypes import byref, c_float, c_int, c_uint, c_ushort
from functools import lru_cache
from typing import Any, TypeAlias

import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.calls import (
    char_box,
    char_matrix,
    char_piece,
    char_size,
    piece_color,
    piece_font,
    piece_mode,
    pointer_to,
)
from pageindex_core.read.pdf.drawn_fonts import DrawnFonts
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.repair import SPLIT_MARK, name_ligatures, needs_repair, repair_line
from pageindex_core.records import Box, Line

_BOLD_WEIGHT = 600
"""CSS and OpenType call 600 semi-bold; PDFium derives 400 or 700 for most fonts that state none."""

_BOLD_NAME = re.compile(
    r"bold|black|heavy|semibd|demi|[-,]bd\b|gothic-?b\b|medi(?![a-z])"
    r"|^(?:cm|ec|sf|ls)(?:ss|r)?(?:b|bx|sx)(?:i|ti|sl)?\d",  # Computer Modern, whose stems are too thin to tell
    re.IGNORECASE,
)
_PLAIN_NAME = re.compile(r"[-,](?:regu|roman|book|light|thin|normal|ital|oblique|it\b)", re.IGNORECASE)
"""A style without a word for bold. PDFium derives the weight from the width of stems, which some programs write far
too large (LMRoman10-Regular: 744)."""
_ITALIC_NAME = re.compile(r"italic|oblique|slanted|[-,]it\b|-ri\b", re.IGNORECASE)
_RUN = re.compile(f"[^\r\n{SPLIT_MARK}]+{SPLIT_MARK}?")
"""One line: PDFium ends lines with CR LF, or with its mark alone where a word is split."""

_MARK = re.compile(f"[{SPLIT_MARK}\x02]")
_SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
_Style: TypeAlias = tuple[float, bool, bool, str, int]
"""Displayed size, bold, italic, font name, and what is odd about it."""

_ITALIC_FLAG = 1 << 6
"""ISO 32000-1, table 123: font descriptor flag bit 7."""
_FORCE_BOLD_FLAG = 1 << 18
"""ISO 32000-1, table 123: font descriptor flag bit 19."""

UNSEEN, LIGHT, TINY, TURNED, MIXED, INITIAL, UNSIZED = 1, 2, 4, 8, 16, 32, 64
"""What is odd about a line: some of it is drawn invisibly, in a light colour, too small to read, sideways or upside
down; it is drawn in several pieces; it starts or ends with a far larger letter; its font does not state its size."""

_INVISIBLE = pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE
_FAINT_ALPHA = 13
"""Of 255: less than a twentieth of the colour is there."""
_LIGHT_FROM = 200
"""Of 255 in each of red, green and blue: lighter than any text that is set to be read on white."""
TINY_BELOW_PT = 1.5
"""Displayed size under which text is no more than a line; legal small print starts at 4."""
_TALL_TIMES = 1.8
"""A drop cap is two lines high at least; small capitals are set at 0.7 to 0.8 of the capitals beside them."""


class TextLines:
    """The lines of one text page, in PDFium's order, which is the order in which the page draws them."""

    __slots__ = ("_sampler", "lines", "odd", "spans", "text")

    def __init__(self, text_page: Any, geometry: PageGeometry) -> None:
        self.text = name_ligatures(_whole_text(text_page))
        """One Python character for each of PDFium's."""
        self.lines: list[Line] = []
        self.spans: list[tuple[int, int]] = []
        """Index of the first and of the last character of each line."""
        self.odd: dict[int, int] = {}
        """What is odd about a line, by its index."""
        self._sampler = _Sampler(text_page, geometry, self.text)
        self._find(needs_repair(self.text))

    def piece(self, char_index: int) -> int:
        """Address of the piece of text to which a character belongs; 0 for what PDFium put in between."""
        return self._sampler.piece(char_index)

    def oddness(self, char_index: int) -> int:
        """What is odd about one character."""
        return self._sampler.style(char_index)[4]

    def size(self, char_index: int) -> float:
        """Displayed size of one character, in points."""
        return self._sampler.style(char_index)[0]

    def char_box(self, char_index: int) -> Box | None:
        """Where one character is displayed."""
        return self._sampler.box(char_index, char_index)

    def page_box(self, char_index: int) -> tuple[float, float, float, float] | None:
        """Left, bottom, right and top of one character in page space."""
        return self._sampler.page_box(char_index)

    def is_far(self, before: int, after: int, least_pt: float) -> bool:
        """Whether two characters are so far apart, along either edge of the page."""
        return self._sampler.is_far(before, after, least_pt)

    def direction(self, char_index: int) -> tuple[float, float] | None:
        """Direction of a character's baseline in page space; None where unknown."""
        return self._sampler.direction(char_index)

    def line_of(self, first: int, last: int) -> Line | None:
        """The line that some of the characters make; None when nothing readable is in them."""
        text = repair_line(self.text[first : last + 1])
        return self._sampler.line(text, first, last)[0] if text else None

    def add(self, line: Line, span: tuple[int, int]) -> int:
        """Add a line that is part of another; give its index."""
        self.lines.append(line)
        self.spans.append(span)
        return len(self.lines) - 1

    def _find(self, mends: bool) -> None:
        sampled, lines, spans = self._sampler.line, self.lines, self.spans
        for found in _RUN.finditer(self.text):
            run = found[0]
            text = repair_line(run) if mends or run[-1] == SPLIT_MARK else run.strip()
            if not text:
                continue
            first, last = found.span()
            last -= 1
            if run[0].isspace() or run[-1].isspace():
                first += len(run) - len(run.lstrip())
                last -= len(run) - len(run.rstrip())
            line, odd = sampled(text, first, last)
            if odd:
                self.odd[len(lines)] = odd
            lines.append(line)
            spans.append((first, last))


def _whole_text(text_page: Any) -> str:
    """The text with one Python character for each PDFium character index."""
    count = pdfium_c.FPDFText_CountChars(text_page)
    if count <= 0:
        return ""
    buffer = (c_ushort * (1 << count.bit_length()))()  # ctypes keeps a type for each length: let there be few
    written = pdfium_c.FPDFText_GetText(text_page, 0, count, buffer)
    if written - 1 == count:
        text = ctypes.string_at(buffer, 2 * count).decode("utf-16-le", "surrogatepass")
        if len(text) != count:
            text = "".join(map(chr, buffer[:count]))  # keeps the two units of a character apart, as PDFium counts
    else:
        # Characters without a Unicode value are missing from the text: go one by one.
        codes = (pdfium_c.FPDFText_GetUnicode(text_page, index) for index in range(count))
        text = "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)
    if SPLIT_MARK not in text and "\x02" not in text:
        return text
    # The mark of a split word is U+FFFE in the text and U+0002 alone; glyphs that mean NUL are given as U+FFFE too.
    return _MARK.sub(
        lambda mark: SPLIT_MARK if pdfium_c.FPDFText_IsHyphen(text_page, mark.start()) == 1 else "\0", text
    )


class _Sampler:
    """Asks PDFium about single characters of one page.

    It remembers what it was told of each piece of text drawn at once, since all characters of a piece share font,
    size, matrix and colour, and of each font.
    """

    def __init__(self, text_page: Any, geometry: PageGeometry, text: str) -> None:
        self._text_page = text_page
        self._page = byref(text_page.contents)
        self._geometry = geometry
        self._text = text
        rect, matrix, color = (c_float * 4)(), (c_float * 6)(), (c_uint * 4)()
        self._rect, self._matrix = (memoryview(floats).cast("B").cast("f")[:4] for floats in (rect, matrix))
        self._color = memoryview(color).cast("B").cast("I")
        self._to_rect, self._to_matrix = byref(rect), byref(matrix)
        self._to_color = tuple(byref(color, channel * ctypes.sizeof(c_uint)) for channel in range(4))
        self._flags = c_int()
        self._name = ctypes.create_string_buffer(256)
        self._styles: dict[int | None, _Style] = {}
        self._fonts: dict[int, tuple[bool, bool, str]] = {}
        self._drawn = DrawnFonts(self._page, text, geometry)

    def line(self, text: str, first: int, last: int) -> tuple[Line, int]:
        """The line between two characters, and what is odd about it."""
        piece, last_piece = char_piece(self._page, first), char_piece(self._page, last)
        style = self._styles.get(piece) or self._style_of(piece, first)
        size, bold, italic, font, odd = style
        lead = 0
        if piece != last_piece and last - first >= 2:
            middle = (first + last) // 2
            while self._text[middle].isspace():
                middle -= 1
            end = self._styles.get(last_piece) or self._style_of(last_piece, last)
            if end[3] != font or text[0].isdigit():
                font, lead = self._opening(style, end, first, last)
            for other in (self.style(middle), end):
                if other is not style:
                    odd |= MIXED
                    other_size = other[0]
                    if other_size > size:
                        if size and other_size > _TALL_TIMES * size:
                            odd |= INITIAL
                        size = other_size if other_size < 2 * size else size
                    elif size > _TALL_TIMES * other_size and other_size:
                        odd |= INITIAL
                    bold = bold and other[1]
                    italic = italic and other[2]
                    odd |= other[4]
        box = self.box(first, last)
        if odd & UNSIZED and box is not None:
            box = self._drawn.full_box(box, first, size)
        return Line(text, box, size, bold, italic, font, lead=lead), odd

    def _opening(self, style: _Style, end: _Style, first: int, last: int) -> tuple[str, int]:
        """The font of a line's title, if it has a number in another one, and how many characters the title has.

        They are counted where it is bold or slanted, and the line ends in letters that are not.
        """
        text = self._text
        start = first
        if text[first].isdigit():
            start = next((at for at in range(first, last) if text[at].isalpha()), last)
            style = self.style(start)
        if end[1] or end[2] or not (style[1] or style[2]):
            return (style if style[3] == end[3] else self.style(first))[3], 0
        for at in range(start + 1, last):
            if text[at].isspace() and self.style(at + 1)[1:4] != style[1:4]:
                return style[3], len(repair_line(text[first:at]))
        return style[3], 0

    def piece(self, index: int) -> int:
        """Address of the piece of text drawn at once to which a character belongs."""
        return char_piece(self._page, index) or 0

    def page_box(self, index: int) -> tuple[float, float, float, float] | None:
        """Left, bottom, right and top of one character in page space."""
        if not char_box(self._page, index, self._to_rect):
            return None
        left, top, right, bottom = self._rect.tolist()
        return left, bottom, right, top

    def direction(self, index: int) -> tuple[float, float] | None:
        """Direction of a character's baseline in page space."""
        if not char_matrix(self._page, index, self._to_matrix):
            return None
        return self._matrix[0], self._matrix[1]

    def is_far(self, before: int, after: int, least_pt: float) -> bool:
        """Whether two characters are so far apart, along either edge of the page."""
        if not char_box(self._page, before, self._to_rect):
            return False
        left, top, right, bottom = self._rect.tolist()
        if not char_box(self._page, after, self._to_rect):
            return False
        next_left, next_top, next_right, next_bottom = self._rect.tolist()
        return bool(
            next_left - right >= least_pt
            or left - next_right >= least_pt
            or next_bottom - top >= least_pt
            or bottom - next_top >= least_pt
        )

    def box(self, first: int, last: int) -> Box | None:
        """The displayed box around two characters."""
        if not char_box(self._page, first, self._to_rect):
            first = last
            if not char_box(self._page, last, self._to_rect):
                return None
        left, top, right, bottom = self._rect.tolist()
        if first != last and char_box(self._page, last, self._to_rect):
            last_left, last_top, last_right, last_bottom = self._rect.tolist()
            left = last_left if last_left < left else left
            top = last_top if last_top > top else top
            right = last_right if last_right > right else right
            bottom = last_bottom if last_bottom < bottom else bottom
        return self._geometry.box(left, bottom, right, top)

    def style(self, index: int) -> _Style:
        """Displayed size, bold, italic, font name and oddities of one character."""
        piece = char_piece(self._page, index)
        return self._styles.get(piece) or self._style_of(piece, index)

    def _style_of(self, piece: int | None, index: int) -> _Style:
        """The style of a piece that was not met before, asked of one of its characters."""
        size = char_size(self._page, index)
        odd = 0
        if char_matrix(self._page, index, self._to_matrix):
            a, b, c, d = self._matrix.tolist()
            size *= math.hypot(c, d) if c else abs(d)
            if abs(b) > 0.1 * a:
                odd = TURNED
        size = (10 * size + 0.5) // 1 / 10
        if not piece:
            return (size, *self._font(index), odd)
        handle = pointer_to(piece)
        font = piece_font(handle)
        looks = self._fonts.get(font)
        if looks is None:
            looks = self._font(index)
            if not looks[2]:
                looks = (looks[0] or self._drawn.is_bold(font), *looks[1:])
            if font:
                self._fonts[font] = looks
        if piece_mode(handle) == _INVISIBLE:
            odd |= UNSEEN
        elif piece_color(handle, *self._to_color):
            red, green, blue, alpha = self._color.tolist()
            if alpha < _FAINT_ALPHA:
                odd |= UNSEEN
            elif red >= _LIGHT_FROM and green >= _LIGHT_FROM and blue >= _LIGHT_FROM:
                odd |= LIGHT
        if size < TINY_BELOW_PT:
            stated, size = size, self._drawn.size(font, index, size)
            odd |= (UNSIZED if size != stated else 0) | (TINY if size < TINY_BELOW_PT else 0)
        style = self._styles[piece] = (size, *looks, odd)
        return style

    def _font(self, index: int) -> tuple[bool, bool, str]:
        """Bold, italic and name of the font of one character."""
        page = self._text_page
        length = pdfium_c.FPDFText_GetFontInfo(page, index, self._name, len(self._name), self._flags)
        weight = pdfium_c.FPDFText_GetFontWeight(page, index)
        raw_name = self._name.raw[: max(length - 1, 0)] if length <= len(self._name) else b""
        return _font_style(raw_name, self._flags.value, weight)


@lru_cache
def _font_style(raw_name: bytes, flags: int, weight: int) -> tuple[bool, bool, str]:
    name = _SUBSET_PREFIX.sub("", raw_name.decode("utf-8", "replace"))
    bold = bool(_BOLD_NAME.search(name) or flags & _FORCE_BOLD_FLAG) or (
        weight >= _BOLD_WEIGHT and _PLAIN_NAME.search(name) is None
    )
    italic = bool(flags & _ITALIC_FLAG) or bool(_ITALIC_NAME.search(name))
    return bold, italic, name
