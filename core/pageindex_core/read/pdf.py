"""PDF bytes -> Pages, with PDFium (through pypdfium2) as the only text engine.

PDFium is not safe to call from two threads at once, so one lock of this module guards every call into it. Code of
your own that uses PDFium in other threads of the same process has to take ``PDFIUM_LOCK`` too.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.errors import DamagedFileError, InputError, NoPagesError, PasswordRequiredError
from pageindex_core.options import ReadOptions
from pageindex_core.read.pdf_lines import PageGeometry, read_lines
from pageindex_core.read.pdf_links import Destinations, read_bookmarks, read_label, read_links
from pageindex_core.read.repair import join_split_words
from pageindex_core.read.source import Source
from pageindex_core.records import Note, Page, Pages

PDFIUM_LOCK = threading.RLock()
"""Held while PDFium works."""

_EOF_WITHIN = 2048
"""How far from its end a whole file has its ``%%EOF``; readers allow junk behind it (1,024 bytes in Acrobat)."""

_log = logging.getLogger(__name__)


def read_pdf(source: Source, options: ReadOptions) -> Pages:
    """Read lines, labels, links and bookmarks of a PDF.

    A page that cannot be read becomes an empty page and a note; so does one without any text.

    Raises:
        PasswordRequiredError: a user password is needed. Files with an empty one open without it.
        DamagedFileError: PDFium cannot open it, or it is cut short and pages are missing.
        NoPagesError: it opens and has no pages.
    """
    notes: list[Note] = []
    with PDFIUM_LOCK, _opened(source, options) as document:
        count = len(document)
        if count == 0:
            raise NoPagesError(f"{source.name} has no pages.", "There is nothing to index.", "Check how it was made.")
        wanted = count if options.max_pages is None else min(count, options.max_pages)
        if wanted < count:
            notes.append(Note("pages_cut", f"Only the first {wanted} of {count} pages were read (max_pages)."))
        destinations = Destinations(document)
        pages = tuple(_read_page(destinations, index, notes) for index in range(wanted))
        bookmarks = read_bookmarks(destinations, notes)
        if document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL:
            notes.append(Note("dynamic_form", "The file is a dynamic XFA form; its real content is not available."))
    unreadable = [note for note in notes if note.code == "page_unreadable"]
    if unreadable and (len(unreadable) == len(pages) or _is_cut_short(source.data)):
        raise DamagedFileError(
            f"{source.name} is damaged.",
            f"{len(unreadable)} of its {len(pages)} pages cannot be read"
            + (", and the file ends before its end mark." if _is_cut_short(source.data) else "."),
            "Fetch or export the file again.",
        )
    return Pages(
        source_id=source.source_id,
        name=source.name,
        media_type=source.media_type,
        fingerprint=source.fingerprint,
        pages=join_split_words(pages),
        metadata=source.metadata,
        bookmarks=bookmarks,
        notes=tuple(notes) + _coverage_notes(pages),
    )


@contextmanager
def _opened(source: Source, options: ReadOptions) -> Iterator[pdfium.PdfDocument]:
    try:
        document = pdfium.PdfDocument(source.data, password=options.password)
    except pdfium.PdfiumError as error:
        raise _translated(error, source, options) from error
    try:
        yield document
    finally:
        document.close()


def _translated(error: pdfium.PdfiumError, source: Source, options: ReadOptions) -> InputError:
    if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
        return PasswordRequiredError(
            f"{source.name} is protected.",
            "The given password is wrong." if options.password else "It opens only with a user password.",
            "Pass it as ReadOptions(password=…), or --password on the command line.",
        )
    if error.err_code == pdfium_c.FPDF_ERR_SECURITY:
        return PasswordRequiredError(
            f"{source.name} is protected.", "Its security scheme is not supported.", "Export an unprotected copy."
        )
    if _has_no_pages(source.data):
        return NoPagesError(f"{source.name} has no pages.", "There is nothing to index.", "Check how it was made.")
    cut = " It ends before its end mark, so it was probably cut short." if _is_cut_short(source.data) else ""
    return DamagedFileError(
        f"{source.name} cannot be opened as PDF.", f"PDFium: {error}.{cut}", "Fetch or export the file again."
    )


def _is_cut_short(data: bytes) -> bool:
    return b"%%EOF" not in data[-_EOF_WITHIN:]


def _has_no_pages(data: bytes) -> bool:
    # PDFium reports a file whose page tree is empty as one of a wrong format.
    folded = b" ".join(data.split())
    return b"/Type /Pages" in folded.replace(b"/Type/Pages", b"/Type /Pages") and (
        b"/Count 0" in folded and not any(mark in folded for mark in (b"/Type /Page ", b"/Type /Page/", b"/Type/Page/"))
    )


def _read_page(destinations: Destinations, page_index: int, notes: list[Note]) -> Page:
    document = destinations.document
    page_number = page_index + 1
    label = read_label(document, page_index)
    raw_page = pdfium_c.FPDF_LoadPage(document.raw, page_index)
    if not raw_page:
        return _unreadable(page_number, label, "its object is missing or broken", notes)
    try:
        geometry = PageGeometry.of(raw_page)
        text_page = pdfium_c.FPDFText_LoadPage(raw_page)
        if not text_page:
            return _unreadable(page_number, label, "its content cannot be parsed", notes)
        try:
            lines = read_lines(text_page, geometry)
        finally:
            pdfium_c.FPDFText_ClosePage(text_page)
        links = read_links(destinations, raw_page, geometry)
    finally:
        pdfium_c.FPDF_ClosePage(raw_page)
    return Page(page_number, lines, label, geometry.width_pt, geometry.height_pt, links)


def _unreadable(page_number: int, label: str | None, why: str, notes: list[Note]) -> Page:
    _log.warning("page %d cannot be read: %s", page_number, why)
    notes.append(Note("page_unreadable", f"Page {page_number} could not be read: {why}.", page_number))
    return Page(page_number, (), label)


def _coverage_notes(pages: tuple[Page, ...]) -> tuple[Note, ...]:
    """Name the pages without text, since nothing on them can be found."""
    empty = [page.page_number for page in pages if not page.lines]
    if not empty:
        return ()
    if len(empty) == len(pages):
        return (Note("no_text", "No page has text: the file is probably a scan and needs OCR first."),)
    shown = ", ".join(map(str, empty[:20])) + (", …" if len(empty) > 20 else "")
    return (
        Note("pages_without_text", f"{len(empty)} of {len(pages)} pages have no text (blank or scanned): {shown}."),
    )
