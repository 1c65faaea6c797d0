"""What every adapter does with an answer: count it, read its JSON, hold it against the schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.contract import tool_calls_in
from pageindex_core.llm.parse import JsonNotFoundError, parse_json
from pageindex_core.llm.protocol import ModelReply, ModelRequest, ToolCall, Usage
from pageindex_core.llm.schema import SchemaError, fitted
from pageindex_core.tokens import count_tokens

FORM_NAME = "reply"
"""What the form of the reply is called, where a provider wants a name or takes the form for a tool."""

NO_JSON = "The reply holds no JSON."
REPLY_CUT = "The reply was cut at its limit of tokens."

CUT = frozenset({"length", "max_tokens", "MAX_TOKENS"})
"""How providers say that a reply was cut at its limit of tokens."""

STOP_KEYS = ("finish_reason", "stop_reason", "done_reason")
"""Where they say it: OpenAI, Anthropic, Ollama."""

INPUT_KEYS = ("prompt_tokens", "input_tokens", "prompt_token_count", "prompt_eval_count")
OUTPUT_KEYS = ("completion_tokens", "output_tokens", "candidates_token_count", "eval_count")
"""What providers call the tokens of a call: OpenAI, Anthropic, Google, Ollama."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model answered, taken out of the message that its framework gave."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    """See ``tool_calls_of``."""
    usage: Sequence[Any] = ()
    """Where its tokens may be told: see ``usage_in``."""
    stopped: Sequence[Any] = ()
    """Where it may say why the model stopped: see ``is_cut_in``."""
    first_token: Sequence[tuple[str, float]] = ()
    """See ``first_token``."""
    model: str | None = None
    """Who answered, where it says so."""


def reply_to(
    request: ModelRequest, answered: Answered, *, model: str, seconds: float, tools_written_out: bool = False
) -> ModelReply:
    """Give the reply to a request from what a framework's model answered.

    Where a schema was asked for and no tools were offered, a call is the form of the reply that went out as a tool.

    Args:
        request: what was asked.
        answered: what came.
        model: who was asked.
        seconds: how long it took.
        tools_written_out: the tools stood in the prompt, so calls are read from the text.
    """
    text, calls = answered.text, answered.tool_calls
    if calls and request.schema is not None and not request.tools:
        text, calls = calls[0].arguments, ()
    return make_reply(
        request,
        text,
        model=answered.model or model,
        usage=usage_in(answered.usage, request, text, calls),
        tool_calls=calls,
        seconds=seconds,
        is_cut=is_cut_in(answered.stopped),
        tools_written_out=tools_written_out,
        choice_logprobs=logprobs_of_choices(request.choices, answered.first_token),
    )


def make_reply(
    request: ModelRequest,
    text: str,
    *,
    model: str,
    usage: Usage,
    tool_calls: tuple[ToolCall, ...] = (),
    seconds: float = 0.0,
    is_cut: bool = False,
    tools_written_out: bool = False,
    choice_logprobs: Mapping[str, float] | None = None,
) -> ModelReply:
    """Give the reply to a request from what a provider sent.

    The text is kept as it came. Where a schema was asked for, ``value`` is its JSON as far as it follows the schema, or
    None; what was mended, dropped or missing stands in ``notes``.

    Args:
        request: what was asked.
        text: what the model wrote.
        model: who answered.
        usage: see ``usage_of``.
        tool_calls: the tools it asks for.
        seconds: how long it took.
        is_cut: the model stopped at its limit of tokens.
        tools_written_out: the tools stood in the prompt, so calls are read from the text.
        choice_logprobs: see ``logprobs_of_choices``.
    """
    notes = [REPLY_CUT] if is_cut else []
    if tools_written_out and not tool_calls:
        tool_calls = tool_calls_in(text, request.tools)
        text = "" if tool_calls else text
    value = None
    if request.schema is not None and not tool_calls:
        value, problems = read_value(text, request.schema)
        notes.extend(problems)
    return ModelReply(
        text, usage, model, value, tool_calls, seconds, choice_logprobs=dict(choice_logprobs or {}), notes=tuple(notes)
    )


