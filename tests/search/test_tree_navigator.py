"""The tree navigator over the real wire: a model's choices first, whatever it replies."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from answering_models import by_words, choose, options_of, perfect
from large_trees import large_document
from pageindex_core.errors import OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.llm import Budget
from pageindex_core.llm.litellm import LiteLLMModel
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
    choosing,
    cut_json,
    scripted,
    with_extra_keys,
    with_prose,
    with_wrong_ids,
)
from pageindex_core.tokens import count_tokens

Add = Callable[..., str]

MANUAL = [
    "# Safety\nKeep hands away from the blade.\nWear gloves.",
    "# Maintenance\n## Filters\nWash the filter every 40 hours.\nDry it in the shade.\n## Belts\nReplace worn belts.",
    "# Specifications\nMotor power 2.2 kW\nNoise level 78 dB\nWeight 61 kg",
]
QUESTION = "How often must the filter be washed?"
WRONG_WORDS = "Which garment shields the palms?"


@pytest.fixture
def manual(add: Add) -> str:
    return add("manual.pdf", MANUAL)


def ask(library: Library, model: LiteLLMModel, question: str = QUESTION, **more: object) -> SearchResult:
    return search(library, question, navigator="tree", model=model, k=3, **more)  # type: ignore[arg-type]


def titled(title: str) -> Answerer:
    """Chooses the option of that title."""

    def answer(request: dict[str, object]) -> Answer:
        return choose(*(one.ident for one in options_of(request) if one.title == title))

    return answer


def test_what_the_model_chooses_comes_first_and_words_fill_the_rest(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """A section without a word of the question leads when it is chosen; scores fall and stay within 1."""
    server.answer = titled("Safety")
    hits = ask(library, model, WRONG_WORDS).hits
    assert [hit.found_by for hit in hits][:2] == ["model", "fill"]
    assert hits[0].section_path == ("Safety",)
    assert len(hits) == 3
    assert 1 >= hits[0].score > hits[1].score >= hits[2].score


def test_a_choice_and_its_reason_stand_in_the_trace(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Places shown and chosen are named with the model's reason, and calls and tokens are counted."""
    server.answer = titled("Belts")
    trace = ask(library, model).trace
    assert trace.navigator == "tree"
    (chosen,) = [step for step in trace.steps if step.action == "choose"]
    (node_id,) = chosen.node_ids
    assert node_id.startswith(f"{manual}/")
    assert chosen.detail == f"because of {node_id.split('/')[1]}"
    assert trace.model_calls == len(server.requests) == 1
    assert trace.input_tokens > trace.map_tokens > 0
    assert trace.output_tokens > 0


def test_the_question_stands_outside_the_fence_and_the_map_inside(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Titles are the document's words; each call has a mark of its own."""
    ask(library, model)
    ask(library, model)
    marks = set()
    for request in server.requests:
        _, user = request.messages
        before, opened, after = str(user["content"]).partition("\n<fence-")
        assert QUESTION in before
        assert "Filters" not in before
        assert "Filters" in after
        marks.add((opened + after).splitlines()[1])
    assert len(marks) == 2


def pages_chosen(result: SearchResult) -> set[int]:
    """Pages of the hits that the model chose."""
    return {page for hit in result.hits if hit.found_by == "model" for page in range(hit.page_start, hit.page_end + 1)}


# Replies that break the contract


@pytest.mark.parametrize(
    "reply",
    [
        '{"choices": [{"id": "0", "reason": "x"}]}',
        '{"choices": [{"id": 0, "reason": "x"}]}',
        '{"choices": [{"id": "-1", "reason": "x"}]}',
        '{"choices": [{"id": "99", "reason": "x"}]}',
        '{"choices": [{"id": "0001 and 0002", "reason": "x"}]}',
        '{"choices": [{"id": "Safety", "reason": "x"}]}',
        '{"choices": ["9999"]}',
        '{"choices": [null]}',
        '{"choices": [{"reason": "no id"}]}',
    ],
)
def test_an_id_outside_the_map_is_rejected_counted_and_never_guessed(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel, reply: str
) -> None:
    """Nothing is selected in its place: the lexical order answers, whole, and says why."""
    server.answer = always(reply)
    result = ask(library, model)
    assert result.trace.rejected == 1
    assert [note.code for note in result.notes] == ["model_reply_unusable"]
    assert result.hits == search(library, QUESTION, k=3).hits


@pytest.mark.parametrize("reply", ["", "null", "[]", "0", "I would read the second chapter.", '{"choices": "none"}'])
def test_a_reply_without_choices_leaves_the_lexical_order(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel, reply: str
) -> None:
    """Sources are there whatever the model says, and a note tells that it was of no use."""
    server.answer = always(reply)
    result = ask(library, model)
    assert result.notes
    assert all(note.code.startswith("model_") for note in result.notes)
    assert result.hits == search(library, QUESTION, k=3).hits


def test_choosing_nothing_is_an_answer_too(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """An empty list is not a broken reply, and is told apart from one."""
    server.answer = always('{"choices": []}')
    assert [note.code for note in ask(library, model).notes] == ["model_chose_none"]


@pytest.mark.parametrize(
    "reply",
    [
        '["{id}"]',
        '{"choices": ["{id}"]}',
        '{"choices": "[\\"{id}\\"]"}',
        '{"choices": {"id": "{id}", "reason": "x"}}',
        '{"choices": [{"id": "[{id}]", "reason": "x"}]}',
        'Sure! ```json\n{"choices": [{"id": "{id}", "reason": "x"},]}\n```',
        '{"choices": [{"id": "9999", "reason": "x"}, {"id": "{id}", "reason": "x"}]}',
    ],
)
def test_what_is_plainly_meant_is_taken(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel, reply: str
) -> None:
    """Lists without reasons, lists in strings, brackets, prose around and a wrong id beside a right one do no harm."""

    def answer(request: dict[str, object]) -> Answer:
        ident = next(one.ident for one in options_of(request) if one.title == "Safety")
        return reply.replace("{id}", ident)

    server.answer = answer
    result = ask(library, model)
    assert result.hits[0].section_path == ("Safety",)
    assert result.hits[0].found_by == "model"


@pytest.mark.parametrize(
    "spoil", [with_prose, with_extra_keys, lambda answerer: scripted([Fault.busy(0.01), answerer])]
)
def test_replies_that_can_be_mended_are(
    library: Library,
    manual: str,
    server: ModelServer,
    model: LiteLLMModel,
    spoil: Callable[[Answerer], Answerer],
) -> None:
    """Prose, extra keys and a server that is busy once do not show."""
    server.answer = spoil(titled("Belts"))
    result = ask(library, model)
    assert result.hits[0].section_path == ("Maintenance", "Belts")
    assert result.notes == ()


@pytest.mark.parametrize(
    "answer",
    [
        always(Fault.busy(0.01)),
        always(Fault.failing()),
        always(Fault.denied()),
        always(Fault.quota()),
        always(Fault.slow(30.0)),
        always(Fault.cut_connection()),
        always(Fault.cut_body()),
        with_wrong_ids(titled("Belts")),
        cut_json(titled("Belts"), 0.3),
    ],
    ids=["429", "500", "401", "quota", "timeout", "cut connection", "cut body", "wrong ids", "cut JSON"],
)
def test_every_fault_ends_in_the_lexical_order_and_says_so(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel, answer: Answerer
) -> None:
    """Nothing hangs, nothing is raised: the caller gets what words find, with a note that names the trouble."""
    server.answer = answer
    result = ask(library, model)
    assert result.hits == search(library, QUESTION, k=3).hits
    assert result.notes
    assert {"fallback"} <= {step.action for step in result.trace.steps}


def test_without_a_model_words_answer_and_say_so(library: Library, manual: str) -> None:
    """Asking for a navigator that needs a model, and giving none, is no error."""
    result = search(library, QUESTION, navigator="tree")
    assert [note.code for note in result.notes] == ["no_model"]
    assert result.hits == search(library, QUESTION).hits


def test_a_budget_of_no_calls_is_kept(library: Library, manual: str, server: ModelServer, model: LiteLLMModel) -> None:
    """The question ends with what it has and the note names the budget."""
    result = ask(library, model, budget=Budget(calls=0))
    assert server.requests == []
    assert "budget" in result.notes[0].message
    assert len(result.hits) == 3


def test_arguments_that_exclude_each_other_are_refused(library: Library, model: LiteLLMModel) -> None:
    """Exact search asks no model; an unknown navigator is named."""
    with pytest.raises(OptionError, match="exclude each other"):
        search(library, QUESTION, navigator="tree", model=model, mode="regex")
    with pytest.raises(OptionError, match="'forest' is unknown"):
        search(library, QUESTION, navigator="forest", model=model)  # type: ignore[arg-type]


async def test_async_gives_the_same(library: Library, manual: str, server: ModelServer, model: LiteLLMModel) -> None:
    """Both drivers run the same navigator."""
    sync = ask(library, model)
    under_a_loop = await asearch(library, QUESTION, navigator="tree", model=model, k=3)
    assert under_a_loop.hits == sync.hits
    assert under_a_loop.notes == sync.notes
    assert [step.action for step in under_a_loop.trace.steps] == [step.action for step in sync.trace.steps]
    assert len(server.requests) == 2


# Many documents, long documents


def test_the_model_chooses_among_documents(
    library: Library, add: Add, server: ModelServer, model: LiteLLMModel
) -> None:
    """One map shows several documents, and a section of the second can be chosen."""
    add("one.pdf", ["# Pumps\nPumps move water."])
    second = add("two.pdf", ["# Pumps\nPumps move oil.", "# Valves\nValves close."])
    server.answer = titled("Valves")
    result = ask(library, model, "pumps")
    assert result.hits[0].doc_id == second
    assert result.hits[0].section_path == ("Valves",)
    assert {"doc1", "doc2"} <= {one.ident for one in options_of(server.requests[0].body)}


def test_the_map_shows_nothing_outside_the_scope(
    library: Library, add: Add, server: ModelServer, model: LiteLLMModel
) -> None:
    """Neither names nor titles of other documents are sent."""
    kept = add("open.pdf", ["# Pumps\nPumps move water."])
    add("secret.pdf", ["# Pumps of the rocket\nPumps move fuel."])
    result = ask(library, model, "pumps", scope=Scope(documents=(kept,)))
    assert "rocket" not in server.requests[0].prompt
    assert "secret" not in server.requests[0].prompt
    assert {hit.doc_id for hit in result.hits} == {kept}


@pytest.fixture(scope="module")
def twenty_thousand() -> object:
    return large_document((8, 12, 20, 10), 4, {})


@pytest.mark.parametrize("share", [0.0, 0.4999, 0.9999])
@pytest.mark.parametrize(("branches", "sections_a_page"), [((9, 10, 20), 2), ((1_900,), 4), ((2,) * 9, 3)])
def test_two_calls_reach_any_page_of_two_thousand_sections(
    library: Library,
    server: ModelServer,
    model: LiteLLMModel,
    branches: tuple[int, ...],
    sections_a_page: int,
    share: float,
) -> None:
    """A model that knows the page gets to it, though no word of the question stands on it."""
    document = large_document(branches, sections_a_page, {})
    index_pages(document, library)
    page = 1 + int(share * len(document.pages))
    server.answer = perfect(lambda: [page])
    result = ask(library, model, "Where is the zeppelin?")
    assert result.trace.model_calls <= 2
    assert page in pages_chosen(result)
    assert all(count_tokens(str(request.messages[-1]["content"])) <= 3_000 for request in server.requests)


def test_twenty_thousand_sections_take_a_call_a_level_at_most(
    library: Library, server: ModelServer, model: LiteLLMModel, twenty_thousand: object
) -> None:
    """Beyond two thousand sections the calls grow with the depth alone, and no map grows at all."""
    index_pages(twenty_thousand, library)  # type: ignore[arg-type]
    info = library.list()[0]
    assert sum(1 for _ in library.tree(info.doc_id).walk()) > 20_000
    for page in (2, info.page_count // 2, info.page_count):
        server.forget()
        server.answer = perfect(lambda: [page])  # noqa: B023  # used before the next round
        result = ask(library, model, "Where is the zeppelin?")
        assert len(server.requests) <= 5
        assert all(count_tokens(str(request.messages[-1]["content"])) <= 3_000 for request in server.requests)
        assert page in pages_chosen(result)


# One token


def test_options_are_scored_by_one_token_each(
    library: Library, manual: str, server: ModelServer, model: LiteLLMModel
) -> None:
    """Where the provider tells probabilities, those likelier than "none" are chosen, in their order."""

    def answer(request: dict[str, object]) -> Answer:
        labels = {one.title: one.ident for one in options_of(request)}
        return choosing({labels["Belts"]: -0.5, labels["Safety"]: -1.5, "0": -2.0, labels["Specifications"]: -3.0})

    server.answer = answer
    result = ask(library, model, WRONG_WORDS, navigation=NavigationOptions(one_token=True))
    assert [hit.section_path[-1] for hit in result.hits[:2]] == ["Belts", "Safety"]
    assert [hit.found_by for hit in result.hits] == ["model", "model", "fill"]
    assert server.requests[0].body["logprobs"] is True
    assert server.requests[0].body["max_tokens"] == 1


def test_one_token_alone_is_a_choice(library: Library, manual: str, server: ModelServer, model: LiteLLMModel) -> None:
    """A provider without probabilities still names its best option, or none."""
    options = NavigationOptions(one_token=True)
    server.answer = lambda request: next(one.ident for one in options_of(request) if one.title == "Belts")
    assert ask(library, model, navigation=options).hits[0].section_path[-1] == "Belts"
    server.answer = always("0")
    assert [note.code for note in ask(library, model, navigation=options).notes] == ["model_chose_none"]


def test_a_prompt_can_be_replaced(library: Library, manual: str, server: ModelServer, model: LiteLLMModel) -> None:
    """A caller's own wording is sent instead of ours, with the same fields."""
    own = "[system]\nPick. {mark}\n[user]\nQ: {question}\n{map}"
    server.answer = by_words()
    ask(library, model, navigation=NavigationOptions(prompts={"tree": own}))
    assert str(server.requests[0].messages[0]["content"]).startswith("Pick. fence-")
    assert json.dumps(server.requests[0].body).count(QUESTION) == 1
