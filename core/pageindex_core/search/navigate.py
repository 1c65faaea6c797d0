"""Runs a navigator: a generator that does no I/O, yields tuples of requests and is sent the replies.

A request is a read of the library, a call to a model or to a user's own store, or an event for whoever listens. The
requests of one tuple may run at once. The replies are sent back in order; when the library or the model fails, the
first failure is thrown into the navigator instead. One navigator serves the sync and the async drivers, so that the two
cannot drift apart.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pageindex_core.errors import DocumentNotFoundError, LibraryError, ModelError, ModelReplyError, OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.records import DocumentInfo, Event, SearchResult

if TYPE_CHECKING:  # the model boundary loads asyncio, which a search without a model does not need
    from pageindex_core.llm.protocol import ChatModel, ModelReply, ModelRequest
    from pageindex_core.passages import Passage, PassageStore

T = TypeVar("T")

_CUT_STREAM = ModelReplyError("A streamed reply ended early.", "Its pieces came without the whole reply.", "Try again.")


@dataclass(frozen=True, slots=True)
class LibraryRead:
    """A request to the library; its scope is part of the arguments, and so of the read itself."""

    method: Literal["shortlist", "list", "count", "get", "postings", "pages", "tree"]
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments by keyword."""

    def perform(self, library: Library) -> Any:
        """Give the library's answer; None where there is no such document, or no longer."""
        read: Callable[..., Any] = getattr(library, self.method)
        try:
            return read(*self.arguments, **self.options)
        except DocumentNotFoundError:
            return None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A request to the model."""

    request: ModelRequest
    streams: bool = False
    """Whether the pieces of the reply are told as ``text`` events, where somebody listens."""


@dataclass(frozen=True, slots=True)
class PassageCall:
    """A question to a user's own store. What the store raises ends the search: it is the caller's to handle."""

    store: PassageStore
    question: str
    k: int
    documents: Sequence[DocumentInfo] | None = None
    """The documents to keep to; None for all."""

    def perform(self) -> Sequence[Passage]:
        """Ask in this thread."""
        return self.store.passages(self.question, self.k, self.documents)

    async def aperform(self) -> Sequence[Passage]:
        """Ask on the event loop."""
        return await self.store.apassages(self.question, self.k, self.documents)


Request = LibraryRead | ModelCall | PassageCall | Event
Requests = tuple[Request, ...]
Navigation = Generator[Requests, Sequence[Any], T]
Navigator = Navigation[SearchResult]
"""Yields requests that may run at once, is sent their replies in order or thrown the first failure."""


@dataclass(frozen=True, slots=True)
class Finished(Generic[T]):
    """The last thing that a followed navigator gives."""

    result: T


def run(navigator: Navigation[T], library: Library, model: ChatModel | None = None) -> T:
    """Run a navigator to its end in this thread, telling nobody."""
    under_way = _UnderWay(navigator, library)
    requests = under_way.start()
    while requests is not None:
        outcome: Sequence[Any] | Exception
        try:
            outcome = _perform_all(requests, library, model)
        except (LibraryError, ModelError) as failure:
            outcome = failure
        requests = under_way.go_on(outcome)
    return under_way.result[0]


def follow(navigator: Navigation[T], library: Library, model: ChatModel | None = None) -> Iterator[Event | Finished[T]]:
    """Run a navigator in this thread, giving its events as they come and last its result."""
    under_way = _UnderWay(navigator, library)
    requests = under_way.start()
    while requests is not None:
        outcome: Sequence[Any] | Exception
        try:
            call = _streamed(requests)
            if call is not None:
                outcome = [(yield from _pieces(call, model))]
            else:
                yield from (request for request in requests if isinstance(request, Event))
                outcome = _perform_all(requests, library, model)
        except (LibraryError, ModelError) as failure:
            outcome = failure
        requests = under_way.go_on(outcome)
    yield Finished(under_way.result[0])


async def arun(navigator: Navigation[T], library: Library, model: ChatModel | None = None) -> T:
    """Run a navigator beside a running event loop: reads and thinking on our worker thread, the model's calls on it."""
    under_way = _UnderWay(navigator, library)
    requests = await on_worker(under_way.start)
    while requests is not None:
        outcome: Sequence[Any] | Exception
        try:
            outcome = await _aperform_all(requests, library, model)
        except (LibraryError, ModelError) as failure:
            outcome = failure
        requests = await on_worker(under_way.go_on, outcome)
    return under_way.result[0]