def read_value(text: str, schema: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Give the JSON value of a reply as far as it follows the schema, and notes; None where nothing does."""
    if not text.strip():
        return None, ("The reply is empty.",)
    try:
        return fitted(parse_json(text), schema)
    except JsonNotFoundError:
        return None, (NO_JSON,)
    except SchemaError as error:
        return None, (f"The reply does not follow its schema: {error}",)


def usage_of(
    request: ModelRequest,
    text: str,
    tool_calls: Iterable[ToolCall] = (),
    *,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    cost_usd: float | None = None,
) -> Usage:
    """Give the usage as reported; what was not reported, or as zero, is counted here and marked estimated."""
    estimated = not input_tokens
    if estimated:
        input_tokens, output_tokens = input_estimate(request), None
    if output_tokens is None:
        output_tokens = count_tokens(text + "".join(call.name + call.arguments for call in tool_calls))
    return Usage(input_tokens or 0, output_tokens, estimated, cost_usd)


def usage_in(places: Iterable[Any], request: ModelRequest, text: str, tool_calls: Iterable[ToolCall] = ()) -> Usage:
    """Give the usage that a response reports in whichever provider's words, at the first of the places that has it.

    Args:
        places: where it may stand: mappings, objects or None.
        request: what was asked.
        text: what the model wrote.
        tool_calls: the tools it asks for.
    """
    found = [(_count(place, INPUT_KEYS), _count(place, OUTPUT_KEYS)) for place in places if place is not None]
    given, received = next(((i, o) for i, o in found if i), (None, None))
    return usage_of(request, text, tool_calls, input_tokens=given, output_tokens=received)


def is_cut_in(places: Iterable[Any]) -> bool:
    """Tell whether one of the places, in whichever provider's words, says that a reply was cut at its limit."""
    return any(value_of(place, key) in CUT for place in places for key in STOP_KEYS)


def value_of(place: Any, key: str) -> Any:
    """Give the value of a key of a mapping, or of an attribute of anything else; None where there is none."""
    return place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)


def _count(place: Any, keys: Iterable[str]) -> int | None:
    values = (value_of(place, key) for key in keys)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def tool_calls_of(rows: Iterable[tuple[Any, Any, Any]]) -> tuple[ToolCall, ...]:
    """Give calls from the id, name and arguments of each; arguments may be an object, or text as the model wrote it."""
    return tuple(
        ToolCall(
            str(ident or f"call_{place}"),
            str(name or ""),
            given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False),
        )
        for place, (ident, name, given) in enumerate(rows)
    )


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """Give the arguments of a call as an object; None where they are broken JSON, or no object."""
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def input_estimate(request: ModelRequest) -> int:
    """Estimate the tokens that a request sends: its messages, its schema and its tools."""
    parts = [message.content for message in request.messages]
    parts += [call.name + call.arguments for message in request.messages for call in message.tool_calls]
    parts += [tool.name + tool.description + json.dumps(dict(tool.parameters)) for tool in request.tools]
    if request.schema is not None:
        parts.append(json.dumps(request.schema))
    return sum(map(count_tokens, parts))


def first_token(told: Any) -> list[tuple[str, float]]:
    """Give the candidates of the first token with their log probabilities, from ``logprobs`` as OpenAI words it."""
    content = value_of(told, "content")
    if not content:
        return []
    listed = value_of(content[0], "top_logprobs") or content[:1]
    return [(value_of(one, "token"), value_of(one, "logprob")) for one in listed]


def logprobs_of_choices(choices: Iterable[str], tokens: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Give the log probability of each choice from those of the first token's candidates.

    Spaces around a token do not matter: the candidates "A" and " A" add up. Choices that the provider did not list are
    left out.
    """
    shares: dict[str, float] = {}
    for token, logprob in tokens:
        key = token.strip()
        shares[key] = shares.get(key, 0.0) + math.exp(min(logprob, 0.0))
    return {choice: math.log(shares[choice]) for choice in choices if shares.get(choice)}
