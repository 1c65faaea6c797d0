"""The reading agent over the real wire: what it may do, what it is made to do, and when it stops."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pageindex_core.library.protocol import Library
from pageindex_core.llm import Budget
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.prompts.fence import FENCED
from pageindex_core.options import NavigationOptions
from pageindex_core.pipeline import index_pages
from pageindex_core.records import Scope, SearchResult
from pageindex_core.search import asearch, search
from pageindex_core.testing import (
    Answer,
    Answerer,
    Fault,
    ModelServer,
    always,
    scripted,
    tool_calls,
    with_bad_arguments,
    without_tools,
)
from written_documents import write_pages

Add = Callable[..., str]

QUESTION = "What is the noise level?"
FILLER = "Nothing of note stands on this page."
LONG = [
    "# Safety\nKeep hands away from the blade.",
    "# Maintenance\nWash the filter every 40 hours. See Table 3.",
    *[f"# Chapter {number}\n{FILLER}" for number in range(3, 25)],
    "# Figures\nNoise level 78 dB",
]


@pytest.fixture
def long(add: Add) -> str:
    """A document of 25 pages: too long to be read at once."""
    return add("saw.pdf", LONG)


def ask(library: Library, model: LiteLLMModel, question: str = QUESTION, **more: Any) -> SearchResult:
    return search(library, question, navigator="agent", model=model, k=3, **more)


def read(pages: str, document: str = "saw.pdf") -> dict[str, Any]:
    return tool_calls(("get_page_content", {"doc_name": document, "pages": pages}))


def find(query: str) -> dict[str, Any]:
    return tool_calls(("find_in_document", {"doc_name": "saw.pdf", "query": query}))


def final(page: int | None = None, quote: str = "", *, found: bool = True, answer: str = "So it is.") -> str:
    citations = [] if page is None else [{"document": "saw.pdf", "page": page, "quote": quote}]
    return json.dumps({"answer": answer, "found": found, "citations": citations})


def last_message(server: ModelServer, number: int) -> str:
    return str(server.requests[number].messages[-1]["content"])


def result_in(server: ModelServer, number: int) -> dict[str, Any]:
    """The tool result that a request ends with."""
    found = FENCED.search(last_message(server, number))
    assert found is not None
    value: dict[str, Any] = json.loads(found["text"])
    return value


def test_what_was_cited_comes_first(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """The cited page is the first hit; the pages read are told; tools were offered and results sent back."""
    server.answer = scripted([read("2,25"), final(25, "Noise level 78 dB")])
    result = ask(library, model)
    assert (result.hits[0].page_start, result.hits[0].found_by) == (25, "model")
    assert len(result.hits) == 3
    assert result.trace.pages_read == ((long, 2), (long, 25))
    assert result.trace.model_calls == 2
    assert {tool["function"]["name"] for tool in server.requests[0].tools} == {
        "browse_documents",
        "get_document",
        "get_document_structure",
        "find_in_document",
        "get_page_content",
    }
    assert [page["page"] for page in result_in(server, 1)["pages"]] == [2, 25]


def test_the_structure_is_seen_before_anything_is_read(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """A long document is shown as a map, in the fence, and none of its pages is sent unasked."""
    server.answer = scripted([read("25"), final(25, "Noise level 78 dB")])
    ask(library, model)
    opening = FENCED.search(last_message(server, 0))
    assert opening is not None
    assert "Chapter 24" in opening["text"]
    assert FILLER not in server.requests[0].prompt


def test_a_short_document_is_read_at_once(library: Library, add: Add, server: ModelServer, model: LiteLLMModel) -> None:
    """Up to twenty pages, the text itself is sent, and no tool has to be called."""
    add("short.pdf", ["# Safety\nWear gloves.", "# Figures\nNoise level 78 dB"])
    server.answer = always(
        json.dumps({"answer": "78", "found": True, "citations": [{"document": "short.pdf", "page": 2, "quote": "78"}]})
    )
    result = ask(library, model)
    assert "Noise level 78 dB" in server.requests[0].prompt
    assert len(server.requests) == 1
    assert result.hits[0].page_start == 2


def test_documents_of_one_name_are_told_apart(library: Library, server: ModelServer, model: LiteLLMModel) -> None:
    """A citation by id, or by a name and the page that was read of one of them, leads to that one, not to the last."""
    written = [replace(write_pages("saw.pdf", LONG), source_id=f"/{folder}/saw.pdf") for folder in "ab"]
    first, second = (index_pages(pages, library)[0].doc_id for pages in written)
    for document, page, meant in ((first, 2, first), (second, 2, second), ("saw.pdf", 3, first), ("saw.pdf", 2, None)):
        cited = [{"document": document, "page": page, "quote": ""}]
        answer = json.dumps({"answer": "So it is.", "found": True, "citations": cited})
        server.answer = scripted([read("2,3", first), read("2", second), answer])
        hits = ask(library, model).hits
        chosen = {hit.doc_id for hit in hits if hit.found_by == "model"}
        assert chosen == ({meant} if meant else {first, second})


def test_giving_up_is_accepted_after_searching_again(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """The first "not found" is sent back, once; the second is believed."""
    server.answer = scripted([find("loudness"), final(found=False), find("noise"), final(found=False)])
    result = ask(library, model)
    assert len(server.requests) == 4
    assert "other words" in last_message(server, 2)
    assert [step.action for step in result.trace.steps].count("send_back") == 1


def test_an_answer_that_rests_on_no_page_is_left_out(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """General knowledge is sent back, and refused the second time: words answer."""
    server.answer = always(final(25, "Noise level 78 dB"))
    result = ask(library, model)
    assert "get_page_content" in last_message(server, 1)
    assert [note.code for note in result.notes] == ["answer_without_reading"]
    assert result.hits == search(library, QUESTION, k=3).hits


def test_the_last_turn_has_no_tools(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """A model that reads without end is made to answer when its turns are used up."""
    turns = [read("1"), read("2"), read("3"), final(2, "Wash the filter")]
    server.answer = scripted(turns)
    result = ask(library, model, navigation=NavigationOptions(max_turns=4))
    assert [bool(request.tools) for request in server.requests] == [True, True, True, False]
    assert server.requests[-1].response_format is not None
    assert result.hits[0].page_start == 2


def test_a_model_that_never_answers_leaves_what_it_read(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """The pages it read come first, and a note says that there was no answer."""
    server.answer = scripted([read("25")], then="")
    result = ask(library, model, navigation=NavigationOptions(max_turns=3))
    assert len(server.requests) == 3
    assert [note.code for note in result.notes] == ["model_reply_unusable"]
    assert result.hits[0].page_start == 25


def test_a_call_made_twice_is_not_run_twice(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """The second time the model is told that the result stands above."""
    server.answer = scripted([read("25"), read("25"), final(25, "Noise level 78 dB")])
    ask(library, model)
    assert result_in(server, 1)["success"] is True
    assert result_in(server, 2)["error_code"] == "repeated_call"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("get_page_content", {"doc_name": "saw.pdf", "pages": "99"}), "no_such_page"),
        (("get_page_content", {"doc_name": "other.pdf", "pages": "1"}), "unknown_document"),
        (("get_page_content", '{"doc_name": '), "bad_arguments"),
        (("remove_document", {"doc_name": "saw.pdf"}), "not_allowed"),
        (("run_shell", {"command": "ls"}), "unknown_tool"),
    ],
)
def test_bad_calls_are_answered_and_counted(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, call: Any, code: str
) -> None:
    """The model learns what was wrong and can go on; nothing is removed."""
    server.answer = scripted([tool_calls(call), read("25"), final(25, "Noise level 78 dB")])
    result = ask(library, model)
    assert result_in(server, 1)["error_code"] == code
    assert result.trace.rejected == 1
    assert result.hits[0].page_start == 25
    assert library.count() == 1


def test_the_agent_stays_within_the_scope(
    library: Library, add: Add, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Neither listing nor reading reaches another document, by name or by id."""
    secret = add("secret.pdf", ["# Codes\nThe code is 1234."])
    listing = tool_calls(("browse_documents", {}), ("get_document", {"doc_name": secret}))
    server.answer = scripted([listing, read("1", "secret.pdf"), read("25"), final(25, "Noise level 78 dB")])
    result = ask(library, model, scope=Scope(documents=(long,)))
    sent = "\n".join(request.prompt for request in server.requests)
    assert "1234" not in sent
    assert "Codes" not in sent
    assert {hit.doc_id for hit in result.hits} == {long}


