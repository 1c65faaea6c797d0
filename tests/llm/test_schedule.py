"""Jobs of many calls: what runs at once, in which order, and how an error ends the whole."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from pageindex_core.errors import ModelAccessError, ModelError, ModelTimeoutError
from pageindex_core.llm import ChatModel, Message, ModelReply, ModelRequest, Usage
from pageindex_core.llm.schedule import LATER, Ask, Job, Schedule, Together, arun_job, run_job, run_without_calls

Run = Callable[..., object]


class Echo:
    """A model that answers with the text it was sent, after a pause, and counts how many wait at once."""

    name = "echo"

    def __init__(self, pause_s: float = 0.0) -> None:
        self.pause_s = pause_s
        self.running = self.most = 0
        self.asked: list[str] = []
        self._lock = threading.Lock()

    def complete(self, request: ModelRequest) -> ModelReply:
        text = self._enter(request)
        time.sleep(self.pause_s)
        return self._leave(text)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        text = self._enter(request)
        await asyncio.sleep(self.pause_s)
        return self._leave(text)

    def _enter(self, request: ModelRequest) -> str:
        with self._lock:
            text = request.messages[0].content
            self.asked.append(text)
            self.running += 1
            self.most = max(self.most, self.running)
        return text

    def _leave(self, text: str) -> ModelReply:
        with self._lock:
            self.running -= 1
        if text.startswith("fail"):
            raise ModelTimeoutError(f"{text} took too long.")
        if text.startswith("deny"):
            raise ModelAccessError("The key is refused.")
        return ModelReply(text.upper(), Usage(1, 1), "echo")


def run_async(job: Job[object], model: ChatModel, *, concurrency: int) -> object:
    return asyncio.run(arun_job(job, model, concurrency=concurrency))


@pytest.fixture(params=[run_job, run_async], ids=["threads", "event loop"])
def run(request: pytest.FixtureRequest) -> Run:
    return request.param


def say(text: str, urgency: int = 0) -> Job[str]:
    reply: ModelReply = yield Ask(ModelRequest((Message("user", text),), "test", "test.v1"), urgency)
    return reply.text


def say_safely(text: str) -> Job[str]:
    try:
        return (yield from say(text))
    except ModelError as error:
        return f"({error})"


def together(*jobs: Job[str]) -> Job[list[str]]:
    return (yield Together(jobs))


def test_results_come_in_the_order_of_the_jobs(run: Run) -> None:
    """Whatever ends first, the list holds each job's result at its place, nested jobs included."""

    def nested() -> Job[str]:
        inner: list[str] = yield Together([say("b"), say("c")])
        return "+".join(inner)

    assert run(together(say("a"), nested(), say("d")), Echo(0.01), concurrency=3) == ["A", "B+C", "D"]


def test_no_more_calls_run_at_once_than_allowed(run: Run) -> None:
    """Twelve jobs with a cap of four keep four calls busy, never five."""
    model = Echo(0.02)
    run(together(*(say(f"n{number}") for number in range(12))), model, concurrency=4)

    assert (model.most, len(model.asked)) == (4, 12)


def test_urgent_calls_start_first(run: Run) -> None:
    """With one call at a time, waiting calls start by urgency, equals in the order of asking."""
    model = Echo()
    run(together(say("first"), say("late", 1), say("soon", 5), say("late too", 1)), model, concurrency=1)

    assert model.asked == ["soon", "late", "late too", "first"]


def test_a_job_goes_on_as_soon_as_what_it_needs_is_there(run: Run) -> None:
    """A second step does not wait for calls that other jobs are still making."""
    model = Echo()

    def two_steps() -> Job[str]:
        text = yield from say("one")
        return (yield from say(f"{text} two", 9))

    run(together(two_steps(), say("x"), say("y"), say("z")), model, concurrency=1)

    assert model.asked.index("ONE two") == 1


def test_a_failed_call_reaches_the_job_that_made_it(run: Run) -> None:
    """The error is raised inside the job, which may go on without; the others never see it."""
    assert run(together(say_safely("fail a"), say("b")), Echo(), concurrency=2) == ["(fail a took too long.)", "B"]


def test_an_error_that_a_job_lets_through_ends_the_whole(run: Run) -> None:
    """No further call is made, and every waiting job is closed so that it can clean up."""
    closed = []
    model = Echo(0.01)

    def watched(text: str) -> Job[str]:
        try:
            return (yield from say(text))
        finally:
            closed.append(text)

    with pytest.raises(ModelAccessError, match="The key is refused"):
        run(together(watched("deny"), *(watched(f"n{number}") for number in range(5))), model, concurrency=1)
    assert model.asked == ["deny"]
    assert sorted(closed) == ["deny", "n0", "n1", "n2", "n3", "n4"]


def test_a_job_that_waits_for_nothing_is_done_at_once() -> None:
    """No jobs at all are an empty list, and work that asks nobody needs no model."""
    assert run_without_calls(together()) == []
    schedule = Schedule(together())
    assert schedule.is_done
    assert schedule.take(5) == []


def test_what_can_wait_is_done_while_calls_are_under_way() -> None:
    """Work left for later begins when every call has been started, and before any of them has ended."""
    model, seen = Echo(0.3), []

    def later() -> Job[str]:
        yield LATER
        seen.append((sorted(model.asked), model.running))
        return "done"

    assert run_job(together(later(), say("a"), say("b")), model, concurrency=2) == ["done", "A", "B"]
    [(asked, running)] = seen
    assert running >= 1  # a thread may have been slow to begin
    assert asked


def test_what_can_wait_does_not_pass_calls_that_wait_for_their_turn(run: Run) -> None:
    """With fewer slots than calls it is done when the last call has begun; alone, at once."""
    model, asked = Echo(0.01), []

    def later() -> Job[int]:
        yield LATER
        asked.append(len(model.asked))
        return 0

    run(together(later(), *(say(f"n{number}") for number in range(5))), model, concurrency=1)
    assert asked[0] >= 4
    assert run(later(), model, concurrency=1) == 0
    assert run_without_calls(later()) == 0


def test_work_that_asks_cannot_run_without_a_model() -> None:
    """The mistake is named instead of waiting for ever."""
    with pytest.raises(RuntimeError, match="needs a model"):
        run_without_calls(say("hello"))


def test_a_call_that_is_not_wanted_any_more_is_not_made(run: Run) -> None:
    """What waits for its turn is dropped when an earlier outcome makes it useless; its job is sent None."""
    model = Echo()
    still = [True]

    def last() -> Job[str]:
        text = yield from say("last")
        still[0] = False
        return text

    def unwanted(text: str) -> Job[str]:
        reply = yield Ask(ModelRequest((Message("user", text),), "test", "test.v1"), 0, lambda: still[0])
        return "none" if reply is None else reply.text

    assert run(together(last(), unwanted("a"), unwanted("b")), model, concurrency=1) == ["LAST", "none", "none"]
    assert model.asked == ["last"]
