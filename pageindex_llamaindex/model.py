"""Any LlamaIndex LLM as the core's ``ChatModel``.

What the LLM can do is read from its metadata: one that calls functions is offered tools, and gives JSON as the argument
of a tool that it has to call; any other is told the form in words, and its reply is read tolerantly. Transport retries
are the LLM's own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM

from pageindex_core.llm import ChatModel, open_model
from pageindex_core.llm.failures import refused_feature
from pageindex_core.llm.hosted import MAX_CONCURRENCY, TIMEOUT_S, HostedModel, MissingFeatureError
from pageindex_core.llm.protocol import ModelRequest
from pageindex_core.llm.replies import Answered
from pageindex_llamaindex.model_wire import Sending, answered_by, sending_of


def as_chat_model(model: Any) -> ChatModel | None:
    """Give the core's model of what a caller passes: an LLM of the framework, a core model, a LiteLLM name, or None.

    Raises:
        OptionError: it is none of these.
    """
    return LlamaIndexModel(model) if isinstance(model, LLM) else open_model(model)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the LLM gave: all of it, or a piece."""

    response: ChatResponse
    text: str


class LlamaIndexModel(HostedModel[_Answer]):
    """A LlamaIndex LLM as a ``ChatModel``. Each call goes through the LLM's own spans, callbacks and token counters.

    ``ModelRequest.max_output_tokens`` is left to the LLM's own setting, since the framework has no word for it;
    probabilities of choices are given where the LLM was made to report them. Replies that may call tools come whole.

    Args:
        llm: Any LLM of the framework.
        timeout_s: Longest time of a call with the LLM's retries, in seconds.
        max_concurrency: Most calls at once.
    """

    def __init__(self, llm: LLM, *, timeout_s: float = TIMEOUT_S, max_concurrency: int = MAX_CONCURRENCY) -> None:
        super().__init__(timeout_s=timeout_s, max_concurrency=max_concurrency)
        self.llm = llm

    @property
    def name(self) -> str:
        """Name of the model, as its metadata has it, else its class."""
        name = self.llm.metadata.model_name
        return self.llm.class_name() if name == "unknown" else name

    def _send(self, request: ModelRequest, unknown: frozenset[str]) -> _Answer:
        sending = sending_of(self.llm, request, unknown)
        with self._refusals(sending):
            return _whole(sending.chat(self.llm))

    async def _asend(self, request: ModelRequest, unknown: frozenset[str]) -> _Answer:
        sending = sending_of(self.llm, request, unknown)
        with self._refusals(sending):
            return _whole(await sending.achat(self.llm))

    def _open(self, request: ModelRequest, unknown: frozenset[str]) -> Iterator[_Answer]:
        if request.tools:
            yield self._send(request, unknown)
            return
        sending = sending_of(self.llm, request, unknown | {"schema"})
        for piece in self.llm.stream_chat(sending.messages):
            yield _Answer(piece, piece.delta or "")

    async def _aopen(self, request: ModelRequest, unknown: frozenset[str]) -> AsyncIterator[_Answer]:
        if request.tools:
            yield await self._asend(request, unknown)
            return
        sending = sending_of(self.llm, request, unknown | {"schema"})
        async for piece in await self.llm.astream_chat(sending.messages):
            yield _Answer(piece, piece.delta or "")

    def _text(self, piece: _Answer) -> str:
        return piece.text

    def _whole(self, pieces: list[_Answer]) -> _Answer:
        return _Answer(pieces[-1].response, "".join(piece.text for piece in pieces))

    def _answered(self, raw: _Answer) -> Answered:
        return answered_by(raw.response, raw.text)

    @contextmanager
    def _refusals(self, sending: Sending) -> Iterator[None]:
        """Note that tools were refused, and with them JSON as the argument of one."""
        try:
            yield
        except Exception as error:  # the clients of providers share no base class of errors
            if not sending.tools or refused_feature(error, {"tools"}) is None:
                raise
            self._unknown |= {"schema", "tools"}
            raise MissingFeatureError("schema" if sending.is_form else "tools") from error


def _whole(response: ChatResponse) -> _Answer:
    return _Answer(response, response.message.content or "")
