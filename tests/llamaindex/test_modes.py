"""The modes that ask a model, in the framework's own terms: which model, prompts, events, spans, tokens, engines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import llama_index.core.instrumentation as instrument
import pytest
from llama_index.core import PromptTemplate, Settings
from llama_index.core.base.llms import types
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent
from llama_index.core.instrumentation.span import SimpleSpan
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import LLM, ChatMessage, MockLLM, mock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import ChatPromptTemplate, RichPromptTemplate
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from pydantic import PrivateAttr

from answering_models import choose, options_of
from pageindex_core.errors import OptionError
from pageindex_core.llm import Budget
from pageindex_core.options import NavigationOptions
from pageindex_core.testing import Answer, Fault, ModelServer, always, scripted, tool_calls
from pageindex_llamaindex import LlamaIndexModel, PageIndex, PageIndexRetriever
from pageindex_llamaindex.navigation import PageIndexNavigationEvent

pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")  # the framework's own

needs_mock = pytest.mark.skipif(
    not hasattr(types, "ToolCallBlock") or not hasattr(mock, "MockFunctionCallingLLM"),
    reason="this version of the framework has no mock model that calls tools",
)
MakeLLM = Callable[..., LLM]
QUESTION = "What is replaced every 500 hours?"


def titled(title: str) -> Callable[[dict[str, Any]], Answer]:
    """Chooses the option of that title."""
    return lambda request: choose(*(one.ident for one in options_of(request) if one.title == title))


@pytest.fixture
def index(manual: Path) -> PageIndex:
    return PageIndex.from_files(manual)


@contextmanager
def handling(**handlers: Any) -> Iterator[None]:
    """Put handlers on the framework's root dispatcher, for a while."""
    root = instrument.get_dispatcher()
    kept = list(root.event_handlers), list(root.span_handlers)
    root.event_handlers = [*kept[0], *handlers.get("events", ())]
    root.span_handlers = [*kept[1], *handlers.get("spans", ())]
    try:
        yield
    finally:
        root.event_handlers, root.span_handlers = kept


class _Heard(BaseEventHandler):
    heard: list[BaseEvent] = []  # noqa: RUF012  # a pydantic field

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self.heard.append(event)


class _Spans(SimpleSpanHandler):
    _opened: list[SimpleSpan] = PrivateAttr(default_factory=list)

    def prepare_to_exit_span(self, id_: str, *args: Any, **kwargs: Any) -> SimpleSpan:
        self._opened.append(self.open_spans[id_])
        return super().prepare_to_exit_span(id_, *args, **kwargs)


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_the_model_chooses_comes_first(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM, is_async: bool
) -> None:
    """In tree mode a section without a word of the question leads when it is chosen; scores stay floats that fall."""
    server.answer = titled("2 Valves")
    retriever = index.as_retriever(similarity_top_k=3, retriever_mode="tree", llm=make_llm())
    found = await retriever.aretrieve(QUESTION) if is_async else retriever.retrieve(QUESTION)
    assert found[0].node.metadata["title"] == "2 Valves"
    scores = [each.score for each in found]
    assert len(found) == 3
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert len(server.requests) == 1


@pytest.mark.parametrize("calls_functions", [True, False])
async def test_an_agent_reads_until_it_has_found(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM, calls_functions: bool
) -> None:
    """In agent mode the pages that the model read and cites come first, with tools of either form."""
    arguments = {"doc_name": "manual.pdf", "pages": "2"}
    written = json.dumps({"tool": "get_page_content", "arguments": arguments})
    call: Answer = tool_calls(("get_page_content", arguments)) if calls_functions else written
    citation = {"document": "manual.pdf", "page": 2, "quote": "Valves close by a spring."}
    answer = json.dumps({"answer": "By a spring.", "found": True, "citations": [citation]})
    llm = make_llm(calls_functions=calls_functions)
    # A short manual is shown whole, so the map is asked for by letting no document be short.
    retriever = index.as_retriever(
        similarity_top_k=2, retriever_mode="agent", llm=llm, navigation=NavigationOptions(short_pages=0)
    )
    for retrieve in (False, True):
        server.answer = scripted([call], then=answer)
        found = (
            await retriever.aretrieve("How do they close?") if retrieve else retriever.retrieve("How do they close?")
        )
        assert found[0].node.metadata["page_start"] == 2
        assert "Valves close by a spring." in found[0].node.get_content()


