"""What a LlamaIndex LLM is sent for a request, and what its response says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import BaseTool

from pageindex_core.llm.contract import written_out
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest, Tool, ToolCall
from pageindex_core.llm.replies import CUT, arguments_of, logprobs_of_choices, make_reply, usage_in, value_of
from pageindex_llamaindex.tool_schema import OfferedTool

REPLY_TOOL = "reply"
"""Name of the tool whose arguments are the JSON asked for."""

_ToolCallBlock: Any = getattr(types, "ToolCallBlock", None)
"""Unknown to the oldest versions of the framework, which keep calls in ``additional_kwargs``."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A request in the framework's words."""

    request: ModelRequest
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
    """
    calls_functions = isinstance(llm, FunctionCallingLLM) and llm.metadata.is_function_calling_model
    has_tools = bool(request.tools) and calls_functions and "tools" not in unknown
    is_form = request.schema is not None and not request.tools and calls_functions and "schema" not in unknown
    messages = written_out(request, schema=not is_form, tools=not has_tools)
    offered: Sequence[Tool] = request.tools if has_tools else ()
    if is_form:
        offered = (Tool(REPLY_TOOL, "Give the reply in its form.", request.schema or {}),)
    return Sending(request, list(map(_message, messages)), tuple(map(OfferedTool, offered)), is_form)


def reply_of(sending: Sending, response: ChatResponse, text: str, *, model: str, seconds: float) -> ModelReply:
    """Give our reply from the framework's response.

    Args:
        sending: What was sent.
        response: What came; of a stream, its last piece.
        text: All text of it.
        model: Who answered.
        seconds: How long it took.
    """
    request = sending.request
    calls = _tool_calls(response.message)
    if sending.is_form:
        text = calls[0].arguments if calls else text
        calls = ()
    return make_reply(
        request,
        text,
        model=model,
        usage=usage_in(_usage_places(response), request, text, calls),
        tool_calls=calls,
        seconds=seconds,
        is_cut=_is_cut(response.raw),
        tools_written_out=bool(request.tools) and not sending.tools,
        choice_logprobs=_logprobs(response, request),
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
        sent.additional_kwargs["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return sent


def _tool_calls(message: ChatMessage) -> tuple[ToolCall, ...]:
    """Give the calls of a message with their arguments as the model wrote them."""
    blocks = [block for block in message.blocks if _ToolCallBlock is not None and isinstance(block, _ToolCallBlock)]
    if blocks:
        return tuple(
            ToolCall(block.tool_call_id or f"call_{place}", block.tool_name, _text(block.tool_kwargs))
            for place, block in enumerate(blocks)
        )
    calls = []
    for place, call in enumerate(message.additional_kwargs.get("tool_calls") or ()):
        function = value_of(call, "function") or call
        name = value_of(function, "name") or value_of(function, "tool_name") or ""
        arguments = value_of(function, "arguments") or value_of(function, "tool_kwargs") or ""
        calls.append(ToolCall(str(value_of(call, "id") or f"call_{place}"), str(name), _text(arguments)))
    return tuple(calls)


def _arguments(call: ToolCall) -> dict[str, Any]:
    """Give arguments as the object that every provider takes; broken ones stay readable as text."""
    value = arguments_of(call)
    return {"input": call.arguments} if value is None else value


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _usage_places(response: ChatResponse) -> tuple[Any, ...]:
    raw = response.raw
    return value_of(raw, "usage"), value_of(raw, "usage_metadata"), raw, response.additional_kwargs


def _is_cut(raw: Any) -> bool:
    choices = value_of(raw, "choices")
    reason = value_of(choices[0], "finish_reason") if choices else None
    return any(told in CUT for told in (reason, value_of(raw, "stop_reason"), value_of(raw, "done_reason")))


def _logprobs(response: ChatResponse, request: ModelRequest) -> dict[str, float] | None:
    if not request.choices or not response.logprobs:
        return None
    return logprobs_of_choices(request.choices, [(one.token, one.logprob) for one in response.logprobs[0]])
