"""ask: an answer from pages that were read, with checked citations, whatever the model does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from answering_models import choose, options_of, pages_of, purpose_of, quoting
from pageindex_core import aask, ask, astream_answer, stream_answer
from pageindex_core.errors import OptionError, QuestionError
from pageindex_core.library.protocol import Library
from pageindex_core.llm import Budget, Message
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.options import NavigationOptions
from pageindex_core.records import Answer, Event, Scope
from pageindex_core.search.trace import trace_to_json
from pageindex_core.testing import (
    Answer as Reply,
    Answerer,
    Fault,
    ModelServer,
    always,
    cut_json,
    scripted,
    tool_calls,
    with_extra_keys,
    with_prose,
)

Add = Callable[..., str]

QUESTION = "How often must the filter be washed?"
SHORT = [
    "# Safety\nKeep hands away from the blade.",
    "# Maintenance\n## Filters\nWash the filter every 40 hours.\nDry it in the shade.",
]
LONG = [*SHORT, *[f"# Chapter {number}\nNothing of note stands on this page." for number in range(3, 30)]]
WORDS = "Wash the filter every 40 hours"


@pytest.fixture
def short(add: Add) -> str:
    return add("short.pdf", SHORT)


@pytest.fixture
def long(add: Add) -> str:
    return add("long.pdf", LONG)


def answering(reply: Reply | Answerer) -> Answerer:
    """Choose the first option of a map, and answer as given."""

    def answer(request: dict[str, Any]) -> Reply:
        if purpose_of(request) == "tree":
            return choose(options_of(request)[0].ident)
        return reply(request) if callable(reply) else reply

    return answer


def test_an_answer_cites_the_page_its_words_stand_on(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Text, verified citation with its box, hits and trace come back together."""
    server.answer = quoting(WORDS, "Every 40 hours.")
    answer = ask(library, QUESTION, model=model)
    assert (answer.text, answer.answered_by, answer.found) == ("Every 40 hours.", "model", True)
    (one,) = answer.citations
    assert (one.doc_id, one.page_number, one.verified) == (long, 2, True)
    assert one.boxes[0].page_number == 2
    assert one.section_path == ("Maintenance", "Filters")
    assert answer.notes == ()
    assert answer.trace.model_calls == 2
    assert (long, 2) in answer.trace.pages_read


