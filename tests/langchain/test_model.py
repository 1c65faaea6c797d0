"""LangChain's chat models as the core's: over the real wire, wrapped, and those that know nothing but text."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_openai import ChatOpenAI

from llm_requests import GOOD, SCHEMA, TOOL, ask, make_request
from pageindex_core.errors import (
    ModelAccessError,
    ModelError,
    ModelReplyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    OptionError,
)
from pageindex_core.llm import Message, ModelRequest, ToolCall
from pageindex_core.testing import (
    Fault,
    ModelServer,
    always,
    choosing,
    cut_json,
    scripted,
    tool_calls,
    with_extra_keys,
    with_prose,
    with_wrong_ids,
    without_schemas,
    without_tools,
)
from pageindex_langchain import LangChainModel
from pageindex_langchain.model import as_chat_model

WAYS = ("sync", "async", "stream", "astream")
CHOSEN = {"nodes": [{"node_id": "0002", "reason": "filters are changed there"}]}

Make = Callable[..., ChatOpenAI]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that gives a good reply until told otherwise."""
    with ModelServer(always(GOOD)) as running:
        yield running


@pytest.fixture
def make_llm(server: ModelServer) -> Make:
    """Makes LangChain's own OpenAI models on that server, without retries."""

    def make(**settings: Any) -> ChatOpenAI:
        defaults = {"model": "test-model", "base_url": server.base_url, "api_key": "test", "max_retries": 0}
        return ChatOpenAI(**{**defaults, "stream_usage": True, **settings})

    return make


class Asked(GenericFakeChatModel):
    """Says what it was given to say, and keeps what it was asked. It knows no schemas and no tools."""

    asked: list[list[Any]]

    def _generate(self, messages: list[Any], *arguments: Any, **options: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *arguments, **options)


def saying(*texts: str) -> Asked:
    return Asked(messages=iter([AIMessage(text) for text in texts]), asked=[])


@pytest.mark.parametrize("way", WAYS)
def test_text_and_usage_come_back_in_every_way_of_calling(server: ModelServer, make_llm: Make, way: str) -> None:
    """The reply is what was sent, with the tokens that the provider counted and its name for the model."""
    server.answer = always({"content": "Every six months.", "usage": {"prompt_tokens": 31, "completion_tokens": 5}})
    reply = ask(LangChainModel(make_llm()), make_request(), way)
    assert (reply.text, reply.model) == ("Every six months.", "test-model")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (31, 5, False)
    assert reply.usage.cost_usd is None
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_schema_is_followed_in_every_way_of_calling(server: ModelServer, make_llm: Make, way: str) -> None:
    """A schema goes as a parameter, or in words where the reply is streamed; its value comes back either way."""
    reply = ask(LangChainModel(make_llm()), make_request(schema=SCHEMA), way)
    assert reply.value == CHOSEN
    (sent,) = server.requests
    assert (sent.response_format is not None) == (way in ("sync", "async"))
    assert ("has to follow this JSON schema" in sent.prompt) == (way in ("stream", "astream"))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("spoil", [with_prose, with_extra_keys])
def test_a_reply_around_or_beside_the_schema_is_mended(
    server: ModelServer, make_llm: Make, way: str, spoil: Any
) -> None:
    """What LangChain's parser refuses, or lets through with keys nobody asked for, still gives its value."""
    server.answer = spoil(always(GOOD))
    assert ask(LangChainModel(make_llm()), make_request(schema=SCHEMA), way).value == CHOSEN


def test_a_server_without_schemas_is_told_in_words(server: ModelServer, make_llm: Make) -> None:
    """One refusal, then the written contract; the next request asks in words at once."""
    server.answer = without_schemas(always(GOOD))
    model = LangChainModel(make_llm())
    for _ in range(2):
        assert model.complete(make_request(schema=SCHEMA)).value == CHOSEN
    assert [request.response_format is not None for request in server.requests] == [True, False, False]


