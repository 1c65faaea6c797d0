"""A model that counts its calls, keeps to a budget and remembers its replies, around any other model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from pageindex_core.errors import LibraryError, ModelError
from pageindex_core.llm.budget import Budget, Meter
from pageindex_core.llm.cache import ReplyCache
from pageindex_core.llm.deadline import DeadlineError, acall_within, aiterate_within, call_within, iterate_within
from pageindex_core.llm.protocol import ChatModel, ModelReply, ModelRequest

_log = logging.getLogger(__name__)


def metered(
    model: ChatModel,
    *,
    budget: Budget | None = None,
    cache: ReplyCache | str | Path | None = None,
    meter: Meter | None = None,
) -> MeteredModel:
    """Give the model with a meter, a budget and a cache around it.

    Args:
        model: any model; one that is metered already is counted by both meters.
        budget: the limits, from the first call on.
        cache: replies on disk, or the file to keep them in.
        meter: one that several models share, with its own budget; not together with ``budget``.
    """
    if meter is not None and budget is not None:
        raise ValueError("Give the budget to the meter: Meter(budget).")
    kept = ReplyCache(cache) if isinstance(cache, str | Path) else cache
    return MeteredModel(model, meter or Meter(budget), kept)


class _Reserved:
    """A call in progress: what the meter set aside, and what came back."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.reply: ModelReply | None = None


class MeteredModel:
    """What ``metered`` gives: a ``ChatModel`` whose ``meter`` tells what was spent.

    A call that the budget refuses raises ``BudgetExceededError``; cached replies are given even then.
    """

    def __init__(self, model: ChatModel, meter: Meter, cache: ReplyCache | None) -> None:
        self.model = model
        self.meter = meter
        self.cache = cache

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.model.name

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request, from the cache if it holds the answer; see ``ChatModel``."""
        held = self._recall(request)
        if held is not None:
            return held
        with self._counted(request) as call:
            left_s = self.meter.left_s
            answer = self._answered
            call.reply = answer(request) if left_s is None else call_within(left_s, lambda: answer(request))
        return call.reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        held = await self._arecall(request)
        if held is not None:
            return held
        with self._counted(request) as call:
            left_s = self.meter.left_s
            if left_s is None:
                call.reply = await self.model.acomplete(request)
            else:
                call.reply = await acall_within(left_s, self.model.acomplete(request))
        if self.cache is not None:
            await asyncio.to_thread(self._keep, request, call.reply)
        return call.reply

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply; a cached one comes in one piece."""
        held = self._recall(request)
        if held is not None:
            yield from _whole(held)
            return
        with self._counted(request) as call:
            left_s = self.meter.left_s
            stream = self.model.stream
            for piece in stream(request) if left_s is None else iterate_within(left_s, lambda: stream(request)):
                if isinstance(piece, ModelReply):
                    call.reply = piece
                else:
                    yield piece
        if call.reply is not None:
            self._keep(request, call.reply)
            yield call.reply

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        held = await self._arecall(request)
        if held is not None:
            for piece in _whole(held):
                yield piece
            return
        with self._counted(request) as call:
            left_s = self.meter.left_s
            pieces = self.model.astream(request)
            async for piece in pieces if left_s is None else aiterate_within(left_s, pieces):
                if isinstance(piece, ModelReply):
                    call.reply = piece
                else:
                    yield piece
        if call.reply is not None:
            if self.cache is not None:
                await asyncio.to_thread(self._keep, request, call.reply)
            yield call.reply

    def _answered(self, request: ModelRequest) -> ModelReply:
        reply = self.model.complete(request)
        self._keep(request, reply)  # also where nobody waits for it any more: it is paid for
        return reply

    @contextmanager
    def _counted(self, request: ModelRequest) -> Iterator[_Reserved]:
        """Reserve a call, and settle it however it ends."""
        call = _Reserved(self.meter.begin(request))
        started_s = time.monotonic()
        failure: ModelError | None = None
        try:
            yield call
        except DeadlineError as error:
            failure = self.meter.out_of_time()
            raise failure from error
        except ModelError as error:
            failure = error
            raise
        finally:
            seconds = time.monotonic() - started_s
            if call.reply is not None:
                self.meter.succeeded(request, call.reply, call.tokens)
            else:
                failure = failure or ModelError("The call was abandoned.")
                self.meter.failed(request, self.name, failure, seconds, call.tokens)

    def _recall(self, request: ModelRequest) -> ModelReply | None:
        if self.cache is None:
            return None
        held = self.cache.get(self.name, request)
        if held is not None:
            self.meter.from_cache(request, held)
        return held

    async def _arecall(self, request: ModelRequest) -> ModelReply | None:
        return None if self.cache is None else await asyncio.to_thread(self._recall, request)

    def _keep(self, request: ModelRequest, reply: ModelReply) -> None:
        """Store a reply. One that is paid for is not lost because the disk is full."""
        if self.cache is None:
            return
        try:
            self.cache.put(self.name, request, reply)
        except LibraryError as error:
            _log.warning("A reply could not be kept: %s", error)


def _whole(reply: ModelReply) -> Iterator[str | ModelReply]:
    if reply.text:
        yield reply.text
    yield reply
