"""Any LlamaIndex LLM as the core's ``ChatModel``.

What the LLM can do is read from its metadata: one that calls functions is offered tools, and gives JSON as the argument
of a tool that it has to call; any other is told the form in words, and its reply is read tolerantly. Transport retries
are the LLM's own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM

from pageindex_core.errors import ModelError
from pageindex_core.llm.deadline import DeadlineError, call_within, iterate_within
from pageindex_core.llm.failures import refused_feature, timeout_error
from pageindex_core.llm.protocol import ModelReply, ModelRequest
from pageindex_core.llm.slots import Slots
from pageindex_llamaindex.model_wire import Sending, as_model_error, reply_of, sending_of

DEFAULT_TIMEOUT_S = 120.0
"""Twice LlamaIndex's own limit of one attempt, since the LLM's retries count."""

DEFAULT_CONCURRENCY = 8
"""As for models by name."""


class LlamaIndexModel:
    """A LlamaIndex LLM as a ``ChatModel``. Each call goes through the LLM's own spans, callbacks and token counters.

    ``ModelRequest.max_output_tokens`` is left to the LLM's own setting, since the framework has no word for it;
    probabilities of choices are given where the LLM was made to report them.

    Args:
        llm: Any LLM of the framework.
        timeout_s: Longest time of a call with the LLM's retries.
        max_concurrency: Calls at once.
    """

    def __init__(
        self, llm: LLM, *, timeout_s: float = DEFAULT_TIMEOUT_S, max_concurrency: int = DEFAULT_CONCURRENCY
    ) -> None:
        self._set_up(llm, timeout_s, max_concurrency)

    def _set_up(self, llm: LLM, timeout_s: float, max_concurrency: int) -> None:
        self.llm = llm
        self.timeout_s = timeout_s
        self.max_concurrency = max_concurrency
        self._slots = Slots(max_concurrency)
        self._unknown: set[str] = set()  # features that this model refused

    def __getstate__(self) -> tuple[LLM, float, int]:
        return self.llm, self.timeout_s, self.max_concurrency

    def __setstate__(self, state: tuple[LLM, float, int]) -> None:
        self._set_up(*state)

    @property
    def name(self) -> str:
        """Name of the model, as its metadata has it, else its class."""
        name = self.llm.metadata.model_name
        return self.llm.class_name() if name == "unknown" else name

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request; see ``ChatModel``."""
        began_s = time.monotonic()
        while True:
            sending = self._sending(request)
            with self._refusals(sending) as attempt, self._slots.slot():
                response = call_within(self._left_s(began_s), lambda: sending.chat(self.llm))  # noqa: B023  # used at once
            if not attempt.is_refused:
                return self._reply(sending, response, began_s)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        began_s = time.monotonic()
        while True:
            sending = self._sending(request)
            with self._refusals(sending) as attempt:
                async with self._slots.aslot(), asyncio.timeout(self._left_s(began_s)):
                    response = await sending.achat(self.llm)
            if not attempt.is_refused:
                return self._reply(sending, response, began_s)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply. Replies that may call tools come whole."""
        if request.tools:
            reply = self.complete(request)
            yield from ([reply.text] if reply.text else [])
            yield reply
            return
        began_s = time.monotonic()
        sending = self._sending(request, streams=True)
        last: ChatResponse | None = None
        text = ""
        with self._refusals(sending), self._slots.slot():
            for piece in iterate_within(self.timeout_s, lambda: self.llm.stream_chat(sending.messages)):
                last, text = piece, text + (piece.delta or "")
                yield piece.delta or ""
        yield self._reply(sending, last, began_s, text)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        if request.tools:
            reply = await self.acomplete(request)
            if reply.text:
                yield reply.text
            yield reply
            return
        began_s = time.monotonic()
        sending = self._sending(request, streams=True)
        last: ChatResponse | None = None
        text = ""
        with self._refusals(sending):
            async with self._slots.aslot():
                async with asyncio.timeout(self.timeout_s):
                    pieces = await self.llm.astream_chat(sending.messages)
                while True:
                    async with asyncio.timeout(self._left_s(began_s)):
                        piece = await anext(pieces, None)
                    if piece is None:
                        break
                    last, text = piece, text + (piece.delta or "")
                    yield piece.delta or ""
        yield self._reply(sending, last, began_s, text)

    def _sending(self, request: ModelRequest, *, streams: bool = False) -> Sending:
        unknown = frozenset({*self._unknown, *(("schema",) if streams else ())})
        return sending_of(self.llm, request, unknown)

    def _left_s(self, began_s: float) -> float:
        return max(0.001, self.timeout_s - (time.monotonic() - began_s))

    def _reply(
        self, sending: Sending, response: ChatResponse | None, began_s: float, text: str | None = None
    ) -> ModelReply:
        return reply_of(sending, response, model=self.name, seconds=time.monotonic() - began_s, text=text)

    @contextmanager
    def _refusals(self, sending: Sending) -> Iterator[_Attempt]:
        """Raise what goes wrong inside as a ``ModelError``; note a refused feature, so that the caller tries again."""
        attempt = _Attempt()
        try:
            yield attempt
        except ModelError:
            raise
        except (DeadlineError, TimeoutError) as error:
            raise timeout_error(self.name, self.timeout_s) from error
        # The clients of providers share no base class of errors, so this boundary takes all there are.
        except Exception as error:
            refused = refused_feature(error, sending.features)
            if refused is None:
                raise as_model_error(error, self.name, self.timeout_s) from error
            self._unknown |= {"schema", "tools"} if sending.offers_tools else {refused}
            attempt.is_refused = True


class _Attempt:
    """Whether an attempt met a refusal after which another form of the request may pass."""

    def __init__(self) -> None:
        self.is_refused = False


def as_chat_model(model: Any) -> Any:
    """Give the core's model of what a caller passes: an LLM of the framework, a core model, a LiteLLM name, or None.

    Raises:
        OptionError: it is none of these.
    """
    if isinstance(model, LLM):
        return LlamaIndexModel(model)
    from pageindex_core.llm import open_model

    return open_model(model)
