"""A cap on how many calls run at once, the same for threads and event loops."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from pageindex_core import forks


class Slots:
    """A number of slots that threads and tasks of any event loop take in turn, first come first served."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.leave_parent()
        forks.watch(self)

    def leave_parent(self) -> None:
        """Have every slot free: threads that hold some stay with the parent process."""
        self._free = self._count
        self._waiting: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot, waiting for one in this thread."""
        place = self._queue_up()
        is_held = False
        try:
            place.result()
            is_held = True
        finally:
            if not is_held:  # interrupted while waiting: the place goes to the next
                self._leave(place)
        try:
            yield
        finally:
            self._release()

    def aslot(self) -> _AsyncSlot:
        """Hold a slot, waiting for one without blocking the loop."""
        return _AsyncSlot(self)

    def _queue_up(self) -> Future[None]:
        place: Future[None] = Future()
        with self._lock:
            if self._free > 0:
                self._free -= 1
                place.set_result(None)
            else:
                self._waiting.append(place)
        return place

    def _leave(self, place: Future[None]) -> None:
        with self._lock:
            if place in self._waiting:
                self._waiting.remove(place)
                return
        if not place.cancelled():
            self._release()  # it had been given a slot already

    def _release(self) -> None:
        with self._lock:
            while self._waiting:
                place = self._waiting.popleft()
                if place.set_running_or_notify_cancel():
                    place.set_result(None)
                    return
            self._free += 1


class _AsyncSlot:
    """A slot held by a task. No generator, which an ending event loop would close while the task does the same."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots

    async def __aenter__(self) -> None:
        place = self._slots._queue_up()
        is_held = False
        try:
            await asyncio.wrap_future(place)
            is_held = True
        finally:
            if not is_held:  # cancelled while waiting: the place goes to the next
                self._slots._leave(place)

    async def __aexit__(self, *error: object) -> None:
        self._slots._release()
