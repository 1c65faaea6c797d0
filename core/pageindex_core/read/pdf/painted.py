"""What a page draws, walked in its order, and which text of it can be seen on what lies below and above."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_float
from itertools import repeat
from typing import Any, TypeAlias

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
    pointer_to,
)
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.lines import LIGHT, UNSEEN, TextLines

_SCAN_SHARE = 0.5
"""Share of a page that its images cover from which invisible text is the legitimate layer of an OCRed scan."""

_LEAST_CONTRAST = 16
"""Of 255, in the channel that differs most: what an eye tells apart on paper or screen."""

_MAX_OBJECTS = 20_000
"""Objects walked on a suspicious page: a bound on hostile files. What comes later counts as seen."""

_MAX_FORM_DEPTH = 8

_RECTANGLE_SEGMENTS = 5
"""Segments of a path that fills its bounds: a start, four sides at most."""

_Rgb: TypeAlias = tuple[float, float, float]
_WHITE: _Rgb = (255.0, 255.0, 255.0)
Place: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top in page space."""
_Matrix: TypeAlias = tuple[float, float, float, float, float, float]

_Ground: TypeAlias = tuple[int, int, int, Place]
"""Something drawn that is no text: its rank in the order of drawing, its address, its kind, and where it is. A plain
tuple, since pages of drawings have thousands."""


class PaintedPage:
    """All that a page draws, walked once."""

    def __init__(self, raw_page: Any, geometry: PageGeometry) -> None:
        items, kinds, forms = _walk(raw_page)
        place_of = Places().of
        self._rank = dict(zip(items, range(len(items)), strict=True))
        self._grounds: list[_Ground] = [
            (rank, item, kind, place)
            for rank, (item, kind) in enumerate(zip(items, kinds, strict=True))
            if kind != pdfium_c.FPDF_PAGEOBJ_TEXT and (place := place_of(item, forms.get(item, ())))
        ]
        shown = sum(
            max(min(right, geometry.right) - max(left, geometry.left), 0.0)
            * max(min(top, geometry.top) - max(bottom, geometry.bottom), 0.0)
            for _, _, kind, (left, bottom, right, top) in self._grounds
            if kind == pdfium_c.FPDF_PAGEOBJ_IMAGE
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
            later > rank
            and kind == pdfium_c.FPDF_PAGEOBJ_IMAGE
            and all(place and holds(ground, *middle(place)) for place in places)
            and not pdfium_c.FPDFPageObj_HasTransparency(typed(address))
            for later, address, kind, ground in self._grounds
        )

    def _stands_out(self, piece: int, place: Place) -> bool:
        """Whether light text lies on something of another colour. An image or a shading counts as another colour."""
        below: _Rgb | None = _WHITE
        color = _color(piece)
        if color is None:
            return True
        x, y = middle(place)
        own_rank = self._rank[piece]
        for rank, item, kind, (left, bottom, right, top) in self._grounds:
            if rank > own_rank:
                break
            if left <= x <= right and bottom <= y <= top:
                if kind != pdfium_c.FPDF_PAGEOBJ_PATH:
                    below = None
                elif pdfium_c.FPDFPath_CountSegments(typed(item)) <= _RECTANGLE_SEGMENTS:
                    below = _over(below, item)
                elif _differs(color[0], _over(below, item)):
                    return True  # a shape of which only the bounds are known may lie here
        return _differs(color[0], below)


def _walk(raw_page: Any) -> tuple[list[int], list[int], dict[int, tuple[_Matrix, ...]]]:
    """Addresses and kinds of everything drawn, in its order, and for what is drawn by forms those around it."""
    count = min(pdfium_c.FPDFPage_CountObjects(raw_page), _MAX_OBJECTS)
    items = list(filter(None, map(page_object, repeat(byref(raw_page.contents)), range(count))))
    kinds = list(map(object_type, items))
    if pdfium_c.FPDF_PAGEOBJ_FORM not in kinds:
        return items, kinds, {}
    return _open_forms(items, kinds)


def _open_forms(items: list[int], kinds: list[int]) -> tuple[list[int], list[int], dict[int, tuple[_Matrix, ...]]]:
    """The same where some of what is drawn are forms: what they draw stands in their place."""
    pending: list[tuple[int, int, tuple[_Matrix, ...]]] = [
        (item, kind, ()) for item, kind in zip(reversed(items), reversed(kinds), strict=True)
    ]
    items, kinds = [], []
    around: dict[int, tuple[_Matrix, ...]] = {}
    left = _MAX_OBJECTS
    while pending and left > 0:
        item, kind, forms = pending.pop()
        left -= 1
        if kind == pdfium_c.FPDF_PAGEOBJ_FORM and len(forms) < _MAX_FORM_DEPTH:
            inside = (*forms, _matrix(item))
            drawn = [form_object(item, index) for index in range(min(form_count(item), left))]
            pending.extend((one, object_type(one), inside) for one in reversed(drawn) if one)
        else:
            items.append(item)
            kinds.append(kind)
            if forms:
                around[item] = forms
    return items, kinds, around


class Places:
    """Tells where things drawn are, and keeps what PDFium writes its answers to."""

    def __init__(self) -> None:
        edges = (c_float * 4)()
        self._edges = memoryview(edges).cast("B").cast("f")
        self._to_edges = tuple(byref(edges, edge * ctypes.sizeof(c_float)) for edge in range(4))

    def of(self, item: int, forms: tuple[_Matrix, ...] = ()) -> Place | None:
        """Left, bottom, right and top of something drawn, in page space."""
        if not object_bounds(pointer_to(item), *self._to_edges):
            return None
        left, bottom, right, top = self._edges
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
    return bool(pdfium_c.FPDFPageObj_GetStrokeWidth(typed(path), width)) and width.value >= 4


def typed(address: int) -> Any:
    """The pointer that pypdfium2's own functions take, for an address."""
    return ctypes.cast(address, pdfium_c.FPDF_PAGEOBJECT)


def middle(place: Place) -> tuple[float, float]:
    """The point in the middle of a place, or of a box."""
    return (place[0] + place[2]) / 2, (place[1] + place[3]) / 2


def holds(place: Place, x: float, y: float) -> bool:
    """Whether a point lies in a place, or in a box."""
    return place[0] <= x <= place[2] and place[1] <= y <= place[3]
