"""Documents and a guard for the LlamaIndex tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, Settings
from llama_index.core.llms import LLM

from answering_models import by_words
from pageindex_core.testing import ModelServer
from pdf_builder import build_pdf, page

PAGES = (
    ("# 1 Pumps", "Each pump moves 40 litres a minute.", "## 1.1 Seals", "Replace the seals every year."),
    ("## 1.2 Bearings", "Grease the bearings with lithium soap.", "# 2 Valves", "Valves close by a spring."),
    ("# 3 Filters", "The filter is replaced every 500 hours.", "Rinse the mesh in clear water."),
)


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test resolves a default model, or an embedding: that would need a key."""
    monkeypatch.setattr(Settings, "_llm", None)
    monkeypatch.setattr(Settings, "_embed_model", None)
    yield
    assert Settings._llm is None
    assert Settings._embed_model is None


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    """A PDF of three pages, labelled i, 1 and 2, with bookmarks."""
    path = tmp_path / "manual.pdf"
    bookmarks = [(1, "1 Pumps", 1), (2, "1.1 Seals", 1), (2, "1.2 Bearings", 2), (1, "2 Valves", 2)]
    bookmarks.append((1, "3 Filters", 3))
    path.write_bytes(build_pdf([page(*items) for items in PAGES], bookmarks=bookmarks, labels={1: "i", 2: "1"}))
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A Markdown file with two levels of headings."""
    path = tmp_path / "notes.md"
    path.write_text("# Storage\n\nKeep spare parts dry.\n\n## Shelf life\n\nRubber seals last five years.\n", "utf-8")
    return path


Paged = Callable[..., list[Document]]


@pytest.fixture
def paged() -> Paged:
    """Makes what LlamaIndex's PDF readers give: one Document a page, with the page's label."""

    def make(file: str, *texts: str, **metadata: str | int) -> list[Document]:
        return [
            Document(
                text=text,
                id_=f"{file}-{number}",
                metadata={"file_name": file, "file_path": f"/data/{file}", "page_label": str(number), **metadata},
            )
            for number, text in enumerate(texts, start=1)
        ]

    return make


@pytest.fixture
def report(paged: Paged) -> list[Document]:
    """A report of three pages, each about something of its own."""
    return paged(
        "report.pdf",
        "1 Revenue\nRevenue grew by nine percent in the north.",
        "2 Staff\nThe company employs 412 people.",
        "3 Risks\nCopper prices may rise.",
    )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model server that chooses by the words of what it is shown, until told otherwise."""
    with ModelServer(by_words()) as running:
        yield running


@pytest.fixture
def make_llm(server: ModelServer) -> Callable[..., LLM]:
    """Makes LLMs of the framework that talk to the server over the real wire."""
    openai_like = pytest.importorskip("llama_index.llms.openai_like")

    def make(*, calls_functions: bool = True, **settings: Any) -> LLM:
        defaults = {"api_base": server.base_url, "api_key": "test", "max_retries": 0, "timeout": 5.0}
        llm: LLM = openai_like.OpenAILike(
            model="test-model",
            is_chat_model=True,
            is_function_calling_model=calls_functions,
            **{**defaults, **settings},
        )
        return llm

    return make
