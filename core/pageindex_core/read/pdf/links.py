"""Bookmarks, links and page labels of an open PDF, with every destination form that PDFium resolves."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple, TypeAlias

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.records import Bookmark, Box, Note

MAX_BOOKMARKS = 50_000
"""Entries read from one outline: far above any real book, and a bound on hostile files."""

MAX_LINKS_A_PAGE = 2_000
"""Links read from one page, the same bound for link annotations."""

_LABEL_BYTES = 64
"""Room for a page label in UTF-16; longer ones are asked for again."""

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
        self._flags = [ctypes.c_int() for _ in range(3)]
        self._values = [ctypes.c_float() for _ in range(3)]
        self._view_count = ctypes.c_ulong()
        self._view = (ctypes.c_float * 4)()

    def target(self, dest: Any) -> Target | None:
        """Resolve a destination; None where it leads to no page of this document."""
        if not dest:
            return None
        page_index = pdfium_c.FPDFDest_GetDestPageIndex(self.document.raw, dest)
        if not 0 <= page_index < self._page_count:
            return None
        if pdfium_c.FPDFDest_GetLocationInPage(dest, *self._flags, *self._values):
            known_x, known_y, _ = self._flags
            x, y, _ = self._values
            return Target(page_index, x.value if known_x.value else None, y.value if known_y.value else None)
        mode = pdfium_c.FPDFDest_GetView(dest, self._view_count, self._view)
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
        title = _clean(_bookmark_title(entry))
        target = destinations.target(_bookmark_dest(document, entry))
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
    raw_document = destinations.document.raw
    position = ctypes.c_int(0)
    link = pdfium_c.FPDF_LINK()
    rect = pdfium_c.FS_RECTF()
    while len(areas) < MAX_LINKS_A_PAGE and pdfium_c.FPDFLink_Enumerate(raw_page, position, link):
        dest = pdfium_c.FPDFLink_GetDest(raw_document, link)
        if not dest:
            action = pdfium_c.FPDFLink_GetAction(link)
            if not action or pdfium_c.FPDFAction_GetType(action) != pdfium_c.PDFACTION_GOTO:
                continue
            dest = pdfium_c.FPDFAction_GetDest(raw_document, action)
        target = destinations.target(dest)
        if target is not None and pdfium_c.FPDFLink_GetAnnotRect(link, rect):
            areas.append((geometry.box(rect.left, rect.bottom, rect.right, rect.top), target))
    return areas


def read_label(document: pdfium.PdfDocument, page_index: int) -> str | None:
    """The stored label of a page; None where the file has no labels."""
    buffer = ctypes.create_string_buffer(_LABEL_BYTES)
    size = pdfium_c.FPDF_GetPageLabel(document.raw, page_index, buffer, len(buffer))
    if size <= 2:
        return None
    if size > len(buffer):
        buffer = ctypes.create_string_buffer(size)
        pdfium_c.FPDF_GetPageLabel(document.raw, page_index, buffer, size)
    return _clean(buffer.raw[: size - 2].decode("utf-16-le", "replace")) or None


def _bookmark_title(entry: Any) -> str:
    size = pdfium_c.FPDFBookmark_GetTitle(entry, None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium_c.FPDFBookmark_GetTitle(entry, buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def _bookmark_dest(document: pdfium.PdfDocument, entry: Any) -> Any:
    dest = pdfium_c.FPDFBookmark_GetDest(document.raw, entry)
    if dest:
        return dest
    action = pdfium_c.FPDFBookmark_GetAction(entry)
    if action and pdfium_c.FPDFAction_GetType(action) == pdfium_c.PDFACTION_GOTO:
        return pdfium_c.FPDFAction_GetDest(document.raw, action)
    return None


def _clean(title: str) -> str:
    return " ".join(_CONTROL.sub(" ", title).split())
