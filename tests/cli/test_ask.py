"""``ask`` on the command line: the answer, its citations, streamed or whole, with a real model server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from answering_models import quoting
from pageindex_core.testing import Fault, ModelServer, always

QUESTION = "How often are seals replaced?"
WORDS = "Replace the seals every year"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that answers from the page that holds the words."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with ModelServer(quoting(WORDS, "Every year.")) as running:
        yield running


@pytest.fixture
def model(server: ModelServer) -> list[str]:
    """The options that name the model."""
    return ["--model", "openai/test-model", "--api-base", server.base_url]


def test_the_answer_comes_with_its_citations(run: Any, stored: Path, model: list[str]) -> None:
    """The text first, then each citation with document, page as counted and as printed, and the quoted words."""
    done = run("ask", QUESTION, "--doc", "pumps.pdf", *model)
    assert done.code == 0
    assert done.out.splitlines() == [
        "Every year.",
        "",
        "[1] pumps.pdf, page 1 (printed iv)",
        f"    | {WORDS}",
    ]


@pytest.mark.parametrize("navigator", ["lexical", "tree"])
def test_programs_get_json(run: Any, stored: Path, model: list[str], navigator: str) -> None:
    """Answer, citations, hits and, on request, the trace, by the keys that --help names."""
    done = run("ask", QUESTION, "--navigator", navigator, "--json", "--trace", *model)
    assert done.code == 0
    assert set(done.json) == {
        "question", "answer", "found", "answered_by", "citations", "hits", "notes", "trace"
    }  # fmt: skip
    assert done.json["answer"] == "Every year."
    assert done.json["citations"][0]["verified"] is True
    assert done.json["trace"]["model_calls"] == (1 if navigator == "lexical" else 2)


def test_a_streamed_answer_is_printed_once(run: Any, stored: Path, model: list[str]) -> None:
    """Pieces go to standard output as they come, steps to standard error, and the citations follow."""
    done = run("ask", QUESTION, "--stream", *model)
    assert done.out.count("Every year.") == 1
    assert done.out.startswith("Every year.\n")
    assert f"    | {WORDS}" in done.out.splitlines()
    assert "step: " in done.err


@pytest.mark.parametrize(
    "reply",
    [
        Fault.cut_body('{"answer": "Every single year, and so on and on", "found": true, "citations": []}'),
        '{"answer": "Every si',
    ],
    ids=["cut body", "cut JSON"],
)
def test_a_stream_that_breaks_off_is_marked_void(
    run: Any, stored: Path, server: ModelServer, model: list[str], reply: Any
) -> None:
    """What was printed of the answer ends with its line, and a line of its own tells it from the lines found."""
    server.answer = always(reply)
    done = run("ask", QUESTION, "--stream", "--navigator", "lexical", *model)
    lines = done.out.splitlines()
    assert lines[0].startswith("Every si")
    assert lines[1].startswith("[What stands above is void")
    assert lines[3] == "Replace the seals every year. (pumps.pdf, page 1)"


def test_an_answer_that_was_not_streamed_is_printed_whole(
    run: Any, stored: Path, server: ModelServer, model: list[str]
) -> None:
    """The agent writes no pieces; its answer is printed once all the same."""
    cited = [{"document": "pumps.pdf", "page": 1, "quote": WORDS}]
    server.answer = always(json.dumps({"answer": "Every year.", "found": True, "citations": cited}))
    done = run("ask", QUESTION, "--stream", "--navigator", "agent", "--doc", "pumps.pdf", *model)
    assert done.out.splitlines()[0] == "Every year."
    assert done.out.count("Every year.") == 1


def test_the_trace_is_shown_and_kept(run: Any, stored: Path, model: list[str]) -> None:
    """What was shown, chosen and read is printed; the file grows by JSON lines with each question."""
    for _ in range(2):
        done = run("ask", QUESTION, "--trace", "--trace-file", "trace.jsonl", *model)
    assert "model: 2 calls" in done.out
    assert "choose: because of" in done.out
    lines = [json.loads(line) for line in (stored / "trace.jsonl").read_text("utf-8").splitlines()]
    assert [line["question"] for line in lines if "question" in line] == [QUESTION, QUESTION]
    assert any(line.get("action") == "read" for line in lines)


def test_without_a_model_lines_are_quoted(run: Any, stored: Path) -> None:
    """No key, no network: the best lines with their pages, and a note that says why."""
    done = run("ask", QUESTION)
    assert done.code == 0
    assert done.out.splitlines()[0] == "Replace the seals every year. (pumps.pdf, page 1)"
    assert "No model was given" in done.err


@pytest.mark.parametrize("fault", [Fault.denied(), Fault.quota()], ids=["401", "quota"])
@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_a_refused_key_is_said_in_clear_words(
    run: Any, stored: Path, server: ModelServer, model: list[str], navigator: str, fault: Fault
) -> None:
    """The lines found are still printed, the note names the trouble; one request is made, and the exit code is 5."""
    server.answer = always(fault)
    done = run("ask", QUESTION, "--navigator", navigator, *model)
    assert done.code == 5
    assert "(pumps.pdf, page 1)" in done.out
    assert "The model failed" in done.err
    assert len(server.requests) == 1


def test_an_unverified_citation_is_marked(run: Any, stored: Path, server: ModelServer, model: list[str]) -> None:
    """Invented words do not pass for the document's."""
    server.answer = quoting("Replace the seals every day", "Every day.")
    done = run("ask", QUESTION, "--doc", "pumps.pdf", *model)
    assert "UNVERIFIED: The quoted words are not on that page." in done.out


def test_the_number_of_calls_can_be_limited(run: Any, stored: Path, server: ModelServer, model: list[str]) -> None:
    """One call is spent on the map, then the lines found answer."""
    done = run("ask", QUESTION, "--max-calls", "1", *model)
    assert len(server.requests) == 1
    assert "budget" in done.err


def test_an_address_without_a_model_is_refused(run: Any, stored: Path) -> None:
    """A wrong combination is a usage error."""
    done = run("ask", QUESTION, "--api-base", "http://127.0.0.1:1")
    assert done.code == 2
    assert "--api-base goes with --model" in done.err
