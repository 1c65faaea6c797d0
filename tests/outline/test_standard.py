"""The standard mode: contents found, read, mapped, verified and repaired; structure from the text where there are none.

The documents are set like plain text throughout, so that layout finds nothing; the server answers from what it is sent.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.schedule import run_job
from pageindex_core.options import IndexOptions, ModelOptions, TreeOptions
from pageindex_core.outline import find_headings
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.standard import standard_outline
from pageindex_core.pipeline.model import open_run, tree_with_model
from pageindex_core.records import Line, Outline, Page, Pages
from pageindex_core.testing import Answer, Answerer, ModelServer, always, schema_of
from pageindex_core.tokens import count_tokens
from pageindex_core.tree.check import check_tree
from random_outlines import pages_of
from reading_models import purposes, reading

NOUNS = ("pump", "seal", "valve", "pipe", "filter", "gauge", "bearing", "shaft", "motor", "float", "screen", "gate")
FRONT = 4
"""Pages before the one that is printed as page 1: cover, two pages of contents, a blank."""


def name_of(section: int) -> str:
    """A title of three words, alone of its kind, and in sentence case like the text around."""
    one, two = random.Random(section).sample(NOUNS, 2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return f"Care of the {one} and {two} {letters[section // 26]}{letters[section % 26]}"


def sentence(seed: int) -> str:
    one, two, three, four = random.Random(seed).sample(NOUNS, 4)
    return f"The {one} beside the {two} is checked before the {three} so that no sand reaches the {four} again."


def is_title(line: str) -> bool:
    return line.startswith("Care of the ") and " . " not in line


def is_entry(line: str) -> bool:
    return line.startswith("Care of the ") and " . " in line


def body(page: int, title: str | None, *, lines: int = 20) -> str:
    """A page of sentences; a title stands in the middle over a few words of none, so that sense alone tells it."""
    written = [sentence(1000 * page + line) for line in range(lines)]
    if title is not None:
        written[lines // 2 : lines // 2] = [title, "once a day"]
    return "\n".join(written)


def book(
    sections: int, every: int, *, entries: Sequence[tuple[str, int]] | None = None, contents: bool = True
) -> Pages:
    """A document with a section on every so many pages, and contents that list them with printed numbers."""
    titled = {1 + every * section: name_of(section) for section in range(sections)}
    listed = entries if entries is not None else [(title, page) for page, title in titled.items()]
    rows = [f"{title} . . . . . {page}" for title, page in listed]
    half = (len(rows) + 1) // 2
    front = ["A manual of care", "\n".join(rows[:half]), "\n".join(rows[half:]), ""] if contents else []
    return pages_of(*front, *(body(page, titled.get(page)) for page in range(1, sections * every + 1)))


READER = reading(is_heading=is_title, is_contents=is_entry)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(READER) as running:
        yield running


def outline(server: ModelServer, pages: Pages, **options: Any) -> tuple[Outline | None, list[str]]:
    """The outline and the codes of the notes."""
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_retries=0)
    asking = Asking()
    job = standard_outline(Layout.measure(pages.pages), asking, ModelOptions(**options))
    found = run_job(job, model, concurrency=8)
    return found, [note.code for note in asking.notes()]


def found_at(found: Outline | None) -> list[tuple[str, int]]:
    assert found is not None
    return [(heading.title, heading.page_number) for heading in found.headings]


def expected(sections: int, every: int, front: int = FRONT) -> list[tuple[str, int]]:
    return [(name_of(section), front + 1 + every * section) for section in range(sections)]


def test_contents_are_mapped_from_printed_to_physical_pages(server: ModelServer) -> None:
    """Printed numbers start behind the front matter; each entry ends on the page that prints its title."""
    found, notes = outline(server, book(12, 3))

    assert found_at(found) == expected(12, 3)
    assert found is not None
    assert {heading.evidence for heading in found.headings} == {"contents"}
    assert all(heading.line_index == 10 for heading in found.headings)
    assert notes == []
    assert "headings" not in purposes(server.requests)


def test_layout_alone_finds_nothing_in_these_documents() -> None:
    """Else this file would test the wrong thing."""
    assert find_headings(book(12, 3, contents=False)).toc_source == "pages"


def test_entries_that_lead_to_wrong_pages_are_repaired(server: ModelServer) -> None:
    """Titles that stand in two places cannot be found by title alone; the model says where the section begins."""
    right = [(name_of(section), 1 + 3 * section) for section in range(12)]
    wrong = [(title, page + 5 if index in (3, 7) else page) for index, (title, page) in enumerate(right)]
    given = book(12, 3, entries=wrong)
    mention = "\n".join(name_of(section) for section in (3, 7))
    pages = pages_of(*(page.text for page in given.pages), f"{mention}\n{sentence(1)}")
    found, notes = outline(server, pages)

    assert found_at(found) == expected(12, 3)
    assert notes == []
    assert "found" in purposes(server.requests)


def test_entries_that_stand_nowhere_are_dropped_and_counted(server: ModelServer) -> None:
    """A printed entry whose section is missing from the file is not given a page."""
    entries = [(name_of(section), 1 + 3 * section) for section in range(12)]
    entries.insert(5, ("Care of the boat zz", 14))
    found, notes = outline(server, book(12, 3, entries=entries))

    assert found_at(found) == expected(12, 3)
    assert notes == ["contents_dropped"]


def test_entries_that_the_contents_do_not_print_are_never_taken(server: ModelServer) -> None:
    """Reading off contents allows only what is on those pages, even if a page of the text has such a line."""

    def inventing(request: dict[str, Any]) -> Answer:
        answer = READER(request)
        if "entries" not in schema_of(request)["properties"]:
            return answer
        entries = json.loads(str(answer))["entries"]
        return json.dumps({"entries": [*entries, {"title": sentence(2000), "page": "2", "level": 1}]})

    server.answer = inventing
    found, notes = outline(server, book(12, 3))

    assert found_at(found) == expected(12, 3)
    assert notes == ["contents_invented"]


def test_contents_that_do_not_match_are_given_up_after_a_sample(server: ModelServer) -> None:
    """Where less than half of a few entries hold, the others are not even looked for: the text is read instead."""
    entries = [(f"Care of the boat {'abcdefghijkl'[n]}", 1 + 3 * n) for n in range(12)]
    found, notes = outline(server, book(12, 3, entries=entries))

    assert found_at(found) == expected(12, 3)
    assert found is not None
    assert {heading.evidence for heading in found.headings} == {"model"}
    assert "contents_rejected" in notes
    assert purposes(server.requests).count("found") <= 8


def test_without_contents_the_text_is_read_in_overlapping_parts(server: ModelServer) -> None:
    """Every page is in some part, and each heading is found once."""
    found, notes = outline(server, book(12, 3, contents=False), context_tokens=1_500)

    assert found_at(found) == expected(12, 3, front=0)
    assert found is not None
    assert (found.toc_source, notes) == ("model", [])


def test_contents_are_sought_only_where_told(server: ModelServer) -> None:
    """The number of pages searched is the caller's; contents behind it are not found, and the text is read."""
    found, _ = outline(server, book(12, 3), contents_pages=1)

    assert found is not None
    assert found.toc_source == "model"
    assert purposes(server.requests).count("pages") == 1


