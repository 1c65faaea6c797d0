"""The contract between this project and every language model.

A model takes one ``ModelRequest`` and gives one ``ModelReply``, in a sync and an async way that do the same. Adapters
exist for LiteLLM here and for the frameworks' own model objects in their plugins; nothing above this module knows
which one it talks to.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model asks to run."""

    call_id: str
    name: str
    arguments: str
    """JSON text as the model wrote it; it may be broken."""

    def as_function(self) -> dict[str, Any]:
        """Give the call as a message of OpenAI's chat completions has it."""
        return {"id": self.call_id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant's turn."""
    tool_call_id: str | None = None
    """Of a tool's turn: the call it answers."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may ask for."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments, an object."""

    def as_function(self) -> dict[str, Any]:
        """Give the tool as OpenAI's chat completions take it."""
        told = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": told}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call to a model."""

    messages: tuple[Message, ...]
    purpose: str
    """What the call is for, for traces and caches: ``tree``, ``agent``, ``summary``, ``expand``, …"""
    prompt_version: str
    """Name and version of the prompt file; part of the cache key."""
    schema: Mapping[str, Any] | None = None
    """JSON schema that the reply has to follow; None for free text."""
    tools: tuple[Tool, ...] = ()
    max_output_tokens: int | None = None
    choices: tuple[str, ...] = ()
    """Single-token options to be scored by their probability, where the provider reports it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost."""

    input_tokens: int
    output_tokens: int
    estimated: bool = False
    """True when the provider reported nothing and the tokens were counted here."""
    cost_usd: float | None = None
    """None when no price is known."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back."""

    text: str
    usage: Usage
    model: str
    """Name of the model that answered."""
    value: Any = None
    """The JSON value of the reply where a schema was asked for; None when the text held none."""
    tool_calls: tuple[ToolCall, ...] = ()
    seconds: float = 0.0
    cached: bool = False
    """True when the reply came from the disk cache and cost nothing now."""
    choice_logprobs: Mapping[str, float] = field(default_factory=dict)
    """Log probability of each of the request's choices, where the provider reports it."""
    notes: tuple[str, ...] = ()
    """What was wrong with the reply and mended or dropped, a sentence each."""


@runtime_checkable
class ChatModel(Protocol):
    """**Protocol:** a language model.

    Safe to call from several threads and tasks. Each call ends in a reply or in a ``ModelError`` within its timeout.
    """

    @property
    def name(self) -> str:
        """Name of the model, as its provider calls it."""
        ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer one request.

        Raises:
            ModelError: no usable answer; the subclass says why.
        """
        ...

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Do what ``complete`` does, without blocking the event loop."""
        ...

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """Give the text piece by piece, then the whole reply."""
        ...

    def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """Do what ``stream`` does, without blocking the event loop."""
        ...
