"""The retriever called in every way that LangChain's runnables offer, and pages and sections through other parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever, MergerRetriever
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index as index_api
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tracers import BaseTracer
from langchain_openai import ChatOpenAI
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from keyword_retriever import KeywordRetriever
from pageindex_core.testing import ModelServer
from pageindex_langchain import PageIndex, PageIndexLoader, PageIndexRetriever
from pdf_builder import build_pdf, page

Pages = Callable[..., list[Document]]

QUESTION = "How often is the strainer cartridge replaced?"


# What every Runnable can do


def test_wrapped_retrievers_answer_as_the_plain_one(retriever: PageIndexRetriever) -> None:
    """Pipes, bindings, configurations, retries, fallbacks and alternatives pass questions and settings on."""
    expected = retriever.invoke(QUESTION)
    assert (retriever | RunnableLambda(len)).invoke(QUESTION) == 4
    assert retriever.with_config(tags=["manuals"], run_name="manuals").invoke(QUESTION) == expected
    assert retriever.with_retry().with_fallbacks([retriever]).invoke(QUESTION) == expected
    either = retriever.configurable_alternatives(
        ConfigurableField(id="which"), default_key="all", one=retriever.bind(k=1)
    )
    assert either.invoke(QUESTION) == expected
    assert either.with_config(configurable={"which": "one"}).invoke(QUESTION) == expected[:1]


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
def test_the_retriever_is_a_tool_by_itself(retriever: PageIndexRetriever) -> None:
    """as_tool takes the question under its one argument."""
    tool = retriever.as_tool(name="manuals", description="Searches the manuals.")
    assert tool.invoke(QUESTION) == retriever.invoke(QUESTION)


async def test_a_batch_keeps_its_order_and_its_failures(retriever: PageIndexRetriever) -> None:
    """A cap on concurrency changes nothing, and a question that is refused costs no other its answer."""
    questions = [QUESTION, "", "lithium grease"]
    config = {"max_concurrency": 2}
    for answers in (
        retriever.batch(questions, config=config, return_exceptions=True),
        await retriever.abatch(questions, config=config, return_exceptions=True),
    ):
        assert [answers[0], answers[2]] == [retriever.invoke(question) for question in questions[::2]]
        assert isinstance(answers[1], ValueError)
    done = dict(retriever.batch_as_completed(["grease", "gap"]))
    assert done == {0: retriever.invoke("grease"), 1: retriever.invoke("gap")}


def test_filter_documents_and_mode_are_configurable_fields(index: PageIndex, manuals: Path, llm: ChatOpenAI) -> None:
    """What a chain's caller may set goes by the fields' own names."""
    fields = {name: ConfigurableField(id=name) for name in ("k", "filter", "mode")}
    open_to_callers = index.as_retriever(search_kwargs={"llm": llm}).configurable_fields(**fields)
    chosen = {"k": 2, "filter": {"source": str(manuals / "boiler.md")}, "mode": "tree"}
    found = open_to_callers.with_config(configurable=chosen).invoke("ignition electrodes")
    assert [document.metadata["file_name"] for document in found] == ["boiler.md"] * 2
    assert found[0].metadata["found_by"] == "model"


def test_runs_name_the_retriever(retriever: PageIndexRetriever) -> None:
    """Tracers see the retriever's name among the run's metadata, beside what the caller adds."""
    runs: list[Any] = []

    class Keep(BaseTracer):
        def _persist_run(self, run: Any) -> None:
            runs.append(run)

    retriever.invoke(QUESTION, config={"callbacks": [Keep()], "metadata": {"tenant": "a"}, "tags": ["manuals"]})
    metadata = runs[0].extra["metadata"]
    assert (metadata["ls_retriever_name"], metadata["tenant"], runs[0].tags) == ("pageindex", "a", ["manuals"])


async def test_each_step_of_the_map_is_an_event(index: PageIndex, llm: ChatOpenAI) -> None:
    """In tree mode what was shown and chosen is in the event stream before the trace, under the retriever's run."""
    retriever = index.as_retriever(search_kwargs={"mode": "tree", "llm": llm})
    events = [event async for event in retriever.astream_events("ignition electrodes", version="v2")]
    steps = [event for event in events if event["name"] == "pageindex_step"]
    assert {event["data"]["kind"] for event in steps} == {"step"}
    assert len(steps) >= 2
    assert {event["run_id"] for event in steps} == {events[0]["run_id"]}
    assert events[-1]["event"] == "on_retriever_end"
    models = [event for event in events if event["event"] == "on_chat_model_start"]
    assert [event["parent_ids"][0] for event in models] == [events[0]["run_id"]]


# Many at once


