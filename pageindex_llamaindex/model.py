"""Any LlamaIndex LLM as the core's ``ChatModel``.

What the LLM can do is read from its metadata: one that calls functions is offered tools, and gives JSON as the argument
of a tool that it has to call; any other is told the form in words, and its reply is read tolerantly. Transport retries
are the LLM's own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM

from pageindex_core.llm import ChatModel, open_model
from pageindex_core.llm.contract import Sending
from pageindex_core.llm.hosted import MAX_CONCURRENCY, TIMEOUT_S, HostedModel, MissingFeatureError
from pageindex_core.llm.replies import Answered
from pageindex_llamaindex.model_wire import answered_by, messages_of, with_tools


def as_chat_model(model: Any) -> ChatModel | None:
    """Give the core's model of what a caller passes: an LLM of the framework, a core model, a LiteLLM name, or None.

    Raises:
        OptionError: it is none of these.
    """
    return LlamaIndexModel(model) if isinstance(model, LLM) else open_model(model)


class LlamaIndexModel(HostedModel[ChatResponse]):
    """A LlamaIndex LLM as a ``ChatModel``. Each call goes through the LLM's own spans, callbacks and token counters.

    ``ModelRequest.max_output_tokens`` is left to the LLM's own setting, since the framework has no word for it;
    probabilities of choices are given where the LLM was made to report them. Replies that may call tools come whole.

    Args:
        llm: Any LLM of the framework.
        timeout_s: Longest time of a call with the LLM's retries, in seconds.
        max_concurrency: Most calls at once.
    """

    form_is_a_tool = True
    streams_calls = False

    def __init__(self, llm: LLM, *, timeout_s: float = TIMEOUT_S, max_concurrency: int = MAX_CONCURRENCY) -> None:
        super().__init__(timeout_s=timeout_s, max_concurrency=max_concurrency)
        self.llm = llm

    @property
    def name(self) -> str:
        """Name of the model, as its metadata has it, else its class."""
        name = self.llm.metadata.model_name
        return self.llm.class_name() if name == "unknown" else name

    def _send(self, sent: Sending) -> ChatResponse:
        if sent.feature is None:
            return self.llm.chat(messages_of(sent))
        return self._calling().chat_with_tools(**with_tools(sent))

    async def _asend(self, sent: Sending) -> ChatResponse:
        if sent.feature is None:
            return await self.llm.achat(messages_of(sent))
        return await self._calling().achat_with_tools(**with_tools(sent))

    def _open(self, sent: Sending) -> Iterator[ChatResponse]:
        return self.llm.stream_chat(messages_of(sent))

    async def _aopen(self, sent: Sending) -> AsyncIterator[ChatResponse]:
        async for piece in await self.llm.astream_chat(messages_of(sent)):
            yield piece

    def _text(self, piece: ChatResponse) -> str:
        return piece.delta or ""

    def _answered(self, raw: ChatResponse) -> Answered:
        return answered_by(raw, raw.message.content or "")

    def _joined(self, pieces: list[ChatResponse]) -> Answered:
        return answered_by(pieces[-1], "".join(map(self._text, pieces)))

    def _calling(self) -> FunctionCallingLLM:
        if isinstance(self.llm, FunctionCallingLLM) and self.llm.metadata.is_function_calling_model:
            return self.llm
        raise MissingFeatureError
