"""What a LlamaIndex LLM is sent for a request, and what its response says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import BaseTool

from pageindex_core.llm.contract import written_out
from pageindex_core.llm.hosted import MissingFeatureError
from pageindex_core.llm.protocol import Message, ModelRequest, Tool, ToolCall
from pageindex_core.llm.replies import FORM_NAME, Answered, arguments_of, tool_calls_of, value_of
from pageindex_llamaindex.tool_schema import OfferedTool

_ToolCallBlock: Any = getattr(types, "ToolCallBlock", None)
"""Unknown to the oldest versions of the framework, which keep calls in ``additional_kwargs``."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A request in the framework's words."""

    messages: list[ChatMessage]
    tools: tuple[BaseTool, ...] = ()
    is_form: bool = False
    """Whether the only tool is there to give JSON, and has to be called."""

    def chat(self, llm: LLM) -> ChatResponse:
        """Make the call."""
        if isinstance(llm, FunctionCallingLLM) and self.tools:
            return llm.chat_with_tools(self.tools, chat_history=list(self.messages), **self._how())
        return llm.chat(self.messages)

    async def achat(self, llm: LLM) -> ChatResponse:
        """Make the call, without blocking the event loop."""
        if isinstance(llm, FunctionCallingLLM) and self.tools:
            return await llm.achat_with_tools(self.tools, chat_history=list(self.messages), **self._how())
        return await llm.achat(self.messages)

    def _how(self) -> dict[str, Any]:
        return {"allow_parallel_tool_calls": not self.is_form, "tool_required": self.is_form}


def sending_of(llm: LLM, request: ModelRequest, unknown: frozenset[str]) -> Sending:
    """Give a request in the framework's words.

    Args:
        llm: Who is asked.
        request: What is asked.
        unknown: What this LLM is to be told in words: ``schema``, ``tools``.

    Raises:
        MissingFeatureError: the LLM calls no functions.
    """
    has_tools = bool(request.tools) and "tools" not in unknown
    is_form = request.schema is not None and not request.tools and "schema" not in unknown
    if (has_tools or is_form) and not (isinstance(llm, FunctionCallingLLM) and llm.metadata.is_function_calling_model):
        raise MissingFeatureError("schema" if is_form else "tools")
    offered: Sequence[Tool] = request.tools if has_tools else ()
    if is_form:
        offered = (Tool(FORM_NAME, "Give the reply in its form.", request.schema or {}),)
    messages = written_out(request, schema=not is_form, tools=not has_tools)
    return Sending(list(map(_message, messages)), tuple(map(OfferedTool, offered)), is_form)


def answered_by(response: ChatResponse, text: str) -> Answered:
    """Give what a response says.

    Args:
        response: What came; of a stream, its last piece.
        text: All text of it.
    """
    raw = response.raw
    choices = value_of(raw, "choices")
    return Answered(
        text,
        _tool_calls(response.message),
        usage=(value_of(raw, "usage"), value_of(raw, "usage_metadata"), raw, response.additional_kwargs),
        stopped=(
            value_of(choices[0], "finish_reason") if choices else None,
            value_of(raw, "stop_reason"),
            value_of(raw, "done_reason"),
        ),
        first_token=[(one.token, one.logprob) for one in response.logprobs[0]] if response.logprobs else (),
    )


def _message(message: Message) -> ChatMessage:
    if message.role == "tool":
        return ChatMessage(
            role="tool", content=message.content, additional_kwargs={"tool_call_id": message.tool_call_id or ""}
        )
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
