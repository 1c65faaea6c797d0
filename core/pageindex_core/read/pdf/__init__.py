"""PDF bytes -> Pages: PDFium's lines with places and fonts, mended, in reading order, without what no reader sees.

``document`` opens the file and joins the rest: ``page`` loads each page, ``text`` runs its steps.
"""

from __future__ import annotations

from pageindex_core.read.pdf.document import PDFIUM_LOCK, read_pdf

__all__ = ["PDFIUM_LOCK", "read_pdf"]
