"""What a model by name sends and gives back, seen from the server's side of the wire."""

from __future__ import annotations

import asyncio
import gc
import math
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from llm_requests import GOOD, SCHEMA, TOOL, ask, make_request
from pageindex_core.errors import ModelAccessError, ModelTimeoutError, ModelUnavailableError, OptionError
from pageindex_core.llm import ChatModel, Message, ModelReply, ModelRequest, ToolCall
from pageindex_core.llm.openai import OpenAIModel
from pageindex_core.llm.retrying import RetryingModel
from pageindex_core.testing import (
    Fault,
    ModelServer,
    always,
    choosing,
    scripted,
    tool_calls,
    without_schemas,
    without_tools,
)

Make = Callable[..., RetryingModel]

WAYS = ("sync", "async", "stream", "astream")


def test_it_is_a_chat_model(make_model: Make) -> None:
    """The adapter keeps to the protocol that everything above it is written against."""
    assert isinstance(make_model(), ChatModel)


@pytest.mark.parametrize("way", WAYS)
def test_usage_is_the_servers(server: ModelServer, make_model: Make, way: str) -> None:
    """Tokens are those that the provider reports, unestimated, streamed or not."""
    server.answer = always({"content": "Yes.", "usage": {"prompt_tokens": 41, "completion_tokens": 7}})

    reply = ask(make_model(), make_request(), way)

    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (41, 7, False)
    assert reply.usage.cost_usd is None
    assert reply.model == "test-model"
    assert reply.seconds > 0


@pytest.mark.parametrize("way", ["sync", "async"])
def test_usage_is_counted_here_where_the_server_counts_nothing(server: ModelServer, make_model: Make, way: str) -> None:
    """A server that reports no usage gives an estimate, marked as such: a token for four characters."""
    server.answer = always({"content": "x" * 40, "usage": None})

    reply = ask(make_model(), make_request("y" * 400), way)

    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.estimated) == (100, 10, True)


