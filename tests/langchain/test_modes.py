"""The retriever's modes: a model chooses, is traced, may fail, and never changes how many Documents come back."""

from __future__ import annotations

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler, get_usage_metadata_callback
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import ConfigurableField
from langchain_core.tracers import BaseTracer
from langchain_openai import ChatOpenAI

from answering_models import choose, options_of
from pageindex_core import NavigationOptions
from pageindex_core.errors import OptionError
from pageindex_core.llm import Budget
from pageindex_core.testing import Fault, ModelServer, always, scripted, tool_calls
from pageindex_langchain import PageIndex, PageIndexRetriever

QUESTION = "Which work is done with lithium?"


@pytest.fixture
def guided(index: PageIndex, llm: ChatOpenAI) -> PageIndexRetriever:
    """A retriever whose model chooses from a map."""
    return PageIndexRetriever(library=index.library, mode="tree", llm=llm)


def electrodes(request: dict[str, Any]) -> str:
    """Choose the section on the burner, which no word of the question leads to."""
    return choose(next(option.ident for option in options_of(request) if "Burner" in option.title))


def final(pages: int) -> str:
    citations = [{"document": "boiler.md", "page": pages, "quote": "the gap between them is 3 millimetres"}]
    return json.dumps({"answer": "3 mm", "found": True, "citations": citations})


READING = [
    tool_calls(("find_in_document", {"doc_name": "boiler.md", "query": "electrodes"}), text="I look for the gap."),
    tool_calls(("get_page_content", {"doc_name": "boiler.md", "pages": "1"})),
    final(1),
]


async def test_what_the_model_chooses_comes_first_and_k_stays_exact(
    guided: PageIndexRetriever, server: ModelServer
) -> None:
    """The choice leads, the order of words fills up to k, and each Document says which it was."""
    server.answer = electrodes
    for documents in (guided.invoke(QUESTION, k=3), await guided.ainvoke(QUESTION, k=3)):
        assert documents[0].metadata["title"] == "Burner"
        assert [document.metadata["found_by"] for document in documents] == ["model", "lexical", "lexical"]
        assert len({document.id for document in documents}) == 3
    assert len(server.requests) == 2


def test_without_filling_only_what_was_chosen_or_matches_comes_back(
    guided: PageIndexRetriever, server: ModelServer
) -> None:
    """fill=False leaves out the units that neither the model nor a word of the question leads to."""
    server.answer = electrodes
    titles = [document.metadata["title"] for document in guided.invoke(QUESTION, fill=False, k=50)]
    assert titles[0] == "Burner"
    assert "Bearings" in titles
    assert len(titles) < len(guided.invoke(QUESTION, k=50))


def test_lexical_never_asks_the_model(index: PageIndex, llm: ChatOpenAI, server: ModelServer) -> None:
    """A model that is there and not needed costs nothing, and changes nothing."""
    with_model = PageIndexRetriever(library=index.library, llm=llm)
    assert with_model.invoke(QUESTION) == index.as_retriever().invoke(QUESTION)
    assert server.requests == []


@pytest.mark.parametrize("way", ["field", "search_kwargs", "call", "configured"])
def test_the_mode_is_set_in_every_way_that_settings_are(
    index: PageIndex, llm: ChatOpenAI, server: ModelServer, way: str
) -> None:
    """Constructor, as_retriever, invoke and configurable_fields reach the same mode, with the index's own model."""
    server.answer = electrodes
    guiding = PageIndex(index.library, llm=llm)
    retriever: Any = {
        "field": lambda: PageIndexRetriever(library=index.library, mode="tree", llm=llm),
        "search_kwargs": lambda: guiding.as_retriever(search_kwargs={"mode": "tree"}),
        "call": lambda: guiding.as_retriever().bind(mode="tree"),
        "configured": lambda: (
            guiding.as_retriever()
            .configurable_fields(mode=ConfigurableField(id="mode"))
            .with_config(configurable={"mode": "tree"})
        ),
    }[way]()
    assert retriever.invoke(QUESTION)[0].metadata["title"] == "Burner"
    assert len(server.requests) == 1


def test_another_model_can_be_given_for_one_question(guided: PageIndexRetriever, server: ModelServer) -> None:
    """llm= in a call replaces the retriever's for that call only."""
    other = FakeListChatModel(responses=["Not helpful."])
    result = guided.search(QUESTION, llm=other)
    assert [note.code for note in result.notes] == ["model_reply_unusable"]
    assert server.requests == []
    guided.invoke(QUESTION)
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_the_agent_reads_before_it_answers(
    index: PageIndex, llm: ChatOpenAI, server: ModelServer, way: str
) -> None:
    """Tools are offered over the wire and answered; what the agent cites comes first."""
    retriever = PageIndexRetriever(
        library=index.library, mode="agent", llm=llm, k=2, navigation=NavigationOptions(short_pages=0)
    )
    server.answer = scripted(READING)
    question = "How wide is the gap?"
    documents = retriever.invoke(question) if way == "sync" else await retriever.ainvoke(question)
    assert documents[0].metadata["file_name"] == "boiler.md"
    assert documents[0].metadata["found_by"] == "model"
    assert len(documents) == 2
    assert server.requests[0].tools


@pytest.mark.parametrize("fault", [Fault.denied(), Fault.failing(), always("null")("")], ids=["denied", "500", "null"])
async def test_where_the_model_fails_words_answer_and_the_result_says_so(
    guided: PageIndexRetriever, server: ModelServer, fault: Any
) -> None:
    """The Documents are those of the lexical mode; the note and ``found_by`` tell."""
    server.answer = always(fault)
    expected = guided.invoke(QUESTION, mode="lexical")
    assert guided.invoke(QUESTION) == expected == await guided.ainvoke(QUESTION)
    result = guided.search(QUESTION)
    assert {note.code for note in result.notes} & {"model_failed", "model_reply_unusable", "model_chose_none"}
    assert {document.metadata["found_by"] for document in expected} == {"lexical"}


def test_without_a_model_words_answer_and_the_result_says_so(index: PageIndex) -> None:
    """mode='tree' without llm is no silent change of mode."""
    retriever = index.as_retriever(search_kwargs={"mode": "tree"})
    assert retriever.invoke(QUESTION) == index.as_retriever().invoke(QUESTION)
    assert [note.code for note in retriever.search(QUESTION).notes] == ["no_model"]


def test_a_budget_ends_the_asking(guided: PageIndexRetriever, server: ModelServer) -> None:
    """No call is made that the budget of one question refuses; the next question has its own."""
    assert guided.search(QUESTION, budget=Budget(calls=0)).trace.navigator == "tree"
    assert server.requests == []
    for _ in range(2):
        guided.invoke(QUESTION, budget=Budget(calls=1))
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "vector"}, "mode"),
        ({"llm": 5}, "not a model"),
        ({"budget": 3}, "budget"),
        ({"navigation": {}}, "navigation"),
    ],
)
def test_impossible_settings_are_refused(index: PageIndex, arguments: dict[str, Any], message: str) -> None:
    """Each is named, when the retriever is made and when it is called."""
    with pytest.raises(ValueError, match=message):
        PageIndexRetriever(library=index.library, **arguments)
    with pytest.raises(OptionError, match=message):
        index.as_retriever().invoke(QUESTION, **arguments)


def test_phrases_are_found_without_a_model(guided: PageIndexRetriever) -> None:
    """match='phrase' and a model exclude each other, and the message says so."""
    with pytest.raises(OptionError, match="exclude each other"):
        guided.invoke("lithium grease", match="phrase")


