"""The same request for models that know no JSON schema or no tools: the contract is written into the conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pageindex_core.llm.parse import JsonNotFoundError, parse_json
from pageindex_core.llm.protocol import Message, ModelRequest, Tool, ToolCall

SCHEMA_LEAD = "Reply with one JSON value and nothing else. It has to follow this JSON schema:\n"
TOOLS_LEAD = (
    'To use a tool, reply with nothing but {"tool": "<name>", "arguments": {…}}; you will be sent its result. '
    "To answer, reply in plain words. The tools, one a line:\n"
)


@dataclass(frozen=True, slots=True)
class Sending:
    """A request as a model is sent it: what it takes as a parameter, and the rest written into the conversation."""

    request: ModelRequest
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """The form of the reply; None where there is none, or it is written out."""
    tools: tuple[Tool, ...] = ()
    """What may be called; empty where nothing may, or it is written out."""

    @property
    def feature(self) -> Literal["schema", "tools"] | None:
        """What the model has to know, to be sent this."""
        if self.schema is not None:
            return "schema"
        return "tools" if self.tools else None


def sending_of(request: ModelRequest, unknown: frozenset[str]) -> Sending:
    """Give a request as it is sent to a model that takes a schema or tools: beside tools a schema is written out.

    Args:
        request: the request as the caller made it.
        unknown: what this model does not take: ``schema``, ``tools``.
    """
    schema = None if request.tools or "schema" in unknown else request.schema
    tools = () if "tools" in unknown else request.tools
    return Sending(request, written_out(request, schema=schema is None, tools=not tools), schema, tools)


def written_out(request: ModelRequest, *, schema: bool, tools: bool) -> tuple[Message, ...]:
    """Give the messages of a request with what the model cannot take as a parameter written into them.

    Args:
        request: the request as the caller made it.
        schema: write the schema out.
        tools: write the tools out, and past tool calls and results as plain turns.
    """
    parts = []
    if tools and request.tools:
        parts.append(TOOLS_LEAD + "\n".join(_tool_line(tool) for tool in request.tools))
    if schema and request.schema is not None:
        parts.append(SCHEMA_LEAD + json.dumps(request.schema, ensure_ascii=False))
    messages = tuple(_plain_turn(message) for message in request.messages) if tools else request.messages
    return _with_system(messages, "\n\n".join(parts)) if parts else messages


def schema_in(text: str) -> Mapping[str, Any] | None:
    """Give the schema that ``written_out`` put into a text; None where there is none."""
    _, found, rest = text.partition(SCHEMA_LEAD)
    if not found:
        return None
    value, _ = json.JSONDecoder().raw_decode(rest)
    return value if isinstance(value, dict) else None


def tool_calls_in(text: str, tools: Sequence[Tool]) -> tuple[ToolCall, ...]:
    """Give the tool call that a reply in the written form asks for; empty where it is an answer."""
    try:
        value = parse_json(text)
    except JsonNotFoundError:
        return ()
    names = {tool.name for tool in tools}
    if not isinstance(value, dict) or value.get("tool") not in names:
        return ()
    return (ToolCall("call_0", value["tool"], json.dumps(value.get("arguments", {}), ensure_ascii=False)),)


def _tool_line(tool: Tool) -> str:
    form = {"name": tool.name, "description": tool.description, "arguments": dict(tool.parameters)}
    return json.dumps(form, ensure_ascii=False)


def _plain_turn(message: Message) -> Message:
    if message.role == "tool":
        return Message("user", f"Result of the tool:\n{message.content}")
    if message.tool_calls:
        asked = [f'{{"tool": {json.dumps(call.name)}, "arguments": {call.arguments}}}' for call in message.tool_calls]
        return Message(message.role, "\n".join([*([message.content] if message.content else []), *asked]))
    return message


def _with_system(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].content}\n\n{text}"), *messages[1:])
    return (Message("system", text), *messages)
