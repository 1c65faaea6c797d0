"""OpenAI's reply format: what an answer looks like on the wire."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pageindex_core.tokens import count_tokens

_WORDS = re.compile(r"\s*\S+\s*$|\s*\S+")
_SURE = -0.01
"""Log probability of a token whose probability nobody stated."""


def error_body(message: str, code: str | None) -> dict[str, Any]:
    """Give the body of an error reply."""
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def completion(request: Mapping[str, Any], message: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Give the body of a whole reply."""
    calls = _tool_calls(message)
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": message.get("content"), **({"tool_calls": calls} if calls else {})},
        "finish_reason": _finish_reason(message),
        "logprobs": _logprobs(request, message),
    }
    body = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
    usage = _usage(request, message)
    return body if usage is None else {**body, "usage": usage}


def stream_chunks(request: Mapping[str, Any], message: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    """Give the events of a streamed reply: a word each, then the tool calls, the end, and the usage if asked for."""
    base = {"id": "chatcmpl-0", "object": "chat.completion.chunk", "created": 0, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    chunks = [chunk({"role": "assistant", "content": ""})]
    chunks += [chunk({"content": word}) for word in _WORDS.findall(message.get("content") or "")]
    for index, call in enumerate(_tool_calls(message)):
        head = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
        chunks.append(chunk({"tool_calls": [head]}))
        text = call["function"]["arguments"]
        chunks += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
            for part in (text[: len(text) // 2], text[len(text) // 2 :])
        ]
    chunks.append(chunk({}, _finish_reason(message)))
    usage = _usage(request, message)
    if usage is not None and (request.get("stream_options") or {}).get("include_usage"):
        chunks.append({**base, "choices": [], "usage": usage})
    return chunks


def _tool_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = []
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call.get("function", call)
        arguments = function.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call_id = call.get("id", f"call_{index}")
        calls.append({"id": call_id, "type": "function", "function": {"name": function["name"], "arguments": text}})
    return calls


def _finish_reason(message: Mapping[str, Any]) -> str:
    return str(message.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else "stop"))


def _usage(request: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any] | None:
    if "usage" in message:
        return message["usage"]  # type: ignore[no-any-return]  # as the test wrote it, or None for a server that counts nothing
    prompt = count_tokens(json.dumps([request.get("messages"), request.get("tools")], ensure_ascii=False))
    reply = count_tokens((message.get("content") or "") + json.dumps(_tool_calls(message) or ""))
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _logprobs(request: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any] | None:
    if not request.get("logprobs"):
        return None
    stated = message.get("logprobs") or {}
    top = sorted(stated.items(), key=lambda pair: -pair[1])[: int(request.get("top_logprobs") or 0)]
    content = []
    for position, word in enumerate(_WORDS.findall(message.get("content") or "")):
        token = {"token": word, "logprob": stated.get(word, _SURE), "bytes": None}
        others = top if position == 0 else []
        content.append({**token, "top_logprobs": [{"token": t, "logprob": p, "bytes": None} for t, p in others]})
    return {"content": content, "refusal": None}
