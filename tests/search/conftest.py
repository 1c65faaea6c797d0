"""A real library in memory, and documents indexed into it by the real pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages
from written_documents import write_pages


@pytest.fixture
def library() -> Library:
    """An empty library in memory."""
    return open_library(None)


@pytest.fixture
def add(library: Library) -> Callable[..., str]:
    """Index a document, written down as ``write_pages`` takes it, and give its id."""

    def index(name: str, page_texts: Sequence[str], **options: Any) -> str:
        folder = options.pop("folder", "/")
        info, _ = index_pages(write_pages(name, page_texts, **options), library, folder=folder)
        return info.doc_id

    return index
