"""What was spent, and where a budget ends a run."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from llm_requests import ask, make_request
from pageindex_core.errors import BudgetExceededError, ModelAccessError, OptionError
from pageindex_core.llm import Budget, Meter, ReplyCache, metered
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.testing import Fault, ModelServer, always, scripted

Make = Callable[..., LiteLLMModel]

WAYS = ("sync", "async", "stream", "astream")


@pytest.mark.parametrize("way", WAYS)
def test_calls_are_counted_by_purpose(server: ModelServer, make_litellm: Make, way: str) -> None:
    """Sums are kept for the whole, for each purpose and each model, from the server's own figures."""
    server.answer = always({"content": "ok", "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
    model = metered(make_litellm(price_per_million=(10.0, 100.0)))

    for purpose in ("summary", "summary", "tree"):
        ask(model, make_request(purpose=purpose), way)

    spent = model.meter.spent
    assert (spent.calls, spent.input_tokens, spent.output_tokens, spent.tokens) == (3, 300, 30, 330)
    assert spent.cost_usd == pytest.approx(0.006)
    assert spent.model_seconds > 0
    assert {purpose: sums.calls for purpose, sums in model.meter.by_purpose.items()} == {"summary": 2, "tree": 1}
    assert model.meter.by_model["test-model"].calls == 3
    assert [call.purpose for call in model.meter.calls] == ["summary", "summary", "tree"]


@pytest.mark.parametrize("way", WAYS)
def test_a_run_ends_at_its_limit_of_calls(server: ModelServer, make_litellm: Make, way: str) -> None:
    """The third of two calls is refused before anything is sent, and the meter says why the run ended."""
    model = metered(make_litellm(), budget=Budget(calls=2))
    for _ in range(2):
        ask(model, make_request(), way)
    assert model.meter.ended == ""

    with pytest.raises(BudgetExceededError, match="2 of 2 model calls"):
        ask(model, make_request(), way)

    assert len(server.requests) == 2
    assert "2 of 2" in model.meter.ended


def test_a_run_ends_at_its_limit_of_tokens(server: ModelServer, make_litellm: Make) -> None:
    """A prompt that would pass the limit is not sent; a smaller one still is."""
    server.answer = always({"content": "ok", "usage": {"prompt_tokens": 80, "completion_tokens": 10}})
    model = metered(make_litellm(), budget=Budget(tokens=100))
    model.complete(make_request("x" * 40))

    with pytest.raises(BudgetExceededError, match="90 of 100 tokens"):
        model.complete(make_request("x" * 44))
    model.complete(make_request("x" * 40))

    assert len(server.requests) == 2


def test_a_run_ends_at_its_limit_of_cost(server: ModelServer, make_litellm: Make) -> None:
    """The call that passes the limit is the last."""
    server.answer = always({"content": "ok", "usage": {"prompt_tokens": 1000, "completion_tokens": 0}})
    model = metered(make_litellm(price_per_million=(100.0, 0.0)), budget=Budget(cost_usd=0.15))
    for _ in range(2):
        model.complete(make_request())

    with pytest.raises(BudgetExceededError, match="USD"):
        model.complete(make_request())


def test_a_limit_of_cost_needs_a_price(make_litellm: Make) -> None:
    """Where no price is known the limit cannot be kept, and the run ends rather than spend without end."""
    model = metered(make_litellm(), budget=Budget(cost_usd=1.0))
    model.complete(make_request())

    with pytest.raises(BudgetExceededError, match="No price"):
        model.complete(make_request())
    assert model.meter.spent.cost_usd is None


def test_a_run_ends_at_its_limit_of_seconds(server: ModelServer, make_litellm: Make) -> None:
    """The clock runs from the first call; one that would begin later is not sent."""
    model = metered(make_litellm(), budget=Budget(seconds=1.0))
    assert model.meter.seconds == 0
    model.complete(make_request())
    time.sleep(1.0)

    with pytest.raises(BudgetExceededError, match="seconds") as caught:
        model.complete(make_request())
    assert not caught.value.was_begun
    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_runs_when_the_seconds_are_over_is_given_up(
    server: ModelServer, make_litellm: Make, way: str
) -> None:
    """A server that keeps silent holds nobody longer than the budget says; the call counts as made."""
    server.answer = always(Fault.slow(4.0, "ok"))
    model = metered(make_litellm(timeout_s=30.0), budget=Budget(seconds=0.3))
    begun_s = time.monotonic()

    with pytest.raises(BudgetExceededError, match=r"0\.3 seconds") as caught:
        ask(model, make_request(), way)

    assert time.monotonic() - begun_s < 3
    assert caught.value.was_begun
    assert (model.meter.spent.calls, model.meter.spent.failed) == (1, 1)
    assert "given up" in model.meter.ended


def test_a_reply_that_comes_too_late_is_kept(server: ModelServer, make_litellm: Make, tmp_path: Path) -> None:
    """It is paid for, so the next run finds it."""
    server.answer = always(Fault.slow(0.5, "ok"))
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with pytest.raises(BudgetExceededError):
        metered(make_litellm(), cache=cache, budget=Budget(seconds=0.2)).complete(make_request())
    end_s = time.monotonic() + 10
    while not len(cache) and time.monotonic() < end_s:
        time.sleep(0.02)

    reply = metered(make_litellm(), cache=cache).complete(make_request())

    assert (reply.text, reply.cached) == ("ok", True)
    assert len(server.requests) == 1


def test_threads_do_not_pass_the_limit_together(server: ModelServer, make_litellm: Make) -> None:
    """Of ten calls at once exactly four are sent when four are allowed."""
    server.answer = always(Fault.slow(0.1, "ok"))
    model = metered(make_litellm(), budget=Budget(calls=4))

    def call(number: int) -> bool:
        try:
            model.complete(make_request(str(number)))
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(10) as threads:
        sent = list(threads.map(call, range(10)))

    assert sum(sent) == 4
    assert len(server.requests) == 4


async def test_tasks_do_not_pass_the_limit_together(server: ModelServer, make_litellm: Make) -> None:
    """The same under an event loop: what runs is counted before it ends."""
    server.answer = always(Fault.slow(0.1, "ok"))
    model = metered(make_litellm(), budget=Budget(calls=4))

    done = await asyncio.gather(*(model.acomplete(make_request(str(n))) for n in range(10)), return_exceptions=True)

    assert sum(isinstance(result, BudgetExceededError) for result in done) == 6
    assert len(server.requests) == 4


def test_cached_replies_cost_nothing_and_pass_a_used_up_budget(
    server: ModelServer, make_litellm: Make, tmp_path: Path
) -> None:
    """A run begun again reads what it paid for before, even with a budget of no calls at all."""
    cache = ReplyCache(tmp_path / "replies.sqlite")
    metered(make_litellm(), cache=cache).complete(make_request())
    again = metered(make_litellm(), cache=cache, budget=Budget(calls=0))

    assert again.complete(make_request()).cached
    spent = again.meter.spent
    assert (spent.calls, spent.cached, spent.tokens, spent.cost_usd) == (0, 1, 0, 0.0)
    with pytest.raises(BudgetExceededError):
        again.complete(make_request("another"))


def test_failed_calls_count_and_are_named(server: ModelServer, make_litellm: Make) -> None:
    """A failure uses up a call, and the record keeps its words."""
    server.answer = scripted([Fault.denied()], then="ok")
    model = metered(make_litellm(), budget=Budget(calls=1))

    with pytest.raises(ModelAccessError):
        model.complete(make_request())
    with pytest.raises(BudgetExceededError):
        model.complete(make_request())

    assert (model.meter.spent.calls, model.meter.spent.failed) == (1, 1)
    assert "refused the key" in model.meter.calls[0].error


async def test_a_cancelled_call_is_settled(server: ModelServer, make_litellm: Make) -> None:
    """A call that its caller gives up is counted as failed, and its reserved tokens are free again."""
    server.answer = lambda request: Fault.slow(20) if "slow" in str(request["messages"]) else "ok"
    model = metered(make_litellm(timeout_s=30), budget=Budget(tokens=60))
    call = asyncio.create_task(model.acomplete(make_request("slow" * 40)))
    while not server.requests:
        await asyncio.sleep(0.01)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)

    assert (await model.acomplete(make_request("x" * 200))).text == "ok"
    assert model.meter.spent.failed == 1


def test_models_can_share_a_meter(make_litellm: Make) -> None:
    """Two roles of one run are counted, and limited, together."""
    meter = Meter(Budget(calls=2))
    index, chat = (metered(make_litellm(), meter=meter) for _ in range(2))
    index.complete(make_request(purpose="summary"))
    chat.complete(make_request(purpose="tree"))

    with pytest.raises(BudgetExceededError):
        chat.complete(make_request())
    assert set(meter.by_purpose) == {"summary", "tree"}


@pytest.mark.parametrize(
    "limit",
    [{"calls": -1}, {"tokens": -5}, {"cost_usd": -0.1}, {"seconds": True}, {"seconds": "9"}, {"cost_usd": math.nan}],
)
def test_limits_that_cannot_be_meant_are_refused(limit: dict[str, float]) -> None:
    """Negative limits and truth values are named."""
    with pytest.raises(OptionError, match=next(iter(limit))):
        Budget(**limit)  # type: ignore[arg-type]  # that is the point
