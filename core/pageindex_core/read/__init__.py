"""Takes a file, bytes or loaded documents, gives ``Pages``."""

from __future__ import annotations

from pageindex_core.options import ReadOptions
from pageindex_core.read.batches import Earlier
from pageindex_core.read.finding import Found, find_sources, survey
from pageindex_core.read.loaded import LoadedDocument, read_loaded, source_of_loaded
from pageindex_core.read.source import Source, identify, open_source
from pageindex_core.read.spans import spans_of_loaded
from pageindex_core.records import Pages

__all__ = [
    "Earlier",
    "Found",
    "LoadedDocument",
    "Source",
    "find_sources",
    "identify",
    "open_source",
    "read_loaded",
    "read_pages",
    "source_of_loaded",
    "spans_of_loaded",
    "survey",
]


def read_pages(source: Source, options: ReadOptions | None = None) -> Pages:
    """Read a source in its own format.

    Raises:
        InputError: it cannot be read; the subclass says why.
    """
    options = options or ReadOptions()
    if source.media_type == "application/pdf":
        from pageindex_core.read.pdf.document import read_pdf  # PDFium is loaded when a PDF is met, not before

        return read_pdf(source, options)
    if source.media_type == "text/markdown":
        from pageindex_core.read.markdown import read_markdown

        return read_markdown(source, options)
    from pageindex_core.read.text import read_text

    return read_text(source, options)