def test_a_model_that_passes_its_schema_over_is_told_in_words_from_then_on(server: ModelServer, make_llm: Make) -> None:
    """LangChain says neither parsed nor wrong; we say that there is no JSON, and ask differently next time."""
    server.answer = scripted(["I would look at maintenance."], then=GOOD)
    model = LangChainModel(make_llm().bind(temperature=0))
    first, second = (model.complete(make_request(schema=SCHEMA)) for _ in range(2))
    assert first.value is None
    assert first.notes == ("The reply holds no JSON.",)
    assert second.value == CHOSEN
    assert "has to follow this JSON schema" in server.requests[1].prompt


@pytest.mark.parametrize("way", WAYS)
def test_tools_are_asked_for_in_every_way_of_calling(server: ModelServer, make_llm: Make, way: str) -> None:
    """Calls come back with their arguments as JSON text."""
    server.answer = always(tool_calls((TOOL.name, {"pages": "5"})))
    reply = ask(LangChainModel(make_llm()), make_request(tools=(TOOL,)), way)
    (call,) = reply.tool_calls
    assert (call.name, json.loads(call.arguments)) == (TOOL.name, {"pages": "5"})
    assert server.requests[0].tools[0]["function"]["parameters"] == dict(TOOL.parameters)


def test_a_call_with_broken_arguments_is_handed_on_as_it_is(server: ModelServer, make_llm: Make) -> None:
    """The tool decides what to make of them; nothing is dropped."""
    server.answer = always(tool_calls((TOOL.name, '{"pages": "5')))
    (call,) = LangChainModel(make_llm()).complete(make_request(tools=(TOOL,))).tool_calls
    assert (call.name, call.arguments) == (TOOL.name, '{"pages": "5')


@pytest.mark.parametrize("way", WAYS)
def test_a_server_without_tools_is_told_in_words(server: ModelServer, make_llm: Make, way: str) -> None:
    """One refusal, then the tools stand in the prompt and the call is read from the text."""
    server.answer = without_tools(always('{"tool": "get_page_content", "arguments": {"pages": "7"}}'))
    reply = ask(LangChainModel(make_llm()), make_request(tools=(TOOL,)), way)
    assert json.loads(reply.tool_calls[0].arguments) == {"pages": "7"}
    assert [bool(request.tools) for request in server.requests] == [True, False]


def test_a_conversation_with_tool_calls_arrives_whole(server: ModelServer, make_llm: Make) -> None:
    """Every role, whole calls and broken ones, and their results reach the provider."""
    messages = (
        Message("system", "Be brief."),
        Message("user", "How often?"),
        Message("assistant", "", (ToolCall("a", TOOL.name, '{"pages": "5"}'), ToolCall("b", TOOL.name, "{pages"))),
        Message("tool", "Page five.", tool_call_id="a"),
        Message("tool", "Arguments are no JSON.", tool_call_id="b"),
    )
    LangChainModel(make_llm()).complete(ModelRequest(messages, "agent", "agent.v1", tools=(TOOL,)))
    sent = server.requests[0].messages
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool"]
    asked = {call["id"]: call["function"]["arguments"] for call in sent[2]["tool_calls"]}
    assert asked == {"a": '{"pages": "5"}', "b": "{pages"}
    assert [message.get("tool_call_id") for message in sent[3:]] == ["a", "b"]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda llm: llm.with_config(tags=["reading"]),
        lambda llm: llm.bind(temperature=0.5),
        lambda llm: llm.with_retry(stop_after_attempt=2),
        lambda llm: llm.with_fallbacks([FakeListChatModel(responses=["never"])]).with_config(tags=["reading"]),
        lambda llm: llm.bind(temperature=0.5).with_fallbacks([llm.bind(temperature=0.9)]),
    ],
    ids=["config", "bind", "retry", "fallbacks-unequal", "fallbacks-bound"],
)
def test_wrapped_models_keep_their_wrapping(server: ModelServer, make_llm: Make, wrap: Any) -> None:
    """A schema and tools work through bound arguments, retries and fallbacks, which stay in force."""
    wrapped: Runnable[Any, Any] = wrap(make_llm())
    model = LangChainModel(wrapped)
    assert model.name == "test-model"

    def answer(request: dict[str, Any]) -> Any:
        named = [tool["function"]["name"] for tool in request.get("tools") or ()]
        return tool_calls((named[0], CHOSEN if named[0] == "reply" else {"pages": "5"})) if named else GOOD

    server.answer = answer
    assert model.complete(make_request(schema=SCHEMA)).value == CHOSEN
    server.answer = without_tools(always('{"tool": "get_page_content", "arguments": {"pages": "5"}}'))
    reply = model.complete(make_request(tools=(TOOL,)))
    assert reply.tool_calls[0].name == TOOL.name
    if "temperature" in str(wrapped):
        assert {request.body["temperature"] for request in server.requests} <= {0.5, 0.9}
        assert server.requests[0].body["temperature"] == 0.5


