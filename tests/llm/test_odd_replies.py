"""Models behind OpenAI's interface that answer in shapes of their own, and clients whose process or loop goes away."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from llm_requests import TOOL, ask, make_request
from pageindex_core.errors import ModelReplyError, ModelRequestError, ModelUnavailableError
from pageindex_core.llm.openai import OpenAIModel, joined
from pageindex_core.llm.retrying import RetryingModel
from pageindex_core.testing import Fault, ModelServer, always

Make = Callable[..., RetryingModel]

WAYS = ("sync", "async", "stream", "astream")


def streamed(*chunks: Any) -> str:
    """The body of a stream of chunks."""
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def whole(message: Any) -> str:
    """The body of a response with a message."""
    return json.dumps({"choices": [{"message": message}]})


@pytest.fixture
def openai_model(server: ModelServer) -> OpenAIModel:
    """A model on the server that tries once."""
    return OpenAIModel("test-model", api_base=server.base_url, api_key="test", max_retries=0, timeout_s=5.0)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(
    "body",
    [
        '{"choices": {"a": 1}}',
        '{"choices": [{"message": null}]}',
        whole({"content": 5}),
        whole({"content": [{"type": "text", "text": "hi"}]}),
        whole({"content": "x", "tool_calls": [None]}),
        whole({"content": None, "tool_calls": [{"id": "a", "function": None}]}),
        whole({"content": None, "tool_calls": {"id": 1}}),
    ],
)
def test_a_response_of_another_shape_is_a_typed_error(
    server: ModelServer, openai_model: OpenAIModel, way: str, body: str
) -> None:
    """JSON that is no completion, or one with other things in it."""
    server.answer = always(Fault(body=body))
    with pytest.raises(ModelReplyError):
        ask(openai_model, make_request(), way)


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize(
    "chunk", [{"choices": [{"delta": None}]}, {"choices": [None]}, {"choices": [{"delta": {"content": 5}}]}, "abc", 5]
)
def test_a_chunk_of_another_shape_is_a_typed_error(
    server: ModelServer, openai_model: OpenAIModel, way: str, chunk: Any
) -> None:
    """The same in a stream."""
    server.answer = always(Fault(body=streamed(chunk)))
    with pytest.raises(ModelReplyError):
        ask(openai_model, make_request(), way)


def piece(**call: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


@pytest.mark.parametrize("index", [0, None])
def test_streamed_calls_are_told_apart_by_their_ids(
    server: ModelServer, openai_model: OpenAIModel, index: int | None
) -> None:
    """Some servers count every call as the first, and some repeat the name with each piece of the arguments."""
    name = TOOL.name
    chunks = (
        piece(index=index, id="a", function={"name": name, "arguments": '{"pages"'}),
        piece(index=index, id="a", function={"name": name, "arguments": ': "1"}'}),
        piece(index=index, id="b", function={"name": name, "arguments": '{"pages": "2"}'}),
    )
    server.answer = always(Fault(body=streamed(*chunks)))
    reply = ask(openai_model, make_request(tools=(TOOL,)), "stream")
    assert [(call.call_id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("a", name, '{"pages": "1"}'),
        ("b", name, '{"pages": "2"}'),
    ]


def test_no_chunks_are_no_response() -> None:
    """A stream that ends at once has no choices."""
    assert joined([]).choices == []


def test_a_date_without_a_zone_is_waited_for(server: ModelServer, make_model: Make) -> None:
    """ "-0000" says that the zone is not known: taken for UTC."""
    server.answer = always(Fault(429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 -0000"}))
    with pytest.raises(ModelUnavailableError):
        make_model(max_retries=1).complete(make_request())
    assert len(server.requests) == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("settings", [{"api_base": "http://localhost:abc/v1"}, {"api_key": "clé€"}])
def test_what_cannot_be_sent_is_named_and_not_tried_again(
    server: ModelServer, way: str, settings: dict[str, str]
) -> None:
    """Addresses that are none, and keys no header can hold."""
    model = OpenAIModel("test-model", **{"api_base": server.base_url, "api_key": "test", **settings})
    with pytest.raises(ModelRequestError, match="cannot be sent"):
        ask(model, make_request(), way)


def test_streams_left_open_end_with_their_loop(server: ModelServer, openai_model: OpenAIModel) -> None:
    """The loop and the readers of the streams close what is open, and neither complains about the other."""
    server.answer = always("word " * 2_000)
    complaints: list[dict[str, Any]] = []
    held: list[Any] = []

    async def leave_open() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        held.extend(openai_model.astream(make_request()) for _ in range(3))
        for stream in held:
            await anext(stream)

    asyncio.run(leave_open())
    assert complaints == []
    assert openai_model.complete(make_request()).text.startswith("word")


_shared: OpenAIModel | None = None


def _ask_shared(text: str) -> str:
    assert _shared is not None
    return _shared.complete(make_request(text)).text


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_shares_neither_connections_nor_slots() -> None:
    """It asks over connections of its own, and what its parent had under way takes no slot from it."""
    global _shared  # what a forked worker finds

    def echo(body: dict[str, Any]) -> str:
        return str(body["messages"][-1]["content"])

    with ModelServer(echo, keeps_alive=True, latency_s=0.05) as server:
        _shared = OpenAIModel("test-model", api_base=server.base_url, api_key="test", max_concurrency=1)
        _shared.complete(make_request())
        server.answer = lambda body: Fault.slow(1.0) if echo(body) == "slow" else echo(body)
        busy = threading.Thread(target=_ask_shared, args=("slow",))
        busy.start()
        try:
            with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("fork")) as pool:
                asked = [f"question {number}" for number in range(9)]
                assert list(pool.map(_ask_shared, asked, timeout=20)) == asked
        finally:
            busy.join()
            _shared = None
