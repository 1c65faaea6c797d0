"""The standard mode on contents and texts as books print them: interrupted, without numbers, in parts, too dense."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.schedule import run_job
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.contents_list import joined
from pageindex_core.outline.model.listed import Listed
from pageindex_core.outline.model.standard import standard_outline
from pageindex_core.pipeline.model import open_run, tree_with_model
from pageindex_core.records import Outline, Pages
from pageindex_core.testing import Answer, Answerer, ModelServer, schema_of, texts_in
from pageindex_core.tokens import count_tokens
from pageindex_core.tree.check import check_tree
from random_outlines import pages_of
from reading_models import numbered_lines, purposes, reading, within

CONTEXT = 8_192
"""What the default of ``context_tokens`` promises to fit."""


NOUNS = ("boat", "deck", "mast", "sail", "rope", "keel", "helm", "bow", "hull", "oar")


def is_title(line: str) -> bool:
    return line.startswith("Care of the ") and " . " not in line


def is_entry(line: str) -> bool:
    return line.startswith("Care of the ") and " . " in line


def level_of(line: str) -> int:
    return 2 if line.startswith("Care of the part") else 1


READER = reading(is_heading=is_title, is_contents=is_entry, level_of=level_of)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(READER) as running:
        yield running


def prose(page: int, *titles: str, lines: int = 20) -> str:
    """A page of sentences with titles between them."""
    rows = [f"Sand number {page} of row {row} is kept away from all that turns or is turned." for row in range(lines)]
    for title in titles:
        rows.insert(len(rows) // 2, title)
    return "\n".join(rows)


def entry(title: str, page: int) -> str:
    return f"{title} . . . . . {page}"


def outline(
    server: ModelServer, pages: Pages, answerer: Answerer = READER, **options: int
) -> tuple[Outline | None, list[str]]:
    """Read a document in standard mode through the server; give the outline and the codes of the notes."""
    server.answer = answerer
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_concurrency=8)
    asking = Asking()
    job = standard_outline(Layout.measure(pages.pages), asking, ModelOptions(**options))  # type: ignore[arg-type]
    return run_job(job, model, concurrency=8), [note.code for note in asking.notes()]


def found_at(found: Outline | None) -> list[tuple[str, int]]:
    assert found is not None
    return [(heading.title, heading.page_number) for heading in found.headings]


def name_of(number: int) -> str:
    """A title of its own, in sentence case like the text, that no other differs from by digits alone."""
    return f"Care of the {NOUNS[number % 10]} and the {NOUNS[number // 10 % 10]} of {NOUNS[number // 100]}"


def sections(count: int, every: int) -> dict[int, str]:
    """Titles by the page of the text on which they stand."""
    return {1 + every * number: name_of(number) for number in range(count)}


def body(titled: dict[int, str], pages: int) -> list[str]:
    return [prose(page, *([titled[page]] if page in titled else [])) for page in range(1, pages + 1)]


def test_a_blank_page_does_not_end_contents(server: ModelServer) -> None:
    """Books begin the second leaf of their contents on the right."""
    titled = sections(8, 2)
    rows = [entry(title, page) for page, title in titled.items()]
    pages = pages_of("\n".join(rows[:4]), "", "\n".join(rows[4:]), *body(titled, 16))
    found, notes = outline(server, pages)

    assert found_at(found) == [(title, page + 3) for page, title in titled.items()]
    assert notes == []
    assert "headings" not in purposes(server.requests)


def test_the_longest_contents_are_read(server: ModelServer) -> None:
    """Brief contents stand before the full ones, with a page between."""
    titled = sections(8, 2)
    rows = [entry(title, page) for page, title in titled.items()]
    pages = pages_of("\n".join(rows[:2]), prose(99), "\n".join(rows[:4]), "\n".join(rows[4:]), *body(titled, 16))
    found, _ = outline(server, pages)

    assert found_at(found) == [(title, page + 4) for page, title in titled.items()]
    assert found is not None
    assert found.toc_source == "contents"


def test_the_text_may_begin_below_the_contents(server: ModelServer) -> None:
    """The first section stands on the page on which the contents end, and its entry there is not taken for it."""
    titled = sections(6, 2)
    rows = [entry(title, page) for page, title in titled.items()]
    first, *others = body(titled, 12)
    found, notes = outline(server, pages_of("\n".join([*rows, first]), *others))

    assert found_at(found) == [(title, page) for page, title in titled.items()]
    assert found is not None
    assert found.headings[0].line_index > len(rows)
    assert notes == []


def test_pages_that_print_no_entry_are_read_as_text(server: ModelServer) -> None:
    """A model that takes text for contents does not hide what is written there."""
    titled = sections(6, 1)
    named = reading(is_contents=lambda line: " row 3 " in line)

    def answerer(request: dict[str, Any]) -> Answer:
        return (named if "pages" in (schema_of(request) or {})["properties"] else READER)(request)

    found, _ = outline(server, pages_of(*body(titled, 6)), answerer)

    assert found_at(found) == [(title, page) for page, title in titled.items()]


def test_contents_without_numbers_are_found_in_the_text_by_calls_that_share_it(server: ModelServer) -> None:
    """Titles that stand in several places are asked for together: no prompt grows with them, nor do the calls."""
    titled = sections(300, 2)
    mention = "\n".join(titled.values())
    rows = list(titled.values())
    front = ["Contents", *("\n".join(rows[at : at + 60]) for at in range(0, 300, 60))]
    pages = pages_of(*front, *body(titled, 600), mention)

    def answerer(request: dict[str, Any]) -> Answer:
        (key,) = (schema_of(request) or {})["properties"]
        lines = numbered_lines(texts_in(request)[-1])
        if key == "entries":
            return json.dumps({key: [{"title": line, "page": None, "level": 1} for _, line in lines if is_title(line)]})
        if key == "pages":
            return json.dumps({key: sorted({page for page, line in lines if is_title(line) and page <= len(front)})})
        return READER(request)

    found, notes = outline(server, pages, within(answerer, CONTEXT))
    calls = purposes(server.requests)

    assert found is not None
    assert found.toc_source == "contents"
    assert len(found.headings) >= 0.95 * len(titled)
    assert {(heading.title, heading.page_number - 6) for heading in found.headings} <= {
        (title, page) for page, title in titled.items()
    }
    assert calls.count("found") <= 3 * sum(count_tokens(page.text) for page in pages.pages) / 4_000
    assert max(count_tokens(request.prompt) for request in server.requests) <= 6_600
    assert "contents_rejected" not in notes


def test_a_running_head_is_a_heading_where_it_is_said_first(server: ModelServer) -> None:
    """Chapters whose title runs on at the head of their pages are found once each, on their first page."""
    texts = [f"{name_of(page // 5)}\n{prose(page)}" for page in range(5, 30)]
    found, _ = outline(server, pages_of(*texts), context_tokens=1_500)

    assert found_at(found) == [(name_of(number), 1 + 5 * (number - 1)) for number in range(1, 6)]


@pytest.mark.parametrize("context_tokens", [6_000, 2_000])
def test_every_call_fits_the_context_with_its_reply(server: ModelServer, context_tokens: int) -> None:
    """Servers refuse a call whose prompt and longest reply exceed their context together: a third more is enough."""
    titled = sections(40, 5)
    room = context_tokens * CONTEXT // 6_000
    server.answer = within(READER, room)
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_concurrency=8)
    run = open_run(model, ModelOptions(context_tokens=context_tokens, concurrency=8))
    tree, is_complete = tree_with_model(pages_of(*body(titled, 200)), IndexOptions(), run)

    assert is_complete
    assert {request.status for request in server.requests} == {200}
    assert [one.title for one in tree.walk() if not one.synthetic] == list(titled.values())
    assert all(one.summary_model for one in tree.walk() if not one.synthetic)
    assert check_tree(tree) == []


def test_a_text_with_more_headings_than_a_reply_holds_is_read_in_halves(server: ModelServer) -> None:
    """A reply that is cut loses none of them: what it was for is asked again in smaller parts."""
    titles = [name_of(number) for number in range(200)]
    said = "It says little here, and what it says takes no more than a line and a half of a page\nof this size."
    texts = ["\n".join(f"{title}\n{said}" for title in titles[at : at + 20]) for at in range(0, 200, 20)]
    found, _ = outline(server, pages_of(*texts), within(READER, CONTEXT))

    assert [title for title, _ in found_at(found)] == titles
    assert len(server.requests) <= 12


def test_a_model_that_never_ends_a_reply_costs_a_bounded_number_of_calls(server: ModelServer) -> None:
    """Halving stops; what the cut replies say is taken."""
    endless: Answerer = lambda request: {"content": '{"headings": [' + "1, " * 4_000, "finish_reason": "length"}  # noqa: E731
    found, _ = outline(server, pages_of(*body({}, 60)), endless, context_tokens=1_000)
    calls = purposes(server.requests)

    assert found is None
    assert 60 < calls.count("headings") < 60 + 100


@pytest.mark.parametrize(
    ("before", "after", "levels"),
    [
        (["1 Boats:1", "1.1 Masts:2"], ["1.1 Masts:1", "1.2 Sails:1", "2 Decks:1"], [1, 2, 2, 2]),
        (["1 Boats:1", "1.1 Masts:2"], ["1.2 Sails:1", "1.2.1 Ropes:2"], [1, 2, 2, 3]),
        (["Boats:1", "Masts:2"], ["Masts:1", "Sails:1"], [1, 2, 2]),
        (["Boats:1", "Masts:2"], ["Sails:1"], [1, 2, 1]),
        ([], ["Boats:1"], [1]),
    ],
    ids=["entries of both", "numbers", "entries of both, unnumbered", "nothing tells", "nothing before"],
)
def test_parts_of_contents_agree_on_levels(before: Sequence[str], after: Sequence[str], levels: list[int]) -> None:
    """A part that begins in the middle of a chapter calls its sections level 1; the part before knows better."""
    listed = joined(*([Listed(row[:-2], None, int(row[-1])) for row in part] for part in (before, after)))

    assert [one.level for one in listed] == levels
