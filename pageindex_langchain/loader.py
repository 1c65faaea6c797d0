"""``PageIndexLoader``: files as Documents, one a section, for any vector store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

import pageindex_core  # the indexing functions are loaded when something is loaded
from pageindex_core.library import open_library
from pageindex_core.options import IndexOptions
from pageindex_core.records import Paths, Unit
from pageindex_langchain.documents import to_document


class PageIndexLoader(BaseLoader):
    """Loads files as the sections of their page trees, one file at a time.

    Each Document is what ``PageIndexRetriever`` gives for the same section of the same file: the same text, ``id`` and
    ``metadata["node_id"]``, without score. So a vector store filled from here and the retriever can be fused, and
    count nothing double.

    Args:
        paths: Files, folders and glob patterns.
        unit: What a Document is: ``auto`` (leaf sections, and windows of long ones), ``section``, ``window``, ``page``.
        header: Whether ``page_content`` starts with the line that names document, section and pages.
        options: How files are read and their trees built.
        metadata: Attached to each Document.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        unit: Unit = "auto",
        header: bool = True,
        options: IndexOptions | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.paths = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.unit = unit
        self.header = header
        self.options = options
        self.metadata = metadata

    def lazy_load(self) -> Iterator[Document]:
        """Give the Documents of one file after the other.

        Raises:
            InputError: a file cannot be read.
        """
        from pageindex_core.read.finding import find_sources
        from pageindex_core.search.inventory import units_of  # search is loaded when something is loaded

        for path in find_sources(self.paths):
            library = open_library()
            pageindex_core.index_source(path, library, metadata=self.metadata, options=self.options)
            for hit in units_of(library, unit=self.unit):
                yield to_document(hit, header=self.header, scores=False)
