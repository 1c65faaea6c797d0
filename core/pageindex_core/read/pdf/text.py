"""The text of one loaded page: its lines found, mended, cleared of what is not shown, and put in reading order."""

from __future__ import annotations

from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.doubles import drop_doubles
from pageindex_core.read.pdf.geometry import PageGeometry
from pageindex_core.read.pdf.hidden import hidden_lines
from pageindex_core.read.pdf.initials import join_initials
from pageindex_core.read.pdf.lines import TextLines
from pageindex_core.read.pdf.order import in_reading_order
from pageindex_core.read.pdf.parted import part_lines
from pageindex_core.read.pdf.spaced import join_spaced
from pageindex_core.read.pdf.tags import HeadingTags, tagged_lines
from pageindex_core.read.pdf.torn import join_torn
from pageindex_core.read.pdf.unreadable import unreadable_lines
from pageindex_core.records import Line


class PageText(NamedTuple):
    """What a page says, and what was left out of it."""

    lines: tuple[Line, ...]
    heading_tags: tuple[tuple[int, int], ...] = ()
    hidden: int = 0
    """Lines left out because nobody sees them."""
    unreadable: int = 0
    """Lines left out because their font does not say what they show."""
    is_scattered: bool = False
    """Whether its text is vertical and was drawn across its lines, so that their order is not known."""


def read_page_text(raw_page: Any, geometry: PageGeometry, tags: HeadingTags | None) -> PageText | None:
    """Give the text of a page; None where its content cannot be parsed.

    Args:
        raw_page: The loaded page.
        geometry: Where it is displayed.
        tags: Reads the headings that the file's tags mark; None leaves them.
    """
    text_page = pdfium_c.FPDFText_LoadPage(raw_page)
    if not text_page:
        return None
    try:
        found = TextLines(text_page, geometry)
        count = len(found.lines)
        hidden = hidden_lines(raw_page, found, geometry)
        kept = [index for index in range(count) if index not in hidden] if hidden else list(range(count))
        unreadable = unreadable_lines(found, kept)
        if unreadable:
            kept = [index for index in kept if index not in unreadable]
        kept = join_torn(found, part_lines(found, drop_doubles(found, kept)))
        join_spaced(found, kept)
        kept, is_scattered = in_reading_order(found, kept, geometry)
        kept = join_initials(found, kept)
        marked = tags.of_page(raw_page) if tags else {}
        heading_tags = tagged_lines(marked, (found.piece(found.spans[i][0]) for i in kept)) if marked else ()
    finally:
        pdfium_c.FPDFText_ClosePage(text_page)
    lines = tuple(found.lines[index] for index in kept)
    return PageText(lines, heading_tags, len(hidden), len(unreadable), is_scattered)
