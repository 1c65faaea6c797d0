"""Between LangChain's messages and the core's, in both directions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from pageindex_core.errors import ModelReplyError
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest, ToolCall
from pageindex_core.llm.replies import CUT, arguments_of, logprobs_of_choices, make_reply, usage_in
from pageindex_langchain.model_forms import SCHEMA_NAME


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


def reply_of(
    request: ModelRequest, message: AIMessage, *, model: str, seconds: float, tools_written_out: bool
) -> ModelReply:
    """Give our reply from a model's message."""
    calls = _calls(message)
    text = str(message.text)
    if request.schema is not None:
        # Where the schema went out as a tool, the reply is the arguments of its call.
        forms = [call for call in calls if call.name == SCHEMA_NAME]
        calls = tuple(call for call in calls if call.name != SCHEMA_NAME)
        text = forms[0].arguments if forms else text
    told = message.response_metadata
    return make_reply(
        request,
        text,
        model=told.get("model_name") or told.get("model") or model,
        usage=usage_in([message.usage_metadata], request, text, calls),
        tool_calls=calls,
        seconds=seconds,
        is_cut=bool(CUT & {told.get("finish_reason"), told.get("stop_reason"), told.get("done_reason")}),
        tools_written_out=tools_written_out,
        choice_logprobs=logprobs_of_choices(request.choices, _first_token(told)) if request.choices else None,
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


def _calls(message: AIMessage) -> tuple[ToolCall, ...]:
    asked = [(call["id"], call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
    asked += [(call["id"], call["name"] or "", call["args"] or "") for call in message.invalid_tool_calls]
    return tuple(ToolCall(ident or f"call_{place}", name, text) for place, (ident, name, text) in enumerate(asked))


def _first_token(told: dict[str, Any]) -> list[tuple[str, float]]:
    """Give the candidates of the first token where the model was made to report them (``logprobs=True``)."""
    content = (told.get("logprobs") or {}).get("content")
    if not content:
        return []
    listed = [(one["token"], one["logprob"]) for one in content[0].get("top_logprobs") or ()]
    return listed or [(content[0]["token"], content[0]["logprob"])]
