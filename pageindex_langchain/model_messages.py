"""Between LangChain's messages and the core's, in both directions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from pageindex_core.errors import ModelReplyError
from pageindex_core.llm.protocol import Message
from pageindex_core.llm.replies import Answered, arguments_of, first_token, tool_calls_of


def to_langchain(messages: Iterable[Message]) -> list[BaseMessage]:
    """Give a conversation as LangChain's models take it."""
    return [_message(message) for message in messages]


def message_of(raw: Any, model: str) -> AIMessage:
    """Give the message in what a model, or a chain that ends in one, gave.

    Raises:
        ModelReplyError: there is none.
    """
    found = raw.get("raw") if isinstance(raw, dict) else raw
    if isinstance(found, str):
        return AIMessage(found)
    if isinstance(found, AIMessage):
        return found
    raise ModelReplyError(
        f"The model {model!r} gave {type(found).__name__}.",
        "A message or text was expected.",
        "Pass a chat model, or a chain that ends in one.",
    )


def answered_by(message: AIMessage) -> Answered:
    """Give what a model's message says."""
    told = message.response_metadata
    whole = [(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    broken = [(call["id"], call["name"], call["args"] or "") for call in message.invalid_tool_calls]
    return Answered(
        str(message.text),
        tool_calls_of([*whole, *broken]),
        usage=[message.usage_metadata],
        stopped=[told],
        first_token=first_token(told.get("logprobs")),  # there where the model was made to report them
        model=told.get("model_name") or told.get("model"),
    )


def _message(message: Message) -> BaseMessage:
    if message.role == "system":
        return SystemMessage(message.content)
    if message.role == "user":
        return HumanMessage(message.content)
    if message.role == "tool":
        return ToolMessage(message.content, tool_call_id=message.tool_call_id or "")
    whole: list[Any] = []
    broken: list[Any] = []
    for call in message.tool_calls:
        arguments = arguments_of(call)
        if arguments is None:
            broken.append({"name": call.name, "args": call.arguments, "id": call.call_id, "error": "no JSON object"})
        else:
            whole.append({"name": call.name, "args": arguments, "id": call.call_id})
    return AIMessage(message.content, tool_calls=whole, invalid_tool_calls=broken)