class Runs(BaseTracer):
    """Keeps the finished root runs, with their children."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Any] = []

    def _persist_run(self, run: Any) -> None:
        self.roots.append(run)


def below(run: Any) -> list[Any]:
    return [one for child in run.child_runs for one in (child, *below(child))]


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_model_calls_are_children_of_the_retriever_run(guided: PageIndexRetriever, way: str) -> None:
    """One root run, the retriever's; the chat model's run lies below it, named by what it is for."""
    runs = Runs()
    if way == "sync":
        guided.invoke(QUESTION, config={"callbacks": [runs]})
    else:
        await guided.ainvoke(QUESTION, config={"callbacks": [runs]})
    (root,) = runs.roots
    assert root.run_type == "retriever"
    assert root.child_runs[0].name == "pageindex_tree"
    assert [run.name for run in below(root) if run.run_type == "llm"] == ["ChatOpenAI"]


async def test_usage_is_counted_by_langchains_own_callback(guided: PageIndexRetriever) -> None:
    """get_usage_metadata_callback sees the tokens that our trace reports."""
    with get_usage_metadata_callback() as counted:
        await guided.ainvoke(QUESTION)
    trace = guided.search(QUESTION).trace
    assert counted.usage_metadata["test-model"]["input_tokens"] == trace.input_tokens > 0
    assert not trace.tokens_estimated


class Told(BaseCallbackHandler):
    """Keeps custom events."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self.events.append((name, data))


async def test_each_step_is_an_event_as_it_happens(index: PageIndex, llm: ChatOpenAI, server: ModelServer) -> None:
    """The agent's thought, calls and results come one by one before the trace, sync and async alike."""
    retriever = PageIndexRetriever(
        library=index.library, mode="agent", llm=llm, navigation=NavigationOptions(short_pages=0)
    )
    server.answer = scripted(READING)
    streamed = [event async for event in retriever.astream_events("How wide is the gap?", version="v2")]
    steps = [event for event in streamed if event["name"] == "pageindex_step"]
    kinds = [event["data"]["kind"] for event in steps]
    assert kinds == ["thought", "tool_call", "tool_result", "tool_call", "tool_result"]
    assert steps[1]["data"]["data"]["name"] == "find_in_document"
    names = [event["name"] for event in streamed]
    assert names.index("pageindex_step") < names.index("pageindex_search")
    assert streamed[-1]["event"] == "on_retriever_end"
    told = Told()
    server.answer = scripted(READING)
    retriever.invoke("How wide is the gap?", config={"callbacks": [told]})
    assert [data["kind"] for name, data in told.events if name == "pageindex_step"] == kinds
    name, trace = told.events[-1]
    assert name == "pageindex_search"
    assert (trace["navigator"], trace["model_calls"]) == ("agent", 3)
    assert trace["pages_read"]


async def test_twenty_questions_at_once_share_the_cap(guided: PageIndexRetriever, server: ModelServer) -> None:
    """Concurrent questions get their own answers, with no more calls at once than the model's cap."""
    expected = await guided.ainvoke(QUESTION)
    server.forget()
    together = await asyncio.gather(*(guided.ainvoke(QUESTION) for _ in range(20)))
    assert all(documents == expected for documents in together)
    assert len(server.requests) == 20
    assert server.max_in_flight <= 8


def test_a_retriever_with_a_model_can_be_pickled(manuals: Path, tmp_path: Path) -> None:
    """Library on disk and model go along."""
    llm = FakeListChatModel(responses=[choose("nothing")])
    index = PageIndex.from_files(manuals, library=tmp_path / "library", llm=llm)
    retriever = index.as_retriever(search_kwargs={"mode": "tree"})
    twin = pickle.loads(pickle.dumps(retriever))
    assert twin.invoke(QUESTION) == retriever.invoke(QUESTION)


def test_keys_do_not_show(index: PageIndex) -> None:
    """The repr of a retriever holds no model, and so no key."""
    llm = ChatOpenAI(model="test-model", base_url="http://127.0.0.1:9/v1", api_key="sk-very-secret")
    assert "secret" not in repr(PageIndexRetriever(library=index.library, llm=llm))
