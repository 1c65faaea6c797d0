"""The retriever among LangChain's own parts: chains, ensembles, tools, agents, tracing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any
from uuid import UUID

import pytest
from langchain.agents import create_agent
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever, MultiQueryRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.tools import create_retriever_tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field

from keyword_retriever import KeywordRetriever
from pageindex_langchain import PageIndex, PageIndexRetriever

Pages = Callable[..., list[Document]]

QUESTION = "How often is the strainer cartridge replaced?"


def joined(documents: Sequence[Document]) -> str:
    return "\n\n".join(document.page_content for document in documents)


class Parrot(GenericFakeChatModel):
    """A chat model that keeps what it was asked, and can be given tools."""

    asked: list[list[BaseMessage]] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, Any]:
        return self


async def test_a_chain_answers_from_the_retrieved_context(retriever: PageIndexRetriever) -> None:
    """In LCEL the retriever feeds the prompt, sync and async, and the model sees text and place."""
    model = Parrot(messages=iter([AIMessage("Every 400 hours."), AIMessage("Every 400 hours.")]))
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {question}")
    chain = {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
    assert chain.invoke(QUESTION) == "Every 400 hours."
    assert await chain.ainvoke(QUESTION) == "Every 400 hours."
    first, second = (messages[0].content for messages in model.asked)
    assert first == second
    assert "every 400 operating hours" in first
    assert "[pump.md > Pump P7 > Maintenance > Filter, page 1" in first


def test_a_chain_over_a_dict_picks_the_question(retriever: PageIndexRetriever) -> None:
    """The remedy that the error for a dict names works."""
    chain = itemgetter("question") | retriever
    assert chain.invoke({"question": QUESTION}) == retriever.invoke(QUESTION)


@pytest.mark.parametrize("id_key", [None, "node_id"])
def test_ensemble_over_the_same_units_counts_none_twice(index: PageIndex, id_key: str | None) -> None:
    """Beside a keyword retriever over the same units, each unit comes once, and agreement lifts it."""
    ours = index.as_retriever(search_kwargs={"k": 50})
    units = ours.invoke("warranty")
    ensemble = EnsembleRetriever(
        retrievers=[ours, KeywordRetriever(corpus=units, k=50)], weights=[0.5, 0.5], id_key=id_key
    )
    fused = ensemble.invoke("strainer cartridge")
    assert sorted(document.metadata["node_id"] for document in fused) == sorted(
        document.metadata["node_id"] for document in units
    )
    assert fused[0].metadata["title"] == "Filter"


@pytest.mark.parametrize("id_key", [None, "node_id"])
async def test_ensemble_loses_no_page_of_equal_text(pages: Pages, id_key: str | None) -> None:
    """A boilerplate page that two files share stays two Documents, each citing its own file."""
    boilerplate = "Disclaimer\nFigures are unaudited and no liability is accepted."
    loaded = [
        *pages("north.pdf", ("Sales of the north\nSales rose by nine percent.", boilerplate)),
        *pages("south.pdf", ("Sales of the south\nSales fell by two percent.", boilerplate)),
    ]
    ours = PageIndexRetriever.from_documents(loaded, unit="page", k=4)
    for number, document in enumerate(chunks := [document.model_copy(deep=True) for document in loaded]):
        document.metadata["node_id"] = f"chunk-{number}"
    ensemble = EnsembleRetriever(retrievers=[ours, KeywordRetriever(corpus=chunks)], weights=[0.6, 0.4], id_key=id_key)
    for fused in (ensemble.invoke("unaudited liability"), await ensemble.ainvoke("unaudited liability")):
        cited = [
            (document.metadata["source"], document.metadata["page"])
            for document in fused
            if document.metadata["node_id"][:5] != "chunk" and "unaudited" in document.page_content
        ]
        assert sorted(cited) == [("north.pdf", 1), ("south.pdf", 1)]
        assert [document.metadata["source"] for document in fused if "nine" in document.page_content]


async def test_multi_query_gives_each_unit_once(index: PageIndex) -> None:
    """Several wordings of one question find a unit several times; without scores it is seen to be the same."""
    wordings = AIMessage("strainer cartridge\nreplace the filter cartridge\nhours until the strainer is replaced")
    model = Parrot(messages=iter([wordings, wordings]))
    several = MultiQueryRetriever.from_llm(index.as_retriever(search_kwargs={"scores": False}), model)
    for found in (several.invoke(QUESTION), await several.ainvoke(QUESTION)):
        ids = [document.id for document in found]
        assert len(set(ids)) == len(ids) >= 4
        assert found[0].metadata["title"] == "Filter"


def test_compression_passes_arguments_through(retriever: PageIndexRetriever) -> None:
    """A reranker's retriever hands k on to ours."""

    class Reverse(BaseDocumentCompressor):
        def compress_documents(
            self, documents: Sequence[Document], query: str, callbacks: Any = None
        ) -> Sequence[Document]:
            return list(reversed(documents))

    compressed = ContextualCompressionRetriever(base_compressor=Reverse(), base_retriever=retriever)
    assert compressed.invoke(QUESTION, k=3) == retriever.invoke(QUESTION, k=3)[::-1]


