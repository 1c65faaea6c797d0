"""``LangChainModel``: any LangChain chat model as the core's ``ChatModel``."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Iterator
from functools import reduce
from operator import add
from typing import Any, Self

from langchain_core.callbacks import Callbacks
from langchain_core.runnables import Runnable, RunnableConfig

from pageindex_core.llm import ChatModel, ModelRequest, open_model
from pageindex_core.llm.contract import Sending
from pageindex_core.llm.hosted import MAX_CONCURRENCY, TIMEOUT_S, HostedModel, MissingFeatureError
from pageindex_core.llm.replies import Answered
from pageindex_langchain.model_forms import plain_model, with_schema, with_tools
from pageindex_langchain.model_messages import answered_by, message_of, to_langchain


def as_chat_model(llm: Any) -> ChatModel | None:
    """Give the model that a caller means: a LangChain model, a model of the core, a LiteLLM name, or None for none.

    Raises:
        OptionError: it is nothing of these.
    """
    return LangChainModel(llm) if isinstance(llm, Runnable) else open_model(llm)


class LangChainModel(HostedModel[Any]):
    """A LangChain chat model, or a Runnable around one (``with_fallbacks``, ``bind``, ``with_retry``), for the core.

    Retries, keys and addresses are those of the model. Schemas go through ``with_structured_output`` and tools through
    ``bind_tools``; a model that knows neither is told in words, and streams are, since structured output does not
    stream. Tokens are those of ``usage_metadata``, counted here where there is none; LangChain knows no prices.
    ``max_output_tokens`` of a request is left to the model's own setting, which has another name in each provider's
    class.

    Args:
        model: The model, or a chain that takes messages and ends in one.
        timeout_s: Longest time of a call with the model's own retries, in seconds.
        max_concurrency: Most calls at once.
    """

    def __init__(
        self,
        model: Runnable[Any, Any],
        *,
        timeout_s: float = TIMEOUT_S,
        max_concurrency: int = MAX_CONCURRENCY,
    ) -> None:
        super().__init__(timeout_s=timeout_s, max_concurrency=max_concurrency)
        self.model = model
        self._callbacks: Callbacks = None

    def __repr__(self) -> str:
        return f"LangChainModel({self.name!r})"

    @property
    def name(self) -> str:
        """Name of the model, as its provider calls it; else the name of its class."""
        model = plain_model(self.model)
        named = (getattr(model, field, None) for field in ("model_name", "model"))
        return next((name for name in named if isinstance(name, str) and name), type(model).__name__)

    def traced(self, callbacks: Callbacks) -> Self:
        """Give the same model whose runs are children of another run; both share what they learn, and their slots.

        Args:
            callbacks: ``run_manager.get_child()`` of that run.
        """
        twin = copy.copy(self)
        twin._slots = self._slots
        twin._callbacks = callbacks
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_callbacks": None}  # a run does not outlive its process

    def _send(self, sent: Sending) -> Any:
        return self._model_for(sent).invoke(to_langchain(sent.messages), self._config(sent.request))

    async def _asend(self, sent: Sending) -> Any:
        return await self._model_for(sent).ainvoke(to_langchain(sent.messages), self._config(sent.request))

    def _open(self, sent: Sending) -> Iterator[Any]:
        return self._model_for(sent).stream(to_langchain(sent.messages), self._config(sent.request))

    def _aopen(self, sent: Sending) -> AsyncIterator[Any]:
        return self._model_for(sent).astream(to_langchain(sent.messages), self._config(sent.request))

    def _text(self, piece: Any) -> str:
        return message_of(piece, self.name).text

    def _answered(self, raw: Any) -> Answered:
        return answered_by(message_of(raw, self.name))

    def _joined(self, pieces: list[Any]) -> Answered:
        return self._answered(reduce(add, pieces))

    def _model_for(self, sent: Sending) -> Runnable[Any, Any]:
        try:
            if sent.schema is not None:
                return with_schema(self.model, sent.schema)
            return with_tools(self.model, sent.tools) if sent.tools else self.model
        except NotImplementedError as error:
            raise MissingFeatureError from error

    def _config(self, request: ModelRequest) -> RunnableConfig:
        config = RunnableConfig(run_name=f"pageindex_{request.purpose}", metadata={"prompt": request.prompt_version})
        if self._callbacks is not None:
            config["callbacks"] = self._callbacks
        return config
