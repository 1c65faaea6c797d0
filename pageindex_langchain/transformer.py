"""``PageTreeTransformer``: loaded Documents to sections, in the place of a text splitter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

import pageindex_core  # the indexing functions are loaded when something is transformed
from pageindex_core.errors import OptionError
from pageindex_core.library import open_library
from pageindex_core.options import IndexOptions
from pageindex_core.records import Unit
from pageindex_langchain.documents import to_document, to_loaded


class PageTreeTransformer(BaseDocumentTransformer):
    """Turns what a loader produced, whole or one Document a page, into the sections of page trees.

    Each Document starts with its document, section path and pages, so that an embedding knows where it stands, and has
    the text, ``id`` and ``metadata["node_id"]`` that ``PageIndexRetriever`` gives the same section.

    Args:
        unit: What a Document is: ``auto`` (leaf sections, and windows of long ones), ``section``, ``window``, ``page``.
        header: Whether ``page_content`` starts with the line that names document, section and pages.
        options: How trees are built.
    """

    def __init__(self, *, unit: Unit = "auto", header: bool = True, options: IndexOptions | None = None) -> None:
        self.unit = unit
        self.header = header
        self.options = options

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Give the sections of all documents, sorted by name of document.

        Args:
            documents: As a loader gave them, without a text splitter.
            **kwargs: None are known.
        """
        if kwargs:
            raise OptionError(
                f"{', '.join(sorted(kwargs))}: unknown argument of PageTreeTransformer.",
                "It would be ignored without a word.",
                "Set unit, header and options when making it.",
            )
        from pageindex_core.search.inventory import units_of  # search is loaded when something is transformed

        library = open_library()
        pageindex_core.index_loaded(to_loaded(documents), library, options=self.options)
        return [to_document(hit, header=self.header, scores=False) for hit in units_of(library, unit=self.unit)]
