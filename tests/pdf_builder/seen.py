"""What PDFium alone sees in a PDF: the yardstick for the builder and for the sample manual."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest

from pdf_builder.items import PAGE_HEIGHT_PT


def texts_of(pdf: bytes | Path, password: str | None = None) -> list[str]:
    """Give the text of each page."""
    with pdfium.PdfDocument(pdf, password=password) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def labels_of(pdf: bytes | Path) -> list[str]:
    """Give the label of each page, "" where it has none."""
    with pdfium.PdfDocument(pdf) as document:
        return [document.get_page_label(index) for index in range(len(document))]


def bookmarks_of(pdf: bytes) -> list[tuple[int, str, int | None, float | None]]:
    """Give level, title, page number and y from the top of each bookmark of an A4 file of the builder."""
    found = []
    with pdfium.PdfDocument(pdf) as document:
        for mark in document.get_toc():
            dest = mark.get_dest()
            page_index = dest.get_index() if dest else None
            mode, view = dest.get_view() if dest else (None, [])
            y = PAGE_HEIGHT_PT - view[1] if mode == pdfium_c.PDFDEST_VIEW_XYZ and len(view) > 1 else None
            found.append((mark.level + 1, mark.get_title(), None if page_index is None else page_index + 1, y))
    return found


def open_error(pdf: bytes) -> int | None:
    """Give PDFium's error code for a file that it must refuse."""
    with pytest.raises(pdfium.PdfiumError) as caught:
        pdfium.PdfDocument(pdf)
    return caught.value.err_code
