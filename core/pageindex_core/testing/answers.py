"""Ready-made answerers: written beforehand, faulty, or one after the other."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from pageindex_core.testing.faults import Fault
from pageindex_core.testing.server import Answer, Answerer


def always(answer: Answer) -> Answerer:
    """Give the same answer to every request: ``always("null")``, ``always("")``, ``always(Fault.busy(1))``."""
    return lambda request: answer


def scripted(answers: Iterable[Answer | Answerer], then: Answer | Answerer = "") -> Answerer:
    """Give one answer after the other, and ``then`` when they are used up.

    An item may be an answerer, which is asked: ``scripted([Fault.failing(), lexical()])``.
    """
    waiting = iter(answers)
    lock = threading.Lock()

    def answer(request: dict[str, Any]) -> Answer:
        with lock:
            item = next(waiting, then)
        return item(request) if callable(item) else item

    return answer


def tool_calls(*calls: tuple[str, Mapping[str, Any] | str], text: str | None = None) -> dict[str, Any]:
    """Give the answer that asks for tools.

    Args:
        calls: name and arguments of each; arguments given as text are sent as they are, broken or not.
        text: what the model says beside.
    """
    return {"content": text, "tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


def choosing(probabilities: Mapping[str, float], text: str | None = None) -> dict[str, Any]:
    """Give the answer that names a token and the log probability of each candidate."""
    best = max(probabilities, key=lambda token: probabilities[token])
    return {"content": best if text is None else text, "logprobs": dict(probabilities)}


def with_prose(answerer: Answerer) -> Answerer:
    """Put sentences and a fence around every text."""
    return _rewritten(
        answerer, lambda text: f"Certainly! Here is what you asked for:\n\n```json\n{text}\n```\n\nI hope [this] helps."
    )


def cut_json(answerer: Answerer, share: float = 0.6) -> Answerer:
    """Break every text off in the middle, as a model does at its limit of tokens."""
    return _rewritten(answerer, lambda text: text[: int(len(text) * share)], finish_reason="length")


def with_extra_keys(answerer: Answerer) -> Answerer:
    """Add keys that nobody asked for to every object."""
    return _rewritten_json(answerer, lambda value: {**value, "confidence": 0.9, "_notes": ["extra"]})


def with_wrong_ids(answerer: Answerer, *wrong: str) -> Answerer:
    """Replace every id in a JSON answer, and every page number, by ones that do not exist.

    Ids are the values of keys named ``id``, ``…_id``, ``page`` or ``…_page``, and of their plurals.
    """
    wrong = wrong or ("9999", "no-such-node")

    def replaced(value: dict[str, Any]) -> dict[str, Any]:
        return {key: _wrong_value(item, wrong) if _names_ids(key) else item for key, item in value.items()}

    return _rewritten_json(answerer, replaced)


def with_bad_arguments(answerer: Answerer, arguments: str = '{"pages": ') -> Answerer:
    """Break the arguments of every tool call; an answer without one passes."""

    def answer(request: dict[str, Any]) -> Answer:
        given = answerer(request)
        if not isinstance(given, Mapping) or not given.get("tool_calls"):
            return given
        calls = [{**call.get("function", call), "arguments": arguments} for call in given["tool_calls"]]
        return {**given, "tool_calls": calls}

    return answer


def without_schemas(answerer: Answerer) -> Answerer:
    """Refuse ``response_format`` with 400, as servers do that know no JSON schema."""
    return _refusing("response_format", "Unsupported parameter: 'response_format'.", answerer)


def without_tools(answerer: Answerer) -> Answerer:
    """Refuse ``tools`` with 400, as servers do that know none."""
    return _refusing("tools", "This model does not support tools.", answerer)


def _refusing(key: str, message: str, answerer: Answerer) -> Answerer:
    return lambda request: Fault.refusing(message) if request.get(key) else answerer(request)


def _rewritten(answerer: Answerer, rewrite: Any, **changes: Any) -> Answerer:
    def answer(request: dict[str, Any]) -> Answer:
        given = answerer(request)
        if isinstance(given, Fault):
            return given
        message: Mapping[str, Any] = {"content": given} if isinstance(given, str) else given
        if not message.get("content"):
            return message
        return {**message, "content": rewrite(message["content"]), **changes}

    return answer


def _rewritten_json(answerer: Answerer, rewrite: Any) -> Answerer:
    def rewritten(text: str) -> str:
        try:
            value = json.loads(text)
        except ValueError:
            return text
        return json.dumps(_everywhere(value, rewrite))

    return _rewritten(answerer, rewritten)


def _everywhere(value: Any, rewrite: Any) -> Any:
    if isinstance(value, dict):
        return rewrite({key: _everywhere(item, rewrite) for key, item in value.items()})
    if isinstance(value, list):
        return [_everywhere(item, rewrite) for item in value]
    return value


def _names_ids(key: str) -> bool:
    return key.lower().rstrip("s").split("_")[-1] in ("id", "page", "node", "section")


def _wrong_value(value: Any, wrong: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_wrong_value(item, wrong) for item in value]
    if isinstance(value, str):
        return wrong[0] if value.isdigit() else wrong[-1]
    return 999_999 if isinstance(value, int) and not isinstance(value, bool) else value