def test_an_agents_checkpoint_keeps_the_artifact(retriever: PageIndexRetriever) -> None:
    """What a graph writes to its checkpoint and reads back still names every place."""
    call = {"type": "tool_call", "id": "1", "name": "manuals", "args": {"query": QUESTION}}
    tool = create_retriever_tool(retriever, "manuals", "Searches.", response_format="content_and_artifact")
    model = Parrot(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Every 400 hours.")]))
    agent = create_agent(model, tools=[tool], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": [("user", QUESTION)]}, thread)
    kept = [message for message in agent.get_state(thread).values["messages"] if isinstance(message, ToolMessage)]
    assert [Document.model_validate(entry) for entry in kept[0].artifact] == retriever.invoke(QUESTION)


async def test_retriever_tool_cites_through_a_document_prompt(retriever: PageIndexRetriever) -> None:
    """Any of our keys may stand in the prompt, and the Documents come back as the artifact."""
    tool = create_retriever_tool(
        retriever,
        "manuals",
        "Searches the manuals.",
        document_prompt=PromptTemplate.from_template(
            "{source}|{title}|{section_path}|{page}|{page_label}|{page_start}-{page_end}/{total_pages}|{doc_id}|{node_id}|"
            "{score}|{file_name}|{found_by}|{quote}\n{page_content}"
        ),
        response_format="content_and_artifact",
    )
    call = {"type": "tool_call", "id": "1", "name": "manuals", "args": {"query": QUESTION}}
    for message in (tool.invoke(call), await tool.ainvoke(call)):
        assert isinstance(message, ToolMessage)
        assert "|Filter|Pump P7 > Maintenance > Filter|0|" in message.content
        assert message.artifact == retriever.invoke(QUESTION)


def test_an_agent_uses_the_retriever_tool(retriever: PageIndexRetriever) -> None:
    """create_agent runs the tool, and the model's next turn has the section before it."""
    call = {"type": "tool_call", "id": "1", "name": "manuals", "args": {"query": QUESTION}}
    model = Parrot(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Every 400 hours.")]))
    agent = create_agent(model, tools=[create_retriever_tool(retriever, "manuals", "Searches the manuals.")])
    state = agent.invoke({"messages": [("user", QUESTION)]})
    assert state["messages"][-1].content == "Every 400 hours."
    assert "every 400 operating hours" in model.asked[1][-1].content


class Watcher(BaseCallbackHandler):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any, UUID | None]] = []

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **kwargs: Any) -> None:
        self.told.append(("start", query, run_id))

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self.told.append((name, data, run_id))

    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **kwargs: Any) -> None:
        self.told.append(("end", len(documents), run_id))

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.told.append(("error", type(error).__name__, run_id))


async def test_callbacks_see_the_run_and_its_trace(retriever: PageIndexRetriever) -> None:
    """Handlers are told of start, trace and end of one run, each once, sync and async."""
    sync, asynchronous = Watcher(), Watcher()
    retriever.invoke(QUESTION, config={"callbacks": [sync]})
    await retriever.ainvoke(QUESTION, config={"callbacks": [asynchronous]})
    for watcher in (sync, asynchronous):
        assert [name for name, _, _ in watcher.told] == ["start", "pageindex_search", "end"]
        assert len({run_id for _, _, run_id in watcher.told}) == 1
        trace = watcher.told[1][1]
        assert trace["navigator"] == "lexical"
        assert trace["units_considered"] >= 4
        assert trace["steps"]
        assert watcher.told[2][1] == 4


def test_callbacks_see_a_refusal(retriever: PageIndexRetriever) -> None:
    """A question that is refused ends the run with an error, not in silence."""
    watcher = Watcher()
    with pytest.raises(ValueError, match="question"):
        retriever.invoke("", config={"callbacks": [watcher]})
    assert [name for name, _, _ in watcher.told] == ["start", "error"]


async def test_event_stream_has_the_trace_and_the_documents(retriever: PageIndexRetriever) -> None:
    """astream_events shows a retriever run with the trace as a custom event."""
    events = [event async for event in retriever.astream_events(QUESTION, version="v2")]
    kinds = [event["event"] for event in events]
    assert kinds == ["on_retriever_start", "on_custom_event", "on_retriever_end"]
    assert events[1]["name"] == "pageindex_search"
    assert events[2]["data"]["output"] == retriever.invoke(QUESTION)
