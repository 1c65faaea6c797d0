"""LlamaIndex LLMs as the core's models, over the real wire and with the framework's own mock."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM, MockLLM

from pageindex_core.errors import (
    ModelAccessError,
    ModelError,
    ModelReplyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    OptionError,
)
from pageindex_core.llm import ChatModel, Message, ModelReply, ModelRequest, Tool, ToolCall
from pageindex_core.llm.contract import SCHEMA_LEAD, TOOLS_LEAD
from pageindex_core.llm.replies import reply_to
from pageindex_core.testing import (
    Fault,
    ModelServer,
    always,
    choosing,
    lexical,
    scripted,
    tool_calls,
    with_prose,
    without_tools,
)
from pageindex_llamaindex.model import LlamaIndexModel, as_chat_model
from pageindex_llamaindex.model_wire import answered_by

MakeLLM = Callable[..., LLM]
SCHEMA = {"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]}
LOOK = Tool("look", "Look at a page.", {**SCHEMA, "additionalProperties": False})


def request(**more: Any) -> ModelRequest:
    messages = (Message("system", "Be brief."), Message("user", "Which page?"))
    return ModelRequest(**{"messages": messages, "purpose": "tree", "prompt_version": "tree.v1", **more})


def test_text_and_usage_come_back_as_the_provider_reports_them(server: ModelServer, make_llm: MakeLLM) -> None:
    """The adapter satisfies the protocol; tokens are the provider's own and not estimated."""
    server.answer = always({"content": "Page 7.", "usage": {"prompt_tokens": 12, "completion_tokens": 3}})
    model = LlamaIndexModel(make_llm())
    assert isinstance(model, ChatModel)
    reply = model.complete(request())
    assert (reply.text, reply.model) == ("Page 7.", "test-model")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (12, 3, False)
    assert [message["role"] for message in server.requests[0].messages] == ["system", "user"]


@pytest.mark.parametrize("is_async", [False, True])
async def test_json_is_asked_for_as_the_argument_of_a_tool(
    server: ModelServer, make_llm: MakeLLM, is_async: bool
) -> None:
    """A model that calls functions has to call one whose parameters are the schema, and its arguments are the value."""
    server.answer = always(tool_calls(("reply", {"page": 7})))
    model = LlamaIndexModel(make_llm())
    reply = await model.acomplete(request(schema=SCHEMA)) if is_async else model.complete(request(schema=SCHEMA))
    assert (reply.value, reply.tool_calls) == ({"page": 7}, ())
    (sent,) = server.requests
    assert sent.tools[0]["function"]["parameters"]["properties"] == SCHEMA["properties"]
    assert sent.body["tool_choice"] == "required"


def test_the_lexical_double_answers_in_the_form_that_is_asked_for(server: ModelServer, make_llm: MakeLLM) -> None:
    """The server's own answerer makes the call that it is told to make, as real servers do."""
    server.answer = lexical()
    reply = LlamaIndexModel(make_llm()).complete(request(schema=SCHEMA))
    assert isinstance(reply.value["page"], int)
    assert server.requests[0].answer["tool_calls"][0]["name"] == "reply"  # type: ignore[index,call-overload]


def test_a_model_that_calls_no_functions_is_told_the_form_in_words(server: ModelServer, make_llm: MakeLLM) -> None:
    """The schema stands in the prompt, and JSON is found in whatever prose is around it."""
    server.answer = with_prose(always('{"page": 7}'))
    reply = LlamaIndexModel(make_llm(calls_functions=False)).complete(request(schema=SCHEMA))
    assert reply.value == {"page": 7}
    assert server.requests[0].tools == []
    assert SCHEMA_LEAD in server.requests[0].prompt


def test_json_in_plain_text_is_taken_from_a_model_that_did_not_call(server: ModelServer, make_llm: MakeLLM) -> None:
    """A model that answers in words instead of the call it was told to make is read all the same."""
    server.answer = always('Here: {"page": 7}')
    assert LlamaIndexModel(make_llm()).complete(request(schema=SCHEMA)).value == {"page": 7}


def test_calls_are_taken_as_the_model_wrote_them(server: ModelServer, make_llm: MakeLLM) -> None:
    """Tools go out under their own schema; broken arguments come back broken, to be repaired where they are run."""
    server.answer = always(tool_calls(("look", '{"page": '), ("look", {"page": 2}), text="Let me see."))
    reply = LlamaIndexModel(make_llm()).complete(request(tools=(LOOK,)))
    assert [call.arguments for call in reply.tool_calls] == ['{"page": ', '{"page": 2}']
    assert reply.text == "Let me see."
    assert server.requests[0].tools[0]["function"]["name"] == "look"


