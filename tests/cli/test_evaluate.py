"""``evaluate`` on the command line: figures by hand, a model that chooses, and what cannot be judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pageindex_core.testing import Fault, ModelServer, always, lexical

QUESTIONS = [
    {"question": "How often are seals replaced?", "document": "pumps.pdf", "pages": [1, 2]},
    {"question": "By what do valves close?", "document": "pumps.pdf", "pages": [3]},
    {"question": "When are seals ordered?", "document": "notes.md", "pages": [1]},
]


@pytest.fixture
def questions(stored: Path) -> str:
    """A file of three questions about two stored documents."""
    (stored / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return "questions.jsonl"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that chooses by words."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with ModelServer(lexical()) as running:
        yield running


def test_recall_and_tokens_are_those_of_the_library(run: Any, questions: str) -> None:
    """At one page, one half, one and one of the evidence is found; at five, all; the table and JSON say the same."""
    done = run("evaluate", questions, "-k", "5", "-k", "1", "--json")
    assert done.code == 0
    assert done.json["questions"] == 3
    figures = done.json["figures"]["lexical"]
    assert figures["1"]["page_recall"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert figures["5"]["page_recall"] == figures["1"]["document_recall"] == 1
    assert 0 < figures["1"]["tokens"] < figures["5"]["tokens"]
    assert done.json["differences"] == []
    table = run("evaluate", questions, "-k", "1", "-k", "5").out.splitlines()
    assert table[0].startswith("3 questions")
    assert table[1].split() == ["pages@1", "documents@1", "tokens@1", "pages@5", "documents@5", "tokens@5"]
    assert table[2].split()[:3] == ["lexical", "0.833", "1.000"]


def test_navigators_are_compared_on_the_same_questions(run: Any, questions: str, server: ModelServer) -> None:
    """The second against the first, with calls and tokens of the model that chose."""
    ways = ("--navigator", "lexical", "--navigator", "tree")
    done = run("evaluate", questions, *ways, "--model", "openai/m", "--api-base", server.base_url, "--json")
    assert done.code == 0
    assert set(done.json["figures"]) == {"lexical", "tree"}
    assert [(one["retriever"], one["than"], one["k"]) for one in done.json["differences"]] == [
        ("tree", "lexical", 5),
        ("tree", "lexical", 10),
    ]
    assert done.json["spent"]["tree"]["model_calls"] == len(server.requests) >= 3
    assert done.json["spent"]["tree"]["input_tokens"] > done.json["spent"]["lexical"]["input_tokens"] == 0


def test_what_words_answered_is_not_passed_off_as_a_model_s(run: Any, questions: str, server: ModelServer) -> None:
    """A refused key is told with the number of questions, and the exit code is that of a model."""
    server.answer = always(Fault.denied())
    done = run("evaluate", questions, "--navigator", "tree", "--model", "openai/m", "--api-base", server.base_url)
    assert done.code == 5
    assert "tree: words answered 3 of 3 questions. The model failed" in done.err


def test_a_scope_holds_and_absent_documents_are_named(run: Any, questions: str) -> None:
    """What lies outside is not found, and the figures do not hide why."""
    done = run("evaluate", questions, "--folder", "/shop", "-k", "5", "--json")
    assert done.json["figures"]["lexical"]["5"]["page_recall"] == pytest.approx(1 / 3)
    assert "2 of 3 questions are about documents that are not searched: pumps.pdf" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["absent.jsonl"], 3, "absent.jsonl is not a file"),
        (["questions.jsonl", "--navigator", "tree"], 2, "--navigator tree needs --model"),
        (["questions.jsonl", "--api-base", "http://127.0.0.1:1"], 2, "--api-base goes with --model"),
        (["questions.jsonl", "-k", "0"], 2, "at least 1"),
        (["pumps.pdf"], 2, "is no text in UTF-8"),
        (["broken.jsonl"], 2, "Line 2 of broken.jsonl is no question"),
        (["empty.jsonl"], 2, "There is no question"),
    ],
)
def test_what_cannot_be_evaluated_is_said(run: Any, questions: str, arguments: list[str], code: int, told: str) -> None:
    """Nothing is measured, the message says what is wrong, and the exit code its kind."""
    Path("broken.jsonl").write_text(json.dumps(QUESTIONS[0]) + '\n{"question": "one"}\n', encoding="utf-8")
    Path("empty.jsonl").write_text("\n", encoding="utf-8")
    done = run("evaluate", *arguments)
    assert done.code == code
    assert done.out == ""
    assert told in done.err