async def test_fifty_guided_questions_at_once_equal_fifty_in_a_row(
    index: PageIndex, llm: ChatOpenAI, server: ModelServer
) -> None:
    """Each question gets what its own model call chose, with no more calls at once than the model's cap."""
    retriever = index.as_retriever(search_kwargs={"mode": "tree", "llm": llm})
    words = ("strainer", "grease", "electrodes", "radiator", "warranty", "anchors", "housing", "suction", "gap", "vent")
    questions = [f"{words[number % 10]} {number}" for number in range(50)]
    in_a_row = [retriever.invoke(question) for question in questions]
    server.forget()
    assert await asyncio.gather(*map(retriever.ainvoke, questions)) == in_a_row
    assert (len(server.requests), server.max_in_flight <= 8) == (50, True)
    assert len({documents[0].id for documents in in_a_row}) > 4
    assert {documents[0].metadata["found_by"] for documents in in_a_row} == {"model"}


# Ids, pages and paths through other parts


@pytest.mark.parametrize("id_key", [None, "node_id"])
async def test_ensemble_keeps_every_page_of_a_section(tmp_path: Path, id_key: str | None) -> None:
    """Five pages of one section, and a page that two files share, all stay apart and none adds up with itself."""
    for name in ("north", "south"):
        strands = [page(f"Strand {number} of the {name} rope is inspected.") for number in range(2, 6)]
        pages = [page("# Ropes", f"Ropes of the {name}."), *strands, page("# Notice", "No liability is accepted.")]
        bookmarks = [(1, "Ropes", 1), (1, "Notice", 6)]
        (tmp_path / f"{name}.pdf").write_bytes(build_pdf(pages, bookmarks=bookmarks))
    ours = PageIndexRetriever.from_files(tmp_path, unit="page", k=12)
    keywords = KeywordRetriever(corpus=PageIndexLoader(tmp_path, unit="page").load(), k=12)
    ensemble = EnsembleRetriever(retrievers=[ours, keywords], weights=[0.5, 0.5], id_key=id_key)
    for fused in (ensemble.invoke("rope strand liability"), await ensemble.ainvoke("rope strand liability")):
        cited = [
            (document.metadata["file_name"], document.metadata["page"], document.metadata["section_path"])
            for document in fused
        ]
        assert sorted(cited) == [
            (f"{name}.pdf", number, "Notice" if number == 5 else "Ropes")
            for name in ("north", "south")
            for number in range(6)
        ]
    alone = EnsembleRetriever(retrievers=[ours], weights=[1.0], id_key=id_key).invoke("rope strand liability")
    assert [document.id for document in alone] == [document.id for document in ours.invoke("rope strand liability")]


def test_merged_retrievers_repeat_the_same_documents(retriever: PageIndexRetriever) -> None:
    """MergerRetriever alternates without looking, so its doubles are there to be told by their ids."""
    found = retriever.invoke(QUESTION)
    merged = MergerRetriever(retrievers=[retriever, retriever]).invoke(QUESTION)
    assert [document.id for document in merged] == [document.id for document in found for _ in range(2)]


def test_a_splitter_behind_us_keeps_path_and_page(manuals: Path) -> None:
    """Splitters copy metadata alone; section, pages and id of every chunk are there, and short enough to copy."""
    sections = PageIndexLoader(manuals).load()
    chunks = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0).split_documents(sections)
    assert len(chunks) > len(sections)
    by_id = {document.metadata["node_id"]: document.metadata for document in sections}
    assert all(chunk.metadata == by_id[chunk.metadata["node_id"]] for chunk in chunks)
    grease = next(chunk for chunk in chunks if "lithium" in chunk.page_content)
    assert grease.metadata["section_path"] == "Pump P7 > Maintenance > Bearings"
    assert grease.metadata["page_start"] == 1


def test_a_splitter_before_us_costs_no_page_number(pages: Pages) -> None:
    """Chunks of loaded pages join their page again, and the section's heading is found on it."""
    chunks = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0).split_documents(pages())
    assert len(chunks) > 8
    (found,) = PageIndexRetriever.from_documents(chunks, k=1).invoke("wires broken in ropes")
    assert (found.metadata["section_path"], found.metadata["page"]) == ("2 Ropes", 1)
    assert found.metadata["total_pages"] == 4


def test_headings_that_a_splitter_took_away_are_not_missed(manuals: Path) -> None:
    """Markdown cut by its headings loses the lines; kept in the text, they are our sections again."""
    splitter = MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2"), ("###", "h3")], strip_headers=False)
    chunks = splitter.split_text((manuals / "pump.md").read_text(encoding="utf-8"))
    for chunk in chunks:
        chunk.metadata["source"] = "pump.md"
    found = PageIndexRetriever.from_documents(chunks, k=1).invoke("lithium grease")[0]
    assert found.metadata["section_path"] == "Pump P7 > Maintenance > Bearings"


def test_langchains_indexing_function_wants_a_store_of_single_documents(index: PageIndex, pages: Pages) -> None:
    """index() deletes chunk by chunk, and refuses other stores itself; add_documents skips what is unchanged."""
    records = InMemoryRecordManager("manuals")
    with pytest.raises(TypeError, match="DocumentIndex"):
        index_api(pages(), records, index, key_encoder="sha256")  # type: ignore[arg-type]
    first, again = index.add_documents(pages()), index.add_documents(pages())
    assert first == again
    assert index.report is not None
    assert (len(index.report.indexed), len(index.report.unchanged)) == (0, 1)