@pytest.mark.parametrize("calls_functions", [True, False])
def test_a_conversation_with_calls_and_results_is_sent_whole(
    server: ModelServer, make_llm: MakeLLM, calls_functions: bool
) -> None:
    """Earlier calls and results reach the model, as messages of their own or as plain turns."""
    server.answer = always("Seven.")
    talk = (
        Message("user", "Which page?"),
        Message("assistant", "", (ToolCall("c1", "look", '{"page": 7}'),)),
        Message("tool", "lithium soap", tool_call_id="c1"),
    )
    LlamaIndexModel(make_llm(calls_functions=calls_functions)).complete(request(messages=talk, tools=(LOOK,)))
    (sent,) = server.requests
    if calls_functions:
        assert sent.messages[1]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"page": 7}'}
        assert (sent.messages[2]["role"], sent.messages[2]["tool_call_id"]) == ("tool", "c1")
    else:
        assert sent.messages[0]["content"].startswith(TOOLS_LEAD)
        assert '"look"' in sent.messages[2]["content"]
    assert "lithium soap" in sent.prompt


def test_written_calls_are_read_from_the_text(server: ModelServer, make_llm: MakeLLM) -> None:
    """A model without functions asks for a tool in the written form."""
    server.answer = always('{"tool": "look", "arguments": {"page": 3}}')
    reply = LlamaIndexModel(make_llm(calls_functions=False)).complete(request(tools=(LOOK,)))
    assert [(call.name, json.loads(call.arguments)) for call in reply.tool_calls] == [("look", {"page": 3})]
    assert reply.text == ""


@pytest.mark.parametrize("is_async", [False, True])
async def test_a_server_that_refuses_tools_is_told_in_words_from_then_on(
    server: ModelServer, make_llm: MakeLLM, is_async: bool
) -> None:
    """What metadata promises and the server refuses costs one call, once."""
    server.answer = without_tools(always('{"page": 7}'))
    model = LlamaIndexModel(make_llm())
    for _ in range(2):
        reply = await model.acomplete(request(schema=SCHEMA)) if is_async else model.complete(request(schema=SCHEMA))
        assert reply.value == {"page": 7}
    assert [bool(each.tools) for each in server.requests] == [True, False, False]


async def test_pieces_come_before_the_whole(server: ModelServer, make_llm: MakeLLM) -> None:
    """A stream gives text piece by piece and ends with the reply, sync and async alike; JSON is streamed as text."""
    server.answer = always('{"page": 7}')
    model = LlamaIndexModel(make_llm())
    streams = [
        list(model.stream(request(schema=SCHEMA))),
        [each async for each in model.astream(request(schema=SCHEMA))],
    ]
    for *pieces, reply in streams:
        assert "".join(map(str, pieces)) == '{"page": 7}'
        assert len(pieces) > 1
        assert isinstance(reply, ModelReply)
        assert reply.value == {"page": 7}
        assert reply.usage.input_tokens > 0


async def test_a_stream_with_tools_comes_whole(server: ModelServer, make_llm: MakeLLM) -> None:
    """Calls are never given in pieces."""
    server.answer = always(tool_calls(("look", {"page": 2}), text="Let me see."))
    model = LlamaIndexModel(make_llm())
    for told in (
        list(model.stream(request(tools=(LOOK,)))),
        [each async for each in model.astream(request(tools=(LOOK,)))],
    ):
        assert told[0] == "Let me see."
        assert isinstance(told[1], ModelReply)
        assert told[1].tool_calls[0].name == "look"


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.busy(), ModelUnavailableError),
        (Fault.failing(), ModelUnavailableError),
        (Fault.refusing("The prompt is too long."), ModelRequestError),
        (Fault(401, "Incorrect key: sk-verysecretkey"), ModelAccessError),
        (Fault.cut_connection(), ModelUnavailableError),
        (Fault.cut_body(), ModelError),
        (Fault.garbage(), ModelError),
        (Fault.quota(), ModelAccessError),
    ],
)
async def test_each_fault_of_a_server_is_an_error_of_ours(
    server: ModelServer, make_llm: MakeLLM, fault: Fault, error: type[ModelError], is_async: bool
) -> None:
    """The class says what to do, the client's own error is kept as the cause, and no key is shown."""
    server.answer = always(fault)
    model = LlamaIndexModel(make_llm())
    with pytest.raises(error, match="test-model") as caught:
        await model.acomplete(request()) if is_async else model.complete(request())
    assert caught.value.__cause__ is not None
    assert "sk-verysecretkey" not in str(caught.value)


