"""What a LlamaIndex LLM is sent for a request, and what its response says."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from pageindex_core.llm.contract import Sending
from pageindex_core.llm.protocol import Message, Tool, ToolCall
from pageindex_core.llm.replies import FORM_NAME, Answered, arguments_of, tool_calls_of, value_of
from pageindex_llamaindex.tool_schema import offered

_ToolCallBlock: Any = getattr(types, "ToolCallBlock", None)
"""Unknown to the oldest versions of the framework, which keep calls in ``additional_kwargs``."""


def messages_of(sent: Sending) -> list[ChatMessage]:
    """Give the conversation in the framework's words."""
    return [_message(message) for message in sent.messages]


def with_tools(sent: Sending) -> dict[str, Any]:
    """Give the arguments of ``chat_with_tools``; the form of a reply is a tool that has to be called."""
    form = sent.schema
    tools = sent.tools if form is None else (Tool(FORM_NAME, "Give the reply in its form.", form),)
    return {
        "tools": [offered(tool) for tool in tools],
        "chat_history": messages_of(sent),
        "allow_parallel_tool_calls": form is None,
        "tool_required": form is not None,
    }


def answered_by(response: ChatResponse, text: str) -> Answered:
    """Give what a response says.

    Args:
        response: What came; of a stream, its last piece.
        text: All text of it.
    """
    raw = response.raw
    return Answered(
        text,
        _tool_calls(response.message),
        usage=(value_of(raw, "usage"), value_of(raw, "usage_metadata"), raw, response.additional_kwargs),
        stopped=(raw, *(value_of(raw, "choices") or ())[:1]),
        first_token=[(one.token, one.logprob) for one in response.logprobs[0]] if response.logprobs else (),
    )


def _message(message: Message) -> ChatMessage:
    if message.role == "tool":
        answers = {"tool_call_id": message.tool_call_id or ""}
        return ChatMessage(role="tool", content=message.content, additional_kwargs=answers)
    sent = ChatMessage(role=message.role, content=message.content)
    if message.tool_calls and _ToolCallBlock is not None:
        sent.blocks += [
            _ToolCallBlock(tool_call_id=call.call_id, tool_name=call.name, tool_kwargs=_arguments(call))
            for call in message.tool_calls
        ]
    elif message.tool_calls:
        sent.additional_kwargs["tool_calls"] = [call.as_function() for call in message.tool_calls]
    return sent


def _tool_calls(message: ChatMessage) -> tuple[ToolCall, ...]:
    """Give the calls of a message with their arguments as the model wrote them."""
    blocks = [block for block in message.blocks if _ToolCallBlock is not None and isinstance(block, _ToolCallBlock)]
    if blocks:
        return tool_calls_of((block.tool_call_id, block.tool_name, block.tool_kwargs) for block in blocks)
    rows = []
    for call in message.additional_kwargs.get("tool_calls") or ():
        function = value_of(call, "function") or call
        name = value_of(function, "name") or value_of(function, "tool_name")
        arguments = value_of(function, "arguments") or value_of(function, "tool_kwargs") or ""
        rows.append((value_of(call, "id"), name, arguments))
    return tool_calls_of(rows)


def _arguments(call: ToolCall) -> dict[str, Any]:
    """Give arguments as the object that every provider takes; broken ones stay readable as text."""
    value = arguments_of(call)
    return {"input": call.arguments} if value is None else value
