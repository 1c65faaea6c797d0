"""A model from what a caller names it by."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from pageindex_core.errors import OptionError
from pageindex_core.llm.protocol import ChatModel, ModelReply, ModelRequest
from pageindex_core.llm.settings import model_settings

if TYPE_CHECKING:
    from pageindex_core.llm.litellm import LiteLLMModel


def open_model(model: str | ChatModel | None, **options: Any) -> ChatModel | None:
    """Give the model that a caller means; None for none.

    Args:
        model: a LiteLLM name such as "gpt-4o-mini" or "ollama/llama3", or an object with ``complete`` and
            ``acomplete``, which is given back as it is.
        options: for a name, the fields of ``NamedSettings``: ``api_base``, ``api_key``, ``timeout_s``, …

    Raises:
        OptionError: it is neither, options are given for an object, or an option is unknown or cannot be meant.
        ImportError: a name, and the extra ``llm`` is not installed.
    """
    if model is None:
        return None
    if isinstance(model, str):
        return NamedModel(model, **options)
    if not all(callable(getattr(model, method, None)) for method in ("complete", "acomplete")):
        raise OptionError(
            f"{type(model).__module__}.{type(model).__qualname__} is not a model.",
            "It has no complete and acomplete.",
            "Pass a model's name, or a model of LangChain or LlamaIndex through its plugin of this package.",
        )
    if options:
        raise OptionError(
            f"{', '.join(sorted(options))}: options go with a model's name.",
            "A model object is used as it was made.",
            "Set them when making it.",
        )
    return model


class NamedModel:
    """A model known by name, made when it is first called, since LiteLLM takes seconds to load. Can be pickled.

    Args:
        name: what LiteLLM calls the model.
        options: the fields of ``NamedSettings``.
    """

    def __init__(self, name: str, **options: Any) -> None:
        if not name.strip():
            raise OptionError("The name of the model is empty.", "", "Name one, such as 'gpt-4o-mini', or pass None.")
        if importlib.util.find_spec("litellm") is None:
            raise ImportError(
                f"The model {name!r} needs the package litellm: pip install 'pageindex-rag[llm]'. "
                "A model object of LangChain or LlamaIndex needs nothing."
            )
        self._name = name.strip()
        model_settings(**options)  # mistakes show here, not at the first call
        self._options = options
        self._made: LiteLLMModel | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> tuple[str, dict[str, Any]]:
        return self._name, self._options

    def __setstate__(self, state: tuple[str, dict[str, Any]]) -> None:
        self.__init__(state[0], **state[1])  # type: ignore[misc]  # the same checks in the other process

    def __repr__(self) -> str:
        shown = {key: "…" if key == "api_key" else value for key, value in self._options.items()}
        return f"NamedModel({self._name!r}, {shown!r})"

    @property
    def name(self) -> str:
        """Name of the model, as LiteLLM calls it."""
        return self._name

    def load(self) -> LiteLLMModel:
        """Give the model itself, loading LiteLLM at the first call."""
        with self._lock:
            if self._made is None:
                from pageindex_core.llm.litellm import LiteLLMModel

                self._made = LiteLLMModel(self._name, **self._options)
            return self._made

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request; see ``ChatModel``."""
        return self.load().complete(request)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        return await (await self._aload()).acomplete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply."""
        return self.load().stream(request)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        model = await self._aload()
        async for piece in model.astream(request):
            yield piece

    async def _aload(self) -> LiteLLMModel:
        made = self._made
        return made if made is not None else await asyncio.to_thread(self.load)
