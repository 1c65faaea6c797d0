"""Pages of an open PDF -> Page records, each page loaded once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.links import Destinations, LinkArea, read_label, read_link_areas
from pageindex_core.read.pdf.tags import HeadingTags
from pageindex_core.read.pdf.text import PageText, read_page_text
from pageindex_core.records import Link, Note, Page

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PagesRead:
    """Some pages of a document as read, by page index: what one process gives to another."""

    pages: dict[int, Page] = field(default_factory=dict)
    areas: dict[int, list[LinkArea]] = field(default_factory=dict)
    geometries: dict[int, PageGeometry] = field(default_factory=dict)
    unreadable: dict[int, str] = field(default_factory=dict)
    """Why a page could not be read."""
    hidden: dict[int, int] = field(default_factory=dict)
    """Lines left out because nobody sees them."""
    garbled: dict[int, int] = field(default_factory=dict)
    """Lines left out because their font does not say what they show."""
    scattered: list[int] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    textless: list[int] = field(default_factory=list)

    def take(self, other: PagesRead) -> None:
        """Add what was read elsewhere."""
        for mine, theirs in (
            (self.pages, other.pages),
            (self.areas, other.areas),
            (self.geometries, other.geometries),
            (self.unreadable, other.unreadable),
            (self.hidden, other.hidden),
            (self.garbled, other.garbled),
        ):
            mine.update(theirs)  # type: ignore[arg-type]
        self.scattered += other.scattered
        self.blank += other.blank
        self.textless += other.textless

    def finished(self, count: int, destinations: Destinations) -> tuple[Page, ...]:
        """The first ``count`` pages with their links, which may lead to pages read later."""
        destinations.geometries.update(self.geometries)
        return tuple(
            replace(self.pages[index], links=_links(self.areas[index], destinations))
            if index in self.areas
            else self.pages[index]
            for index in range(count)
        )

    def notes(self, page_count: int) -> tuple[Note, ...]:
        """What has to be said about the pages: those without text above all, since nothing on them can be found."""
        notes = [
            Note("page_unreadable", f"Page {index + 1} could not be read: {why}.", index + 1)
            for index, why in sorted(self.unreadable.items())
        ]
        textless, blank = sorted(self.textless), sorted(self.blank)
        if textless and len(textless) + len(blank) == page_count:
            notes.append(Note("no_text", "No page has text: the file is probably a scan and needs OCR first."))
        elif textless:
            shown = f"Pages without text but with images or drawings (scans need OCR first), {len(textless)}"
            notes.append(Note("pages_without_text", f"{shown} of {page_count}: {ranges(textless)}."))
        if blank:
            notes.append(Note("pages_blank", f"Blank pages, {len(blank)} of {page_count}: {ranges(blank)}."))
        notes.extend(
            Note(
                "text_unreadable",
                f"{_lines(lines)} of page {index + 1} came out as other characters than are shown, "
                "since the font does not say which; left out (OCR would help).",
                index + 1,
            )
            for index, lines in sorted(self.garbled.items())
        )
        if self.hidden:
            where = ranges(sorted(self.hidden))
            shown = f"{_lines(sum(self.hidden.values()))} that no reader sees left out, on pages: {where}."
            notes.append(Note("hidden_text", shown))
        if self.scattered:
            where = ranges(sorted(self.scattered))
            notes.append(Note("vertical_text", f"Vertical text whose order is not known, on pages: {where}."))
        return tuple(notes)


class PageReader:
    """Reads pages of one document, in any order."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.destinations = Destinations(document)
        self.tags = HeadingTags(document)
        self._document = document

    @property
    def has_bookmarks(self) -> bool:
        """Whether the file has an outline of its own, whatever it is worth."""
        return bool(pdfium_c.FPDFBookmark_GetFirstChild(self._document.raw, None))

    def read(self, page_indexes: Iterable[int], *, tags: bool) -> PagesRead:
        """Give the pages; one that cannot be read becomes an empty page and a note."""
        read = PagesRead()
        for page_index in page_indexes:
            self._read(page_index, self.tags if tags else None, read)
        return read

    def _read(self, page_index: int, tags: HeadingTags | None, read: PagesRead) -> None:
        label = read_label(self._document, page_index)
        raw_page = pdfium_c.FPDF_LoadPage(self._document.raw, page_index)
        if not raw_page:
            return _broken(page_index, label, "its object is missing or broken", read)
        try:
            geometry = PageGeometry.of(raw_page)
            read.geometries[page_index] = geometry
            text = read_page_text(raw_page, geometry, tags)
            if text is None:
                return _broken(page_index, label, "its content cannot be parsed", read)
            if not text.lines and not text.hidden and not text.unreadable:
                has_content = pdfium_c.FPDFPage_CountObjects(raw_page) > 0
                (read.textless if has_content else read.blank).append(page_index + 1)
            areas = read_link_areas(self.destinations, raw_page, geometry)
        finally:
            pdfium_c.FPDF_ClosePage(raw_page)
        _remark(page_index, text, read)
        if areas:
            read.areas[page_index] = areas
        read.pages[page_index] = Page(
            page_index + 1, text.lines, label, geometry.width_pt, geometry.height_pt, heading_tags=text.heading_tags
        )
        return None


def _remark(page_index: int, text: PageText, read: PagesRead) -> None:
    if text.hidden:
        read.hidden[page_index + 1] = text.hidden
    if text.unreadable:
        read.garbled[page_index] = text.unreadable
    if text.is_scattered:
        read.scattered.append(page_index + 1)


def _broken(page_index: int, label: str | None, why: str, read: PagesRead) -> None:
    _log.warning("page %d cannot be read: %s", page_index + 1, why)
    read.unreadable[page_index] = why
    read.pages[page_index] = Page(page_index + 1, (), label)


def _links(areas: Iterable[LinkArea], destinations: Destinations) -> tuple[Link, ...]:
    return tuple(Link(box, *destinations.place(target)) for box, target in areas)


def _lines(count: int) -> str:
    return f"{count} line{'s' if count > 1 else ''}"


def ranges(numbers: Iterable[int]) -> str:
    """Give ascending numbers as people write them: ``2, 5-6, 18-27``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)