async def test_a_call_ends_in_time_whatever_the_server_does(server: ModelServer, make_llm: MakeLLM) -> None:
    """Our own limit holds where the LLM's is longer, for each way of calling."""
    server.answer = always(Fault.trickling())
    model = LlamaIndexModel(make_llm(), timeout_s=0.2)
    with pytest.raises(ModelTimeoutError, match=r"0\.2 seconds"):
        model.complete(request())
    with pytest.raises(ModelTimeoutError):
        await model.acomplete(request())
    with pytest.raises(ModelTimeoutError):
        list(model.stream(request()))
    with pytest.raises(ModelTimeoutError):
        [each async for each in model.astream(request())]


def test_a_server_that_is_not_there_is_said_to_be_unreachable(make_llm: MakeLLM) -> None:
    """A refused connection is not taken for a bad reply."""
    model = LlamaIndexModel(make_llm(api_base="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        model.complete(request())


def test_probabilities_are_given_where_the_llm_reports_them(server: ModelServer, make_llm: MakeLLM) -> None:
    """An LLM made with log probabilities scores choices by their first token."""
    server.answer = always(choosing({"A": -0.1, "B": -2.5}))
    reply = LlamaIndexModel(make_llm(logprobs=True, top_logprobs=5)).complete(request(choices=("A", "B", "C")))
    assert set(reply.choice_logprobs) == {"A", "B"}
    assert reply.choice_logprobs["A"] == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("raw", "extra"),
    [
        ({"usage": {"input_tokens": 9, "output_tokens": 4}}, {}),
        (SimpleNamespace(usage_metadata=SimpleNamespace(prompt_token_count=9, candidates_token_count=4)), {}),
        ({"prompt_eval_count": 9, "eval_count": 4}, {}),
        (None, {"prompt_tokens": 9, "completion_tokens": 4}),
    ],
)
def test_usage_is_found_in_the_words_of_each_provider(raw: object, extra: dict[str, int]) -> None:
    """Anthropic, Google, Ollama and adapters that report beside the response are all understood."""
    response = ChatResponse(message=ChatMessage("hi", role="assistant"), raw=raw, additional_kwargs=extra)
    usage = reply_to(request(), answered_by(response, "hi"), model="m", seconds=0.0).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (9, 4, False)


@pytest.mark.parametrize(
    "raw",
    [{"choices": [{"finish_reason": "length"}]}, SimpleNamespace(stop_reason="max_tokens"), {"done_reason": "length"}],
)
def test_a_reply_cut_at_its_limit_is_told_in_the_words_of_each_provider(raw: object) -> None:
    """OpenAI, Anthropic and Ollama say it at different places; the reply has a note."""
    response = ChatResponse(message=ChatMessage("hi", role="assistant"), raw=raw)
    reply = reply_to(request(), answered_by(response, "hi"), model="m", seconds=0.0)
    assert any("limit of tokens" in note for note in reply.notes)


async def test_a_completion_model_is_asked_in_one_text() -> None:
    """An LLM that knows no chat gets the whole conversation, and its tokens are counted here and marked."""
    model = LlamaIndexModel(MockLLM())
    for reply in (model.complete(request()), await model.acomplete(request())):
        assert "Be brief." in reply.text
        assert "Which page?" in reply.text
        assert reply.usage.estimated
    assert model.name == "MockLLM"


class _Broken(MockLLM):
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        raise ValueError("no such thing")


def test_whatever_a_client_raises_is_translated() -> None:
    """A provider's own error without a status is a reply that is none, and stays the cause."""
    with pytest.raises(ModelReplyError, match="no such thing") as caught:
        LlamaIndexModel(_Broken()).complete(request())
    assert isinstance(caught.value.__cause__, ValueError)


async def test_calls_at_once_are_capped(server: ModelServer, make_llm: MakeLLM) -> None:
    """No more calls than allowed are under way together."""
    server.answer = scripted([], then="Hello.")
    model = LlamaIndexModel(make_llm(), max_concurrency=2)
    await asyncio.gather(*(model.acomplete(request()) for _ in range(8)))
    assert len(server.requests) == 8
    assert max(each.in_flight for each in server.requests) <= 2


def test_a_model_can_be_pickled(server: ModelServer, make_llm: MakeLLM) -> None:
    """A copy in another process asks the same server."""
    server.answer = always("Hello.")
    assert pickle.loads(pickle.dumps(LlamaIndexModel(make_llm()))).complete(request()).text == "Hello."


def test_what_is_no_model_is_refused() -> None:
    """Core models pass, anything else is refused by name."""
    model = LlamaIndexModel(MockLLM())
    assert as_chat_model(model) is model
    assert as_chat_model(None) is None
    assert isinstance(as_chat_model(MockLLM()), LlamaIndexModel)
    with pytest.raises(OptionError, match="SimpleNamespace"):
        as_chat_model(SimpleNamespace())