def test_contents_that_go_on_behind_the_searched_pages_are_followed(server: ModelServer) -> None:
    """A run of contents pages is not cut where the search happened to stop."""
    found, _ = outline(server, book(12, 3), contents_pages=2, context_tokens=600)

    assert found_at(found) == expected(12, 3)
    assert found is not None
    assert found.toc_source == "contents"


@pytest.mark.parametrize(
    "answerer",
    [always(""), always("null"), always('{"pages": [2, 3'), always('{"pages": ["x", null, 99, -1]}'), always("[1]")],
    ids=["empty", "null", "half JSON", "pages that do not exist", "another shape"],
)
def test_useless_replies_leave_the_document_without_outline(server: ModelServer, answerer: Answerer) -> None:
    """Nothing is invented in place of what the model did not say, and the work comes to an end."""
    server.answer = answerer
    found, _ = outline(server, book(6, 3))

    assert found is None


def test_a_document_of_800_pages_within_a_small_context(server: ModelServer) -> None:
    """160 sections over 800 pages: no prompt beyond the context, every section found, the tree sound and complete."""
    pages = book(160, 5)
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_concurrency=8)
    run = open_run(model, ModelOptions(context_tokens=2_000, concurrency=8))
    tree, is_complete = tree_with_model(pages, IndexOptions(), run)

    assert len(pages.pages) == 804
    assert is_complete
    assert check_tree(tree) == []
    assert [(one.title, one.start_page) for one in tree.walk() if not one.synthetic] == expected(160, 5)
    assert tree.toc_source == "contents"
    assert all(one.summary_model for one in tree.walk() if not one.synthetic)
    assert max(count_tokens(request.prompt) for request in server.requests) <= 2_000 + 600


