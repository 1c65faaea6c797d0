"""Threads that prepare their requests one after the other instead of all at once.

Python runs one thread at a time. Thirty-two calls that are prepared side by side are all ready at the end of the time
that this takes together, and nothing is under way until then; one after the other, the first is sent at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pageindex_core import forks

LONGEST_WAIT_S = 0.05
"""Nobody waits longer for a turn, whoever forgets to end his: some ten requests are prepared in this time."""


class Turns:
    """One thread at a time has the turn."""

    def __init__(self) -> None:
        self.leave_parent()
        forks.watch(self)

    def leave_parent(self) -> None:
        """Have nobody at turn: a thread that is stays with the parent process."""
        self._lock = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[Callable[[], None]]:
        """Wait for the turn, and give what ends it; any thread may call that, and the end of the block does."""
        lock = self._lock
        mine = [lock] if lock.acquire(timeout=LONGEST_WAIT_S) else []

        def end() -> None:
            try:
                mine.pop().release()
            except IndexError:  # ended before, or never had
                return

        try:
            yield end
        finally:
            end()
