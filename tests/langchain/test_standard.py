"""LangChain's own standard suite for retrievers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from pageindex_langchain import PageIndex, PageIndexRetriever


class TestPageIndexRetriever(RetrieversIntegrationTests):
    """Over a library that holds more units than the suite asks for."""

    @pytest.fixture(autouse=True)
    def _library(self, manuals: Path) -> None:
        self._index = PageIndex.from_files(manuals)

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        """The class under test."""
        return PageIndexRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        """Its one required argument."""
        return {"library": self._index.library}

    @property
    def retriever_query_example(self) -> str:
        """A question that both manuals say something about."""
        return "How often is the filter replaced?"
