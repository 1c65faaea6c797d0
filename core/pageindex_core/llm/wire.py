"""What a client in OpenAI's words is sent for a request, and what its response says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pageindex_core.errors import ModelReplyError
from pageindex_core.llm.contract import written_out
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest
from pageindex_core.llm.replies import FORM_NAME, first_token, logprobs_of_choices, make_reply, tool_calls_of, usage_of
from pageindex_core.llm.settings import NamedSettings

MOST_LOGPROBS = 20
"""OpenAI's limit of ``top_logprobs``."""


def features(request: ModelRequest, settings: NamedSettings) -> set[str]:
    """Give the parameters that a model may turn out not to know."""
    used = {
        "schema": request.schema is not None,
        "tools": bool(request.tools),
        "logprobs": bool(request.choices),
        "temperature": settings.temperature is not None,
    }
    return {name for name, is_used in used.items() if is_used}


def arguments(
    name: str,
    settings: NamedSettings,
    request: ModelRequest,
    unknown: frozenset[str],
    streams: bool,
) -> dict[str, Any]:
    """Give the keyword arguments of a call.

    Args:
        name: the model.
        settings: how it is called.
        request: what is asked.
        unknown: features that this model refused; they are written out or left out.
        streams: ask for a stream.
    """
    # Where none are offered, past calls are told in words: providers refuse them beside no tools.
    messages = written_out(request, schema="schema" in unknown, tools="tools" in unknown or not request.tools)
    sent: dict[str, Any] = {
        "model": name,
        "messages": [_message(message) for message in messages],
    }
    used = features(request, settings) - unknown
    if "temperature" in used:
        sent["temperature"] = settings.temperature
    if "schema" in used:
        form = {"name": FORM_NAME, "schema": json.loads(json.dumps(request.schema)), "strict": False}
        sent["response_format"] = {"type": "json_schema", "json_schema": form}
    if "tools" in used:
        sent["tools"] = [tool.as_function() for tool in request.tools]
    if "logprobs" in used:
        sent |= {"logprobs": True, "top_logprobs": MOST_LOGPROBS}
    if request.max_output_tokens is not None:
        sent["max_tokens"] = request.max_output_tokens
    if streams:
        sent |= {"stream": True, "stream_options": {"include_usage": True}}
    return sent


def reply(
    request: ModelRequest,
    raw: Any,
    *,
    name: str,
    unknown: frozenset[str],
    seconds: float,
    cost: Callable[[int, int], float | None],
) -> ModelReply:
    """Give our reply from the client's response.

    Args:
        request: what was asked.
        raw: the response.
        name: the model asked.
        unknown: features that were written or left out.
        seconds: how long the call took.
        cost: gives the price of so many tokens in and out, in USD.

    Raises:
        ModelReplyError: it holds no message.
    """
    choice = raw.choices[0] if getattr(raw, "choices", None) else None
    message = getattr(choice, "message", None)
    if message is None:
        raise ModelReplyError(
            f"The model {name!r} sent no message.", "Its reply has no choices, or none with a message.", "Ask again."
        )
    text = getattr(message, "content", None) or ""
    called = getattr(message, "tool_calls", None) or ()
    calls = tool_calls_of((call.id, call.function.name, call.function.arguments or "") for call in called)
    reported = getattr(raw, "usage", None)
    usage = usage_of(
        request,
        text,
        calls,
        input_tokens=getattr(reported, "prompt_tokens", None),
        output_tokens=getattr(reported, "completion_tokens", None),
    )
    cost_usd = cost(usage.input_tokens, usage.output_tokens)
    return make_reply(
        request,
        text,
        model=getattr(raw, "model", None) or name,
        usage=type(usage)(usage.input_tokens, usage.output_tokens, usage.estimated, cost_usd),
        tool_calls=calls,
        seconds=seconds,
        is_cut=getattr(choice, "finish_reason", None) == "length",
        tools_written_out="tools" in unknown and bool(request.tools),
        choice_logprobs=logprobs_of_choices(request.choices, first_token(getattr(choice, "logprobs", None))),
    )


def text_of_chunk(chunk: Any) -> str:
    """Give the text that a chunk of a stream adds.

    Raises:
        TypeError: what it adds is no text.
    """
    choices = getattr(chunk, "choices", None)
    text = (getattr(choices[0].delta, "content", None) or "") if choices else ""
    if not isinstance(text, str):
        raise TypeError(f"the content of a chunk is no text but {type(text).__name__}")
    return text


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [call.as_function() for call in message.tool_calls]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent
