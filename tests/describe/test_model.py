"""Summaries written by a model, over the real wire: order, content, parts of long texts, what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pageindex_core.describe.model import Kept, Summarizer, keys_of
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.schedule import run_job
from pageindex_core.options import ModelOptions
from pageindex_core.records import Pages, PageTree, Section
from pageindex_core.testing import ModelServer, schema_of, texts_in
from pageindex_core.tokens import count_tokens
from pageindex_core.tree.expand import Growth, grow
from random_outlines import pages_of, tree_of
from reading_models import purposes

LONG = " ".join(["Every pump needs a seal that keeps the water in."] * 25)
"""300 tokens: too long to be its own summary."""


def summing_up(request: dict[str, Any]) -> str:
    """Answer with the first line that the fence holds, the title, so that each summary names its section."""
    (key,) = schema_of(request)["properties"]
    return json.dumps({key: f"<{texts_in(request)[0].splitlines()[0]}>"})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(summing_up) as running:
        yield running


def finished(
    server: ModelServer, pages: Pages, tree: PageTree, kept: Kept | None = None, **options: Any
) -> tuple[dict[str, Section], Asking]:
    """The sections with their summaries, by title, and the account."""
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", first_wait_s=0.01)
    asking, chosen = Asking(), ModelOptions(**options)
    summarizer = Summarizer(pages.pages, asking, chosen, kept)
    growth = Growth.of(pages.pages, lambda leaf, stop: False, lambda *_: iter(()), summarizer.finish)
    sections = run_job(grow(tree.sections, growth), model, concurrency=chosen.concurrency)
    return {section.title: section for root in sections for section in root.walk()}, asking


def book() -> tuple[Pages, PageTree]:
    """One > A (short), B > (B.1 long); Two (long), each on a page of its own."""
    pages = pages_of("One", "A\nShort words.", f"B\n{LONG}", f"B.1\n{LONG}", f"Two\n{LONG}")
    headings = [(1, "One", 1, 0), (2, "A", 2, 0), (2, "B", 3, 0), (3, "B.1", 4, 0), (1, "Two", 5, 0)]
    return pages, tree_of(pages, *headings)


def test_each_section_is_summed_up_by_the_model(server: ModelServer) -> None:
    """A summary comes from the model and names it; only long sections cost a call."""
    sections, asking = finished(server, *book())

    assert {title: section.summary for title, section in sections.items()} == {
        "One": "<One>",
        "A": "Short words.",
        "B": "<B>",
        "B (intro)": "<B (intro)>",
        "B.1": "<B.1>",
        "Two": "<Two>",
    }
    assert sections["A"].summary_model is None
    assert sections["Two"].summary_model == "test-model"
    assert (len(server.requests), asking.notes()) == (5, ())


def test_parents_are_asked_for_after_their_children(server: ModelServer) -> None:
    """Deepest sections first; a parent's prompt holds its children's summaries and not their texts."""
    finished(server, *book(), concurrency=1)
    asked = [texts_in(request.body)[0].splitlines()[0] for request in server.requests]

    assert asked.index("B.1") < asked.index("B") < asked.index("One")
    of_b = next(request for request in server.requests if texts_in(request.body)[0].startswith("B\n"))
    assert "B.1 (page 4): <B.1>" in of_b.prompt
    assert "needs a seal" not in of_b.prompt


def test_a_short_child_tells_its_parent_its_own_words(server: ModelServer) -> None:
    """The parent describes its whole section, short children included."""
    finished(server, *book())

    of_one = next(request for request in server.requests if texts_in(request.body)[0].startswith("One\n"))
    assert "A (page 2): Short words." in of_one.prompt
    assert "B (pages 3-4): <B>" in of_one.prompt


def test_the_asked_length_is_in_the_prompt_and_a_reply_far_beyond_it_is_cut(server: ModelServer) -> None:
    """150 words unless told otherwise; ten characters a word is the most that is kept."""
    server.answer = lambda request: json.dumps({"summary": "word " * 500})
    sections, _ = finished(server, *book(), summary_words=20)

    assert "at most 20 words" in server.requests[0].prompt
    assert len(sections["Two"].summary or "") <= 200
    assert (sections["Two"].summary or "").endswith("…")


def test_a_long_text_is_read_in_parts_that_fit(server: ModelServer) -> None:
    """No prompt holds more than the context allows; the parts' summaries are joined by a call of their own."""
    lines = "\n".join(f"Line {number} of a long section about pumps and seals." for number in range(200))
    pages = pages_of(f"One\n{lines}")
    sections, _ = finished(server, pages, tree_of(pages, (1, "One", 1, 0)), context_tokens=600)
    shown = [texts_in(request.body)[0] for request in server.requests]

    assert sections["One"].summary == "<One>"
    assert len(shown) > 4
    assert all(count_tokens(text) <= 620 for text in shown)
    seen = "\n".join(shown)
    assert all(f"Line {number} " in seen for number in range(200))
    assert "<One>" in shown[-1]


def test_many_children_are_joined_in_steps(server: ModelServer) -> None:
    """A chapter of eighty sections is summed up from summaries of their groups, whose prompts all fit."""
    pages = pages_of("One", *(f"S{number}\n{LONG}" for number in range(80)))
    headings = [(1, "One", 1, 0), *((2, f"S{number}", number + 2, 0) for number in range(80))]
    server.answer = lambda request: json.dumps({"summary": f"{texts_in(request)[0].splitlines()[0]} " * 12})
    sections, _ = finished(server, pages, tree_of(pages, *headings), context_tokens=800)

    assert (sections["One"].summary or "").startswith("One One")
    assert all(count_tokens(texts_in(request.body)[0]) <= 820 for request in server.requests)
    assert len(server.requests) > 82


