"""Bookmarks, links and page labels of an open PDF, with every destination form that PDFium resolves."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from ctypes import byref, c_int, c_void_p
from typing import Any, NamedTuple, TypeAlias

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.calls import (
    action_dest,
    action_type,
    bookmark_action,
    bookmark_dest,
    dest_location,
    dest_page,
    link_action,
    link_dest,
    link_rect,
    next_link,
    pointer_to,
)
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.records import Bookmark, Box, Note

MAX_BOOKMARKS = 50_000
"""Entries read from one outline: far above any real book, and a bound on hostile files."""

MAX_LINKS_A_PAGE = 2_000
"""Links read from one page, the same bound for link annotations."""

_Room = ctypes.c_char * 256
"""Room for a label or a title in UTF-16; longer ones are asked for again."""

_TOP_EDGE = {pdfium_c.PDFDEST_VIEW_FITH: 0, pdfium_c.PDFDEST_VIEW_FITBH: 0, pdfium_c.PDFDEST_VIEW_FITR: 3}
"""Which number of a view is the height of its top edge: ISO 32000-1, table 151."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff]+")


class Target(NamedTuple):
    """Where a destination leads, in the page's own space; None for what it does not say."""

    page_index: int
    x: float | None
    y: float | None


LinkArea: TypeAlias = tuple[Box, Target]
"""A link as read: where it is displayed, and where it leads."""


class Destinations:
    """Tells where the destinations of one document lead.

    The height on the target page can be told once that page's geometry is known, that is, after it was read.
    """

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.document = document
        self.geometries: dict[int, PageGeometry] = {}
        """By page index, filled in as pages are read."""
        self._page_count = len(document)
        self._handle = byref(document.raw.contents)
        flags, values = (ctypes.c_int * 3)(), (ctypes.c_float * 3)()
        self._known, self._point = memoryview(flags).cast("B").cast("i"), memoryview(values).cast("B").cast("f")
        self._to_location = tuple(byref(numbers, 4 * axis) for numbers in (flags, values) for axis in range(3))
        self._view_count = ctypes.c_ulong()
        self._view = (ctypes.c_float * 4)()

    def of_link(self, link: Any) -> Target | None:
        """Where a link leads; None where that is no page of this document."""
        return self._target(link_dest(self._handle, link) or self._of_action(link_action(link)))

    def of_bookmark(self, entry: Any) -> Target | None:
        """Where a bookmark leads; None where that is no page of this document."""
        return self._target(bookmark_dest(self._handle, entry) or self._of_action(bookmark_action(entry)))

    def _of_action(self, address: int | None) -> int | None:
        """Address of the destination of an action; None of one that goes nowhere in this document."""
        if address and action_type(action := pointer_to(address)) == pdfium_c.PDFACTION_GOTO:
            dest: int | None = action_dest(self._handle, action)
            return dest
        return None

    def _target(self, address: int | None) -> Target | None:
        """Resolve a destination."""
        if not address:
            return None
        dest = pointer_to(address)
        page_index = dest_page(self._handle, dest)
        if not 0 <= page_index < self._page_count:
            return None
        if dest_location(dest, *self._to_location):
            known_x, known_y, _ = self._known.tolist()
            x, y, _ = self._point.tolist()
            return Target(page_index, x if known_x else None, y if known_y else None)
        mode = pdfium_c.FPDFDest_GetView(ctypes.cast(address, pdfium_c.FPDF_DEST), self._view_count, self._view)
        edge = self._view[_TOP_EDGE[mode]] if _TOP_EDGE.get(mode, 4) < self._view_count.value else 0.0
        return Target(page_index, None, edge or None)  # a null edge is given as 0

    def place(self, target: Target) -> tuple[int, float | None]:
        """Page number and displayed height from the top, None where the destination names the page alone."""
        geometry = self.geometries.get(target.page_index)
        y = None if geometry is None else geometry.height_of(target.x, target.y)
        return target.page_index + 1, y


def read_bookmarks(destinations: Destinations, notes: list[Note]) -> tuple[Bookmark, ...]:
    """Walk the outline in reading order, to any depth, each entry once.

    Loops are cut and entries without a title or a page are kept with a note, so that the caller can decide.
    """
    document = destinations.document
    found: list[Bookmark] = []
    seen: set[int] = set()
    untitled = lost = 0
    pending = [(pdfium_c.FPDFBookmark_GetFirstChild(document.raw, None), 1)]
    while pending:
        entry, level = pending.pop()
        if not entry:
            continue
        address = ctypes.addressof(entry.contents)
        if address in seen:
            notes.append(Note("bookmarks_loop", "The bookmarks form a loop; it was cut where it closes."))
            continue
        if len(found) >= MAX_BOOKMARKS:
            notes.append(Note("bookmarks_cut", f"Only the first {MAX_BOOKMARKS:,} bookmarks were read."))
            break
        seen.add(address)
        pending.append((pdfium_c.FPDFBookmark_GetNextSibling(document.raw, entry), level))
        pending.append((pdfium_c.FPDFBookmark_GetFirstChild(document.raw, entry), level + 1))
        title = _text(pdfium_c.FPDFBookmark_GetTitle, entry)
        target = destinations.of_bookmark(entry)
        page_number, y = destinations.place(target) if target else (None, None)
        untitled += not title
        lost += page_number is None
        found.append(Bookmark(title or "(untitled)", level, page_number, y))
    if untitled:
        notes.append(Note("bookmarks_untitled", f"{untitled} bookmarks have no title."))
    if lost:
        notes.append(Note("bookmarks_lost", f"{lost} of {len(found)} bookmarks lead to no page of this file."))
    return tuple(found)


def read_link_areas(destinations: Destinations, raw_page: Any, geometry: PageGeometry) -> list[LinkArea]:
    """The links of a page that lead into the same document, in annotation order."""
    areas: list[LinkArea] = []
    page = byref(raw_page.contents)
    position, link, rect = c_int(0), c_void_p(), pdfium_c.FS_RECTF()
    to_position, to_link, to_rect = byref(position), byref(link), byref(rect)
    while len(areas) < MAX_LINKS_A_PAGE and next_link(page, to_position, to_link):
        target = destinations.of_link(link)
        if target is not None and link_rect(link, to_rect):
            areas.append((geometry.box(rect.left, rect.bottom, rect.right, rect.top), target))
    return areas


def read_label(document: pdfium.PdfDocument, page_index: int) -> str | None:
    """The stored label of a page; None where the file has no labels."""
    return _text(pdfium_c.FPDF_GetPageLabel, document.raw, page_index) or None


def _text(function: Callable[..., int], *arguments: Any) -> str:
    """What a function of PDFium writes in UTF-16, with its end, to the place it is given last."""
    buffer: ctypes.Array[ctypes.c_char] = _Room()
    size = function(*arguments, buffer, len(buffer))
    if size > len(buffer):
        buffer = ctypes.create_string_buffer(size)
        function(*arguments, buffer, size)
    return _clean(buffer.raw[: size - 2].decode("utf-16-le", "replace")) if size > 2 else ""


def _clean(title: str) -> str:
    return " ".join(_CONTROL.sub(" ", title).split())