async def afollow(
    navigator: Navigation[T], library: Library, model: ChatModel | None = None
) -> AsyncIterator[Event | Finished[T]]:
    """Do what ``follow`` does, beside a running event loop."""
    under_way = _UnderWay(navigator, library)
    requests = await on_worker(under_way.start)
    while requests is not None:
        outcome: Sequence[Any] | Exception
        try:
            call = _streamed(requests)
            if call is not None:
                outcome = _CUT_STREAM
                async for piece in _model(model).astream(call.request):
                    if not isinstance(piece, str):
                        outcome = [piece]
                    elif piece:
                        yield Event("text", piece)
            else:
                for request in requests:
                    if isinstance(request, Event):
                        yield request
                outcome = await _aperform_all(requests, library, model)
        except (LibraryError, ModelError) as failure:
            outcome = failure
        requests = await on_worker(under_way.go_on, outcome)
    yield Finished(under_way.result[0])


class _UnderWay(Generic[T]):
    """A navigator that has been started: does its reads at once, and stops where a model or a listener is needed."""

    def __init__(self, navigator: Navigation[T], library: Library) -> None:
        self._navigator = navigator
        self._library = library
        self.result: list[T] = []
        """Empty until the navigator has ended, then its result alone."""

    def start(self) -> Requests | None:
        """Begin; give the first requests that are not reads alone, None at the end."""
        return self.go_on(None)

    def go_on(self, outcome: Sequence[Any] | Exception | None) -> Requests | None:
        """Send what came of the last requests; give the next that are not reads alone, None at the end."""
        try:
            while True:
                if isinstance(outcome, Exception):
                    requests = self._navigator.throw(outcome)
                else:
                    requests = next(self._navigator) if outcome is None else self._navigator.send(outcome)
                if not all(isinstance(request, LibraryRead) for request in requests):
                    return requests
                try:
                    outcome = _perform_all(requests, self._library, None)
                except LibraryError as failure:
                    outcome = failure
        except StopIteration as end:
            self.result.append(end.value)
            return None


def _perform_all(requests: Requests, library: Library, model: ChatModel | None) -> list[Any]:
    """Perform requests in this thread; several calls to a model go to threads, since each mostly waits."""
    calls = [request.request for request in requests if isinstance(request, ModelCall)]
    replies: Iterator[ModelReply] = iter(())
    if len(calls) > 1:
        with ThreadPoolExecutor(max_workers=len(calls)) as threads:
            replies = iter(list(threads.map(_model(model).complete, calls)))
    elif calls:
        replies = iter([_model(model).complete(calls[0])])
    return [
        next(replies)
        if isinstance(request, ModelCall)
        else request.perform(library)
        if isinstance(request, LibraryRead)
        else request.perform()
        if isinstance(request, PassageCall)
        else None
        for request in requests
    ]


async def _aperform_all(requests: Requests, library: Library, model: ChatModel | None) -> list[Any]:
    """Perform requests: calls to the model and to stores on the event loop, reads on the worker thread."""
    import asyncio

    async def perform(request: Request) -> Any:
        if isinstance(request, ModelCall):
            return await _model(model).acomplete(request.request)
        if isinstance(request, PassageCall):
            return await request.aperform()
        return await on_worker(request.perform, library) if isinstance(request, LibraryRead) else None

    return await asyncio.gather(*map(perform, requests))


def _streamed(requests: Requests) -> ModelCall | None:
    """Give the call whose pieces are to be told: one that stands alone and asks for it."""
    call = requests[0] if len(requests) == 1 else None
    return call if isinstance(call, ModelCall) and call.streams else None


def _pieces(call: ModelCall, model: ChatModel | None) -> Generator[Event, None, ModelReply]:
    whole: ModelReply | None = None
    for piece in _model(model).stream(call.request):
        if not isinstance(piece, str):
            whole = piece
        elif piece:
            yield Event("text", piece)
    if whole is None:
        raise _CUT_STREAM
    return whole


def _model(model: ChatModel | None) -> ChatModel:
    if model is None:
        raise OptionError("This navigator asks a model.", "None was given.", "Pass model=, or use navigator='lexical'.")
    return model


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
