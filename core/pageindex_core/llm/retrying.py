"""Models that are called over and over until they answer: what every client of a provider needs from us.

A subclass says how its client is called; here it is decided what is sent in which attempt, how long it may take,
whether to try again and when, and what the caller gets in the end.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from pageindex_core.errors import ModelError, ModelReplyError, ModelUnavailableError
from pageindex_core.llm import wire
from pageindex_core.llm.deadline import DeadlineError, call_within, iterate_within
from pageindex_core.llm.failures import refused_feature, timeout_error, translate
from pageindex_core.llm.protocol import ModelReply, ModelRequest
from pageindex_core.llm.replies import NO_JSON
from pageindex_core.llm.retry import Failure, wait_s
from pageindex_core.llm.settings import NamedSettings, model_settings
from pageindex_core.llm.slots import Slots
from pageindex_core.llm.turns import Turns

_PREPARING = Turns()


class RetryingModel(ABC):
    """A ``ChatModel`` by its name, called through a client that tries nothing again by itself.

    JSON schemas, tools, token probabilities and the temperature are sent as parameters; what the model turns out not to
    know is written into the prompt, or left out, from then on. Busy and failing servers are tried again with growing
    waits, as long as ``Retry-After`` asks; keys and quotas that are refused are not. Every call ends within
    ``give_up_after_s``, counted from its first attempt. Objects can be pickled, key included.

    Args:
        name: what the client calls the model.
        settings: the fields of ``NamedSettings``.

    Raises:
        OptionError: an unknown setting, or a value that cannot be meant.
    """

    errors: ClassVar[tuple[type[Exception], ...]]
    """What the client raises."""

    def __init__(self, name: str, **settings: Any) -> None:
        self._set_up(name, model_settings(**settings))

    def _set_up(self, name: str, settings: NamedSettings) -> None:
        self._name = name
        self.settings = settings
        self._slots = Slots(settings.max_concurrency)
        self._unknown: set[str] = set()  # features that this model refused
        self._not_before_s = 0.0  # on the monotonic clock: a server that asks for a pause asks all calls

    def __getstate__(self) -> tuple[str, NamedSettings]:
        return self._name, self.settings

    def __setstate__(self, state: tuple[str, NamedSettings]) -> None:
        self._set_up(*state)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r}, {self.settings!r})"

    @property
    def name(self) -> str:
        """Name of the model, as its client calls it."""
        return self._name

    @abstractmethod
    def _arguments(self, request: ModelRequest, unknown: frozenset[str], *, streams: bool) -> dict[str, Any]:
        """Give the keyword arguments of the client's call; ``unknown`` features are to be written or left out."""

    @abstractmethod
    def _send(self, arguments: dict[str, Any], sending: Callable[[], None]) -> Any:
        """Give the client's answer. ``sending`` is called, in time, when the request is ready."""

    @abstractmethod
    async def _asend(self, arguments: dict[str, Any]) -> Any:
        """Do what ``_send`` does, without blocking the event loop. For a stream it gives an asynchronous iterator."""

    @abstractmethod
    def _open(self, arguments: dict[str, Any]) -> Iterator[Any]:
        """Give the chunks of a stream."""

    @abstractmethod
    def _whole(self, chunks: list[Any], arguments: dict[str, Any]) -> Any:
        """Give the answer that the chunks of a stream make up."""

    @abstractmethod
    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Give the list price of a call in USD; None where there is none."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request; see ``ChatModel``."""
        call = _Call(self, request)
        while True:
            call.pause()
            try:
                with self._slots.slot(), _PREPARING.turn() as end_turn:
                    attempt = call.begin()
                    raw = call_within(attempt.limit_s, lambda: self._send(attempt.arguments, end_turn))  # noqa: B023  # used at once
                    return call.end(attempt, raw)
            except DeadlineError as error:
                call.failed(attempt, error)
            except self.errors as error:
                call.failed(attempt, error)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        call = _Call(self, request)
        while True:
            await asyncio.sleep(call.pause_s())
            try:
                async with self._slots.aslot():
                    attempt = call.begin()
                    async with asyncio.timeout(attempt.limit_s):
                        raw = await self._asend(attempt.arguments)
                    return call.end(attempt, raw)
            except TimeoutError as error:
                call.failed(attempt, error)
            except self.errors as error:
                call.failed(attempt, error)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply. It is tried again only before the first piece."""
        call = _Call(self, request, streams=True)
        while True:
            call.pause()
            try:
                with self._slots.slot():
                    attempt = call.begin()
                    chunks = iterate_within(attempt.limit_s, lambda: self._open(attempt.arguments))  # noqa: B023  # used at once
                    for chunk in chunks:
                        if text := attempt.take(chunk):
                            yield text
                    yield call.end_stream(attempt)
                    return
            except DeadlineError as error:
                call.failed(attempt, error)
            except self.errors as error:
                call.failed(attempt, error)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        call = _Call(self, request, streams=True)
        while True:
            await asyncio.sleep(call.pause_s())
            try:
                async with self._slots.aslot():
                    attempt = call.begin()
                    async with _Chunks(self, attempt) as chunks:
                        async for chunk in chunks:
                            if text := attempt.take(chunk):
                                yield text
                    yield call.end_stream(attempt)
                    return
            except TimeoutError as error:
                call.failed(attempt, error)
            except self.errors as error:
                call.failed(attempt, error)

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Give the price of a call in USD, as stated or listed; None where there is none."""
        if self.settings.price_per_million is None:
            return self._cost(input_tokens, output_tokens)
        price_in, price_out = self.settings.price_per_million
        return (input_tokens * price_in + output_tokens * price_out) / 1_000_000

    def _pause_all(self, seconds: float) -> None:
        self._not_before_s = max(self._not_before_s, time.monotonic() + seconds)


