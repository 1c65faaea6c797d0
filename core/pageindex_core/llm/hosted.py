"""A model object of a framework as a ``ChatModel``: what is the same for every framework.

The framework's object does the talking, with the retries, keys and addresses that its owner gave it; nothing is tried
again here. What it turns out not to know, a schema or tools, is written into the conversation from then on.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from pageindex_core.errors import ModelError, ModelReplyError, OptionError
from pageindex_core.llm.contract import Sending, sending_of
from pageindex_core.llm.deadline import DeadlineError, aiterate_within, call_within, iterate_within
from pageindex_core.llm.failures import kinds_of, refused_feature, timeout_error, translate
from pageindex_core.llm.protocol import ModelReply, ModelRequest
from pageindex_core.llm.replies import NO_JSON, Answered, reply_to
from pageindex_core.llm.slots import Slots

Raw = TypeVar("Raw")

TIMEOUT_S = 180.0
"""Longest time of a call, with the retries that the framework's object makes: as for a model by name."""

MAX_CONCURRENCY = 8
"""Calls at once, over all threads and event loops: as for a model by name."""


class MissingFeatureError(Exception):
    """The framework's object says at once that it does not know the ``feature`` of what it is to be sent."""


class HostedModel(ABC, Generic[Raw]):
    """A ``ChatModel`` around a framework's own object; subclasses say how to talk to it.

    Args:
        timeout_s: Longest time of a call, in seconds.
        max_concurrency: Most calls at once.
    """

    form_is_a_tool: ClassVar[bool] = False
    """Whether a schema goes out as a tool that has to be called: who refuses tools is then sent neither."""

    streams_calls: ClassVar[bool] = True
    """Whether a stream may hold tool calls; else what may call tools comes whole."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S, max_concurrency: int = MAX_CONCURRENCY) -> None:
        if not timeout_s > 0 or not max_concurrency > 0:
            raise OptionError(
                f"timeout_s={timeout_s!r} and max_concurrency={max_concurrency!r} cannot be used.",
                "Both have to be above 0.",
            )
        self.timeout_s = timeout_s
        self.max_concurrency = max_concurrency
        self._slots = Slots(max_concurrency)
        self._unknown: set[str] = set()  # features that this model refused

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_slots"}  # locks stay at home

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._slots = Slots(self.max_concurrency)

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the model, as its provider calls it."""

    @abstractmethod
    def _send(self, sent: Sending) -> Raw:
        """Give the framework's answer.

        Raises:
            MissingFeatureError: the object knows no schemas, or no tools.
        """

    @abstractmethod
    async def _asend(self, sent: Sending) -> Raw:
        """Do what ``_send`` does, without blocking the event loop."""

    @abstractmethod
    def _open(self, sent: Sending) -> Iterator[Raw]:
        """Give the framework's answer in pieces; what is sent has no schema, since what follows one does not stream."""

    @abstractmethod
    def _aopen(self, sent: Sending) -> AsyncIterator[Raw]:
        """Do what ``_open`` does, without blocking the event loop."""

    @abstractmethod
    def _text(self, piece: Raw) -> str:
        """Give the text that a piece adds."""

    @abstractmethod
    def _answered(self, raw: Raw) -> Answered:
        """Give what the framework's answer says."""

    @abstractmethod
    def _joined(self, pieces: list[Raw]) -> Answered:
        """Give what the pieces say together; there is at least one."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request; see ``ChatModel``."""
        while True:
            sent = sending_of(request, frozenset(self._unknown))
            with self._slots.slot():
                begun_s = time.monotonic()
                try:
                    raw = call_within(self.timeout_s, lambda: self._send(sent))  # noqa: B023  # used at once
                except Exception as error:  # frameworks raise what their providers' clients do: no list is complete
                    self._failed(error, sent)
                    continue
            return self._ended(sent, self._answered(raw), begun_s)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        while True:
            sent = sending_of(request, frozenset(self._unknown))
            async with self._slots.aslot():
                begun_s = time.monotonic()
                try:
                    async with asyncio.timeout(self.timeout_s):
                        raw = await self._asend(sent)
                except Exception as error:  # as above
                    self._failed(error, sent)
                    continue
            return self._ended(sent, self._answered(raw), begun_s)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply."""
        if request.tools and not self.streams_calls:
            yield from _in_one_piece(self.complete(request))
            return
        while True:
            sent = sending_of(request, frozenset(self._unknown | {"schema"}))
            pieces: list[Raw] = []
            with self._slots.slot():
                begun_s = time.monotonic()
                try:
                    for piece in iterate_within(self.timeout_s, lambda: self._open(sent)):  # noqa: B023  # used at once
                        pieces.append(piece)
                        if text := self._text(piece):
                            yield text
                except Exception as error:  # as above
                    self._failed(error, sent, pieces)
                    continue
            yield self._streamed(sent, pieces, begun_s)
            return

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        if request.tools and not self.streams_calls:
            for told in _in_one_piece(await self.acomplete(request)):
                yield told
            return
        while True:
            sent = sending_of(request, frozenset(self._unknown | {"schema"}))
            pieces: list[Raw] = []
            async with self._slots.aslot():
                begun_s = time.monotonic()
                try:
                    async for piece in aiterate_within(self.timeout_s, self._aopen(sent)):
                        pieces.append(piece)
                        if text := self._text(piece):
                            yield text
                except Exception as error:  # as above
                    self._failed(error, sent, pieces)
                    continue
            yield self._streamed(sent, pieces, begun_s)
            return

    def _streamed(self, sent: Sending, pieces: list[Raw], begun_s: float) -> ModelReply:
        if not pieces:
            raise ModelReplyError(f"The model {self.name!r} sent nothing.", "Its stream was empty.", "Ask again.")
        return self._ended(sent, self._joined(pieces), begun_s)

    def _ended(self, sent: Sending, answered: Answered, begun_s: float) -> ModelReply:
        seconds = time.monotonic() - begun_s
        written = bool(sent.request.tools) and not sent.tools
        reply = reply_to(sent.request, answered, model=self.name, seconds=seconds, tools_written_out=written)
        if NO_JSON in reply.notes:
            self._unknown.add("schema")  # it passed the schema over: say it in words from now on
        return reply

    def _failed(self, error: Exception, sent: Sending, pieces: list[Raw] | None = None) -> None:
        """Raise what the caller gets, or return where the request may pass with a feature written out."""
        refused = self._refused(error, sent.feature)
        if not refused or pieces:
            raise host_error(error, self.name, self.timeout_s) from error
        self._unknown |= refused

    def _refused(self, error: Exception, feature: str | None) -> set[str]:
        """Give what the model does not know, if the error says so."""
        if feature is None:
            return set()
        if self.form_is_a_tool and refused_feature(error, {"tools"}):
            return {"schema", "tools"}
        return {feature} if isinstance(error, MissingFeatureError) or refused_feature(error, {feature}) else set()


def _in_one_piece(reply: ModelReply) -> Iterator[str | ModelReply]:
    if reply.text:
        yield reply.text
    yield reply


def host_error(error: Exception, model: str, timeout_s: float) -> ModelError:
    """Give an error of a framework's model, or of the provider's client behind it, as ours.

    Args:
        error: As it was raised.
        model: The name asked for.
        timeout_s: How long the call was allowed to take.
    """
    if isinstance(error, ModelError):
        return error
    if isinstance(error, DeadlineError):
        return timeout_error(model, timeout_s)
    if any("LengthFinishReason" in kind for kind in kinds_of(error)):  # OpenAI's client gives no message then
        return ModelReplyError(
            f"The reply of the model {model!r} was cut at its limit of tokens.",
            "What there is of it is no JSON.",
            "Raise the model's max_tokens, or ask for less.",
        )
    return translate(error, model, timeout_s, 1).error