def test_a_failing_model_leaves_the_order_of_words(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """The caller gets nodes all the same, and the result of ``search`` says why they are not the model's."""
    server.answer = always(Fault.failing())
    retriever = index.as_retriever(similarity_top_k=2, retriever_mode="tree", llm=make_llm())
    assert retriever.retrieve(QUESTION)[0].node.metadata["title"] == "3 Filters"
    assert "model_failed" in [note.code for note in retriever.search(QUESTION).notes]


def test_a_budget_holds_for_each_question(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """A question that may make no call is answered by words, and the next one has its budget again."""
    none = index.as_retriever(retriever_mode="tree", llm=make_llm(), budget=Budget(calls=0))
    assert none.retrieve(QUESTION)
    assert server.requests == []
    one = index.as_retriever(retriever_mode="tree", llm=make_llm(), budget=Budget(calls=1))
    for _ in range(2):
        assert one.search(QUESTION).trace.model_calls == 1
    assert len(server.requests) == 2


def test_the_settings_llm_is_asked_for_when_a_search_runs(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retriever can be made before Settings.llm is set, and follows it when it changes."""
    retriever = index.as_retriever(retriever_mode="tree")
    with monkeypatch.context() as patch:
        patch.setattr(Settings, "_llm", make_llm())
        retriever.retrieve(QUESTION)
        patch.setattr(Settings, "_llm", make_llm(calls_functions=False))
        retriever.retrieve(QUESTION)
    assert [bool(each.tools) for each in server.requests] == [True, False]


def test_no_model_at_all_is_an_error_that_says_what_to_pass(index: PageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mode that was asked for and cannot run is not replaced silently."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(OptionError, match=r"Pass llm="):
        index.as_retriever(retriever_mode="tree").retrieve(QUESTION)


def test_modes_without_a_model_leave_one_alone(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """An LLM that is passed to a lexical retriever is never asked."""
    assert index.as_retriever(llm=make_llm()).retrieve(QUESTION)
    assert index.as_retriever(llm=make_llm(), retriever_mode="phrase").retrieve("every 500 hours")
    assert server.requests == []


def test_filters_on_hits_ask_the_model_once(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """Tests on what is found never repeat a call, and are met by every node."""
    filters = MetadataFilters(filters=[MetadataFilter(key="page_label", value="2")])
    found = index.as_retriever(similarity_top_k=1, filters=filters, retriever_mode="tree", llm=make_llm()).retrieve(
        "Which soap for the bearings?"
    )
    assert [each.node.metadata["page_label"] for each in found] == ["2"]
    assert len(server.requests) == 1


@needs_mock
async def test_the_frameworks_own_mock_navigates(index: PageIndex) -> None:
    """A function-calling LLM without a wire chooses by the form it is given, sync and async."""

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        assert [tool.metadata.name for tool in kwargs["tools"]] == ["reply"]
        shown = [{"role": each.role.value, "content": each.content} for each in messages]
        chosen = json.loads(str(titled("2 Valves")({"messages": shown})))
        call = types.ToolCallBlock(tool_call_id="1", tool_name="reply", tool_kwargs=chosen)
        return ChatMessage(role="assistant", blocks=[call])

    llm = mock.MockFunctionCallingLLM(response_generator=reply)
    retriever = index.as_retriever(similarity_top_k=1, retriever_mode="tree", llm=llm)
    for found in (retriever.retrieve(QUESTION), await retriever.aretrieve(QUESTION)):
        assert found[0].node.metadata["title"] == "2 Valves"


async def test_questions_at_once_are_answered_as_one_by_one(index: PageIndex, make_llm: MakeLLM) -> None:
    """One retriever serves many tasks: each gets what it would get alone."""
    retriever = index.as_retriever(similarity_top_k=2, retriever_mode="tree", llm=make_llm())
    questions = [f"{topic} {number}" for number in range(5) for topic in ("soap", "spring", "mesh", "litres")]
    alone = [[each.node.node_id for each in retriever.retrieve(question)] for question in questions]
    together = await asyncio.gather(*map(retriever.aretrieve, questions))
    assert [[each.node.node_id for each in found] for found in together] == alone
    assert len({tuple(ids) for ids in alone}) > 1


# Prompts


def test_prompts_are_shown_and_replaced(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """``get_prompts`` gives the wording in use, and what ``update_prompts`` sets is what the model is sent."""
    retriever = index.as_retriever(retriever_mode="tree", llm=make_llm())
    prompts = retriever.get_prompts()
    assert set(prompts) == {"tree", "tree_one_token"}
    assert "{question}" in prompts["tree"].get_template()
    own = PromptTemplate("[system]\nBe {mood}. Mark: {mark}.\n[user]\n{question}\n{map}").partial_format(mood="kind")
    retriever.update_prompts({"tree": own, "other": PromptTemplate("left alone")})
    retriever.retrieve(QUESTION)
    assert server.requests[0].messages[0]["content"].startswith("Be kind. Mark: fence-")
    assert retriever.get_prompts()["tree"].get_template().startswith("[system]\nBe kind.")


def test_a_chat_template_is_sent_message_by_message(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """Roles of a ChatPromptTemplate are kept."""
    retriever = index.as_retriever(retriever_mode="tree", llm=make_llm())
    messages = [("system", "Choose. {mark}"), ("user", "{question}\n{map}")]
    retriever.update_prompts({"tree": ChatPromptTemplate.from_messages(messages)})
    retriever.retrieve(QUESTION)
    sent = server.requests[0].messages
    assert [each["role"] for each in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("Choose. fence-")


def test_prompts_that_cannot_be_sent_are_refused_at_once(index: PageIndex) -> None:
    """Unknown fields and other kinds of templates are found when they are set, not when a question comes."""
    retriever = index.as_retriever(retriever_mode="agent", llm=MockLLM())
    with pytest.raises(OptionError, match="nobody_fills_this"):
        retriever.update_prompts({"agent": PromptTemplate("{question} {nobody_fills_this}")})
    with pytest.raises(OptionError, match="RichPromptTemplate"):
        retriever.update_prompts({"agent": RichPromptTemplate("{{ question }}")})
    assert index.as_retriever().get_prompts() == {}


# Events, spans, tokens


@pytest.mark.parametrize("is_async", [False, True])
async def test_each_step_is_an_event_inside_the_spans_of_the_retrieval(
    index: PageIndex, make_llm: MakeLLM, is_async: bool
) -> None:
    """Handlers hear the map and the choice; the LLM's own span is a descendant of the retriever's."""
    events, spans = _Heard(heard=[]), _Spans()
    retriever = index.as_retriever(retriever_mode="tree", llm=make_llm())
    with handling(events=[events], spans=[spans]):
        await retriever.aretrieve(QUESTION) if is_async else retriever.retrieve(QUESTION)
    steps = [event for event in events.heard if isinstance(event, PageIndexNavigationEvent)]
    assert [step.kind for step in steps] == ["step", "step"]
    assert set(steps[1].data["choices"][0]) == {"id", "reason"}
    assert PageIndexNavigationEvent.class_name() == "PageIndexNavigationEvent"
    parents = {span.id_: span.parent_id for span in spans._opened}
    at: str | None = next(event.span_id for event in events.heard if isinstance(event, LLMChatStartEvent))
    line = []
    while at is not None:
        line.append(at.partition("-")[0])
        at = parents.get(at)
    assert line[-1] == f"PageIndexRetriever.{'aretrieve' if is_async else 'retrieve'}"
    assert f"PageIndexRetriever.{'asearch' if is_async else 'search'}" in line
    assert steps[0].span_id is not None
    assert steps[0].span_id.startswith("PageIndexRetriever.")


async def test_tokens_are_counted_by_the_frameworks_handler(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM
) -> None:
    """A TokenCountingHandler on the LLM counts what the trace reports, sync and async."""
    counter = TokenCountingHandler(tokenizer=str.split)
    retriever = index.as_retriever(retriever_mode="tree", llm=make_llm(callback_manager=CallbackManager([counter])))
    traces = [retriever.search(QUESTION).trace, (await retriever.asearch(QUESTION)).trace]
    assert counter.prompt_llm_token_count == sum(trace.input_tokens for trace in traces) > 0
    assert counter.completion_llm_token_count == sum(trace.output_tokens for trace in traces) > 0
    assert not any(trace.tokens_estimated for trace in traces)


# Engines


def purpose(request: dict[str, Any]) -> str:
    return "navigate" if options_of(request) else "answer"


def test_a_query_engine_navigates_and_answers_with_its_llm(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM
) -> None:
    """The LLM given to the engine is the navigator's too, and the answer is written from what it chose."""
    choice = titled("2 Valves")
    server.answer = lambda request: choice(request) if purpose(request) == "navigate" else "By a spring."
    engine = index.as_query_engine(llm=make_llm(), retriever_mode="tree", similarity_top_k=1)
    response = engine.query(QUESTION)
    assert str(response) == "By a spring."
    assert response.source_nodes[0].node.metadata["title"] == "2 Valves"
    assert [purpose(each.body) for each in server.requests] == ["navigate", "answer"]
    assert "Valves close by a spring." in server.requests[1].prompt


def test_one_model_may_navigate_and_another_answer(index: PageIndex, server: ModelServer, make_llm: MakeLLM) -> None:
    """``navigator_llm`` finds the pages, ``llm`` writes the answer."""
    answering, navigating = MockLLM(), make_llm()
    engine = index.as_query_engine(llm=answering, navigator_llm=navigating, retriever_mode="tree", similarity_top_k=1)
    assert QUESTION in str(engine.query(QUESTION))  # the mock repeats its prompt
    assert [purpose(each.body) for each in server.requests] == ["navigate"]


@pytest.mark.parametrize("chat_mode", ["context", "condense_plus_context", "condense_question"])
async def test_a_chat_engine_navigates_with_its_llm(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM, chat_mode: Any
) -> None:
    """Every chat mode that retrieves passes mode and model on."""
    choice = titled("2 Valves")
    server.answer = lambda request: choice(request) if purpose(request) == "navigate" else "By a spring."
    memory = ChatMemoryBuffer.from_defaults(llm=MockLLM())  # the default one leaves a database connection open
    engine = index.as_chat_engine(
        chat_mode=chat_mode, llm=make_llm(), memory=memory, retriever_mode="tree", similarity_top_k=1
    )
    response = await engine.achat(QUESTION)
    assert str(response) == "By a spring."
    assert response.source_nodes[0].node.metadata["title"] == "2 Valves"


@pytest.mark.parametrize("llm", [LlamaIndexModel(MockLLM()), "gpt-4o-mini", "openai/gpt-4o-mini", "defaults"])
def test_models_that_cannot_answer_for_the_framework_are_refused_with_the_remedy(index: PageIndex, llm: Any) -> None:
    """A core model or a LiteLLM name may navigate, and is told apart from the LLM that writes the answer."""
    for make_engine in (index.as_query_engine, index.as_chat_engine):
        for how in ({}, {"navigator_llm": llm}):
            with pytest.raises(
                OptionError, match="Pass an LLM of LlamaIndex as llm=, and this model as navigator_llm="
            ):
                make_engine(llm=llm, **how)
    with pytest.raises(OptionError, match="'gpt-4o'" if isinstance(llm, str) else "of type LlamaIndexModel"):
        PageIndex([], llm=MockLLM()).as_query_engine(llm="gpt-4o" if isinstance(llm, str) else llm)


async def test_a_core_model_navigates_beside_an_llm_that_answers(
    index: PageIndex, server: ModelServer, make_llm: MakeLLM
) -> None:
    """What the error tells to do works: the sections are the core model's, the answer is the LLM's."""
    server.answer = titled("2 Valves")
    navigator = LlamaIndexModel(make_llm())
    how: dict[str, Any] = {"navigator_llm": navigator, "retriever_mode": "tree", "similarity_top_k": 1}
    asked = await index.as_query_engine(llm=MockLLM(), **how).aquery(QUESTION)
    memory = ChatMemoryBuffer.from_defaults(llm=MockLLM())  # as above
    chatted = await index.as_chat_engine(llm=MockLLM(), memory=memory, **how).achat(QUESTION)
    for response in (asked, chatted):
        assert response.source_nodes[0].node.metadata["title"] == "2 Valves"


@pytest.mark.parametrize(("llm", "error"), [("default", None), ("local", ImportError), ("local:a.gguf", ImportError)])
def test_names_that_the_framework_knows_are_left_to_it(
    index: PageIndex, llm: str, error: type[Exception] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``default`` and ``local:…`` mean what they mean to every index."""
    monkeypatch.setenv("IS_TESTING", "1")
    with pytest.raises(error, match="llama-cpp") if error else nullcontext():
        assert index.as_query_engine(llm=llm).query(QUESTION)


def test_a_retriever_of_files_takes_a_model_too(manual: Path, server: ModelServer, make_llm: MakeLLM) -> None:
    """Without an index around it the retriever has the same modes."""
    server.answer = titled("2 Valves")
    retriever = PageIndexRetriever.from_files(manual, retriever_mode="tree", llm=make_llm(), similarity_top_k=1)
    assert retriever.retrieve(QUESTION)[0].node.metadata["title"] == "2 Valves"
