"""A model's reply to a map, read as choices from a closed set. What is not in the set is rejected and counted."""

from __future__ import annotations

import json
import string
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.parse import JsonNotFoundError, parse_json
from pageindex_core.llm.protocol import ModelReply

CHOICES_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "choices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "reason": {"type": "string"}},
                "required": ["id", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["choices"],
    "additionalProperties": False,
}
"""The ids are not listed as an ``enum``: they stand on the map, and twice would cost twice."""

LABELS = tuple(string.ascii_uppercase + string.ascii_lowercase)
"""Labels that are one token each in the vocabularies of all providers, for scoring by probability."""

NONE_LABEL = "0"
"""The label for "none of these"."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a model chose."""

    chosen: tuple[tuple[str, str], ...]
    """(id, reason) in its order, each id once."""
    rejected: tuple[str, ...]
    """What it named besides, as it wrote it."""
    is_reply: bool
    """Whether the reply followed the contract at all: an empty list does, "null" and prose do not."""


def read_choices(value: Any, options: Collection[str]) -> Choices:
    """Read the JSON value of a reply.

    A bare list, a list given as a string, ids without reasons, and brackets around ids are taken for what they mean.
    Titles, numbers and several ids in one text are not: a guess would select something that nobody chose.
    """
    value = _unpacked(value)
    listed = _unpacked(value.get("choices")) if isinstance(value, Mapping) else value
    if isinstance(listed, Mapping):
        listed = [listed]
    if not isinstance(listed, list):
        return Choices((), () if listed is None else (str(listed)[:80],), False)
    chosen: dict[str, str] = {}
    rejected: list[str] = []
    for item in listed:
        named, reason = (item.get("id"), item.get("reason")) if isinstance(item, Mapping) else (item, "")
        ident = named.strip().strip("[]").strip() if isinstance(named, str) else None
        if ident is not None and ident in options:
            chosen.setdefault(ident, reason if isinstance(reason, str) else "")
        else:
            rejected.append(str(named)[:80])
    return Choices(tuple(chosen.items()), tuple(rejected), True)


def reply_value(reply: ModelReply) -> Any:
    """Give the JSON value that a model wrote, before it was fitted to the schema: what it named wrongly counts too."""
    try:
        return parse_json(reply.text)
    except JsonNotFoundError:
        return reply.value


def ranked_labels(logprobs: Mapping[str, float]) -> list[tuple[str, float]]:
    """Give the labels that are likelier than "none of these", the likeliest first, with their log probability."""
    none = logprobs.get(NONE_LABEL, float("-inf"))
    better = [(label, value) for label, value in logprobs.items() if label != NONE_LABEL and value > none]
    return sorted(better, key=lambda pair: (-pair[1], pair[0]))


def _unpacked(value: Any) -> Any:
    """A list or object that came as text, as some models write it."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
