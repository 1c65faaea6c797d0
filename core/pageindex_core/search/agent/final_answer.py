"""What a model writes as its answer, read for what it means: text, whether it was found, and the evidence named."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.parse import JsonNotFoundError, parse_json

MOST_CITATIONS = 30
"""More pieces of evidence than this are not looked at."""

MOST_PAGE_DIGITS = 9
"""A page number of more digits is no page of any document, and too long to be worked out."""

NO_SUCH_PAGE = 10**MOST_PAGE_DIGITS
"""Stands for such a number, so that it still names a place, which then was not read."""

_JSON_START = re.compile(
    r"""\A\s*(?:\{|\[\s*(?:[\[{"]|\]?\s*\Z)|```)|\{\s*["\u201c](?:\w*\s*\Z|\w+["\u201d]\s*(?::|\Z))"""
)
"""JSON or a fence at the start; or, after a few words, an object with a key. "[1] It is so" is plain words."""
_EMPTY_WORDS = frozenset(("", "null", "none", "true", "false", "nan", "undefined", "{}", "[]"))
"""What programs write for nothing or for a decision, and no answer in words."""
_EVIDENCE_KEYS = ("citations", "evidence", "quotes", "sources", "references")
_QUOTE_KEYS = ("quote", "text", "evidence", "excerpt", "passage", "content")
_PAGE_KEYS = ("page", "page_number", "pages", "page_start")
_DOCUMENT_KEYS = ("document", "doc_name", "doc_id", "document_name", "source", "file")


@dataclass(frozen=True, slots=True)
class NamedEvidence:
    """One piece of evidence as the model named it, not yet checked."""

    quote: str
    page_id: str | None = None
    """The label under which the page was shown."""
    document: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A model's answer, not yet checked."""

    text: str
    found: bool
    evidence: tuple[NamedEvidence, ...] = ()


def answer_schema(**place: Mapping[str, Any]) -> dict[str, Any]:
    """Give the JSON schema of an answer whose citations name their place by these properties."""
    citation = {**place, "quote": {"type": "string"}}
    return {
        "type": "object",
        "properties": {
            "answer": {"type": "string"},
            "found": {"type": "boolean"},
            "citations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": citation,
                    "required": list(citation),
                    "additionalProperties": False,
                },
            },
        },
        "required": ["answer", "found", "citations"],
        "additionalProperties": False,
    }


def read_answer(text: str) -> FinalAnswer | None:
    """Give the answer that a reply holds, or None: JSON of the asked form or near it, or plain words.

    What starts as JSON or as a fence is never taken for plain words: of JSON that breaks off, what was whole counts,
    and where that is no answer there is none.
    """
    text = text.strip()
    if not text or text.strip("\"'.").casefold() in _EMPTY_WORDS:
        return None
    is_prose = _JSON_START.search(text) is None
    try:
        value = parse_json(text)
    except JsonNotFoundError:
        return FinalAnswer(text, True) if is_prose else None
    said = _said(value)
    return FinalAnswer(text, True) if said is None and is_prose and not isinstance(value, str) else said


def _said(value: Any) -> FinalAnswer | None:
    """Give the answer in a JSON value: an object, a list that holds one, or a text; None where there is none."""
    if isinstance(value, str):
        return read_answer(value)
    if isinstance(value, list):
        held = [said for one in value if isinstance(one, Mapping) and (said := _said(one)) is not None]
        if held:
            return held[0]
        return read_answer(value[0]) if len(value) == 1 and isinstance(value[0], str) else None
    if not isinstance(value, Mapping):
        return None
    said = value.get("answer", value.get("text"))
    if not isinstance(said, (str, int, float)) or isinstance(said, bool) or not str(said).strip():
        return FinalAnswer("", False) if value.get("found") is False else None
    found = str(value.get("found", True)).lower() not in ("false", "no", "0")
    named = next((value[key] for key in _EVIDENCE_KEYS if value.get(key)), ())
    evidence = tuple(_evidence(named))[:MOST_CITATIONS]
    if _JSON_START.match(str(said).strip()) is None:
        return FinalAnswer(str(said).strip(), found, evidence)
    inner = read_answer(str(said))  # the whole reply, written once more as a text
    return inner and FinalAnswer(inner.text, inner.found and found, inner.evidence or evidence)


def _evidence(named: Any) -> list[NamedEvidence]:
    """Read evidence given as a list, as a string that holds a list, as quotes alone, or as a single piece."""
    if isinstance(named, str):
        try:
            inner = json.loads(named) if named.lstrip()[:1] in ("[", "{") else named
        except ValueError:
            inner = named
        named = inner if isinstance(inner, (list, Mapping)) else [named]
    if isinstance(named, Mapping):
        named = [named]
    if not isinstance(named, Sequence):
        return []
    return [piece for item in named if (piece := _piece(item)) is not None]


def _piece(item: Any) -> NamedEvidence | None:
    if isinstance(item, str):
        if item.lstrip()[:1] == "{":
            try:
                return _piece(json.loads(item))
            except ValueError:
                pass
        return NamedEvidence(item.strip()) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    quote = next((item[key] for key in _QUOTE_KEYS if isinstance(item.get(key), str)), "")
    page_id = item.get("page_id")
    document = next((item[key] for key in _DOCUMENT_KEYS if isinstance(item.get(key), str)), None)
    page = next((_number(item[key]) for key in _PAGE_KEYS if item.get(key) is not None), None)
    label = str(page_id).strip().strip("[]") if isinstance(page_id, (str, int)) else None
    if not quote.strip() and label is None and page is None:
        return None
    return NamedEvidence(quote.strip(), label, document, page)


def _number(value: Any) -> int | None:
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    found = re.search(r"\d+", str(value))
    if found is None or isinstance(value, bool):
        return None
    digits = found[0].lstrip("0") or "0"
    return int(digits) if len(digits) <= MOST_PAGE_DIGITS else NO_SUCH_PAGE
