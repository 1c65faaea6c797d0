"""Runs work that needs many model calls: as many at once as allowed, each piece as soon as what it needs is there.

A ``Job`` is a generator that does no I/O. It yields an ``Ask`` and is sent the ``ModelReply`` (or thrown the
``ModelError``, or sent None where the call was not wanted any more), or yields ``Together`` and is sent the results of
those jobs when all are done, or yields ``LATER`` and goes on while calls are under way. ``Schedule`` holds the rules
and no threads; ``run_job`` drives it with threads, ``arun_job`` under an event loop. Both do the same.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from queue import SimpleQueue
from typing import Any, Generic, TypeAlias, TypeVar, cast

from pageindex_core.errors import ModelError
from pageindex_core.llm.protocol import ChatModel, ModelReply, ModelRequest

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Ask:
    """One model call that a job waits for."""

    request: ModelRequest
    urgency: int = 0
    """Calls of a higher urgency start first; those alike in the order in which they were asked for."""
    is_wanted: Callable[[], bool] | None = None
    """Asked when the call's turn comes; False sends the job None instead of a reply. None is always wanted."""


@dataclass(frozen=True, slots=True)
class Together:
    """Jobs to run side by side; the yielding job is sent the list of their results, in this order."""

    jobs: Sequence[Generator[Any, Any, Any]]


class Later:
    """Waits until every call that was asked for has been started: for work that can be done while they run."""


LATER = Later()

Job: TypeAlias = Generator[Ask | Together | Later, Any, _T]
"""Work in steps: yields what it waits for, returns its result."""


@dataclass(slots=True)
class _Task:
    """A job in progress, and which slot of which other job its result goes to."""

    job: Generator[Any, Any, Any]
    parent: _Task | None = None
    slot: int = 0
    results: list[Any] = field(default_factory=list)
    waiting_for: int = 0


class Schedule(Generic[_T]):
    """Which calls are to be made now, and what follows from each outcome.

    An error that a job lets through ends the whole: it is raised by ``finish`` (or the constructor), and the other
    jobs are closed.
    """

    def __init__(self, job: Job[_T]) -> None:
        self._later: list[_Task] = []
        self._ready: list[tuple[int, int, Ask, _Task]] = []  # a heap: the most urgent first
        self._asked: dict[int, _Task] = {}
        self._tickets = count()
        self._result: _T | None = None
        self._live: dict[int, _Task] = {}
        self.is_done = False
        self._advance(_Task(job), None)

    @property
    def result(self) -> _T:
        """What the job returned; meaningful once ``is_done``."""
        return cast(_T, self._result)

    def take(self, most: int) -> list[tuple[int, ModelRequest]]:
        """Give at most this many calls to start now, each with the ticket to finish it by.

        Where none waits to be started, what was left for later is done now: take until nothing more is given.
        """
        taken: list[tuple[int, ModelRequest]] = []
        while self._later and not self._ready:
            self._advance(self._later.pop(0), None)
        while self._ready and len(taken) < most:
            _, ticket, ask, task = heapq.heappop(self._ready)
            if ask.is_wanted is not None and not ask.is_wanted():
                self._advance(task, None)
                continue
            self._asked[ticket] = task
            taken.append((ticket, ask.request))
        return taken

    def finish(self, ticket: int, outcome: ModelReply | ModelError) -> None:
        """Tell the outcome of a call; the job that waits for it goes on."""
        self._advance(self._asked.pop(ticket), outcome)

    def _advance(self, task: _Task, value: Any) -> None:
        """Run a job to its next wait, and every job that this sets free."""
        pending: list[tuple[_Task, Any]] = [(task, value)]
        try:
            while pending:
                task, value = pending.pop()
                self._live[id(task)] = task
                try:
                    wanted = task.job.throw(value) if isinstance(value, ModelError) else task.job.send(value)
                except StopIteration as ended:
                    del self._live[id(task)]
                    self._settle(task, ended.value, pending)
                else:
                    self._wait(task, wanted, pending)
        except BaseException:
            self.close()
            raise

    def _settle(self, task: _Task, result: Any, pending: list[tuple[_Task, Any]]) -> None:
        parent = task.parent
        if parent is None:
            self._result, self.is_done = result, True
            return
        parent.results[task.slot] = result
        parent.waiting_for -= 1
        if not parent.waiting_for:
            results, parent.results = parent.results, []
            pending.append((parent, results))

    def _wait(self, task: _Task, wanted: Ask | Together | Later, pending: list[tuple[_Task, Any]]) -> None:
        if isinstance(wanted, Ask):
            heapq.heappush(self._ready, (-wanted.urgency, next(self._tickets), wanted, task))
        elif isinstance(wanted, Later):
            self._later.append(task)
        elif wanted.jobs:
            task.results, task.waiting_for = [None] * len(wanted.jobs), len(wanted.jobs)
            started = [(_Task(job, task, slot), None) for slot, job in enumerate(wanted.jobs)]
            pending.extend(reversed(started))  # the last is taken first
        else:
            pending.append((task, []))

    def close(self) -> None:
        """End every job that is still waiting."""
        live = list(self._live.values())
        self._live.clear()
        self._ready.clear()
        self._later.clear()
        for task in live:
            task.job.close()


def run_job(job: Job[_T], model: ChatModel, *, concurrency: int) -> _T:
    """Run a job to its end with at most ``concurrency`` calls at once, and give its result.

    Raises:
        ModelError: one that the job lets through; calls under way are not waited for.
    """
    schedule = Schedule(job)
    finished: SimpleQueue[tuple[int, Future[ModelReply | ModelError]]] = SimpleQueue()
    pool = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="pageindex-model")
    running = 0
    try:
        while not schedule.is_done:
            while calls := schedule.take(concurrency - running):
                for ticket, request in calls:
                    future = pool.submit(_outcome, model, request)
                    future.add_done_callback(lambda done, ticket=ticket: finished.put((ticket, done)))  # type: ignore[misc]
                running += len(calls)
            if not running:
                continue  # nothing that was left is wanted any more, which ended the jobs
            ticket, future = finished.get()
            running -= 1
            schedule.finish(ticket, future.result())
    finally:
        schedule.close()
        pool.shutdown(wait=False, cancel_futures=True)
    return schedule.result


def run_without_calls(job: Job[_T]) -> _T:
    """Run a job that turns out to ask nobody, and give its result.

    Raises:
        RuntimeError: it does ask.
    """
    schedule = Schedule(job)
    if schedule.take(1) or not schedule.is_done:
        schedule.close()
        raise RuntimeError("This work needs a model: run it with run_job.")
    return schedule.result


async def arun_job(job: Job[_T], model: ChatModel, *, concurrency: int) -> _T:
    """Do what ``run_job`` does, under an event loop; calls under way are cancelled when an error ends the whole."""
    schedule = Schedule(job)
    running: dict[asyncio.Task[ModelReply | ModelError], int] = {}
    try:
        while not schedule.is_done:
            while calls := schedule.take(concurrency - len(running)):
                running |= {asyncio.create_task(_aoutcome(model, request)): ticket for ticket, request in calls}
            if not running:
                continue  # as above
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=running.__getitem__):
                schedule.finish(running.pop(task), task.result())
    finally:
        schedule.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return schedule.result


def _outcome(model: ChatModel, request: ModelRequest) -> ModelReply | ModelError:
    try:
        return model.complete(request)
    except ModelError as error:
        return error


async def _aoutcome(model: ChatModel, request: ModelRequest) -> ModelReply | ModelError:
    try:
        return await model.acomplete(request)
    except ModelError as error:
        return error
