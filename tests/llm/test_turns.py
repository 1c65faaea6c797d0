"""Requests are prepared one after the other, and nobody waits long for that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import litellm
import pytest

from llm_requests import make_request
from pageindex_core.llm import turns
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.openai import OpenAIModel
from pageindex_core.llm.turns import Turns
from pageindex_core.testing import ModelServer, always


def test_one_thread_has_the_turn_until_it_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ending it lets the next one in, long before the block is over."""
    monkeypatch.setattr(turns, "LONGEST_WAIT_S", 30.0)
    taken, entered = Turns(), threading.Event()

    def second() -> None:
        with taken.turn():
            entered.set()

    with taken.turn() as end, ThreadPoolExecutor(1) as pool:
        pool.submit(second)
        assert not entered.wait(0.05)
        end()
        assert entered.wait(5)
        end()  # a second time is none


def test_a_turn_that_is_never_ended_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that does not tell when it sends costs a short wait; who had no turn ends nobody else's."""
    monkeypatch.setattr(turns, "LONGEST_WAIT_S", 0.2)
    taken = Turns()
    with taken.turn():
        for _ in range(2):
            begun_s = time.monotonic()
            with taken.turn():
                assert time.monotonic() - begun_s >= 0.15
    begun_s = time.monotonic()
    with taken.turn():
        assert time.monotonic() - begun_s < 0.15


def test_calls_are_prepared_in_turn_and_wait_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is prepared no other is; while the server thinks, all are under way."""
    monkeypatch.setattr(turns, "LONGEST_WAIT_S", 30.0)
    preparing, together = [0], []
    completion = litellm.completion

    def watched(*, logger_fn: Callable[[dict[str, object]], None], **arguments: object) -> object:
        preparing[0] += 1
        together.append(preparing[0])
        left = [1]

        def sending(details: dict[str, object]) -> None:
            preparing[0] -= left.pop() if left else 0
            logger_fn(details)

        return completion(**arguments, logger_fn=sending)

    monkeypatch.setattr(litellm, "completion", watched)
    with ModelServer(always("Hello."), latency_s=0.5) as server, ThreadPoolExecutor(6) as pool:
        model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_concurrency=6)
        list(pool.map(model.complete, [make_request(str(number)) for number in range(6)]))

    assert set(together) == {1}
    assert max(request.in_flight for request in server.requests) >= 4


def test_openais_client_ends_its_turn_when_it_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that lasted as long as the call would leave one call under way."""
    monkeypatch.setattr(turns, "LONGEST_WAIT_S", 30.0)
    with ModelServer(always("Hello."), latency_s=0.5) as server, ThreadPoolExecutor(6) as pool:
        model = OpenAIModel("test-model", api_base=server.base_url, api_key="test", max_concurrency=6)
        list(pool.map(model.complete, [make_request(str(number)) for number in range(6)]))

    assert max(request.in_flight for request in server.requests) >= 4
