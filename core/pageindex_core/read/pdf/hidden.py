"""Lines that no reader of the page sees: invisible, in the colour of what lies below, tiny, off the page, covered.

Only pages with something suspicious are looked at, and only there everything drawn is walked in its order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.calls import (
    form_count,
    form_object,
    object_bounds,
    object_color,
    object_matrix,
    object_type,
    page_object,
    path_mode,
)
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.lines import LIGHT, MIXED, TINY, TINY_BELOW_PT, UNSEEN, TextLines
from pageindex_core.records import Box, Line

_SCAN_SHARE = 0.5
"""Share of a page that its images cover from which invisible text is the legitimate layer of an OCRed scan."""

_TINY_HEIGHT_PT = 2.0
"""Displayed height of a line that is as small as its font says: 1.5 points with ascender and descender."""

_TINY_LETTERS = 3
"""Letters and digits from which a tiny line says something; some fonts do not state the true size of full stops."""

_LEAST_CONTRAST = 16
"""Of 255, in the channel that differs most: what an eye tells apart on paper or screen."""

_LAST_OBJECTS = 32
"""An image that hides text is drawn after it; so many objects from the page's end are asked for their kind. Asking all
of a page of drawings would cost as much as its text."""

_MAX_OBJECTS = 20_000
"""Objects walked on a suspicious page: a bound on hostile files. What comes later counts as seen."""

_MAX_FORM_DEPTH = 8

_PIXELS_A_POINT = 2
"""How finely a line is painted to see whether it shows."""
_MOST_PIXELS = 4_000
"""Of one edge of such a picture: two metres of paper."""

_RECTANGLE_SEGMENTS = 5
"""Segments of a path that fills its bounds: a start, four sides at most."""

_Rgb: TypeAlias = tuple[float, float, float]
_WHITE: _Rgb = (255.0, 255.0, 255.0)
_Place: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top in page space."""
_Matrix: TypeAlias = tuple[float, float, float, float, float, float]