def test_fallbacks_answer_where_the_first_model_fails(server: ModelServer, make_llm: Make) -> None:
    """The second model answers, held to the same schema."""
    server.answer = scripted([Fault.failing()], then=GOOD)
    model = LangChainModel(make_llm().with_fallbacks([make_llm(model="other")]))
    assert model.complete(make_request(schema=SCHEMA)).value == CHOSEN
    assert [request.body["model"] for request in server.requests] == ["test-model", "other"]


@pytest.mark.parametrize("way", WAYS)
def test_models_that_know_only_text_are_told_the_contract(way: str) -> None:
    """No schema, no tools, no usage: the contract is written out, the tokens are counted here and marked."""
    llm = saying(f"Sure!\n```json\n{GOOD}\n```", '{"tool": "get_page_content", "arguments": {"pages": "3"}}')
    model = LangChainModel(llm)
    reply = ask(model, make_request(schema=SCHEMA), way)
    assert reply.value == CHOSEN
    assert reply.usage.estimated
    assert reply.usage.input_tokens > 20
    assert "has to follow this JSON schema" in llm.asked[0][0].content
    assert json.loads(ask(model, make_request(tools=(TOOL,)), way).tool_calls[0].arguments) == {"pages": "3"}
    assert "To use a tool" in llm.asked[1][0].content


def test_a_chain_that_ends_in_text_is_a_model_too() -> None:
    """A function from messages to text will do; what gives neither text nor message is refused."""
    chain = RunnableLambda(lambda messages: messages[-1].content.upper())
    assert LangChainModel(chain).complete(make_request("how often?")).text == "HOW OFTEN?"
    with pytest.raises(ModelReplyError, match="gave int"):
        LangChainModel(RunnableLambda(lambda messages: 5)).complete(make_request())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.denied(), ModelAccessError),
        (Fault.quota(), ModelAccessError),
        (Fault.refusing("This is not allowed."), ModelRequestError),
        (Fault.busy(), ModelUnavailableError),
        (Fault.failing(503), ModelUnavailableError),
        (Fault.cut_connection(), ModelUnavailableError),
    ],
    ids=lambda value: f"{value.status}-{value.code or value.cut}" if isinstance(value, Fault) else None,
)
def test_failures_are_typed_errors_and_never_tried_again(
    server: ModelServer, make_llm: Make, way: str, fault: Fault, error: type[ModelError]
) -> None:
    """The model's own retries are off, and we add none; the provider's error is kept as the cause."""
    server.answer = always(fault)
    with pytest.raises(error) as caught:
        ask(LangChainModel(make_llm()), make_request(), way)
    assert type(caught.value) is error
    assert caught.value.__cause__ is not None
    assert all((caught.value.what, caught.value.why, caught.value.remedy))
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (always(Fault.garbage()), ModelReplyError),
        (always(Fault.cut_body(GOOD)), ModelUnavailableError),
        (always(""), "The reply is empty."),
        (always("null"), "null is no object"),
        (with_wrong_ids(always(GOOD)), "is not one of the 3 allowed values"),
    ],
    ids=["garbage", "cut body", "empty", "null", "wrong ids"],
)
def test_useless_replies_are_noted_or_typed_errors(
    server: ModelServer, make_llm: Make, way: str, answer: Any, outcome: Any
) -> None:
    """What is no reply is an error that says so; what is one and breaks the contract has no value, and a note why."""
    server.answer = answer
    model = LangChainModel(make_llm())
    request = make_request(schema=SCHEMA)
    if isinstance(outcome, str):
        reply = ask(model, request, way)
        assert not (reply.value or {}).get("nodes")
        assert outcome in reply.notes[0]
    else:
        with pytest.raises(outcome) as caught:
            ask(model, request, way)
        assert type(caught.value) is outcome


