"""PDF bytes -> Pages, with PDFium (through pypdfium2) as the only text engine.

PDFium is not safe to call from two threads at once, so one lock of this module guards every call into it. Code of
your own that uses PDFium in other threads of the same process has to take ``PDFIUM_LOCK`` too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.errors import DamagedFileError, InputError, NoPagesError, PasswordRequiredError
from pageindex_core.options import ReadOptions
from pageindex_core.read.lost_letters import mend_lost_letters
from pageindex_core.read.pdf.links import read_bookmarks
from pageindex_core.read.pdf.page import PageReader, PagesRead
from pageindex_core.read.pdf.processes import process_count, read_spread
from pageindex_core.read.pdf.tags import probe
from pageindex_core.read.repair import join_split_words
from pageindex_core.read.source import Source
from pageindex_core.records import Note, Pages

PDFIUM_LOCK = threading.RLock()
"""Held while PDFium works."""

_EOF_WITHIN = 2048
"""How far from its end a whole file has its ``%%EOF``; readers allow junk behind it (1,024 bytes in Acrobat)."""


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
            raise _no_pages(source)
        wanted = count if options.max_pages is None else min(count, options.max_pages)
        if wanted < count:
            notes.append(Note("pages_cut", f"Only the first {wanted} of {count} pages were read (max_pages)."))
        reader = PageReader(document)
        read = _read(reader, wanted, source.data, options)
        pages = read.finished(wanted, reader.destinations)
        bookmarks = read_bookmarks(reader.destinations, notes)
        if document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL:
            notes.append(Note("dynamic_form", "The file is a dynamic XFA form; its real content is not available."))
    if _is_cut_short(source.data):
        if read.unreadable:
            raise _damaged(source, f"It ends before its end mark, and {len(read.unreadable)} of its {count} pages")
        notes.append(Note("end_missing", "The file ends before its end mark, yet all its pages were read."))
    if len(read.unreadable) == len(pages):
        raise _damaged(source, f"All {len(pages)} pages")
    return Pages(
        source_id=source.source_id,
        name=source.name,
        media_type=source.media_type,
        fingerprint=source.fingerprint,
        pages=join_split_words(mend_lost_letters(pages)),
        metadata=source.metadata,
        bookmarks=bookmarks,
        notes=(*notes, *read.notes(len(pages))),
    )


def _read(reader: PageReader, count: int, data: bytes, options: ReadOptions) -> PagesRead:
    """Read the pages. Tags are read on all of them when the first looked at, spread over the file, mark a heading."""
    read = PagesRead()
    wanted = not reader.has_bookmarks if options.heading_tags is None else options.heading_tags
    if wanted and reader.tags.is_tagged:
        read = reader.read(probe(count), tags=True)
    tags = any(page.heading_tags for page in read.pages.values())
    processes = process_count(options.processes, count)

    def read_here(share: range) -> PagesRead:
        return reader.read((index for index in share if index not in read.pages), tags=tags)

    read.take(read_spread(read_here, range(count), processes, data, options.password, tags))
    return read


@contextmanager
def _opened(source: Source, options: ReadOptions) -> Iterator[pdfium.PdfDocument]:
    try:
        document = _open(source.data, options.password)
    except pdfium.PdfiumError as error:
        raise _translated(error, source, options) from error
    try:
        yield document
    finally:
        document.close()


def _open(data: bytes, password: str | None) -> pdfium.PdfDocument:
    # PDFium keeps the code of its last failure, and sets none for a file without pages: a load that must fail for
    # another reason makes sure that what is found afterwards belongs to this file.
    pdfium_c.FPDF_LoadDocument(b"", None)
    try:
        return pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        if password is None or error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
            raise
    return pdfium.PdfDocument(data)  # the password may be meant for other files of the same run


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
    if error.err_code == pdfium_c.FPDF_ERR_FILE:
        return _no_pages(source)
    if _is_cut_short(source.data):
        why = "It ends before its end mark, so it was probably cut short."
    else:
        why = "PDFium finds no document structure in it."
    return DamagedFileError(f"{source.name} cannot be opened as PDF.", why, "Fetch or export the file again.")


def _no_pages(source: Source) -> NoPagesError:
    return NoPagesError(f"{source.name} has no pages.", "There is nothing to index.", "Check how it was made.")


def _damaged(source: Source, what: str) -> DamagedFileError:
    return DamagedFileError(f"{source.name} is damaged.", f"{what} cannot be read.", "Fetch or export the file again.")


def _is_cut_short(data: bytes) -> bool:
    if b"%%EOF" in data[-_EOF_WITHIN:]:  # as in most files, without a copy of the whole
        return False
    return b"%%EOF" not in data.rstrip(b"\0\t\r\n ")[-_EOF_WITHIN:]  # transfers in blocks pad a file with zeros