@pytest.mark.parametrize(
    "answer",
    [
        always(Fault.failing()),
        always(Fault.denied()),
        always(Fault.slow(30.0)),
        always(Fault.cut_body()),
        scripted([read("2")], then=Fault.busy(0.01)),
    ],
    ids=["500", "401", "timeout", "cut body", "429 after reading"],
)
def test_every_fault_ends_with_hits_and_a_note(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, answer: Answerer
) -> None:
    """Nothing hangs and nothing is raised, at the first turn or later."""
    server.answer = answer
    result = ask(library, model)
    assert [note.code for note in result.notes] == ["model_failed"]
    assert len(result.hits) == 3


def test_broken_arguments_are_told_to_the_model(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """A tool call that is no JSON costs a turn, not the answer."""
    server.answer = scripted([with_bad_arguments(always(read("25"))), read("25"), final(25, "Noise level 78 dB")])
    assert ask(library, model).hits[0].page_start == 25
    assert result_in(server, 1)["error_code"] == "bad_arguments"


def test_a_model_without_tools_reads_by_a_written_contract(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Where the server refuses tools, calls and results go as plain text and lead to the same pages."""
    plain = json.dumps({"tool": "get_page_content", "arguments": {"doc_name": "saw.pdf", "pages": "25"}})
    server.answer = without_tools(scripted([plain, final(25, "Noise level 78 dB")]))
    result = ask(library, model)
    assert result.hits[0].page_start == 25
    assert result.trace.pages_read == ((long, 25),)
    assert "Noise level 78 dB" in server.requests[-1].prompt


def test_the_budget_ends_the_reading(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """What was read until then comes first, and the note names the budget."""
    server.answer = always(read("25"))
    result = ask(library, model, budget=Budget(calls=1))
    assert len(server.requests) == 1
    assert "budget" in result.notes[0].message
    assert result.hits[0].page_start == 25


async def test_async_gives_the_same(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """Both drivers take the same turns to the same hits."""

    def script() -> Answerer:
        turns: list[Answer | Answerer] = [find("noise"), read("25"), final(25, "Noise level 78 dB")]
        return scripted(turns)

    server.answer = script()
    sync = ask(library, model)
    server.answer = script()
    under_a_loop = await asearch(library, QUESTION, navigator="agent", model=model, k=3)
    assert under_a_loop.hits == sync.hits
    assert under_a_loop.trace.pages_read == sync.trace.pages_read
    assert under_a_loop.trace.steps == sync.trace.steps
