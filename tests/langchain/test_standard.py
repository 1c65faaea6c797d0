"""LangChain's own standard suites for retrievers and tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from pageindex_langchain import PageIndex, PageIndexRetriever, PageIndexToolkit

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("browse_documents", {"query": "warranty", "limit": 2}),
    ("get_document", {"doc_name": "pump.md"}),
    ("get_document_structure", {"doc_name": "pump.md", "depth": 1}),
    ("find_in_document", {"doc_name": "pump.md", "query": "grease"}),
    ("get_page_content", {"doc_name": "boiler.md", "pages": "1"}),
    ("remove_document", {"doc_name": "boiler.md"}),
]
"""Each tool with arguments that the suite calls it by."""


class OneTool:
    """What both suites need to know of the tool under test."""

    @pytest.fixture(autouse=True, params=CALLS, ids=[name for name, _ in CALLS])
    def _tool(self, request: pytest.FixtureRequest, manuals: Path) -> None:
        name, self._arguments = request.param
        toolkit = PageIndexToolkit(library=PageIndex.from_files(manuals).library, management=True)
        (self._under_test,) = (tool for tool in toolkit.get_tools() if tool.name == name)

    @property
    def tool_constructor(self) -> BaseTool:
        """The tool itself."""
        return self._under_test

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        """Its arguments."""
        return self._arguments


class TestToolsAlone(OneTool, ToolsUnitTests):
    """Each of the six tools, not called."""


class TestToolsCalled(OneTool, ToolsIntegrationTests):
    """Each of the six tools, called."""


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