def test_800_pages_without_contents_are_read_in_parts(server: ModelServer) -> None:
    """The same without contents pages: the structure comes from the text, within the same context."""
    pages = book(160, 5, contents=False)
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test", max_concurrency=8)
    run = open_run(model, ModelOptions(context_tokens=4_000, concurrency=8, summaries=False))
    tree, _ = tree_with_model(pages, IndexOptions(), run)

    assert [(one.title, one.start_page) for one in tree.walk() if not one.synthetic] == expected(160, 5, front=0)
    assert tree.toc_source == "model"
    assert max(count_tokens(request.prompt) for request in server.requests) <= 4_000 + 600


def test_sections_beyond_the_most_pages_are_divided(server: ModelServer) -> None:
    """What stays too large is offered to the model even where dividing is off, and cut into page groups at last."""
    titled = {1: "Care of the boat aa", 12: "Care of the deck ab", 20: "Care of the mast ac"}
    texts = [body(page, titled.get(page)) for page in range(1, 41)]
    listed = "\n".join(f"{title} . . . . . {page}" for page, title in titled.items())
    hidden = {26: "Notes on the mast step", 33: "Notes on the mast head"}
    texts = [text if page not in hidden else f"{text}\n{hidden[page]}" for page, text in enumerate(texts, start=1)]
    server.answer = reading(is_heading=lambda line: is_title(line) or line.startswith("Notes on"), is_contents=is_entry)
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test")
    run = open_run(model, ModelOptions(node_pages=10, summaries=False))
    options = IndexOptions(tree=TreeOptions(optimize="off"))
    tree, _ = tree_with_model(pages_of(listed, *texts), options, run)
    leaves = [one for one in tree.walk() if not one.children]

    assert [one.title for one in tree.walk() if one.evidence == "model"] == list(hidden.values())
    assert all(one.end_page - one.start_page < 10 for one in leaves)
    assert check_tree(tree) == []


def test_the_model_is_not_asked_where_layout_knows(server: ModelServer) -> None:
    """A document whose headings layout finds costs no call for its structure, unless told otherwise."""
    lines = tuple(Line(text) for text in ("1 Pumps", "Text.", "2 Valves", "Text.", "3 Pipes", "Text."))
    pages = Pages("doc", "doc.pdf", "application/pdf", "0" * 64, tuple(Page(n, lines) for n in range(1, 2)))
    assert find_headings(pages).headings
    model = LiteLLMModel("openai/test-model", api_base=server.base_url, api_key="test")
    tree_with_model(pages, IndexOptions(), open_run(model, ModelOptions(summaries=False)))
    assert server.requests == []

    tree_with_model(pages, IndexOptions(), open_run(model, ModelOptions(summaries=False, structure="standard")))
    assert set(purposes(server.requests)) == {"pages", "headings"}
