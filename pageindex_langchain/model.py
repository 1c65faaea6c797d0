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
from pageindex_core.llm.contract import written_out
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

    def _send(self, request: ModelRequest, unknown: frozenset[str]) -> Any:
        model, messages = self._form(request, unknown)
        return model.invoke(messages, self._config(request))

    async def _asend(self, request: ModelRequest, unknown: frozenset[str]) -> Any:
        model, messages = self._form(request, unknown)
        return await model.ainvoke(messages, self._config(request))

    def _open(self, request: ModelRequest, unknown: frozenset[str]) -> Iterator[Any]:
        model, messages = self._form(request, unknown | {"schema"})
        return model.stream(messages, self._config(request))

    def _aopen(self, request: ModelRequest, unknown: frozenset[str]) -> AsyncIterator[Any]:
        model, messages = self._form(request, unknown | {"schema"})
        return model.astream(messages, self._config(request))

    def _text(self, piece: Any) -> str:
        return message_of(piece, self.name).text

    def _whole(self, pieces: list[Any]) -> Any:
        return reduce(add, pieces)

    def _answered(self, raw: Any) -> Answered:
        return answered_by(message_of(raw, self.name))

    def _form(self, request: ModelRequest, unknown: frozenset[str]) -> tuple[Runnable[Any, Any], list[Any]]:
        """Give the model as this request needs it, and the messages; a schema beside tools is always written out."""
        has_schema = request.schema is not None and "schema" not in unknown and not request.tools
        has_tools = bool(request.tools) and "tools" not in unknown
        messages = to_langchain(written_out(request, schema=not has_schema, tools=not has_tools))
        try:
            if has_schema and request.schema is not None:
                return with_schema(self.model, request.schema), messages
            return (with_tools(self.model, request.tools) if has_tools else self.model), messages
        except NotImplementedError as error:
            raise MissingFeatureError("schema" if has_schema else "tools") from error

    def _config(self, request: ModelRequest) -> RunnableConfig:
        config = RunnableConfig(run_name=f"pageindex_{request.purpose}", metadata={"prompt": request.prompt_version})
        if self._callbacks is not None:
            config["callbacks"] = self._callbacks
        return config
