"""Models behind OpenAI's interface, as ``ChatModel``, through OpenAI's own client: its own and those of local servers.

It loads in half a second where LiteLLM takes several, and a call takes a third of the processor time or less, which is
what limits many calls at once. LiteLLM knows more providers, and prices.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

try:
    import httpx
    import openai
except ImportError as error:
    raise ImportError("OpenAIModel needs the package openai: pip install 'pageindex-rag[openai]'.") from error

from pageindex_core import forks
from pageindex_core.llm import wire
from pageindex_core.llm.protocol import ModelRequest
from pageindex_core.llm.retrying import RetryingModel


class OpenAIModel(RetryingModel):
    """A model of OpenAI, or with ``api_base`` of any server that speaks its interface: vLLM, llama.cpp, Ollama.

    See ``RetryingModel``. A price has to be stated, in ``price_per_million``; without, costs are None. Without
    ``api_key`` and ``api_base``, the client's environment variables are used.
    """

    errors: ClassVar = (openai.OpenAIError, httpx.HTTPError, httpx.InvalidURL, ValueError)

    def _set_up(self, name: str, settings: Any) -> None:
        super()._set_up(name, settings)
        self.leave_parent()
        forks.watch(self)

    def leave_parent(self) -> None:
        """Have no connection open: one that two processes write to mixes up their replies."""
        self._client: openai.OpenAI | None = None
        self._lock = threading.Lock()
        self._here = threading.local()  # what to call when the request of this thread is ready
        self._aclients: dict[asyncio.AbstractEventLoop, tuple[openai.AsyncOpenAI, AsyncGenerator[None]]] = {}

    def _place(self) -> dict[str, Any]:
        settings = self.settings
        return {
            "base_url": settings.api_base,
            "api_key": settings.api_key,
            "timeout": settings.timeout_s,
            "max_retries": 0,  # retries are ours
        }

    def _sync(self) -> openai.OpenAI:
        with self._lock:
            if self._client is None:
                http = openai.DefaultHttpxClient(event_hooks={"request": [self._ready]})
                self._client = openai.OpenAI(**self._place(), http_client=http)
                weakref.finalize(self, http.close)
            return self._client

    def _ready(self, request: httpx.Request) -> None:
        if (sending := vars(self._here).pop("sending", None)) is not None:
            sending()

    async def _async(self) -> openai.AsyncOpenAI:
        """The client of this event loop, since connections belong to the loop that opened them."""
        loop = asyncio.get_running_loop()
        if loop not in self._aclients:
            for other in list(self._aclients):
                if other.is_closed():
                    self._aclients.pop(other, None)
            client = openai.AsyncOpenAI(**self._place())
            keeping = self._keep(client, loop)
            self._aclients[loop] = client, keeping
            await anext(keeping)
        return self._aclients[loop][0]

    async def _keep(self, client: openai.AsyncOpenAI, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
        # ``asyncio.run`` ends what generators its loop has begun, so that no connection outlives the loop.
        try:
            yield
        finally:
            self._aclients.pop(loop, None)
            await client.close()

    def _arguments(self, request: ModelRequest, unknown: frozenset[str], *, streams: bool) -> dict[str, Any]:
        return wire.arguments(self.name, self.settings, request, unknown, streams)

    def _send(self, arguments: dict[str, Any], sending: Callable[[], None]) -> Any:
        client = self._sync()
        self._here.sending = sending
        return client.chat.completions.create(**arguments)

    async def _asend(self, arguments: dict[str, Any]) -> Any:
        return await (await self._async()).chat.completions.create(**arguments)

    def _open(self, arguments: dict[str, Any]) -> Iterator[Any]:
        with self._sync().chat.completions.create(**arguments) as chunks:
            yield from chunks

    def _whole(self, chunks: list[Any], arguments: dict[str, Any]) -> Any:
        return joined(chunks)

    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        return None


def joined(chunks: list[Any]) -> Any:
    """Give the response that the chunks of a stream make up: what ``wire.reply`` looks at, and no more."""
    text: list[str] = []
    calls: list[SimpleNamespace] = []
    logprobs: list[Any] = []
    finish_reason = None
    choices = [chunk.choices[0] for chunk in chunks if chunk.choices]
    for choice in choices:
        text.append(choice.delta.content or "")
        for piece in choice.delta.tool_calls or ():
            _add_piece(calls, piece)
        logprobs += (choice.logprobs and choice.logprobs.content) or ()
        finish_reason = choice.finish_reason or finish_reason
    usage = next((chunk.usage for chunk in reversed(chunks) if chunk.usage is not None), None)
    message = SimpleNamespace(content="".join(text), tool_calls=calls)
    choice = SimpleNamespace(
        message=message, finish_reason=finish_reason, logprobs=SimpleNamespace(content=logprobs) if logprobs else None
    )
    model = chunks[0].model if chunks else None
    return SimpleNamespace(choices=[choice] if choices else [], usage=usage, model=model)


def _add_piece(calls: list[SimpleNamespace], piece: Any) -> None:
    """Add a piece of a tool call. Not every server counts the calls, but each has an id of its own."""
    call = next((call for call in reversed(calls) if call.index == piece.index), None)
    if call is None or (piece.id and call.id and piece.id != call.id):
        call = SimpleNamespace(index=piece.index, id=None, function=SimpleNamespace(name="", arguments=""))
        calls.append(call)
    call.id = call.id or piece.id
    if piece.function is not None:
        call.function.name = call.function.name or piece.function.name or ""
        call.function.arguments += piece.function.arguments or ""
