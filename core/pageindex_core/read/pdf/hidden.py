"""Lines that no reader of the page sees: invisible, in the colour of what lies below, tiny, off the page, covered.

Only pages with something suspicious are looked at, and only there everything drawn is walked in its order.
"""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any

import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.calls import object_type, page_object
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.lines import LIGHT, MIXED, TINY, TINY_BELOW_PT, UNSEEN, TextLines
from pageindex_core.read.pdf.painted import PaintedPage, Places, holds, middle, typed
from pageindex_core.records import Box, Line

_TINY_HEIGHT_PT = 2.0
"""Displayed height of a line that is as small as its font says: 1.5 points with ascender and descender."""

_TINY_LETTERS = 3
"""Letters and digits from which a tiny line says something; some fonts do not state the true size of full stops."""

_LAST_OBJECTS = 32
"""An image that hides text is drawn after it; so many objects from the page's end are asked for their kind. Asking all
of a page of drawings would cost as much as its text."""

_PIXELS_A_POINT = 2
"""How finely a line is painted to see whether it shows."""
_MOST_PIXELS = 4_000
"""Of one edge of such a picture: two metres of paper."""


def hidden_lines(raw_page: Any, found: TextLines, geometry: PageGeometry) -> set[int]:
    """Indexes of the lines that cannot be seen. A line of which a part is seen loses the rest and stays."""
    width, height = geometry.width_pt, geometry.height_pt
    hidden = {
        index
        for index, line in enumerate(found.lines)
        if (box := line.box) and (box[0] >= width or box[1] >= height or box[2] <= 0 or box[3] <= 0)
    }
    suspects = [index for index, odd in found.odd.items() if odd & (UNSEEN | LIGHT | TINY) and index not in hidden]
    covered = _under_images(raw_page, found, geometry)
    if not suspects and not covered:
        return hidden
    page = PaintedPage(raw_page, geometry)
    for index in suspects:
        if _is_tiny(found.lines[index]) and not page.is_scan:
            hidden.add(index)
            continue
        seen = _seen_spans(page, found, index)
        if seen != [found.spans[index]] and found.odd[index] & LIGHT and _is_painted(raw_page, found, index, geometry):
            continue
        if not seen:
            hidden.add(index)
        elif seen != [found.spans[index]]:
            _keep(found, index, seen)
    hidden.update(
        index
        for index in covered - hidden
        if page.is_covered(found, index) and not _is_painted(raw_page, found, index, geometry)
    )
    return hidden


def _under_images(raw_page: Any, found: TextLines, geometry: PageGeometry) -> set[int]:
    """Lines in whose place one of the last things drawn is an image. One that fills the page is a scan's."""
    page = byref(raw_page.contents)
    count = pdfium_c.FPDFPage_CountObjects(raw_page)
    images = [
        geometry.box(*place)
        for index in range(max(count - _LAST_OBJECTS, 0), count)
        if object_type(item := page_object(page, index)) == pdfium_c.FPDF_PAGEOBJ_IMAGE and (place := Places().of(item))
    ]
    area = geometry.width_pt * geometry.height_pt
    if not images or any((box.x1 - box.x0) * (box.y1 - box.y0) >= area for box in images):
        return set()
    return {
        index
        for index, line in enumerate(found.lines)
        for image in images
        if line.box and holds(image, *middle(line.box))
    }


def _is_tiny(line: Line) -> bool:
    """Whether all of a line is too small to be read, by its font and by its place."""
    box = line.box
    return (
        line.font_size < TINY_BELOW_PT
        and sum(map(str.isalnum, line.text)) >= _TINY_LETTERS
        and box is not None
        and min(box.x1 - box.x0, box.y1 - box.y0) < _TINY_HEIGHT_PT
    )


def _seen_spans(page: PaintedPage, found: TextLines, index: int) -> list[tuple[int, int]]:
    """First and last character of each part of a line that can be seen."""
    verdicts: dict[int, bool] = {}
    spans: list[tuple[int, int]] = []
    first, last = found.spans[index]
    if not found.odd[index] & MIXED:
        return [] if page.is_hidden(found, first, found.piece(first)) else [(first, last)]
    for char_index in range(first, last + 1):
        if found.text[char_index].isspace():
            continue
        piece = found.piece(char_index)
        seen = verdicts.get(piece)
        if seen is None:
            seen = verdicts[piece] = not page.is_hidden(found, char_index, piece)
        if not seen:
            continue
        if spans and all(found.text[between].isspace() for between in range(spans[-1][1] + 1, char_index)):
            spans[-1] = (spans[-1][0], char_index)
        else:
            spans.append((char_index, char_index))
    return spans


def _keep(found: TextLines, index: int, seen: list[tuple[int, int]]) -> None:
    """Leave of a line only its seen parts."""
    parts = [line for first, last in seen if (line := found.line_of(first, last)) and line.box]
    if not parts:
        return
    x0, y0, x1, y1 = zip(*(line.box for line in parts if line.box), strict=True)
    box = Box(min(x0), min(y0), max(x1), max(y1))
    found.lines[index] = parts[0]._replace(text=" ".join(line.text for line in parts), box=box)
    found.spans[index] = (seen[0][0], seen[-1][1])


def _is_painted(raw_page: Any, found: TextLines, index: int, geometry: PageGeometry) -> bool:
    """Whether a line that seems hidden changes what the page looks like: the last word on it."""
    box = found.lines[index].box
    first, last = found.spans[index]
    pieces = {found.piece(char_index) for char_index in range(first, last + 1)} - {0}
    if box is None or not pieces:
        return False
    shown = _picture(raw_page, box, geometry)
    for piece in pieces:
        pdfium_c.FPDFPageObj_SetIsActive(typed(piece), 0)
    without = _picture(raw_page, box, geometry)
    for piece in pieces:
        pdfium_c.FPDFPageObj_SetIsActive(typed(piece), 1)
    return shown != without


def _picture(raw_page: Any, box: Box, geometry: PageGeometry) -> bytes:
    """The pixels of a part of the page as displayed."""
    scale = _PIXELS_A_POINT
    width = min(max(round((box.x1 - box.x0) * scale), 1), _MOST_PIXELS)
    height = min(max(round((box.y1 - box.y0) * scale), 1), _MOST_PIXELS)
    bitmap = pdfium_c.FPDFBitmap_Create(width, height, 0)
    if not bitmap:
        return b""
    try:
        pdfium_c.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        whole = round(geometry.width_pt * scale), round(geometry.height_pt * scale)
        pdfium_c.FPDF_RenderPageBitmap(bitmap, raw_page, -round(box.x0 * scale), -round(box.y0 * scale), *whole, 0, 0)
        size = pdfium_c.FPDFBitmap_GetStride(bitmap) * height
        return ctypes.string_at(pdfium_c.FPDFBitmap_GetBuffer(bitmap), size)
    finally:
        pdfium_c.FPDFBitmap_Destroy(bitmap)
