"""Any model that LiteLLM can name, as a ``ChatModel``. Importing this file loads LiteLLM, which takes seconds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

# Without this, importing LiteLLM fetches its price list from the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

try:
    import httpx
    import litellm
    import openai
except ImportError as error:
    raise ImportError(
        "Model names need the package litellm: pip install 'pageindex-rag[llm]'. "
        "A model object of LangChain or LlamaIndex needs nothing."
    ) from error

from pageindex_core.llm import wire
from pageindex_core.llm.protocol import ModelRequest
from pageindex_core.llm.retrying import RetryingModel

litellm.suppress_debug_info = True  # else every error prints advice to standard output


class LiteLLMModel(RetryingModel):
    """A model by its LiteLLM name: "gpt-4o-mini", "anthropic/…", "ollama/…", "openai/…" with ``api_base``.

    See ``RetryingModel``. Prices are those of LiteLLM's list, unless stated.
    """

    errors: ClassVar = (openai.OpenAIError, httpx.HTTPError, httpx.InvalidURL, ValueError)
    """LiteLLM's errors are subclasses of OpenAI's; some bodies that are no JSON pass it by."""

    def _arguments(self, request: ModelRequest, unknown: frozenset[str], *, streams: bool) -> dict[str, Any]:
        settings = self.settings
        sent = wire.arguments(self.name, settings, request, unknown, streams) | {
            "timeout": settings.timeout_s,  # always the same: LiteLLM makes a client for each timeout it sees
            "max_retries": 0,  # of the provider's client: retries are ours
            "num_retries": 0,  # of LiteLLM
        }
        place = {"api_base": settings.api_base, "api_key": settings.api_key}
        return sent | {key: value for key, value in place.items() if value is not None}

    def _send(self, arguments: dict[str, Any], sending: Callable[[], None]) -> Any:
        # LiteLLM calls its ``logger_fn`` with all it knows when a request is ready, and after the reply.
        return litellm.completion(**arguments, logger_fn=lambda details: sending())

    async def _asend(self, arguments: dict[str, Any]) -> Any:
        return await litellm.acompletion(**arguments)

    def _open(self, arguments: dict[str, Any]) -> Iterator[Any]:
        return iter(litellm.completion(**arguments))

    def _whole(self, chunks: list[Any], arguments: dict[str, Any]) -> Any:
        return litellm.stream_chunk_builder(chunks, messages=arguments["messages"])

    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        name = self.name
        if name not in litellm.model_cost and name.partition("/")[2] not in litellm.model_cost:
            return None
        try:
            paid = litellm.cost_per_token(model=name, prompt_tokens=input_tokens, completion_tokens=output_tokens)
        except Exception:  # it raises what it likes for a listed name at another provider; the reply is paid for
            return None
        return float(sum(paid))
