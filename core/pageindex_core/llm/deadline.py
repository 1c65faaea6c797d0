"""Blocking calls that end in time, whatever the other side does.

A read timeout is not enough: a server that sends a byte now and then never lets it fire. So the call runs in a thread
of its own, and the caller leaves when the time is up. The thread is a daemon and ends when its connection does; it
keeps nobody waiting, not even the end of the program. One whose work is done waits a while for the next call, since
starting a thread makes its starter wait for it, behind every other thread that has something to do.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

_T = TypeVar("_T")

IDLE_S = 5.0
"""How long a thread waits for the next call: longer than the pauses of a run, and soon over after it."""

_END = object()

_idle: deque[_Runner] = deque()
"""Threads that wait for work, the last to finish at the end."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # no thread comes over a fork


class DeadlineError(Exception):
    """The time was up."""


def call_within(seconds: float, work: Callable[[], _T]) -> _T:
    """Give what the work returns, or raise what it raises, or ``DeadlineError`` when the seconds are over."""
    ended: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    context = contextvars.copy_context()

    def do() -> None:
        try:
            ended.put((context.run(work), None))
        except BaseException as error:  # handed over and raised in the caller's thread
            ended.put((None, error))

    _run(do)
    try:
        result, error = ended.get(timeout=max(0.0, seconds))
    except Empty:
        raise DeadlineError from None
    if error is not None:
        raise error
    return cast(_T, result)


def iterate_within(seconds: float, open_stream: Callable[[], Iterator[_T]]) -> Iterator[_T]:
    """Give the items of a blocking iterator as they come; ``DeadlineError`` when it kept us waiting longer in all.

    The time that the caller takes for itself between items does not count. A caller that stops early stops the thread
    at the next item.
    """
    arrived: SimpleQueue[Any] = SimpleQueue()
    abandoned = threading.Event()
    context = contextvars.copy_context()

    def pump() -> None:
        try:
            for item in open_stream():
                arrived.put((item, None))
                if abandoned.is_set():
                    return
        except BaseException as error:  # handed over and raised in the caller's thread
            arrived.put((None, error))
            return
        arrived.put((_END, None))

    left_s = seconds
    _run(lambda: context.run(pump))
    try:
        while True:
            begun_s = time.monotonic()
            try:
                item, error = arrived.get(timeout=max(0.0, left_s))
            except Empty:
                raise DeadlineError from None
            left_s -= time.monotonic() - begun_s
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        abandoned.set()


async def acall_within(seconds: float, work: Awaitable[_T]) -> _T:
    """Do what ``call_within`` does with something to await, which is cancelled when the seconds are over."""
    try:
        async with asyncio.timeout(max(0.0, seconds)) as limit:
            return await work
    except TimeoutError:
        if limit.expired():
            raise DeadlineError from None
        raise


async def aiterate_within(seconds: float, pieces: AsyncIterator[_T]) -> AsyncIterator[_T]:
    """Do what ``iterate_within`` does with an asynchronous iterator. Only the waiting is interrupted."""
    left_s = seconds
    while True:
        begun_s = time.monotonic()
        try:
            piece = await acall_within(left_s, anext(pieces))
        except StopAsyncIteration:
            return
        left_s -= time.monotonic() - begun_s
        yield piece


def _run(work: Callable[[], None]) -> None:
    """Start work, which raises nothing, in a thread that is idle, or in a new one."""
    try:
        runner = _idle.pop()
    except IndexError:
        runner = _Runner()
    runner.work.put(work)


class _Runner:
    """A thread that does one piece of work after the other."""

    def __init__(self) -> None:
        self.work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._serve, name="model-call", daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                work = self.work.get(timeout=IDLE_S)
            except Empty:
                try:
                    _idle.remove(self)
                except ValueError:
                    continue  # somebody has just taken it
                return
            work()
            del work  # it holds the caller's request
            _idle.append(self)
