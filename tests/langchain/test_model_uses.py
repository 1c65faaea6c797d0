"""What a LangChain model does for the core besides choosing: it describes documents, answers, and streams."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers import BaseTracer
from langchain_openai import ChatOpenAI

from answering_models import quoting
from pageindex_core import Answer, ModelOptions, ask, astream_answer, stream_answer
from pageindex_core.errors import ModelAccessError
from pageindex_core.testing import Fault, ModelServer, always
from pageindex_langchain import LangChainModel, PageIndex
from reading_models import reading

WORDS = "12 grams for each nipple"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that chooses the first section and cites the page with the grease."""
    with ModelServer(quoting(WORDS, "Twelve grams of grease.")) as running:
        yield running


@pytest.fixture
def llm(server: ModelServer) -> ChatOpenAI:
    """LangChain's OpenAI model on that server."""
    return ChatOpenAI(model="test-model", base_url=server.base_url, api_key="test", max_retries=0, stream_usage=True)


@pytest.fixture
def long_manual(tmp_path: Path) -> Path:
    """A manual with two chapters, each too long to keep its own text as its summary."""
    kept = "\n\n".join(f"Check number {number} of the pump is written into the log book." for number in range(90))
    file = tmp_path / "long.md"
    file.write_text(f"# Starting\n\n{kept}\n\n# Stopping\n\n{kept}\n", "utf-8")
    return file


async def test_a_model_describes_what_is_added(server: ModelServer, llm: ChatOpenAI, long_manual: Path) -> None:
    """index_llm writes the summaries, within its limits, and is counted; llm alone is never called."""
    server.answer = reading()
    index = PageIndex(index_llm=llm, model_options=ModelOptions(max_calls=20))
    (doc_id,) = await asyncio.to_thread(index.add_files, long_manual)
    summaries = [section.summary or "" for section in index.library.tree(doc_id).walk()]
    assert all(summary.startswith("About ") for summary in summaries), summaries
    assert index.report is not None
    assert index.report.spent is not None
    assert index.report.spent.calls == len(server.requests) > 1
    server.forget()
    PageIndex(llm=llm).add_files(long_manual)
    assert server.requests == []


def test_a_refused_key_stops_indexing(server: ModelServer, llm: ChatOpenAI, long_manual: Path) -> None:
    """No document is called indexed when the model that was asked for cannot be used."""
    server.answer = always(Fault.denied())
    with pytest.raises(ModelAccessError):
        PageIndex.from_files(long_manual, index_llm=llm)


@pytest.mark.parametrize("way", ["at once", "streamed", "streamed async"])
async def test_a_question_is_answered_with_checked_citations(index: PageIndex, llm: ChatOpenAI, way: str) -> None:
    """ask and both streams give the same answer; what is streamed adds up to it."""
    model = LangChainModel(llm)
    told: list[Any] = []
    if way == "at once":
        told = [ask(index.library, "How much grease?", model=model)]
    elif way == "streamed":
        told = list(stream_answer(index.library, "How much grease?", model=model))
    else:
        told = [event async for event in astream_answer(index.library, "How much grease?", model=model)]
    *events, answer = told
    assert isinstance(answer, Answer)
    assert answer.text == "Twelve grams of grease."
    assert [(citation.doc_name, citation.verified) for citation in answer.citations] == [("pump.md", True)]
    pieces = [event.text for event in events if event.kind == "text"]
    assert "".join(pieces) == ("" if way == "at once" else answer.text)
    assert way == "at once" or len(pieces) > 1
    assert not answer.trace.tokens_estimated


class Runs(BaseTracer):
    """Keeps the finished root runs, with their children."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Any] = []

    def _persist_run(self, run: Any) -> None:
        self.roots.append(run)


def test_calls_made_inside_a_chain_are_its_children(index: PageIndex, llm: ChatOpenAI) -> None:
    """A step of a chain that asks the core shows the model's runs below itself, without handing anything on."""
    model = LangChainModel(llm)
    runs = Runs()
    step = RunnableLambda(lambda question: ask(index.library, question, model=model).text)
    assert step.invoke("How much grease?", config={"callbacks": [runs]}) == "Twelve grams of grease."
    (root,) = runs.roots
    assert root.run_type == "chain"
    assert [child.name for child in root.child_runs] == ["pageindex_tree", "pageindex_answer"]