def test_a_short_document_is_answered_in_one_call(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """It is sent whole, without a map."""
    server.answer = quoting(WORDS)
    answer = ask(library, QUESTION, model=model)
    assert len(server.requests) == 1
    assert set(pages_of(server.requests[0].body)) == {"s1", "s2"}
    assert answer.trace.map_tokens == 0
    assert answer.citations[0].verified


def test_an_invented_quote_is_marked(library: Library, short: str, server: ModelServer, model: LiteLLMModel) -> None:
    """The answer stands, its citation is unverified, and a note counts it."""
    server.answer = quoting("Wash the filter every 90 hours")
    answer = ask(library, QUESTION, model=model)
    assert [one.verified for one in answer.citations] == [False]
    assert [note.code for note in answer.notes] == ["citations_unverified"]


def test_not_found_is_an_answer(library: Library, short: str, server: ModelServer, model: LiteLLMModel) -> None:
    """The model's "the documents do not say" is passed on as such."""
    server.answer = always(json.dumps({"answer": "They do not say.", "found": False, "citations": []}))
    answer = ask(library, "What does it cost?", model=model)
    assert (answer.found, answer.answered_by, answer.text) == (False, "model", "They do not say.")


def test_an_answer_without_citations_says_so(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Plain words are given, with the note that nothing could be checked."""
    server.answer = always("Every 40 hours.")
    answer = ask(library, QUESTION, model=model)
    assert answer.text == "Every 40 hours."
    assert [note.code for note in answer.notes] == ["no_citations"]


def test_without_a_model_the_best_lines_are_quoted(library: Library, long: str) -> None:
    """Each line is cited with its page, verified, and the answer says that words found it."""
    answer = ask(library, QUESTION)
    assert answer.answered_by == "lexical"
    assert answer.text.splitlines()[0] == "Wash the filter every 40 hours. (long.pdf, page 2)"
    assert answer.citations[0].page_number == 2
    assert all(one.verified for one in answer.citations)
    assert [note.code for note in answer.notes] == ["no_model"]


def test_nothing_to_find_is_said(library: Library, short: str) -> None:
    """No words in common: nothing is quoted, nothing is claimed."""
    answer = ask(library, "zeppelin")
    assert (answer.found, answer.citations, answer.text) == (False, (), "Nothing was found.")


def test_an_empty_library_is_answered_too(library: Library, server: ModelServer, model: LiteLLMModel) -> None:
    """There is nothing to read, so no model is asked."""
    answer = ask(library, QUESTION, model=model)
    assert answer.found is False
    assert answer.hits == ()
    assert server.requests == []


FAULTS: dict[str, Answerer] = {
    "429": always(Fault.busy(0.01)),
    "500": always(Fault.failing()),
    "401": always(Fault.denied()),
    "quota": always(Fault.quota()),
    "timeout": always(Fault.slow(30.0)),
    "cut connection": always(Fault.cut_connection()),
    "cut body": always(Fault.cut_body()),
    "null": always("null"),
    "empty": always(""),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_every_fault_ends_in_quoted_lines_and_a_note(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, name: str, navigator: Any
) -> None:
    """No fault hangs or raises: the caller gets the best lines, and is told what went wrong."""
    server.answer = FAULTS[name]
    options = NavigationOptions(max_turns=3)
    answer = ask(library, QUESTION, model=model, navigator=navigator, navigation=options)
    assert answer.answered_by == "lexical"
    assert answer.citations[0].page_number == 2
    assert {note.code for note in answer.notes} <= {"model_failed", "model_reply_unusable", "model_chose_none"}
    assert answer.notes
    assert (answer.failed_with == "") == ("model_failed" not in {note.code for note in answer.notes})


@pytest.mark.parametrize("name", ["401", "quota"])
@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_a_refused_key_is_not_tried_again(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, name: str, navigator: Any
) -> None:
    """One request whatever the navigator, a note in clear words, and the error's name for programs."""
    server.answer = FAULTS[name]
    answer = ask(library, QUESTION, model=model, navigator=navigator)
    assert len(server.requests) == answer.trace.model_calls == 1
    assert [note.code for note in answer.notes] == ["model_failed"]
    assert "test-model" in answer.notes[0].message
    assert answer.failed_with == "ModelAccessError"


@pytest.mark.parametrize("name", ["429", "500", "cut connection"])
def test_a_model_that_is_not_there_is_waited_for_once(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, name: str
) -> None:
    """The attempts of one call are made, not those of the next call too, and the lines found answer."""
    server.answer = FAULTS[name]
    answer = ask(library, QUESTION, model=model)
    assert len(server.requests) == 2
    assert answer.trace.model_calls == 1
    assert answer.failed_with == "ModelUnavailableError"


def test_a_refused_map_does_not_end_the_question(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Where that one request is what the model refuses, it is still asked for the answer."""
    answering_pages = quoting(WORDS, "Every 40 hours.")

    def answer(request: dict[str, Any]) -> Reply:
        return Fault.refusing() if purpose_of(request) == "tree" else answering_pages(request)

    server.answer = answer
    given = ask(library, QUESTION, model=model)
    assert (given.text, given.answered_by, given.failed_with) == ("Every 40 hours.", "model", "")
    assert [note.code for note in given.notes] == ["model_failed"]


@pytest.mark.parametrize("spoil", [with_prose, with_extra_keys])
def test_replies_that_can_be_mended_are(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel, spoil: Callable[[Answerer], Answerer]
) -> None:
    """Prose around the JSON and extra keys do not show."""
    server.answer = spoil(quoting(WORDS, "Every 40 hours."))
    answer = ask(library, QUESTION, model=model)
    assert answer.text == "Every 40 hours."
    assert answer.citations[0].verified


def test_a_reply_cut_short_keeps_what_was_whole(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """The answer survives the loss of its citations."""
    server.answer = cut_json(quoting(WORDS, "Every 40 hours."), 0.5)
    answer = ask(library, QUESTION, model=model)
    assert answer.text == "Every 40 hours."
    assert answer.answered_by == "model"


@pytest.mark.parametrize("reply", ['{"answer": "Every 40 h', '{"ans', "```json", "true", "None"])
@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_json_cut_in_the_answer_is_not_handed_over(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, reply: str, navigator: Any
) -> None:
    """The lines found answer instead, and a note says why."""
    server.answer = answering(reply)
    options = NavigationOptions(max_turns=3)
    answer = ask(library, QUESTION, model=model, navigator=navigator, navigation=options)
    assert answer.answered_by == "lexical"
    assert answer.text.startswith("Wash the filter every 40 hours. (long.pdf, page 2)")
    assert [note.code for note in answer.notes] == ["model_reply_unusable"]


def test_the_agent_answers_from_what_it_read(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Cited by document and page; a page that was not read cannot be cited."""
    cited = [{"document": "long.pdf", "page": 2, "quote": WORDS}, {"document": "long.pdf", "page": 9, "quote": "Else"}]
    server.answer = scripted(
        [
            tool_calls(("get_page_content", {"doc_name": "long.pdf", "pages": "2"})),
            json.dumps({"answer": "Every 40 hours.", "found": True, "citations": cited}),
        ]
    )
    answer = ask(library, QUESTION, model=model, navigator="agent")
    assert [(one.page_number, one.verified) for one in answer.citations] == [(2, True), (None, False)]
    assert answer.citations[1].reason == "That page was not read."
    assert answer.hits[0].page_start == 2


def test_the_budget_ends_the_question(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """One call is spent on the map; then the lines found answer."""
    server.answer = quoting(WORDS)
    answer = ask(library, QUESTION, model=model, budget=Budget(calls=1))
    assert len(server.requests) == answer.trace.model_calls == 1
    assert answer.answered_by == "lexical"
    assert [note.code for note in answer.notes] == ["budget_exceeded"]


@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_the_seconds_of_a_budget_end_a_question_that_hangs(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, navigator: Any
) -> None:
    """A call that is under way is given up, counted and told; the lines found answer."""
    server.answer = always(Fault.slow(8.0, "late"))
    begun_s = time.monotonic()
    answer = ask(library, QUESTION, model=model, budget=Budget(seconds=0.5), navigator=navigator)
    assert time.monotonic() - begun_s < 2
    assert (answer.trace.model_calls, answer.answered_by) == (1, "lexical")
    assert [note.code for note in answer.notes] == ["budget_exceeded"]


@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
def test_a_call_that_the_budget_refuses_is_not_counted(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, navigator: Any
) -> None:
    """No request, no call in the trace, and one note of its own code."""
    answer = ask(library, QUESTION, model=model, budget=Budget(calls=0), navigator=navigator)
    assert (len(server.requests), answer.trace.model_calls) == (0, 0)
    assert [note.code for note in answer.notes] == ["budget_exceeded"]
    assert answer.failed_with == "BudgetExceededError"


@pytest.mark.parametrize("navigator", ["tree", "agent"])
def test_history_and_background_are_sent(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, navigator: Any
) -> None:
    """Earlier turns stand before the question, and what the user tells stands beside it."""
    server.answer = answering('{"answer": "Yes.", "found": false, "citations": []}')
    history = [Message("user", "Is there a filter?"), Message("assistant", "Yes, one.")]
    ask(library, QUESTION, model=model, navigator=navigator, history=history, background="It is a saw.")
    choosing_and_answering = server.requests if navigator == "tree" else server.requests[:1]
    assert len(choosing_and_answering) == (2 if navigator == "tree" else 1)
    for request in choosing_and_answering:
        assert [message["role"] for message in request.messages] == ["system", "user", "assistant", "user"]
        assert request.messages[1]["content"] == "Is there a filter?"
        assert "It is a saw." in str(request.messages[-1]["content"])


def test_only_the_scope_is_read(
    library: Library, add: Add, short: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Text of another document is never sent."""
    add("secret.pdf", ["# Filters\nWash the secret filter."])
    server.answer = quoting(WORDS)
    ask(library, QUESTION, model=model, scope=Scope(documents=(short,)))
    assert all("secret" not in request.prompt for request in server.requests)


# Async, streaming, traces


@pytest.mark.parametrize("navigator", ["lexical", "tree", "agent"])
async def test_async_gives_the_same(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel, navigator: Any
) -> None:
    """Same text, citations, hits and steps under an event loop."""
    server.answer = quoting(WORDS)
    sync = ask(library, QUESTION, model=model, navigator=navigator)
    other = await aask(library, QUESTION, model=model, navigator=navigator)
    assert (other.text, other.citations, other.hits, other.notes) == (sync.text, sync.citations, sync.hits, sync.notes)
    assert other.trace.steps == sync.trace.steps


async def test_a_stream_tells_the_answer_as_it_is_written(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Pieces add up to the answer, without the JSON around it; steps come before, the whole comes last."""
    text = 'It is "every 40 hours" –\nnot 90 😀.'
    server.answer = quoting(WORDS, text)
    told = list(stream_answer(library, QUESTION, model=model))
    under_a_loop = [one async for one in astream_answer(library, QUESTION, model=model)]
    for events in (told, under_a_loop):
        assert isinstance(events[-1], Answer)
        assert events[-1].text == text
        assert events[-1].citations[0].verified
        pieces = [one.text for one in events if isinstance(one, Event) and one.kind == "text"]
        assert "".join(pieces) == text
        assert len(pieces) > 3
        kinds = [one.kind for one in events if isinstance(one, Event)]
        assert (kinds[0], kinds[-1]) == ("step", "answer")


def test_the_agents_stream_tells_its_thoughts_and_calls(
    library: Library, long: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Thought, tool call, tool result and answer, in this order, with the facts for programs."""
    call = ("get_page_content", {"doc_name": "long.pdf", "pages": "2"})
    cited = [{"document": "long.pdf", "page": 2, "quote": WORDS}]
    final = json.dumps({"answer": "Every 40 hours.", "found": True, "citations": cited})
    server.answer = scripted([tool_calls(call, text="The filter is under Maintenance."), final])
    told = list(stream_answer(library, QUESTION, model=model, navigator="agent"))
    events = [one for one in told if isinstance(one, Event)]
    assert [one.kind for one in events] == ["thought", "tool_call", "tool_result", "answer"]
    assert events[0].text == "The filter is under Maintenance."
    assert events[1].data["name"] == "get_page_content"
    assert events[2].data["result"]["pages"][0]["page"] == 2
    assert isinstance(told[-1], Answer)


def test_a_stream_that_breaks_off_ends_in_quoted_lines(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """A connection cut in the middle of the answer is a failed model, not a hang."""
    server.answer = always(Fault.cut_body('{"answer": "Every forty hours, and so on and on", "found": true}'))
    told = list(stream_answer(library, QUESTION, model=model))
    assert isinstance(told[-1], Answer)
    assert told[-1].answered_by == "lexical"


def test_a_trace_is_json_lines(library: Library, long: str, server: ModelServer, model: LiteLLMModel) -> None:
    """First the totals, then each step with its reason; every line is JSON by itself."""
    server.answer = quoting(WORDS)
    answer = ask(library, QUESTION, model=model)
    first, *steps = map(json.loads, trace_to_json(QUESTION, answer.trace).splitlines())
    assert first["question"] == QUESTION
    assert first["model_calls"] == 2
    assert first["cost_usd"] is None
    assert first["pages_read"][0] == [long, 2]
    (chosen,) = [step for step in steps if step["action"] == "choose"]
    assert chosen["detail"].startswith("because of")
    assert chosen["node_ids"]


def test_what_cannot_be_meant_is_refused(library: Library) -> None:
    """An empty question, no hits and an unknown navigator are errors before any model is asked."""
    with pytest.raises(QuestionError):
        ask(library, "  ")
    with pytest.raises(QuestionError):
        ask(library, QUESTION, k=0)
    with pytest.raises(OptionError, match="forest"):
        ask(library, QUESTION, navigator="forest")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"scope": "short.pdf"}, "scope='short.pdf'"),
        ({"scope": None}, "scope=None"),
        ({"budget": 3}, "budget=3"),
        ({"history": "Is there a filter?"}, "history='Is there a filter\\?'"),
        ({"history": [{"role": "user", "content": "Hi"}]}, "history={'role'"),
        ({"history": None}, "history=None"),
        ({"background": None}, "background=None"),
        ({"navigation": {"max_turns": 3}}, "navigation={'max_turns'"),
        ({"navigator": ["tree"]}, "navigator=\\['tree'\\]"),
        ({"navigation": NavigationOptions(prompts={"answer": ""})}, "lacks {pages}, {question}"),
        ({"navigation": NavigationOptions(prompts={"anser": "x"})}, "no prompt 'anser'"),
    ],
    ids=str,
)
def test_arguments_of_another_kind_are_refused_by_name(
    library: Library, short: str, server: ModelServer, model: LiteLLMModel, wrong: dict[str, Any], named: str
) -> None:
    """The argument and its value are named before any model is asked, streamed or not."""
    with pytest.raises(OptionError, match=named):
        ask(library, QUESTION, model=model, **wrong)
    with pytest.raises(OptionError, match=named):
        next(stream_answer(library, QUESTION, model=model, **wrong))
    assert server.requests == []


@pytest.mark.parametrize("wrong", ["library", None, 5])
def test_only_a_library_is_asked(wrong: Any) -> None:
    """A path is told apart from what it leads to."""
    with pytest.raises(OptionError, match=f"library={wrong!r} is no library"):
        ask(wrong, QUESTION)
