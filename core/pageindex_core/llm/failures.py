"""A provider's errors in our words. They are told apart by status and code, so none of its classes are needed here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from pageindex_core.errors import (
    ModelAccessError,
    ModelError,
    ModelReplyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pageindex_core.llm.retry import Failure

QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance|payment required", re.I)
"""What providers write when an account is used up. It comes as 429, like being too fast, but waiting does not help."""

NO_PROVIDER = re.compile(r"LLM Provider NOT provided", re.I)
NO_KEY = re.compile(
    r"missing credentials|api[ _]?key\b.{0,40}\b(?:must be set|required|missing|not set|not found)", re.I
)
"""What clients say, under various statuses, when they were given no key and found none."""

TIMED_OUT = re.compile(r"timed? ?out", re.I)
ACCESS = {401, 402, 403, 404}
REQUEST = {400, 405, 409, 413, 415, 422}
BUSY = {408, 425, 429}

_BROKEN_OFF = {"OSError", "TransportError"}
"""Families of errors, of Python and of httpx, that mean a connection which failed."""

REFUSED_FEATURES = {
    "schema": re.compile(r"response_format|json_schema|json mode|structured|schema|grammar", re.I),
    "tools": re.compile(r"\btools?\b|tool_choice|function", re.I),
    "logprobs": re.compile(r"logprob", re.I),
    "temperature": re.compile(r"temperature", re.I),
}
"""What a refusal names when a model does not know a parameter of the request."""


def translate(error: BaseException, model: str, seconds: float, tried: int) -> Failure:
    """Give a provider's error as ours, and whether trying again may help.

    Args:
        error: as the provider's client raised it.
        model: the name asked for.
        seconds: how long this attempt was allowed to take.
        tried: attempts made so far.
    """
    status, text = status_of(error), message_of(error)
    where = f"The model {model!r}"
    if NO_PROVIDER.search(text):
        remedy = "Write provider/model, such as 'openai/gpt-4o-mini' or 'ollama/llama3'; for a gateway see api_base."
        return Failure(
            ModelAccessError(f"{where} has no known provider.", "The name does not say who serves it.", remedy), False
        )
    if QUOTA.search(text) and status in {400, 402, 403, 429}:
        remedy = "Top up the account or use another key; the call is not tried again."
        return Failure(ModelAccessError(f"{where} refused: the quota is used up.", _reason(text), remedy), False)
    if NO_KEY.search(text):
        remedy = "Pass api_key, or set the provider's environment variable."
        return Failure(ModelAccessError(f"{where} needs a key.", _reason(text), remedy), False)
    if status is None and _cannot_be_sent(error):
        remedy = "Look at api_base, at api_key, and at the text that is sent."
        return Failure(ModelRequestError(f"{where} cannot be sent this request.", _reason(text), remedy), False)
    if status is None and any("Timeout" in kind for kind in kinds_of(error)):
        return Failure(timeout_error(model, seconds), True)
    if status is None and _is_broken_off(error):
        return Failure(
            ModelUnavailableError(
                f"{where} cannot be reached.",
                "Its connection failed or broke off.",
                "Check its address and try again; what is done so far is kept.",
            ),
            True,
        )
    if status in ACCESS:
        return Failure(_access_error(where, status, text), False)
    if status == 408 and TIMED_OUT.search(text):
        return Failure(timeout_error(model, seconds), True)
    if status in REQUEST:
        remedy = "Send less text, or another model's kind of request."
        return Failure(ModelRequestError(f"{where} refused this request.", _reason(text), remedy), False)
    if status is None:
        remedy = "Is this the address of a model? See api_base."
        return Failure(ModelReplyError(f"{where} sent what is no reply.", _reason(text), remedy), True)
    why = "It has too many requests." if status in BUSY else _reason(text)
    error_out: ModelError = ModelUnavailableError(
        f"{where} did not answer in {tried} attempt{'s' if tried > 1 else ''}.",
        why,
        "Try again later; what is done so far is kept.",
    )
    return Failure(error_out, True, retry_after_s(headers_of(error)))


def _cannot_be_sent(error: BaseException) -> bool:
    """Tell whether a client refused an address, a key or a text before anything was sent."""
    return not {"InvalidURL", "UnicodeError"}.isdisjoint(kinds_of(error))


def _is_broken_off(error: BaseException) -> bool:
    return any("Connect" in kind or kind in _BROKEN_OFF for kind in kinds_of(error))


def kinds_of(error: BaseException) -> list[str]:
    """Give the names of an error's class and of those above it."""
    return [kind.__name__ for kind in type(error).__mro__]


def timeout_error(model: str, seconds: float) -> ModelTimeoutError:
    """Give the error for a call that took too long."""
    return ModelTimeoutError(
        f"The model {model!r} gave no answer in time.",
        f"It was given {seconds:g} seconds.",
        "Raise timeout_s, or use a faster model.",
    )


def refused_feature(error: BaseException, used: set[str]) -> str | None:
    """Give the feature that the provider refused because it does not know it: one of those used, or None."""
    if status_of(error) not in {400, 404, 405, 415, 422, 500, 501}:
        return None
    text = message_of(error)
    return next((name for name, pattern in REFUSED_FEATURES.items() if name in used and pattern.search(text)), None)


def status_of(error: BaseException) -> int | None:
    """Give the HTTP status of a provider's error; None where it has none."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and (holder is error or status >= 400):  # of a good response, the body was no good
            return status
    code = getattr(error, "code", None)  # so Google's client
    return code if isinstance(code, int) and 400 <= code < 600 else None


def message_of(error: BaseException) -> str:
    """Give the text of a provider's error with its code."""
    body = getattr(error, "body", None)
    code = body.get("code") if isinstance(body, Mapping) else None
    return f"{error} {code or ''}"


def headers_of(error: BaseException) -> Mapping[str, str]:
    """Give the headers of the reply that an error came from."""
    found: Any = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", None
    )
    return found if found is not None else {}


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Give the seconds that Retry-After asks for, in any of its forms; None where it asks for nothing."""
    if milliseconds := headers.get("retry-after-ms"):
        return _seconds(milliseconds, 0.001)
    value = headers.get("retry-after")
    if not value:
        return None
    seconds = _seconds(value)
    if seconds is not None:
        return seconds
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    if at.tzinfo is None:  # "-0000", or no zone
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _seconds(text: str, unit: float = 1.0) -> float | None:
    try:
        value = float(text) * unit
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _access_error(where: str, status: int | None, text: str) -> ModelAccessError:
    if status == 404:
        remedy = "Check the model's name and api_base."
        return ModelAccessError(f"{where} was not found.", _reason(text), remedy)
    remedy = "Check the key in api_key or in the provider's environment variable; the call is not tried again."
    return ModelAccessError(f"{where} refused the key.", _reason(text), remedy)


def _reason(text: str) -> str:
    """Give the provider's own words on one line, without the client's prefixes and without keys."""
    line = re.sub(r"\s+", " ", re.sub(r"(?:litellm\.)?\w*(?:Error|Exception)\s*[:-]\s*", "", text)).strip()
    line = re.sub(r"\b(?:sk|key|pk)-[\w-]{6,}\S*", "[key]", line)
    return f"The provider says: {line[:300]}" if line else "The provider gives no reason."
