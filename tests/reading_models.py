"""Answerers for indexing with a model: they read the fenced text of a request and answer what its schema asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pageindex_core.testing import Answer, Answerer, Fault, schema_of, texts_in
from pageindex_core.tokens import count_tokens

PAGE_MARK = re.compile(r"^\[page (\d+)\]$")

Numbered = list[tuple[int, str]]
"""Lines with the number of the page they are said to stand on."""


def numbered_lines(text: str) -> Numbered:
    """Give the lines of a text whose pages are marked, each with its page."""
    page = 0
    lines: Numbered = []
    for line in text.splitlines():
        mark = PAGE_MARK.match(line)
        if mark:
            page = int(mark[1])
        elif line.strip():
            lines.append((page, line))
    return lines


def reading(
    *,
    is_heading: Callable[[str], bool] = lambda line: False,
    is_contents: Callable[[str], bool] = lambda line: False,
    level_of: Callable[[str], int] = lambda line: 1,
) -> Answerer:
    """Give an answerer that does every kind of indexing call by looking at the lines it is sent.

    Args:
        is_heading: Whether a line is a heading.
        is_contents: Whether a line is an entry of printed contents: title, dots, page number.
        level_of: Level of a heading or entry.
    """

    def answer(request: dict[str, Any]) -> Answer:
        schema = schema_of(request)
        assert schema is not None, "indexing asks for JSON only"
        (key,) = schema["properties"]
        texts = texts_in(request)
        lines = numbered_lines(texts[-1])
        if key in ("summary", "description"):
            return json.dumps({key: f"About {' '.join(texts[0].split())[:60]}."})
        if key == "pages":
            return json.dumps({key: sorted({page for page, line in lines if is_contents(line)})})
        if key == "entries":
            return json.dumps({key: [_entry(line, level_of) for _, line in lines if is_contents(line)]})
        headings = [(page, line) for page, line in lines if is_heading(line)]
        if key == "found":
            return json.dumps({key: _found(texts[0], headings)})
        return json.dumps({key: [{"title": line, "page": page, "level": level_of(line)} for page, line in headings]})

    return answer


def within(answerer: Answerer, context_tokens: int) -> Answerer:
    """Do as servers do that know their context: refuse what does not fit with its reply, cut replies at their limit."""

    def answer(request: dict[str, Any]) -> Answer:
        limit = request.get("max_tokens", 0)
        sent = sum(count_tokens(str(message["content"])) for message in request["messages"])
        sent += count_tokens(json.dumps(request.get("response_format")))
        if sent + limit > context_tokens:
            return Fault.refusing(f"The context is {context_tokens} tokens; you asked for {sent + limit}.")
        text = str(answerer(request))
        if count_tokens(text) > (limit or context_tokens - sent):
            return {"content": text[: 4 * (limit or context_tokens - sent)], "finish_reason": "length"}
        return text

    return answer


def purposes(requests: list[Any]) -> list[str]:
    """Give what each recorded request asks for, by the key of its schema, in order of arrival."""
    return [next(iter(schema_of(request.body)["properties"])) for request in requests]


def _entry(line: str, level_of: Callable[[str], int]) -> dict[str, Any]:
    title, _, page = line.rpartition(" ")
    title = title.rstrip(" .")
    return {"title": title, "page": page, "level": level_of(title)}


def _found(entries: str, headings: Numbered) -> list[dict[str, Any]]:
    found = []
    for entry in entries.splitlines():
        name, _, title = entry.partition(": ")
        for page, line in headings:
            if title.casefold() in line.casefold() or line.casefold() in title.casefold():
                found.append({"entry": name, "page": page, "line": line})
                break
    return found
