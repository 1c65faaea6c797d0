"""Runs a navigator: a generator that does no I/O, yields tuples of requests and is sent the replies."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pageindex_core.errors import DocumentNotFoundError, LibraryError
from pageindex_core.library.protocol import Library
from pageindex_core.records import SearchResult

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LibraryRead:
    """A request to the library; its scope is part of the arguments, and so of the read itself."""

    method: Literal["shortlist", "list", "count", "postings", "pages", "tree"]
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments by keyword."""

    def perform(self, library: Library) -> Any:
        """Give the library's answer; None where the document has been removed meanwhile."""
        read: Callable[..., Any] = getattr(library, self.method)
        try:
            return read(*self.arguments, **self.options)
        except DocumentNotFoundError:
            return None


Requests = tuple[LibraryRead, ...]
Navigator = Generator[Requests, Sequence[Any], SearchResult]
"""Yields requests that may run at once, is sent their replies in order or thrown the first failure."""


def run(navigator: Navigator, library: Library) -> SearchResult:
    """Run a navigator to its end in this thread."""
    try:
        requests = next(navigator)
        while True:
            try:
                replies = [request.perform(library) for request in requests]
            except LibraryError as failure:
                requests = navigator.throw(failure)
            else:
                requests = navigator.send(replies)
    except StopIteration as end:
        result: SearchResult = end.value
        return result


async def arun(navigator: Navigator, library: Library) -> SearchResult:
    """Run a navigator beside a running event loop: every step, reads and thinking, on our one worker thread."""
    return await on_worker(run, navigator, library)


async def on_worker(work: Callable[..., T], *arguments: Any) -> T:
    """Do CPU work on the one worker thread of this package, with the caller's context variables.

    One thread, because Python runs one at a time anyway: more would only take turns with the event loop more often.
    """
    import asyncio  # 20 ms that only programs with an event loop have paid already

    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_worker(), lambda: context.run(work, *arguments))


_lock = threading.Lock()
_executor: ThreadPoolExecutor | None = None


def _worker() -> ThreadPoolExecutor:
    global _executor
    with _lock:
        if _executor is None:
            _executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pageindex-search")
        return _executor
