"""Stand-ins for a model that navigates: one that knows where the evidence is, one that reads words alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from answering_models import Option, choose, options_of, texts_of
from pageindex_core.llm.prompts.fence import FENCED
from pageindex_core.search.tree.navigator import DOCUMENT_LETTERS
from pageindex_core.testing import Answer, question_in, rank, tool_calls

NARROW_PAGES = 5
"""An option of at most so many pages is read by the agent; a wider one is looked into first."""

_DOCUMENT = re.compile(r"^\[doc(\d+)\] (\S+)", re.M)
_LISTED = re.compile(r"^- (.+?) \(doc_id (\w+), \d+ pages\)|^(?P<whole>.+), all \d+ pages:$", re.M)


class Chooser:
    """Answers the requests of the tree navigator and of the agent. Point it at a question before that is asked."""

    def __init__(self, *, is_perfect: bool) -> None:
        self._is_perfect = is_perfect
        self._question: Mapping[str, Any] = {}

    def point_at(self, question: Mapping[str, Any]) -> None:
        """Say which question comes next; a perfect chooser takes its evidence from it."""
        self._question = question

    def answer(self, request: dict[str, Any]) -> Answer:
        """Answer one request."""
        if request.get("tools") or any(message["role"] == "tool" for message in request["messages"]):
            return self._read(request)
        return choose(*self._picks(request))

    def _picks(self, request: dict[str, Any]) -> list[str]:
        options = options_of(request)
        if not self._is_perfect:
            by_words = rank(question_in(request), {one.ident: f"{one.title} {one.hint}" for one in options})
            return [ident for ident, score in by_words[:1] if score > 0]
        return [option.ident for option in self._holding(request, options)]

    def _holding(self, request: dict[str, Any], options: Sequence[Option]) -> list[Option]:
        """The smallest option that holds each page of evidence, each option once."""
        numbers = {name.removesuffix(".pdf").removesuffix(".pdf:"): int(number) for number, name in _documents(request)}
        own = numbers.get(self._question["doc"])
        if numbers and own is None:
            return []
        allowed = [option for option in options if own is None or _is_of(option, own)]
        found: dict[str, Option] = {}
        for page in self._question["readable_pages"]:
            holding = [option for option in allowed if option.first <= page <= option.last]
            if holding:
                best = min(holding, key=lambda option: option.last - option.first)
                found.setdefault(best.ident, best)
        return list(found.values())

    # As an agent

    def _read(self, request: dict[str, Any]) -> Answer:
        results = [_json_of(message) for message in request["messages"] if message["role"] == "tool"]
        pages = [(one["doc_id"], page) for one in results for page in one.get("pages", ()) if "doc_id" in one]
        if pages:
            if not self._is_perfect:
                ranked = rank(question_in(request), {str(at): page["text"] for at, (_, page) in enumerate(pages)})
                pages = [pages[int(ranked[0][0])]]
            cited = [
                {"document": doc_id, "page": page["page"], "quote": page["text"].strip().split("\n")[0][:100]}
                for doc_id, page in pages
            ]
            return json.dumps({"answer": "See there.", "found": True, "citations": cited})
        document = self._document(request)
        if document is None:
            return json.dumps({"answer": "Read at once.", "found": True, "citations": self._cited(request)})
        if self._is_perfect:
            shown = self._holding(request, options_of(request))
            wanted = [
                page
                for page in self._question["readable_pages"]
                if any(one.first <= page <= one.last and one.last - one.first < NARROW_PAGES for one in shown)
            ]
            return tool_calls(("get_page_content", {"doc_name": document, "pages": ",".join(map(str, wanted)) or "1"}))
        places = next((one["places"] for one in results if one.get("places")), None)
        if places is None and not results:
            return tool_calls(("find_in_document", {"doc_name": document, "query": question_in(request), "limit": 5}))
        best = dict.fromkeys(str(page) for place in places or () for page in place["best_pages"][:1])
        return tool_calls(("get_page_content", {"doc_name": document, "pages": ",".join(best) or "1"}))

    def _document(self, request: dict[str, Any]) -> str | None:
        """The document to read; None where it was given whole."""
        listed = list(_LISTED.finditer(texts_of(request)))
        if any(found["whole"] for found in listed):
            return None
        own = [found[2] for found in listed if found[1].removesuffix(".pdf") == self._question["doc"]]
        return own[0] if self._is_perfect and own else listed[0][2]

    def _cited(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        whole = next(found["whole"] for found in _LISTED.finditer(texts_of(request)) if found["whole"])
        parts = re.split(r"^--- page (\d+) ---$", texts_of(request), flags=re.M)
        texts = dict(zip(parts[1::2], parts[2::2], strict=True))
        ranked = rank(question_in(request), texts)
        pages = map(str, self._question["readable_pages"]) if self._is_perfect else [page for page, _ in ranked[:1]]
        return [
            {"document": whole, "page": int(page), "quote": texts[page].strip().split("\n")[0][:100]}
            for page in pages
            if page in texts
        ]


def _documents(request: dict[str, Any]) -> list[tuple[str, str]]:
    return [found for text in FENCED.finditer(texts_of(request)) for found in _DOCUMENT.findall(text["text"])]


def _is_of(option: Option, number: int) -> bool:
    """Whether an option of a map of several documents belongs to one of them."""
    if option.ident.startswith("doc"):
        return option.ident == f"doc{number}"
    return option.ident.removeprefix("r")[:1] == DOCUMENT_LETTERS[number - 1]


def _json_of(message: Mapping[str, Any]) -> dict[str, Any]:
    found = FENCED.search(str(message.get("content") or ""))
    value = json.loads(found["text"]) if found else {}
    return value if isinstance(value, dict) else {}
