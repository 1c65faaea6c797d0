"""Pages that the reading agent was given in part: what was not shown to it cannot be cited."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pageindex_core import ask
from pageindex_core.library.protocol import Library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.records import Line, Page
from pageindex_core.search.agent.shown_pages import joined, shown_page
from pageindex_core.testing import ModelServer, scripted, tool_calls

Add = Callable[..., str]

SENTENCES = [f"Blade {'abcdefghij'[at % 10] * (at // 10 + 1)} is sharp." for at in range(650)]
"""Each its own; together 32,000 characters: two answers of a tool."""
FIRST, LAST = SENTENCES[0], SENTENCES[-1]


def read(offset: int) -> dict[str, Any]:
    return tool_calls(("get_page_content", {"doc_name": "saw.pdf", "pages": "1", "offset": offset}))


def given(server: ModelServer, number: int) -> dict[str, Any]:
    """The page that the model was given last before a request."""
    text = str(server.requests[number].messages[-1]["content"])
    value, _ = json.JSONDecoder().raw_decode(text[text.index('{"success"') :])
    page: dict[str, Any] = value["pages"][0]
    return page


@pytest.fixture
def long(add: Add) -> str:
    """A document with a first page of two answers' length."""
    return add("saw.pdf", ["\n".join(SENTENCES), *[f"# Chapter {number}\nNothing." for number in range(2, 30)]])


def test_words_further_on_than_the_page_was_shown_are_not_verified(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """What stands in the shown part is, with the box of its line; after going on to the end all of it is."""
    cited = [{"document": "saw.pdf", "page": 1, "quote": quote} for quote in (FIRST, LAST)]
    final = json.dumps({"answer": "Sharp.", "found": True, "citations": cited})
    server.answer = scripted([read(0), final])
    answer = ask(library, "Which blade is sharp?", model=model, navigator="agent")
    shown = given(server, 1)
    assert shown["to_character"] < shown["characters"] == len("\n".join(SENTENCES))
    assert [(one.verified, one.page_number) for one in answer.citations] == [(True, 1), (False, 1)]
    assert len(answer.citations[0].boxes) == 1

    server.answer = scripted([read(0), read(shown["to_character"]), final])
    answer = ask(library, "Which blade is sharp?", model=model, navigator="agent")
    assert given(server, -1)["to_character"] == shown["characters"]
    assert [one.verified for one in answer.citations] == [True, True]
    assert answer.citations[1].boxes[0].box.y0 > answer.citations[0].boxes[0].box.y0


def test_a_page_holds_what_was_shown_of_its_text_and_a_mark_for_the_rest() -> None:
    """Lines keep their places, and no quote reaches from one shown part to the next."""
    page = Page(1, (Line("one two"), Line("three"), Line(" four", continues=True), Line("five")))
    assert page.text == "one two\nthree four\nfive"

    def texts(*spans: tuple[int, int]) -> list[str]:
        return [line.text for line in shown_page(page, joined(spans)).lines]

    assert texts((0, 23)) == ["one two", "three", " four", "five"]
    assert texts((0, 3), (15, 18)) == ["one\ufffd", "\ufffd", "\ufffdour", "\ufffd"]
    assert texts((0, 1), (6, 7)) == ["o\ufffdo", "\ufffd", "\ufffd", "\ufffd"]
    assert texts((8, 13)) == ["\ufffd", "three", "\ufffd", "\ufffd"]


def test_spans_that_touch_are_one() -> None:
    """In whatever order they were asked for."""
    assert joined([(5, 9), (0, 5), (12, 14), (6, 8)]) == ((0, 9), (12, 14))
