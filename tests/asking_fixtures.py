"""A real library in memory with documents indexed by the real pipeline, and a model server of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from answering_models import by_words
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.pipeline import index_pages
from pageindex_core.testing import ModelServer
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


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model server that chooses by the words of what it is shown, until told otherwise."""
    with ModelServer(by_words()) as running:
        yield running


@pytest.fixture
def model(server: ModelServer) -> LiteLLMModel:
    """A model on that server, with waits short enough for tests."""
    return LiteLLMModel(
        "openai/test-model", api_base=server.base_url, api_key="test", timeout_s=2.0, first_wait_s=0.001, max_retries=1
    )
