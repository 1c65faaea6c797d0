"""What LiteLLM is sent for a request, and what its response says."""

from __future__ import annotations

import json
from typing import Any

import litellm

from pageindex_core.errors import ModelReplyError
from pageindex_core.llm.contract import written_out
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest
from pageindex_core.llm.replies import FORM_NAME, first_token, logprobs_of_choices, make_reply, tool_calls_of, usage_of
from pageindex_core.llm.settings import LiteLLMSettings

MOST_LOGPROBS = 20
"""OpenAI's limit of ``top_logprobs``."""


def features(request: ModelRequest, settings: LiteLLMSettings) -> set[str]:
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
    settings: LiteLLMSettings,
    request: ModelRequest,
    unknown: frozenset[str],
    streams: bool,
) -> dict[str, Any]:
    """Give the keyword arguments of ``litellm.completion``.

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
        "timeout": settings.timeout_s,  # always the same: LiteLLM makes a client for each timeout it sees
        "max_retries": 0,  # of the provider's client: retries are ours
        "num_retries": 0,  # of LiteLLM
        "api_base": settings.api_base,
        "api_key": settings.api_key,
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
    return {key: value for key, value in sent.items() if value is not None}


def reply(
    name: str,
    settings: LiteLLMSettings,
    request: ModelRequest,
    raw: Any,
    unknown: frozenset[str],
    seconds: float,
) -> ModelReply:
    """Give our reply from LiteLLM's response.

    Raises:
        ModelReplyError: it holds no message.
    """
    choice = raw.choices[0] if getattr(raw, "choices", None) else None
    if choice is None:
        raise ModelReplyError(f"The model {name!r} sent no message.", "Its reply has no choices.", "Ask again.")
    message = getattr(choice, "message", None)
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
    cost_usd = cost(name, settings, usage.input_tokens, usage.output_tokens)
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


def cost(name: str, settings: LiteLLMSettings, input_tokens: int, output_tokens: int) -> float | None:
    """Give the price of a call in USD, by the stated prices or LiteLLM's list; None where there is none."""
    if settings.price_per_million is not None:
        price_in, price_out = settings.price_per_million
        return (input_tokens * price_in + output_tokens * price_out) / 1_000_000
    if not _is_priced(name):
        return None
    try:
        paid = litellm.cost_per_token(model=name, prompt_tokens=input_tokens, completion_tokens=output_tokens)
    except Exception:  # it raises what it likes for a listed name at another provider; the reply is paid for and good
        return None
    return float(sum(paid))


def text_of_chunk(chunk: Any) -> str:
    """Give the text that a chunk of a stream adds."""
    choices = getattr(chunk, "choices", None)
    return (getattr(choices[0].delta, "content", None) or "") if choices else ""


def _is_priced(name: str) -> bool:
    """Tell whether LiteLLM's list has the model, with or without its provider's prefix."""
    return name in litellm.model_cost or name.partition("/")[2] in litellm.model_cost


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [call.as_function() for call in message.tool_calls]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent
