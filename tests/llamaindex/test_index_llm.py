"""An LLM of the framework at work while documents are added, and as the model that retrievers ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from llama_index.core import Document, StorageContext, load_index_from_storage
from llama_index.core.llms import LLM

from pageindex_core.errors import OptionError
from pageindex_core.options import ModelOptions
from pageindex_core.testing import ModelServer
from pageindex_llamaindex import PageIndex
from reading_models import purposes, reading

MakeLLM = Callable[..., LLM]
LONG = " ".join(["Every pump needs a seal that keeps the water in."] * 25)
"""300 tokens: too long to be its own summary."""


@pytest.fixture
def pumps() -> Document:
    return Document(text=f"# Pumps\n\n{LONG}\n\n# Valves\n\nThey close.\n", id_="pumps", metadata={"file_name": "p.md"})


def summaries(index: PageIndex) -> dict[str, str]:
    """The summary of each section of the only document."""
    (info,) = index.library.list()
    return {section.title: section.summary or "" for section in index.library.tree(info.doc_id).walk()}


@pytest.mark.parametrize("calls_functions", [True, False])
def test_documents_are_described_by_the_llm(
    pumps: Document, server: ModelServer, make_llm: MakeLLM, tmp_path: Path, calls_functions: bool
) -> None:
    """Long sections and the document get the model's words, short ones keep their own."""
    server.answer = reading()
    index = PageIndex.from_documents([pumps], library=tmp_path, index_llm=make_llm(calls_functions=calls_functions))
    assert summaries(index)["Pumps"].startswith("About Pumps")
    assert "They close." in summaries(index)["Valves"]
    assert index.library.list()[0].description.startswith("About")  # type: ignore[union-attr]
    assert sorted(purposes(server.requests)) == ["description", "summary"]


def test_files_are_described_too_and_options_hold(
    notes: Path, server: ModelServer, make_llm: MakeLLM, tmp_path: Path
) -> None:
    """``from_files`` takes the same arguments, and a limit of calls is kept."""
    notes.write_text(f"# Pumps\n\n{LONG}\n", "utf-8")
    server.answer = reading()
    PageIndex.from_files(
        notes, library=tmp_path / "library", index_llm=make_llm(), model_options=ModelOptions(max_calls=0)
    )
    assert server.requests == []
    PageIndex.from_files(notes, library=tmp_path / "other", index_llm=make_llm())
    assert len(server.requests) == 2


def test_what_the_llm_wrote_is_there_after_loading(
    pumps: Document, server: ModelServer, make_llm: MakeLLM, tmp_path: Path
) -> None:
    """The library keeps it, and an index loaded without a model asks nobody."""
    server.answer = reading()
    index = PageIndex.from_documents([pumps], library=tmp_path / "library", index_llm=make_llm())
    index.storage_context.persist(str(tmp_path / "stored"))
    asked = len(server.requests)
    again = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path / "stored")))
    assert isinstance(again, PageIndex)
    assert summaries(again) == summaries(index)
    assert len(server.requests) == asked


def test_a_docstore_alone_is_refused(pumps: Document, make_llm: MakeLLM) -> None:
    """Where nothing would keep what the model wrote, it is not paid for."""
    with pytest.raises(OptionError, match="library="):
        PageIndex.from_documents([pumps], index_llm=make_llm())


def test_the_indexs_own_llm_is_asked_unless_another_is_given(
    pumps: Document, server: ModelServer, make_llm: MakeLLM
) -> None:
    """``llm=`` of the index serves its retrievers and engines; ``llm=`` of a retriever goes before it."""
    index = PageIndex.from_documents([pumps], llm=make_llm())
    index.as_retriever(retriever_mode="tree").retrieve("pump seal")
    index.as_retriever(retriever_mode="tree", llm=make_llm(calls_functions=False)).retrieve("pump seal")
    assert [bool(each.tools) for each in server.requests] == [True, False]
