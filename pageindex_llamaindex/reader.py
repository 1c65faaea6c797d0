"""``PageIndexReader``: files as LlamaIndex documents, read by the core, a page or a section each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from pageindex_core.holdings.pieces import page_id, page_metadata
from pageindex_core.library import open_library
from pageindex_core.options import IndexOptions, check_one_of
from pageindex_core.pipeline import index_pages
from pageindex_core.read import find_sources, open_source, read_pages
from pageindex_core.read.source import Source
from pageindex_core.records import Metadata, Pages, Paths
from pageindex_core.search.inventory import units_of
from pageindex_llamaindex.nodes import NOT_FOR_EMBEDDING, NOT_FOR_MODELS, unit_metadata

Split = Literal["page", "section"]
"""``page``: one Document a page, as the framework's PDF readers give. ``section``: one for each unit of the tree."""

_Told = tuple[str, str, dict[str, Any]]
"""Id, text and metadata of a Document."""


class PageIndexReader(BaseReader):
    """Reads PDF, Markdown and text files, alone or for ``SimpleDirectoryReader``.

    ::

        documents = PageIndexReader().load_data("manual.pdf")
        SimpleDirectoryReader("reports", file_extractor={".pdf": PageIndexReader(split="section")})

    ``PageIndex.from_files`` keeps more of a PDF's layout than documents can carry; use it where nothing stands between.

    Args:
        split: What a Document holds.
        options: How files are read and, for sections, their trees built.

    Raises:
        OptionError: an unknown ``split``.
    """

    def __init__(self, *, split: Split = "page", options: IndexOptions | None = None) -> None:
        check_one_of("split", split, get_args(Split))
        self.split = split
        self.options = options or IndexOptions()

    def lazy_load_data(self, file: Paths, extra_info: Metadata | None = None, fs: Any = None) -> Iterable[Document]:
        """Give the documents of files, one file after the other.

        Args:
            file: A file, folder or glob pattern, or several.
            extra_info: Metadata for each document.
            fs: The fsspec file system that ``file`` is on; None for the local one.

        Raises:
            InputError: a file cannot be read.
        """
        is_page = self.split == "page"
        for source in _sources(file, extra_info or {}, fs):
            pages = read_pages(source, self.options.reading)
            for node_id, text, metadata in _pages(pages) if is_page else _sections(pages, self.options):
                yield Document(
                    text=text,
                    id_=node_id,
                    metadata=metadata,
                    excluded_llm_metadata_keys=list(NOT_FOR_MODELS),
                    excluded_embed_metadata_keys=list(NOT_FOR_MODELS if is_page else NOT_FOR_EMBEDDING),
                )


def _sources(paths: Paths, metadata: Metadata, fs: Any) -> Iterator[Source]:
    if fs is None:
        for path in find_sources(paths):
            yield open_source(path, metadata=metadata)
        return
    for file in map(str, [paths] if isinstance(paths, (str, Path)) else paths):
        with fs.open(file, "rb") as opened:
            data = opened.read()
        yield open_source(data, source_id=file, name=Path(file).name, metadata=metadata)


def _pages(pages: Pages) -> Iterator[_Told]:
    for page, metadata in zip(pages.pages, page_metadata(pages), strict=True):
        yield page_id(pages.source_id, page.page_number), page.text, metadata


def _sections(pages: Pages, options: IndexOptions) -> Iterator[_Told]:
    library = open_library()
    index_pages(pages, library, options=options)
    for hit in units_of(library):
        yield hit.unit_id, hit.text, unit_metadata(hit)
