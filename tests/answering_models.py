"""Answerers for questions: they read the map or the pages of a request, as the prompts of this project show them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.prompts.fence import FENCED
from pageindex_core.testing import Answer, Answerer, lexical, schema_of

OPTION = re.compile(
    r"^ *\[(?P<id>[^\]]+)\](?P<title>.*?)(?:^| |· )p\. (?P<first>\d+)(?:-(?P<last>\d+))?(?P<hint> · .*)?$", re.M
)
PAGE = re.compile(r"^(?P<label>s\d+):\n<(?P<mark>fence-[0-9a-f]+)>\n(?P<text>.*?)\n</(?P=mark)>", re.M | re.S)


@dataclass(frozen=True)
class Option:
    """One line of a map."""

    ident: str
    title: str
    first: int
    last: int
    hint: str = ""


def texts_of(request: Mapping[str, Any]) -> str:
    """Give all text of a request but the system's."""
    return "\n".join(
        str(message.get("content") or "") for message in request["messages"] if message["role"] != "system"
    )


def options_of(request: Mapping[str, Any]) -> list[Option]:
    """Give the options of the map in a request, each id once, in the order shown."""
    fenced = "\n".join(found["text"] for found in FENCED.finditer(texts_of(request)))
    options: dict[str, Option] = {}
    for line in OPTION.finditer(fenced):
        first = int(line["first"])
        option = Option(line["id"], line["title"].strip(" ·"), first, int(line["last"] or first), line["hint"] or "")
        options.setdefault(option.ident, option)
    return list(options.values())


def purpose_of(request: Mapping[str, Any]) -> str:
    """Give what a request asks for: ``tree``, ``answer``, or ``agent``."""
    keys = set((schema_of(request) or {}).get("properties", ()))
    return "tree" if "choices" in keys else "answer" if "answer" in keys and not request.get("tools") else "agent"


def choose(*idents: str) -> str:
    """Give the reply that chooses these ids."""
    return json.dumps({"choices": [{"id": ident, "reason": f"because of {ident}"} for ident in idents]})


def perfect(pages: Callable[[], Collection[int]]) -> Answerer:
    """Give an answerer that picks the smallest option that holds each of some pages, if one is shown."""

    def answer(request: dict[str, Any]) -> Answer:
        options = options_of(request)
        chosen: dict[str, None] = {}
        for page in pages():
            holding = [option for option in options if option.first <= page <= option.last]
            if holding:
                chosen[min(holding, key=lambda option: option.last - option.first).ident] = None
        return choose(*chosen)

    return answer


def by_words(most: int = 1) -> Answerer:
    """Give an answerer that picks options by the words they share with the question."""
    return lexical(
        most, find_options=lambda request: {one.ident: f"{one.title} {one.hint}" for one in options_of(request)}
    )


def pages_of(request: Mapping[str, Any]) -> dict[str, str]:
    """Give the pages that an answer is asked from, by label."""
    return {found["label"]: found["text"] for found in PAGE.finditer(texts_of(request))}


def quoting(words: str, answer: str = "See there.") -> Answerer:
    """Give an answerer that chooses the first option, and answers by citing the page that holds some words."""

    def respond(request: dict[str, Any]) -> Answer:
        if purpose_of(request) == "tree":
            return choose(options_of(request)[0].ident)
        label = next((label for label, text in pages_of(request).items() if words in text), "s1")
        return json.dumps({"answer": answer, "found": True, "citations": [{"page_id": label, "quote": words}]})

    return respond
