"""Writes small synthetic PDFs for the tests of every stage.

A page is a list of placed things, a list from ``page(...)``, or plain text. All positions are points from the top
left of the displayed page, and ``y`` of a text is its baseline. Pages are A4. The bytes are the same on every run.

>>> from pdf_builder import Run, build_pdf, page
>>> pdf = build_pdf(
...     [
...         page("# 1 Pumps", "Each pump moves 40 litres a minute.", "## 1.1 Seals", "Replace seals every year."),
...         [Run("2 Valves", y=80, size=18, bold=True), Run("Valves close by spring.", y=110)],
...         "Three plain lines\\nof body text\\non the last page",
...     ],
...     bookmarks=[(1, "1 Pumps", 1), (2, "1.1 Seals", 1, 120), (1, "2 Valves", 2)],
...     labels={1: "i", 2: "1"},
... )
>>> pdf[:5]
b'%PDF-'

Files for one kind of trouble each are made by the functions of ``damage`` and ``outlines``; ``test_pdf_builder.py``
proves with PDFium alone that each is what it claims.
"""

from __future__ import annotations

from pdf_builder.bitmap_fonts import with_bitmap_fonts
from pdf_builder.build import build_pdf
from pdf_builder.damage import (
    cropped,
    encrypted,
    image_only,
    not_pdf,
    truncated,
    xfa_form,
    zero_pages,
)
from pdf_builder.items import (
    Fill,
    Picture,
    Rule,
    Run,
    contents_entry,
    font_for,
    heading,
    lines,
    page,
    paragraph,
    text_width_pt,
)
from pdf_builder.meanings import with_meanings
from pdf_builder.navigation import Link
from pdf_builder.outlines import (
    broken_outline_root,
    outline_with_bad_destinations,
    outline_with_cycle,
    outline_with_one_bad_entry,
    outline_with_strange_titles,
)

__all__ = [
    "Fill",
    "Link",
    "Picture",
    "Rule",
    "Run",
    "broken_outline_root",
    "build_pdf",
    "contents_entry",
    "cropped",
    "encrypted",
    "font_for",
    "heading",
    "image_only",
    "lines",
    "not_pdf",
    "outline_with_bad_destinations",
    "outline_with_cycle",
    "outline_with_one_bad_entry",
    "outline_with_strange_titles",
    "page",
    "paragraph",
    "text_width_pt",
    "truncated",
    "with_bitmap_fonts",
    "with_meanings",
    "xfa_form",
    "zero_pages",
]