def test_a_page_group_is_summed_up_and_its_pages_are_not(server: ModelServer) -> None:
    """A leaf of twelve pages is described through its groups, and no call is spent on a single page of one."""
    pages = pages_of(f"One\n{LONG}", *[LONG] * 11)
    sections, _ = finished(server, pages, tree_of(pages, (1, "One", 1, 0)))
    groups = [title for title in sections if title.startswith("Pages")]

    assert groups
    assert all(sections[title].summary == f"<{title}>" for title in groups)
    assert all(section.summary is None for title, section in sections.items() if title.startswith("Page "))
    assert len(server.requests) == len(groups) + 1


def test_unchanged_sections_keep_their_summaries(server: ModelServer) -> None:
    """Only a changed section and those above it are asked for again."""
    pages, tree = book()
    before, _ = finished(server, pages, tree)
    old = replace(tree, sections=tuple(_with_summaries(section, before) for section in tree.sections))
    server.forget()

    changed = pages_of("One", "A\nOther words.", *(page.text for page in pages.pages[2:]))
    headings = [(1, "One", 1, 0), (2, "A", 2, 0), (2, "B", 3, 0), (3, "B.1", 4, 0), (1, "Two", 5, 0)]
    server.answer = lambda request: json.dumps({"summary": "new"})
    after, _ = finished(server, changed, tree_of(changed, *headings), Kept.of(old))

    assert {title: after[title].summary for title in ("One", "A", "B", "B.1", "Two")} == {
        "One": "new",
        "A": "Other words.",
        "B": "<B>",
        "B.1": "<B.1>",
        "Two": "<Two>",
    }
    assert len(server.requests) == 1
    assert after["Two"].summary_model == "test-model"


def test_quoted_summaries_are_not_kept() -> None:
    """Only what a model wrote is worth keeping: quotations are made anew in a moment, and fit the new text."""
    _, tree = book()
    quoted = replace(tree, sections=tuple(replace(section, summary="quoted") for section in tree.sections))

    assert Kept.of(quoted).summaries == {}


def test_page_groups_are_told_apart_by_what_their_pages_say() -> None:
    """Each group is known by a key of its own; none shares another's summary."""
    tree = tree_of(pages_of(*(f"word{number} " * 40 for number in range(12))))
    known = [keys_of(section) for section in tree.sections]

    assert len(tree.sections) > 2
    assert len(set(known)) == len(known)
    assert all(len(keys) == 1 for keys in known)


@pytest.mark.parametrize(
    ("reply", "summary"),
    [
        ('{"summary": "On seals."}', "On seals."),
        ('Here it is:\n```json\n{"summary": "On seals."}\n```', "On seals."),
        ("This section is about seals and pumps.", "This section is about seals and pumps."),
        ('{"summary": "On\\n  seals."}', "On seals."),
    ],
    ids=["JSON", "JSON in prose", "plain prose", "broken lines"],
)
def test_a_summary_is_read_from_whatever_form_the_reply_has(server: ModelServer, reply: str, summary: str) -> None:
    """JSON as asked for, JSON among prose, or the bare summary of a model that knows no JSON."""
    server.answer = lambda request: reply
    sections, asking = finished(server, *book())

    assert sections["Two"].summary == summary
    assert asking.notes() == ()


@pytest.mark.parametrize("reply", ["", "null", '{"summary": ""}', '{"summary": null}', '{"other": "x"}', '{"sum', "[]"])
def test_a_reply_without_a_summary_leaves_the_section_without_one(server: ModelServer, reply: str) -> None:
    """The section is noted by name and page, and stays for the quoted summary."""
    answer = server.answer
    server.answer = lambda request: reply if texts_in(request)[0].startswith("Two") else answer(request)
    sections, asking = finished(server, *book())

    assert sections["Two"].summary is None
    assert sections["B"].summary == "<B>"
    (note,) = asking.notes()
    assert (note.code, note.page_number) == ("model_reply_missed", 5)
    assert "'Two'" in note.message


def test_the_description_is_one_bounded_sentence(server: ModelServer) -> None:
    """It is asked for with the outermost summaries, and cut at 300 characters."""
    pages, tree = book()
    asking = Asking()
    server.answer = lambda request: json.dumps({"description": "A manual about pumps, " + "and pumps, " * 60})
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test")
    sections = [replace(section, summary=f"on {section.title}") for section in tree.sections]
    job = Summarizer(pages.pages, asking, ModelOptions()).describe("pumps.pdf", sections)
    description = run_job(job, model, concurrency=1) or ""

    assert description.startswith("A manual about pumps")
    assert len(description) <= 300
    assert "pumps.pdf\n\nOne (pages 1-4): on One\n\nTwo (page 5): on Two" in server.requests[0].prompt
    assert purposes(server.requests) == ["description"]


def _with_summaries(section: Section, summaries: dict[str, Section]) -> Section:
    known = summaries[section.title]
    children = tuple(_with_summaries(child, summaries) for child in section.children)
    return replace(section, summary=known.summary, summary_model=known.summary_model, children=children)