def test_a_stated_price_is_the_cost(server: ModelServer, make_model: Make) -> None:
    """The caller's price goes before any list, and an unknown model has none."""
    server.answer = always({"content": "ok", "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000}})

    assert make_model(price_per_million=(2.0, 3.0)).complete(make_request()).usage.cost_usd == pytest.approx(5.0)
    assert make_model().complete(make_request()).usage.cost_usd is None


def test_litellm_knows_list_prices(server: ModelServer, make_litellm: Make) -> None:
    """A listed model has its listed price."""
    server.answer = always({"content": "ok", "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 1_000_000}})
    listed = make_litellm("openai/gpt-4o-mini").complete(make_request()).usage.cost_usd

    assert listed is not None
    assert listed > 0


@pytest.mark.parametrize("name", ["hosted_vllm/gpt-4o", "openai/sample_spec"])
def test_a_listed_name_at_another_provider_has_no_price(make_litellm: Make, name: str) -> None:
    """A model served at home under the name of a listed one answers, at a cost that is not known."""
    reply = make_litellm(name).complete(make_request())

    assert reply.text == "Hello."
    assert reply.usage.cost_usd is None


@pytest.mark.parametrize("way", WAYS)
def test_a_schema_travels_as_response_format(server: ModelServer, make_model: Make, way: str) -> None:
    """A provider that takes JSON schemas gets the schema as it is, and nothing is written into the prompt."""
    server.answer = always(GOOD)

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    sent = server.requests[0]
    assert sent.response_format is not None
    assert sent.response_format["json_schema"]["schema"] == SCHEMA
    assert sent.messages == [{"role": "user", "content": "How often is the filter replaced?"}]
    assert reply.value["nodes"][0]["node_id"] == "0002"
    assert reply.notes == ()


@pytest.mark.parametrize("way", WAYS)
def test_a_model_without_schemas_gets_them_in_words(server: ModelServer, make_model: Make, way: str) -> None:
    """A refused parameter is written into the prompt, at once for this call and from the start for the next."""
    server.answer = without_schemas(always(GOOD))
    model = make_model(max_retries=0)

    replies = [ask(model, make_request(schema=SCHEMA), way) for _ in range(2)]

    assert all(reply.value["nodes"][0]["node_id"] == "0002" for reply in replies)
    assert [request.response_format is None for request in server.requests] == [False, True, True]
    assert '"enum": ["0001", "0002", "0003"]' in server.requests[2].prompt


def test_a_model_that_ignores_schemas_gets_them_in_words_next_time(server: ModelServer, make_model: Make) -> None:
    """Prose in place of JSON shows that the parameter was ignored; the next call states the form in the prompt."""
    server.answer = scripted(["The second section."], then=GOOD)
    model = make_model()

    first, second = (model.complete(make_request(schema=SCHEMA)) for _ in range(2))

    assert first.value is None
    assert second.value is not None
    assert "JSON schema" in server.requests[1].prompt


@pytest.mark.parametrize("way", WAYS)
def test_tools_and_their_results_travel_natively(server: ModelServer, make_model: Make, way: str) -> None:
    """Tools, the model's call and the tool's result arrive in the provider's own form."""
    server.answer = always(tool_calls(("get_page_content", {"pages": "4"})))
    asked = ToolCall("call_7", "get_page_content", '{"pages": "3"}')
    request = make_request(tools=(TOOL,))
    turns = (Message("assistant", "", (asked,)), Message("tool", "Page 3: filters.", tool_call_id="call_7"))
    request = type(request)((*request.messages, *turns), request.purpose, request.prompt_version, tools=(TOOL,))

    reply = ask(make_model(), request, way)

    sent = server.requests[0]
    assert sent.tools[0]["function"]["parameters"] == TOOL.parameters
    assert sent.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"pages": "3"}'
    assert sent.messages[2]["tool_call_id"] == "call_7"
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_page_content", '{"pages": "4"}')]


@pytest.mark.parametrize("way", WAYS)
def test_past_calls_are_told_in_words_where_no_tools_are_offered(
    server: ModelServer, make_model: Make, way: str
) -> None:
    """Providers refuse calls and results of tools in a request that offers none, as an agent's last turn does."""
    called = Message("assistant", "", (ToolCall("c1", "get_page_content", '{"pages": "5"}'),))
    talk = (Message("user", "Q"), called, Message("tool", "page five", tool_call_id="c1"), Message("user", "Answer."))

    ask(make_model(), ModelRequest(talk, "agent", "agent.v1"), way)

    sent = server.requests[0].messages
    assert [message["role"] for message in sent] == ["user", "assistant", "user", "user"]
    assert not any("tool_calls" in message for message in sent)
    assert '"pages": "5"' in sent[1]["content"]
    assert "page five" in sent[2]["content"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_model_without_tools_gets_them_in_words(server: ModelServer, make_model: Make, way: str) -> None:
    """Where tools are refused, the prompt explains them, and a call written as JSON is a tool call."""
    server.answer = without_tools(always('{"tool": "get_page_content", "arguments": {"pages": "4"}}'))

    reply = ask(make_model(max_retries=0), make_request(tools=(TOOL,)), way)

    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_page_content", '{"pages": "4"}')]
    assert reply.text == ""
    assert "get_page_content" in server.requests[1].prompt
    assert server.requests[1].tools == []


def test_a_tool_in_words_that_was_not_offered_is_no_call(server: ModelServer, make_model: Make) -> None:
    """JSON that names another tool stays text: only what was offered can be called."""
    server.answer = without_tools(always('{"tool": "remove_document", "arguments": {}}'))

    reply = make_model().complete(make_request(tools=(TOOL,)))

    assert reply.tool_calls == ()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_choices_are_scored_by_their_probability(server: ModelServer, make_model: Make, way: str) -> None:
    """Variants of a token with a space add up; a choice that the provider does not list is left out."""
    server.answer = always(choosing({"A": math.log(0.5), " A": math.log(0.2), "B": math.log(0.25)}))

    reply = ask(make_model(), make_request(choices=("A", "B", "C")), way)

    assert server.requests[0].body["logprobs"] is True
    assert {key: math.exp(value) for key, value in reply.choice_logprobs.items()} == pytest.approx(
        {"A": 0.7, "B": 0.25}
    )


def test_a_model_without_probabilities_still_answers(server: ModelServer, make_model: Make) -> None:
    """Where log probabilities are refused the text is the answer, and the choices have no scores."""
    server.answer = lambda request: (
        Fault.refusing("logprobs are not supported with this model") if request.get("logprobs") else "B"
    )

    reply = make_model(max_retries=0).complete(make_request(choices=("A", "B")))

    assert (reply.text, dict(reply.choice_logprobs)) == ("B", {})


def test_a_model_with_a_fixed_temperature_is_left_to_it(server: ModelServer, make_model: Make) -> None:
    """A refused temperature is not sent again."""
    server.answer = lambda request: (
        Fault.refusing("Unsupported value: 'temperature'") if "temperature" in request else "ok"
    )

    assert make_model(max_retries=0).complete(make_request()).text == "ok"


@pytest.mark.parametrize("way", ["sync", "async"])
def test_retry_after_is_respected(server: ModelServer, make_model: Make, way: str) -> None:
    """The second attempt comes no earlier than the server asked, by the server's own clock."""
    server.answer = scripted([Fault.busy(retry_after_s=0.7)], then="ok")

    assert ask(make_model(), make_request(), way).text == "ok"

    first, second = server.requests
    assert first.ended_s is not None
    assert second.arrived_s - first.ended_s >= 0.69


def test_a_pause_asked_of_one_call_holds_for_all(server: ModelServer, make_model: Make) -> None:
    """A busy server is left alone by the calls that begin while it asks to wait."""
    server.answer = scripted([Fault.busy(retry_after_s=0.7)], then="ok")
    model = make_model()

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(model.complete, make_request("first"))
        while not (server.requests and server.requests[0].ended_s):
            time.sleep(0.01)
        time.sleep(0.1)
        second = threads.submit(model.complete, make_request("second"))
        assert [first.result().text, second.result().text] == ["ok", "ok"]

    refused, *later = server.requests
    assert refused.ended_s is not None
    assert len(later) == 2
    assert all(request.arrived_s - refused.ended_s >= 0.69 for request in later)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_pause_longer_than_a_call_may_take_ends_it_at_once(server: ModelServer, make_model: Make, way: str) -> None:
    """An hour is not waited for when a call may take seconds; the error says how long was asked."""
    server.answer = always(Fault.busy(retry_after_s=3600))

    with pytest.raises(ModelUnavailableError, match="3600 seconds"):
        ask(make_model(), make_request(), way)

    assert len(server.requests) == 1


def test_waits_grow_between_attempts(server: ModelServer, make_model: Make) -> None:
    """Without Retry-After each wait is about twice the one before, shortened by the jitter at most."""
    server.answer = always(Fault.failing())

    with pytest.raises(ModelUnavailableError, match="4 attempts"):
        make_model(max_retries=3, first_wait_s=0.1).complete(make_request())

    times = [request.arrived_s for request in server.requests]
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert len(waits) == 3
    assert all(wait >= 0.1 * 2**position * 0.75 for position, wait in enumerate(waits))


def test_threads_keep_to_the_cap(server: ModelServer, make_model: Make) -> None:
    """Of twelve threads at once the server sees three requests side by side: never more, and not fewer."""
    server.answer = lambda request: Fault.slow(0.1, "ok")
    model = make_model(max_concurrency=3)

    with ThreadPoolExecutor(12) as threads:
        replies = list(threads.map(model.complete, [make_request(str(number)) for number in range(12)]))

    assert [reply.text for reply in replies] == ["ok"] * 12
    assert server.max_in_flight == 3


async def test_tasks_keep_to_the_cap(server: ModelServer, make_model: Make) -> None:
    """The same holds for tasks of an event loop."""
    server.answer = lambda request: Fault.slow(0.1, "ok")
    model = make_model(max_concurrency=3)

    replies = await asyncio.gather(*(model.acomplete(make_request(str(number))) for number in range(12)))

    assert [reply.text for reply in replies] == ["ok"] * 12
    assert server.max_in_flight == 3


async def test_threads_and_tasks_share_one_cap(server: ModelServer, make_model: Make) -> None:
    """Sync and async callers of one model together stay within its cap."""
    server.answer = lambda request: Fault.slow(0.1, "ok")
    model = make_model(max_concurrency=2)
    with ThreadPoolExecutor(4) as threads:
        work = [threads.submit(model.complete, make_request(str(number))) for number in range(4)]
        await asyncio.gather(*(model.acomplete(make_request(str(number))) for number in range(4)))
        assert [done.result().text for done in work] == ["ok"] * 4

    assert server.max_in_flight == 2


async def test_the_event_loop_stays_free(server: ModelServer, make_model: Make) -> None:
    """While a model thinks, other tasks of the loop go on."""
    server.answer = always(Fault.slow(0.5, "ok"))
    call = asyncio.create_task(make_model().acomplete(make_request()))
    turns = 0
    while not call.done():
        await asyncio.sleep(0.01)
        turns += 1

    assert call.result().text == "ok"
    assert turns >= 10


async def test_a_cancelled_call_gives_its_slot_back(server: ModelServer, make_model: Make) -> None:
    """Cancelling, before or while a call runs, leaves the cap as it was."""
    server.answer = lambda request: Fault.slow(20) if "slow" in str(request["messages"]) else "ok"
    model = make_model(max_concurrency=1, timeout_s=30)
    running = asyncio.create_task(model.acomplete(make_request("slow")))
    while not server.requests:
        await asyncio.sleep(0.01)
    waiting = asyncio.create_task(model.acomplete(make_request("never sent")))
    await asyncio.sleep(0.05)

    waiting.cancel()
    running.cancel()
    await asyncio.gather(waiting, running, return_exceptions=True)

    assert (await model.acomplete(make_request("next"))).text == "ok"
    assert len(server.requests) == 2


def test_a_model_works_in_one_event_loop_after_another(make_model: Make) -> None:
    """Each ``asyncio.run`` has a loop of its own, and nothing of the last one is used in the next."""
    model = make_model()

    assert [asyncio.run(model.acomplete(make_request())).text for _ in range(3)] == ["Hello."] * 3


def test_no_connection_of_openais_client_outlives_its_loop_or_its_model() -> None:
    """Kept alive by the server, connections end with the event loop, and with the object; a warning fails the test."""
    with ModelServer(always("Hello."), keeps_alive=True) as server:
        model = OpenAIModel("test-model", api_base=server.base_url, api_key="test")
        for _ in range(3):
            assert asyncio.run(model.acomplete(make_request())).text == "Hello."
            gc.collect()
        assert model.complete(make_request()).text == "Hello."
        del model
        gc.collect()


async def test_the_sync_way_works_under_a_running_loop(make_model: Make) -> None:
    """As in a notebook: a sync call inside a coroutine answers."""
    assert make_model().complete(make_request()).text == "Hello."


def test_a_stream_gives_pieces_before_the_whole(server: ModelServer, make_model: Make) -> None:
    """The text comes in several pieces, then the reply that holds it all."""
    server.answer = always("Every six months, or sooner.")

    *pieces, reply = make_model().stream(make_request())

    assert len(pieces) > 1
    assert isinstance(reply, ModelReply)
    assert reply.text == "".join(map(str, pieces)) == "Every six months, or sooner."


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_a_slow_consumer_is_not_timed_out(server: ModelServer, make_model: Make, way: str) -> None:
    """The timeout is the server's: a caller that thinks longer than that between two pieces is not interrupted."""
    server.answer = always("one two three")
    model = make_model(timeout_s=2.0, max_retries=0)
    pieces: list[str | ModelReply] = []
    if way == "stream":
        for piece in model.stream(make_request()):
            time.sleep(0 if pieces else 2.2)
            pieces.append(piece)
    else:
        async for piece in model.astream(make_request()):
            await asyncio.sleep(0 if pieces else 2.2)
            pieces.append(piece)

    assert isinstance(pieces[-1], ModelReply)
    assert pieces[-1].text == "one two three"


def test_a_stream_left_early_gives_its_slot_back(server: ModelServer, make_model: Make) -> None:
    """A caller that stops reading does not block the next one."""
    server.answer = always("one two three four")
    model = make_model(max_concurrency=1)
    stream = model.stream(make_request())
    assert next(stream) == "one"
    stream.close()  # type: ignore[attr-defined]  # a generator

    assert model.complete(make_request()).text == "one two three four"


def test_a_model_can_be_pickled(server: ModelServer, make_model: Make) -> None:
    """Name and settings cross process borders, and the copy works."""
    model = make_model(max_retries=2)
    model.complete(make_request())  # opens what has to stay at home
    copy = pickle.loads(pickle.dumps(model))

    assert copy.name == model.name
    assert copy.settings.max_retries == 2
    assert copy.complete(make_request()).text == "Hello."


@pytest.mark.parametrize(
    "settings",
    [
        {"timeout_s": 0},
        {"timeout_s": "5"},
        {"timeout_s": None},
        {"timeout_s": float("nan")},
        {"timeout_s": float("inf")},
        {"give_up_after_s": "9"},
        {"first_wait_s": -1},
        {"max_concurrency": 0},
        {"max_concurrency": 1.5},
        {"max_retries": -1},
        {"max_retries": None},
        {"max_retries": True},
        {"temperature": "hot"},
        {"price_per_million": 3.0},
        {"price_per_million": ("1", "2")},
        {"api_base": 5},
        {"api_key": 5},
        {"tempreature": 1.0},
    ],
)
def test_settings_that_cannot_be_meant_are_refused(make_model: Make, settings: dict[str, Any]) -> None:
    """Values of a wrong kind or size and misspelt names are named when the model is made."""
    with pytest.raises(OptionError, match=next(iter(settings))):
        make_model(**settings)


def test_nobody_listening_is_unavailable(make_model: Make) -> None:
    """A closed port ends in a typed error, not in the client's own."""
    with pytest.raises(ModelUnavailableError):
        make_model(api_base="http://127.0.0.1:9/v1", max_retries=1).complete(make_request())


def test_a_missing_key_is_an_access_error(
    server: ModelServer, make_model: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no key anywhere, the error says that the key is what is missing, and nothing is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(ModelAccessError, match="key"):
        make_model(api_key=None).complete(make_request())

    assert server.requests == []


def test_a_timeout_is_followed_by_an_answer(server: ModelServer, make_model: Make) -> None:
    """One stalled attempt does not spoil the call."""
    server.answer = scripted([Fault.slow(20)], then="ok")

    assert make_model(timeout_s=0.5).complete(make_request()).text == "ok"


def test_no_retry_means_none(server: ModelServer, make_model: Make) -> None:
    """Neither LiteLLM nor the provider's client tries again behind our back."""
    server.answer = always(Fault.slow(20))

    with pytest.raises(ModelTimeoutError):
        make_model(timeout_s=0.3, max_retries=0).complete(make_request())

    assert len(server.requests) == 1