class _Chunks:
    """The chunks of a stream as they come. Only the waiting is timed, and only it is interrupted.

    No generator: one that is open when its event loop ends is closed by the loop, while who reads it does the same.
    """

    def __init__(self, model: RetryingModel, attempt: _Attempt) -> None:
        self._opening = model._asend(attempt.arguments)
        self._left_s = attempt.limit_s
        self._stream: Any = None

    async def __aenter__(self) -> _Chunks:
        self._stream = await self._wait(self._opening)
        return self

    async def __aexit__(self, *error: object) -> None:
        await _close(self._stream)

    def __aiter__(self) -> _Chunks:
        return self

    async def __anext__(self) -> Any:
        return await self._wait(anext(self._stream))

    async def _wait(self, awaited: Awaitable[Any]) -> Any:
        clock = asyncio.get_running_loop().time
        begun_s = clock()
        try:
            async with asyncio.timeout(self._left_s):
                return await awaited
        finally:
            self._left_s -= clock() - begun_s


async def _close(stream: Any) -> None:
    """End a stream, so that its connection is free: clients call that by one name or another."""
    close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
    ending = close() if close is not None else None
    if inspect.isawaitable(ending):
        await ending


@contextmanager
def _shaped(name: str) -> Iterator[None]:
    """What is raised where a response has another shape than OpenAI's is an error of the model."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ModelReplyError(
            f"The model {name!r} sent what is no reply.",
            f"Its JSON has a shape of its own: {error}.",
            "Is this the address of a model? See api_base.",
        ) from error


class _Attempt:
    """One try: what was sent, when, and what came so far."""

    def __init__(self, arguments: dict[str, Any], limit_s: float, unknown: frozenset[str]) -> None:
        self.arguments = arguments
        self.limit_s = limit_s
        self.unknown = unknown
        self.chunks: list[Any] = []
        self.has_text = False

    def take(self, chunk: Any) -> str:
        """Keep a chunk of a stream, give its text."""
        self.chunks.append(chunk)
        with _shaped(self.arguments["model"]):
            text = wire.text_of_chunk(chunk)
        self.has_text = self.has_text or bool(text)
        return text


class _Call:
    """One request through its attempts: what both the sync and the async way need to decide."""

    def __init__(self, model: RetryingModel, request: ModelRequest, streams: bool = False) -> None:
        self.model = model
        self.request = request
        self.streams = streams
        self.tried = 0
        self.started_s: float | None = None
        self.wait_s = 0.0

    def pause_s(self) -> float:
        """Give the seconds to wait before the next attempt: this call's own, or those the server asked of all."""
        return max(self.wait_s, self.model._not_before_s - time.monotonic(), 0.0)

    def pause(self) -> None:
        """Wait before the next attempt. Sleeping for no time would still give way to every other thread."""
        if seconds := self.pause_s():
            time.sleep(seconds)

    def begin(self) -> _Attempt:
        """Give the next attempt."""
        now_s = time.monotonic()
        if self.started_s is None:
            self.started_s = now_s
        settings = self.model.settings
        left_s = settings.limit_s - (now_s - self.started_s)
        unknown = frozenset(self.model._unknown)
        self.tried += 1
        limit_s = max(0.001, min(settings.timeout_s, left_s))
        arguments = self.model._arguments(self.request, unknown, streams=self.streams)
        return _Attempt(arguments, limit_s, unknown)

    def end_stream(self, attempt: _Attempt) -> ModelReply:
        """Give the whole reply of a stream to the caller."""
        with _shaped(self.model.name):
            raw = self.model._whole(attempt.chunks, attempt.arguments)
        return self.end(attempt, raw)

    def end(self, attempt: _Attempt, raw: Any) -> ModelReply:
        """Give the reply to the caller."""
        seconds = time.monotonic() - (self.started_s or 0.0)
        with _shaped(self.model.name):
            reply = wire.reply(
                self.request, raw, name=self.model.name, unknown=attempt.unknown, seconds=seconds, cost=self.model.cost
            )
        if NO_JSON in reply.notes:
            self.model._unknown.add("schema")  # it ignored the parameter: say it in words from now on
        return reply

    def failed(self, attempt: _Attempt, error: BaseException) -> None:
        """Prepare the next attempt, or raise what the caller gets."""
        used = wire.features(self.request, self.model.settings) - attempt.unknown
        refused = refused_feature(error, used)
        if refused is not None:
            self.model._unknown.add(refused)
            self.tried -= 1
            self.wait_s = 0.0
            return
        failure = self._failure(error, attempt)
        settings = self.model.settings
        if not failure.is_transient or self.tried > settings.max_retries or attempt.has_text:
            raise failure.error from error
        self.wait_s = wait_s(self.tried - 1, failure.retry_after_s, settings.first_wait_s)
        left_s = settings.limit_s - (time.monotonic() - (self.started_s or 0.0))
        if self.wait_s >= left_s:
            raise self._too_late(failure) from error
        if failure.retry_after_s is not None:
            self.model._pause_all(failure.retry_after_s)

    def _failure(self, error: BaseException, attempt: _Attempt) -> Failure:
        if isinstance(error, DeadlineError | TimeoutError):
            return Failure(timeout_error(self.model.name, attempt.limit_s), True)
        return translate(error, self.model.name, attempt.limit_s, self.tried)

    def _too_late(self, failure: Failure) -> ModelError:
        if failure.retry_after_s is None:
            return failure.error
        return ModelUnavailableError(
            f"The model {self.model.name!r} asks to wait {failure.retry_after_s:g} seconds.",
            f"A call may take {self.model.settings.limit_s:g} seconds with all its retries.",
            "Try again later, or raise give_up_after_s.",
        )
