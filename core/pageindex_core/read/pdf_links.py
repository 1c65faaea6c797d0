"""Bookmarks, links and page labels of an open PDF, with every destination form that PDFium resolves."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf_lines import PageGeometry
from pageindex_core.records import Bookmark, Link, Note

MAX_BOOKMARKS = 50_000
"""Entries read from one outline: far above any real book, and a bound on hostile files."""

MAX_LINKS_A_PAGE = 2_000
"""Links read from one page, the same bound for link annotations."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\ufeff\ufffe\uffff]+")


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
        page_number, y = destinations.place(_bookmark_dest(document, entry))
        untitled += not title
        lost += page_number is None
        found.append(Bookmark(title or "(untitled)", level, page_number, y))
    if untitled:
        notes.append(Note("bookmarks_untitled", f"{untitled} bookmarks have no title."))
    if lost:
        notes.append(Note("bookmarks_lost", f"{lost} of {len(found)} bookmarks lead to no page of this file."))
    return tuple(found)


def read_links(destinations: Destinations, raw_page: Any, geometry: PageGeometry) -> tuple[Link, ...]:
    """The links of a page that lead into the same document, in annotation order."""
    raw_document = destinations.document.raw
    links: list[Link] = []
    position = ctypes.c_int(0)
    link = pdfium_c.FPDF_LINK()
    rect = pdfium_c.FS_RECTF()
    while len(links) < MAX_LINKS_A_PAGE and pdfium_c.FPDFLink_Enumerate(raw_page, position, link):
        dest = pdfium_c.FPDFLink_GetDest(raw_document, link)
        if not dest:
            action = pdfium_c.FPDFLink_GetAction(link)
            if not action or pdfium_c.FPDFAction_GetType(action) != pdfium_c.PDFACTION_GOTO:
                continue
            dest = pdfium_c.FPDFAction_GetDest(raw_document, action)
        page_number, y = destinations.place(dest)
        if page_number is not None and pdfium_c.FPDFLink_GetAnnotRect(link, rect):
            links.append(Link(geometry.box(rect.left, rect.bottom, rect.right, rect.top), page_number, y))
    return tuple(links)


def read_label(document: pdfium.PdfDocument, page_index: int) -> str | None:
    """The stored label of a page; None where the file has no labels."""
    size = pdfium_c.FPDF_GetPageLabel(document.raw, page_index, None, 0)
    if size <= 2:
        return None
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


class Destinations:
    """Tells where the destinations of one document lead, remembering the height of each page it was asked for."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.document = document
        self._page_count = len(document)
        self._heights: dict[int, float | None] = {}
        self._flags = [ctypes.c_int() for _ in range(3)]
        self._values = [ctypes.c_float() for _ in range(3)]

    def place(self, dest: Any) -> tuple[int | None, float | None]:
        """Page number and height from the top of a destination; None for what it does not say."""
        if not dest:
            return None, None
        page_index = pdfium_c.FPDFDest_GetDestPageIndex(self.document.raw, dest)
        if not 0 <= page_index < self._page_count:
            return None, None
        known = pdfium_c.FPDFDest_GetLocationInPage(dest, *self._flags, *self._values)
        if not known or not self._flags[1].value:
            return page_index + 1, None
        height = self._height_pt(page_index)
        if height is None:
            return page_index + 1, None
        # The target page is not loaded here, so its crop and rotation are unknown: right for upright, uncropped pages
        # and near enough elsewhere, since the outline stage looks for the title itself.
        return page_index + 1, round(min(max(height - self._values[1].value, 0.0), height), 2)

    def _height_pt(self, page_index: int) -> float | None:
        if page_index not in self._heights:
            size = pdfium_c.FS_SIZEF()
            known = pdfium_c.FPDF_GetPageSizeByIndexF(self.document.raw, page_index, size)
            self._heights[page_index] = size.height if known else None
        return self._heights[page_index]


def _clean(title: str) -> str:
    return " ".join(_CONTROL.sub(" ", title).split())
