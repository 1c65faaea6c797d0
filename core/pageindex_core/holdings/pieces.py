"""Pieces of documents that a caller's own store keeps: what a framework has loaded, or the pages of a file.

Nothing is lost on the way: a file's pages carry their lines' boxes, fonts and links in metadata, so that what is
indexed from stored pieces has the same sections, ids, pages and boxes as what was indexed from the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.holdings.parts import Part
from pageindex_core.library.portable import document_to_text, page_to_text, pages_from_texts
from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import ChatModel
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.pipeline import index_loaded, index_pages
from pageindex_core.read import LoadedDocument, source_of_loaded, spans_of_loaded
from pageindex_core.records import Pages, Span

PAGE_KEY = "pageindex_page"
"""Metadata of a page of a file: the page with its layout, encoded as in a library."""

DOCUMENT_KEY = "pageindex_document"
"""Metadata of the first page of a file: what is known of the whole, as JSON."""

LAYOUT_KEYS = (PAGE_KEY, DOCUMENT_KEY)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stored text of a document."""

    piece_id: str
    ref_id: str
    """What the caller calls the document it came from; for a page of a file the file's source."""
    text: str
    metadata: Mapping[str, Any]
    payload: Any = None
    """The caller's own object; None for a page of a file that was read just now."""

    @property
    def is_file_page(self) -> bool:
        """Whether it is a page of a file, and not what a framework loaded."""
        return PAGE_KEY in self.metadata

    @property
    def source_id(self) -> str:
        """The source it belongs to: by its metadata, else the document it came from."""
        return self.ref_id if self.is_file_page else source_of_loaded(self.loaded)

    @property
    def loaded(self) -> LoadedDocument:
        """The piece as the reader takes it."""
        return LoadedDocument(self.text, self.metadata, self.ref_id)


def index_pieces(
    pieces: Sequence[Piece],
    library: Library,
    options: IndexOptions,
    model: ChatModel | None = None,
    model_options: ModelOptions | None = None,
    *,
    keep_pages: bool = False,
) -> tuple[Part, ...]:
    """Index one document from its pieces, in the order in which they were added; give what each of them holds.

    With ``keep_pages``, pages that the library has of it from elsewhere stay: see ``index_loaded``.
    """
    if pieces[0].is_file_page:
        pages = _file_pages(pieces)
        index_pages(pages, library, options=options, model=model, model_options=model_options)
        spans = [Span(page.page_number, page.page_number) for page in pages.pages]
    else:
        loaded = [piece.loaded for piece in pieces]
        index_loaded(loaded, library, keep_pages=keep_pages, options=options, model=model, model_options=model_options)
        spans = spans_of_loaded(loaded)
    source_id = pieces[0].source_id
    return tuple(Part(piece.piece_id, piece.ref_id, source_id, span) for piece, span in zip(pieces, spans, strict=True))


def page_metadata(pages: Pages) -> list[dict[str, Any]]:
    """Give what each page of a file says of itself: the file's metadata, its name and path, and its page label."""
    own = {**pages.metadata, "file_name": pages.name, "file_path": pages.source_id}
    return [{**own, "page_label": page.page_label or str(page.page_number)} for page in pages.pages]


def page_id(source_id: str, page_number: int) -> str:
    """Give the id of a page of a file."""
    return f"{source_id}:page-{page_number}"


def file_pieces(pages: Pages) -> list[Piece]:
    """Give a file's pages as pieces, one each, of which ``index_pieces`` makes the same ``Pages`` again."""
    pieces: list[Piece] = []
    for page, metadata in zip(pages.pages, page_metadata(pages), strict=True):
        metadata[PAGE_KEY] = page_to_text(page)
        if not pieces:
            metadata[DOCUMENT_KEY] = document_to_text(pages)
        pieces.append(Piece(page_id(pages.source_id, page.page_number), pages.source_id, page.text, metadata))
    return pieces


def _file_pages(pieces: Sequence[Piece]) -> Pages:
    document = next(piece.metadata[DOCUMENT_KEY] for piece in pieces if DOCUMENT_KEY in piece.metadata)
    return pages_from_texts(pieces[0].ref_id, document, [piece.metadata[PAGE_KEY] for piece in pieces])
