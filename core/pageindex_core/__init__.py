"""Vectorless, reasoning-based retrieval for long documents.

A document becomes a tree of its own headings; a question is answered by walking that tree to the pages that
matter, and every result names document, section path, pages and boxes::

    from pageindex_core import index_paths, open_library, search

    library = open_library("library")
    index_paths("manual.pdf", library)
    for hit in search(library, "How often is the filter replaced?", k=3).hits:
        print(hit.doc_name, " > ".join(hit.section_path), hit.page_start, hit.score)

Names are loaded when first used, so that importing the package costs milliseconds. ``search`` alone is bound at
once: it shares its name with its folder, and importing that folder later would put the module in its place.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pageindex_core.lazy import lazy_names
from pageindex_core.search import search

if TYPE_CHECKING:
    from pageindex_core.answer import (
        aask as aask,
        ask as ask,
        astream_answer as astream_answer,
        stream_answer as stream_answer,
    )
    from pageindex_core.errors import PageIndexError as PageIndexError
    from pageindex_core.library import open_library as open_library
    from pageindex_core.llm import Budget as Budget, ChatModel as ChatModel
    from pageindex_core.options import (
        DescribeOptions as DescribeOptions,
        IndexOptions as IndexOptions,
        ModelOptions as ModelOptions,
        NavigationOptions as NavigationOptions,
        OutlineOptions as OutlineOptions,
        ReadOptions as ReadOptions,
        TreeOptions as TreeOptions,
    )
    from pageindex_core.pipeline import (
        IndexReport as IndexReport,
        index_loaded as index_loaded,
        index_paths as index_paths,
        index_source as index_source,
        make_tree as make_tree,
    )
    from pageindex_core.read import LoadedDocument as LoadedDocument, read_pages as read_pages
    from pageindex_core.records import (
        Answer as Answer,
        Citation as Citation,
        Event as Event,
        Hit as Hit,
        PageTree as PageTree,
        Scope as Scope,
        SearchResult as SearchResult,
        Section as Section,
    )
    from pageindex_core.search import asearch as asearch
    from pageindex_core.tools import DocumentTools as DocumentTools

__version__ = "0.1.0"

_HOME = {
    "aask": "answer",
    "ask": "answer",
    "astream_answer": "answer",
    "stream_answer": "answer",
    "PageIndexError": "errors",
    "open_library": "library",
    "Budget": "llm",
    "ChatModel": "llm",
    "DescribeOptions": "options",
    "IndexOptions": "options",
    "ModelOptions": "options",
    "OutlineOptions": "options",
    "NavigationOptions": "options",
    "ReadOptions": "options",
    "TreeOptions": "options",
    "IndexReport": "pipeline",
    "index_loaded": "pipeline",
    "index_paths": "pipeline",
    "index_source": "pipeline",
    "make_tree": "pipeline",
    "LoadedDocument": "read",
    "read_pages": "read",
    "Answer": "records",
    "Citation": "records",
    "Event": "records",
    "Hit": "records",
    "PageTree": "records",
    "Scope": "records",
    "SearchResult": "records",
    "Section": "records",
    "asearch": "search",
    "DocumentTools": "tools",
}
__all__ = [*_HOME, "search"]

logging.getLogger(__name__).addHandler(logging.NullHandler())


__getattr__, __dir__ = lazy_names(__name__, _HOME)