@pytest.mark.parametrize("way", WAYS)
def test_a_reply_cut_at_its_limit_is_used_as_far_as_it_goes(server: ModelServer, make_llm: Make, way: str) -> None:
    """OpenAI's client raises where a schema was a parameter, and the error says why; the text of a stream is mended."""
    server.answer = cut_json(always(GOOD))
    model = LangChainModel(make_llm())
    if way in ("sync", "async"):
        with pytest.raises(ModelReplyError, match="cut at its limit of tokens"):
            ask(model, make_request(schema=SCHEMA), way)
    else:
        reply = ask(model, make_request(schema=SCHEMA), way)
        assert reply.value == {"nodes": [{"node_id": "0002"}]}
        assert reply.notes[0] == "The reply was cut at its limit of tokens."


def test_the_models_own_retries_are_its_own(server: ModelServer, make_llm: Make) -> None:
    """What ChatOpenAI tries again is answered without us noticing."""
    server.answer = scripted([Fault.busy(0)], then=GOOD)
    assert LangChainModel(make_llm(max_retries=1)).complete(make_request()).text == GOOD
    assert len(server.requests) == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", [Fault.slow(120), Fault.trickling(120)], ids=["silent", "trickling"])
def test_a_call_ends_in_time(server: ModelServer, make_llm: Make, way: str, fault: Fault) -> None:
    """Whatever the server does, a call ends within its limit, with an error that names it."""
    server.answer = always(fault)
    with pytest.raises(ModelTimeoutError, match=r"0\.4 seconds"):
        ask(LangChainModel(make_llm(), timeout_s=0.4), make_request(), way)


def test_probabilities_are_read_where_the_model_reports_them(server: ModelServer, make_llm: Make) -> None:
    """A model made with logprobs gives those of the request's choices."""
    server.answer = always(choosing({"A": -0.3, "B": -1.6}))
    model = LangChainModel(make_llm(logprobs=True, top_logprobs=5))
    reply = model.complete(make_request(choices=("A", "B", "C")))
    assert set(reply.choice_logprobs) == {"A", "B"}
    assert reply.choice_logprobs["A"] > reply.choice_logprobs["B"]


def test_models_are_told_apart_from_what_is_none() -> None:
    """LangChain's are adapted, the core's and names are as they were, anything else is refused."""
    llm = FakeListChatModel(responses=["x"])
    adapted = as_chat_model(llm)
    assert isinstance(adapted, LangChainModel)
    assert as_chat_model(adapted) is adapted
    assert as_chat_model(None) is None
    with pytest.raises(OptionError, match="not a model"):
        as_chat_model(object())
    with pytest.raises(OptionError, match="above 0"):
        LangChainModel(llm, timeout_s=0)


def test_a_pickled_model_answers(server: ModelServer, make_llm: Make) -> None:
    """Locks and runs stay behind; what it learned goes along."""
    model = LangChainModel(FakeListChatModel(responses=[GOOD]), timeout_s=7)
    model.complete(make_request(schema=SCHEMA))
    twin = pickle.loads(pickle.dumps(model.traced([])))
    assert twin.timeout_s == 7
    assert twin.complete(make_request(schema=SCHEMA)).value == CHOSEN
