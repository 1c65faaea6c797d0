"""Pages of an open PDF -> Page records, each page loaded once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf_lines import PageGeometry, read_lines
from pageindex_core.read.pdf_links import Destinations, LinkArea, read_label, read_link_areas
from pageindex_core.records import Line, Link, Note, Page

_log = logging.getLogger(__name__)


class PageReader:
    """Reads the pages of one document and collects what has to be said about them."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.destinations = Destinations(document)
        self.unreadable: list[Note] = []
        self._document = document
        self._blank: list[int] = []
        self._textless: list[int] = []

    def read(self, count: int) -> tuple[Page, ...]:
        """Give the first ``count`` pages; one that cannot be read becomes an empty page and a note."""
        read = [self._read(page_index) for page_index in range(count)]
        # A link may lead to a later page, whose crop and rotation are known only now.
        return tuple(replace(page, links=self._links(areas)) if areas else page for page, areas in read)

    def notes(self, page_count: int) -> tuple[Note, ...]:
        """Name the pages without text, since nothing on them can be found."""
        notes = list(self.unreadable)
        if self._textless and len(self._textless) + len(self._blank) == page_count:
            notes.append(Note("no_text", "No page has text: the file is probably a scan and needs OCR first."))
        elif self._textless:
            shown = f"Pages without text but with images or drawings (scans need OCR first), {len(self._textless)}"
            notes.append(Note("pages_without_text", f"{shown} of {page_count}: {ranges(self._textless)}."))
        if self._blank:
            shown = f"Blank pages, {len(self._blank)} of {page_count}"
            notes.append(Note("pages_blank", f"{shown}: {ranges(self._blank)}."))
        return tuple(notes)

    def _read(self, page_index: int) -> tuple[Page, list[LinkArea]]:
        label = read_label(self._document, page_index)
        raw_page = pdfium_c.FPDF_LoadPage(self._document.raw, page_index)
        if not raw_page:
            return self._broken(page_index, label, "its object is missing or broken"), []
        try:
            geometry = PageGeometry.of(raw_page)
            self.destinations.geometries[page_index] = geometry
            lines = _lines(raw_page, geometry)
            if lines is None:
                return self._broken(page_index, label, "its content cannot be parsed"), []
            if not lines:
                (self._textless if pdfium_c.FPDFPage_CountObjects(raw_page) > 0 else self._blank).append(page_index + 1)
            areas = read_link_areas(self.destinations, raw_page, geometry)
        finally:
            pdfium_c.FPDF_ClosePage(raw_page)
        return Page(page_index + 1, lines, label, geometry.width_pt, geometry.height_pt), areas

    def _broken(self, page_index: int, label: str | None, why: str) -> Page:
        page_number = page_index + 1
        _log.warning("page %d cannot be read: %s", page_number, why)
        self.unreadable.append(Note("page_unreadable", f"Page {page_number} could not be read: {why}.", page_number))
        return Page(page_number, (), label)

    def _links(self, areas: Iterable[LinkArea]) -> tuple[Link, ...]:
        return tuple(Link(box, *self.destinations.place(target)) for box, target in areas)


def ranges(numbers: Iterable[int]) -> str:
    """Give ascending numbers as people write them: ``2, 5-6, 18-27``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)


def _lines(raw_page: Any, geometry: PageGeometry) -> tuple[Line, ...] | None:
    text_page = pdfium_c.FPDFText_LoadPage(raw_page)
    if not text_page:
        return None
    try:
        return read_lines(text_page, geometry)
    finally:
        pdfium_c.FPDFText_ClosePage(text_page)