class _Ground(NamedTuple):
    """Something drawn that is no text."""

    rank: int
    """Its place in the order of drawing."""
    address: int
    kind: int
    place: _Place


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
    page = _PaintedPage(raw_page, geometry)
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
    address = ctypes.addressof(raw_page.contents)
    count = pdfium_c.FPDFPage_CountObjects(raw_page)
    images = [
        geometry.box(*place)
        for index in range(max(count - _LAST_OBJECTS, 0), count)
        if object_type(item := page_object(address, index)) == pdfium_c.FPDF_PAGEOBJ_IMAGE and (place := _place(item))
    ]
    area = geometry.width_pt * geometry.height_pt
    if not images or any((box.x1 - box.x0) * (box.y1 - box.y0) >= area for box in images):
        return set()
    return {
        index
        for index, line in enumerate(found.lines)
        for image in images
        if line.box and _holds(image, *_middle(line.box))
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


def _seen_spans(page: _PaintedPage, found: TextLines, index: int) -> list[tuple[int, int]]:
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
        pdfium_c.FPDFPageObj_SetIsActive(_typed(piece), 0)
    without = _picture(raw_page, box, geometry)
    for piece in pieces:
        pdfium_c.FPDFPageObj_SetIsActive(_typed(piece), 1)
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


class _PaintedPage:
    """All that a page draws, walked once."""

    def __init__(self, raw_page: Any, geometry: PageGeometry) -> None:
        self._rank: dict[int, int] = {}
        self._grounds: list[_Ground] = []
        for rank, (item, kind, forms) in enumerate(_walk(raw_page)):
            self._rank[item] = rank
            if kind != pdfium_c.FPDF_PAGEOBJ_TEXT and (place := _place(item, forms)):
                self._grounds.append(_Ground(rank, item, kind, place))
        shown = sum(
            max(min(ground.place[2], geometry.right) - max(ground.place[0], geometry.left), 0.0)
            * max(min(ground.place[3], geometry.top) - max(ground.place[1], geometry.bottom), 0.0)
            for ground in self._grounds
            if ground.kind == pdfium_c.FPDF_PAGEOBJ_IMAGE
        )
        self.is_scan = shown >= _SCAN_SHARE * geometry.width_pt * geometry.height_pt

    def is_hidden(self, found: TextLines, char_index: int, piece: int) -> bool:
        """Whether the piece of a suspicious line to which a character belongs cannot be seen."""
        odd = found.oddness(char_index)
        if odd & UNSEEN:
            return not self.is_scan
        place = found.page_box(char_index)
        if place is None:
            return False
        return bool(odd & LIGHT) and piece in self._rank and not self._stands_out(piece, place)

    def is_covered(self, found: TextLines, index: int) -> bool:
        """Whether an image that hides what lies below was drawn over both ends of a line and its middle."""
        first, last = found.spans[index]
        rank = self._rank.get(found.piece(first))
        places = [found.page_box(char_index) for char_index in (first, (first + last) // 2, last)]
        if rank is None or self.is_scan:
            return False
        return any(
            ground.rank > rank
            and ground.kind == pdfium_c.FPDF_PAGEOBJ_IMAGE
            and all(place and _holds(ground.place, *_middle(place)) for place in places)
            and not pdfium_c.FPDFPageObj_HasTransparency(_typed(ground.address))
            for ground in self._grounds
        )

    def _stands_out(self, piece: int, place: _Place) -> bool:
        """Whether light text lies on something of another colour. An image or a shading counts as another colour."""
        below: _Rgb | None = _WHITE
        color = _color(piece)
        if color is None:
            return True
        x, y = _middle(place)
        own_rank = self._rank[piece]
        for rank, item, kind, (left, bottom, right, top) in self._grounds:
            if rank > own_rank:
                break
            if left <= x <= right and bottom <= y <= top:
                if kind != pdfium_c.FPDF_PAGEOBJ_PATH:
                    below = None
                elif pdfium_c.FPDFPath_CountSegments(_typed(item)) <= _RECTANGLE_SEGMENTS:
                    below = _over(below, item)
                elif _differs(color[0], _over(below, item)):
                    return True  # a shape of which only the bounds are known may lie here
        return _differs(color[0], below)


def _walk(raw_page: Any) -> Iterator[tuple[int, int, tuple[_Matrix, ...]]]:
    """Address, kind and enclosing forms of everything drawn, in its order."""
    page = ctypes.addressof(raw_page.contents)
    count = min(pdfium_c.FPDFPage_CountObjects(raw_page), _MAX_OBJECTS)
    pending: list[tuple[int, tuple[_Matrix, ...]]] = []
    pending.extend((page_object(page, index), ()) for index in reversed(range(count)))
    left = _MAX_OBJECTS
    while pending and left > 0:
        item, forms = pending.pop()
        if not item:
            continue
        left -= 1
        kind = object_type(item)
        if kind == pdfium_c.FPDF_PAGEOBJ_FORM and len(forms) < _MAX_FORM_DEPTH:
            inside = (*forms, _matrix(item))
            below = min(form_count(item), left)
            pending.extend((form_object(item, index), inside) for index in reversed(range(below)))
        else:
            yield item, kind, forms


def _place(item: int, forms: tuple[_Matrix, ...] = ()) -> _Place | None:
    """Left, bottom, right and top of something drawn, in page space."""
    edges = (ctypes.c_float * 4)()
    first = ctypes.addressof(edges)
    if not object_bounds(item, first, first + 4, first + 8, first + 12):
        return None
    left, bottom, right, top = edges
    if not forms:
        return left, bottom, right, top
    corners = [(left, bottom), (right, bottom), (left, top), (right, top)]
    for a, b, c, d, e, f in reversed(forms):
        corners = [(a * x + c * y + e, b * x + d * y + f) for x, y in corners]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _matrix(form: int) -> _Matrix:
    matrix = pdfium_c.FS_MATRIX()
    if not object_matrix(form, ctypes.addressof(matrix)):
        return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _color(item: int) -> tuple[_Rgb, float] | None:
    """Fill colour and opacity; None where it has none."""
    channels = (ctypes.c_uint * 4)()
    first = ctypes.addressof(channels)
    if not object_color(item, first, first + 4, first + 8, first + 12):
        return None
    red, green, blue, alpha = channels
    return (float(red), float(green), float(blue)), alpha / 255


def _over(below: _Rgb | None, path: int) -> _Rgb | None:
    """The colour of a place after a path was filled there."""
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    if not path_mode(path, ctypes.addressof(filled), ctypes.addressof(stroked)) or not filled.value:
        return None if stroked.value and _is_broad(path) else below
    color = _color(path)
    if color is None or below is None:
        return below if color is None or color[1] < 1 else color[0]
    (red, green, blue), share = color
    return (
        red * share + below[0] * (1 - share),
        green * share + below[1] * (1 - share),
        blue * share + below[2] * (1 - share),
    )


def _differs(color: _Rgb, below: _Rgb | None) -> bool:
    """Whether a colour is told from what lies below; what is unknown counts as another colour."""
    return below is None or max(abs(one - other) for one, other in zip(color, below, strict=True)) >= _LEAST_CONTRAST


def _is_broad(path: int) -> bool:
    """Whether a stroked line is broad enough to carry text, as some programs draw their banners."""
    width = ctypes.c_float()
    return bool(pdfium_c.FPDFPageObj_GetStrokeWidth(_typed(path), width)) and width.value >= 4


def _typed(address: int) -> Any:
    return ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)


def _middle(place: _Place) -> tuple[float, float]:
    return (place[0] + place[2]) / 2, (place[1] + place[3]) / 2


def _holds(place: _Place, x: float, y: float) -> bool:
    return place[0] <= x <= place[2] and place[1] <= y <= place[3]
