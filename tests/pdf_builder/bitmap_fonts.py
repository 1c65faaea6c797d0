"""Fonts whose glyphs are drawings in units of their own: the Type 3 fonts in which TeX's bitmaps are stored."""

from __future__ import annotations

import io
from decimal import Decimal

import pikepdf
from pikepdf import Array, Dictionary, Name, Operator
from reportlab.pdfbase import pdfmetrics

STATED_PT = 0.12
"""Size that the file states for each of them: that of a pixel, at 600 in an inch."""

_HEIGHTS = {"acemnorsuvwxz": 0.43, ".,-": 0.1}
_TALLEST = 0.69
_DRAWN, _BOLD_DRAWN = 0.8, 0.9
"""How much of the width of a letter is drawn."""


def with_bitmap_fonts(pdf: bytes) -> bytes:
    """Give the file with each font in each size as a font of its own, whose glyphs are boxes as high as letters are."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            fonts: dict[str, pikepdf.Object] = {}
            content = []
            for operands, operator in pikepdf.parse_content_stream(page):
                if operator == Operator("Tf"):
                    of, size = operands
                    name = f"{of}-{float(size):g}".replace(".", "-")
                    given = str(page.Resources.Font[str(of)].BaseFont).lstrip("/")
                    fonts[name] = _font(opened, given, float(size))
                    operands = [Name(name), Decimal(str(STATED_PT))]
                content.append((operands, operator))
            page.Contents = opened.make_stream(pikepdf.unparse_content_stream(content))
            page.Resources.Font = Dictionary(fonts)
        opened.save(out, deterministic_id=True)
    return out.getvalue()


def _font(pdf: pikepdf.Pdf, given: str, size: float) -> pikepdf.Object:
    """A font of boxes, one of its units a pixel."""
    pixels = size / STATED_PT
    codes = range(32, 127)
    widths = [round(pdfmetrics.stringWidth(chr(code), given, 1.0) * pixels) for code in codes]
    drawn = _BOLD_DRAWN if "Bold" in given else _DRAWN
    glyphs = {
        f"/g{code}": _glyph(pdf, chr(code), width, round(drawn * width), pixels)
        for code, width in zip(codes, widths, strict=True)
    }
    differences = Array([32, *map(Name, glyphs)])
    to_unicode = "\n".join(f"<{code:02X}> <{code:04X}>" for code in codes)
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 0, 0]),
            FontMatrix=Array([1, 0, 0, 1, 0, 0]),
            CharProcs=Dictionary(glyphs),
            Encoding=Dictionary(Type=Name.Encoding, Differences=differences),
            FirstChar=codes[0],
            LastChar=codes[-1],
            Widths=Array(widths),
            Resources=Dictionary(),
            ToUnicode=pdf.make_stream(f"{len(codes)} beginbfchar\n{to_unicode}\nendbfchar".encode()),
        )
    )


def _glyph(pdf: pikepdf.Pdf, letter: str, width: int, drawn: int, pixels: float) -> pikepdf.Object:
    share = next((share for letters, share in _HEIGHTS.items() if letter in letters), _TALLEST)
    height = 0 if letter == " " else round(share * pixels)
    box = f"0 0 {drawn} {height}"
    return pdf.make_stream(f"{width} 0 {box} d1 {box} re f".encode())
