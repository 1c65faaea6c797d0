"""Takes ``Pages``, gives the ``Outline``: the document's headings in reading order."""

from __future__ import annotations

from pageindex_core.options import OutlineOptions
from pageindex_core.outline.choose import choose
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.markdown_pages import as_print
from pageindex_core.outline.turned import as_displayed, as_read
from pageindex_core.records import Note, Outline, Pages

__all__ = ["find_headings"]


def find_headings(pages: Pages, options: OutlineOptions | None = None) -> Outline:
    """Find the headings of a document.

    Formats that declare their headings are taken at their word. A document without any text gives the source
    ``unreadable``, one without headings ``pages``; neither is refused.
    """
    options = options or OutlineOptions()
    if pages.headings is not None:
        shares = {"markup": 1.0} if pages.headings else {}
        return Outline(pages.headings, "markup" if pages.headings else "pages", shares)
    if not pages.has_text and not (options.use_bookmarks and pages.bookmarks):
        note = Note("unreadable", "The document has no text; it needs OCR before it can be indexed or searched.")
        return Outline((), "unreadable", {}, (note,))
    printed = as_print(pages.pages)
    turned = as_read(printed)
    outline = choose(pages, Layout.measure(turned), use_bookmarks=options.use_bookmarks)
    return outline if turned is printed else as_displayed(outline, printed, turned)
