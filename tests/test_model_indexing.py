"""Indexing with a model, end to end over the real wire: what a good model adds and what a bad one cannot break."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pageindex_core.errors import ModelAccessError, OptionError
from pageindex_core.library import open_library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.options import IndexOptions, ModelOptions, TreeOptions
from pageindex_core.pipeline import index_paths, index_source, make_tree
from pageindex_core.pipeline.model import atree_with_model, open_run, tree_with_model
from pageindex_core.read import Source, open_source, read_pages
from pageindex_core.records import PageTree, Section
from pageindex_core.testing import (
    Answer,
    Answerer,
    Fault,
    ModelServer,
    always,
    cut_json,
    schema_of,
    texts_in,
    with_extra_keys,
    with_prose,
    with_wrong_ids,
    without_schemas,
)
from pageindex_core.tree.check import check_tree
from reading_models import purposes, reading

NOUNS = ("pump", "seal", "valve", "pipe", "filter", "gauge", "bearing", "shaft", "motor", "float", "screen", "gate")


def sentence(seed: int) -> str:
    """A sentence that differs from page to page in more than its digits, so that it is no running head."""
    one, two, three, four = random.Random(seed).sample(NOUNS, 4)
    return f"The {one} beside the {two} is checked before the {three} so that no sand reaches the {four} again."


def manual(chapters: int = 3, pages_each: int = 9, *, change: str = "") -> bytes:
    """Markdown of chapters with headings, each long, whose parts are named by lines that no rule takes for headings."""
    parts = []
    for chapter in range(1, chapters + 1):
        parts.append(f"# Chapter {chapter}\n")
        for part in range(1, pages_each + 1):
            parts.append(f"Part {_name(chapter, part)} of the works\n")
            seed = 1000 * chapter + 100 * part
            parts += [f"{sentence(seed + row)}{change if chapter == 2 else ''}\n" for row in range(24)]
    return "\n".join(parts).encode()


def _name(chapter: int, part: int) -> str:
    """A name without digits, which would be folded where running heads are looked for."""
    return f"{'abcdefghijkl'[chapter - 1]}{'mnopqrstuvwxyz'[part - 1]}"


def is_part(line: str) -> bool:
    return line.startswith("Part ") and line.endswith("of the works")


GOOD = reading(is_heading=is_part)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(GOOD) as running:
        yield running


@pytest.fixture
def model(server: ModelServer) -> LiteLLMModel:
    return LiteLLMModel(
        "openai/test-model",
        api_base=server.base_url,
        api_key="test",
        timeout_s=5.0,
        first_wait_s=0.001,
        max_retries=1,
        max_concurrency=8,
    )


Make = Callable[..., PageTree]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes the tree of Markdown given as bytes."""

    def made(data: bytes, options: IndexOptions | None = None, **more: Any) -> PageTree:
        (tmp_path / "manual.md").write_bytes(data)
        return make_tree(tmp_path / "manual.md", options, **more)

    return made


def given(data: bytes) -> Source:
    """The bytes as a Markdown file of one name."""
    return open_source(data, source_id="manual", name="manual.md")


def titles(tree: PageTree) -> list[str]:
    return [section.title for section in tree.walk()]


def by_title(tree: PageTree) -> dict[str, Section]:
    return {section.title: section for section in tree.walk()}


def test_long_chapters_are_divided_and_everything_is_summed_up(
    make: Make, server: ModelServer, model: LiteLLMModel
) -> None:
    """Every part that the model names and the pages hold becomes a section, with a summary of its own."""
    tree = make(manual(), model=model)
    found = [section for section in tree.walk() if section.evidence == "model"]

    assert len(found) == 27
    assert all(is_part(section.title) and (section.summary or "").startswith("About ") for section in found)
    assert tree.description == "About bytes"[:5] + " " + (tree.description or "")[6:]
    assert tree.toc_source == "hybrid" or tree.shares["model"] >= 0.9
    assert check_tree(tree) == []
    assert set(purposes(server.requests)) == {"headings", "summary", "description"}


def test_without_a_model_nothing_changes(make: Make, server: ModelServer) -> None:
    """The road without a model is the same as ever, and no summary claims to be written."""
    tree = make(manual())

    assert all(section.summary_model is None and section.evidence != "model" for section in tree.walk())
    assert server.requests == []


@pytest.mark.parametrize("mode", ["off", "merge"])
def test_nothing_is_divided_unless_asked_for(make: Make, server: ModelServer, model: LiteLLMModel, mode: Any) -> None:
    """``off`` and ``merge`` store the tree as layout found it; summaries are written all the same."""
    tree = make(manual(), IndexOptions(tree=TreeOptions(optimize=mode)), model=model)

    assert titles(tree) == titles(make(manual()))
    assert "headings" not in purposes(server.requests)
    assert by_title(tree)["Chapter 1"].summary_model == "test-model"


def test_full_without_a_model_divides_by_layout(make: Make) -> None:
    """Weaker evidence names the parts, marked as detected; the cost rule decides as with a model."""
    tree = make(manual(), IndexOptions(tree=TreeOptions(optimize="full")))
    found = [section for section in tree.walk() if is_part(section.title)]

    assert len(found) == 27
    assert {section.evidence for section in found} == {"detected"}
    assert check_tree(tree) == []


def test_headings_that_are_not_printed_are_never_taken(make: Make, server: ModelServer, model: LiteLLMModel) -> None:
    """A model that invents headings, or names real ones on wrong pages, divides nothing; a note counts them."""

    def inventing(request: dict[str, Any]) -> Answer:
        if "headings" not in schema_of(request)["properties"]:
            return GOOD(request)
        return json.dumps({"headings": [{"title": f"Invented {n}", "page": 3, "level": 1} for n in range(4)]})

    server.answer = inventing
    tree = make(manual(), model=model)

    assert titles(tree) == titles(make(manual()))
    assert any(note.code == "headings_dropped" and "Chapter 1" in note.message for note in tree.notes)


FAULTS: dict[str, tuple[Answerer, bool]] = {
    "empty text": (always(""), True),
    "null": (always("null"), True),
    "half a JSON object": (always('{"headings": [{"title": "Part an of the wor'), True),
    "a list without the page key": (always('[{"title": "Part an of the works"}]'), True),
    "an unknown key": (always('{"nodes": ["9999"]}'), True),
    "wrong page numbers": (with_wrong_ids(GOOD), False),
    "prose around JSON": (with_prose(GOOD), False),
    "extra keys": (with_extra_keys(GOOD), False),
    "JSON cut in the middle": (cut_json(GOOD), False),
    "no schemas known": (without_schemas(GOOD), False),
    "500 always": (always(Fault.failing()), True),
    "cut connection": (always(Fault.cut_connection()), True),
    "a body cut in the middle": (always(Fault.cut_body()), True),
    "400": (always(Fault.refusing()), True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_reply_degrades_only_what_it_was_for(
    make: Make, server: ModelServer, model: LiteLLMModel, fault: str
) -> None:
    """Whatever comes back, a sound tree is stored with all that layout knows, quoted summaries and a note."""
    server.answer, is_useless = FAULTS[fault]
    tree = make(manual(), model=model)
    layout = make(manual())
    plain = by_title(layout)

    assert check_tree(tree) == []
    assert plain.keys() - set(titles(tree)) <= {title for title in plain if title.startswith("Page")}
    assert by_title(tree)["Chapter 1"].summary
    if is_useless:
        assert titles(tree) == titles(layout)
        assert by_title(tree)["Chapter 1"].summary == plain["Chapter 1"].summary
        assert {note.code for note in tree.notes} & {"model_reply_missed", "model_ended"}


def test_an_error_at_every_third_call_costs_a_third(make: Make, server: ModelServer, model: LiteLLMModel) -> None:
    """The other calls' results all stand; each failed summary leaves its quoted one."""
    count = itertools.count(1)
    server.answer = lambda request: Fault.refusing() if next(count) % 3 == 0 else GOOD(request)
    tree = make(manual(), model=model)
    written = [section for section in tree.walk() if section.summary_model]

    assert len(written) >= 10
    assert all(section.summary for section in tree.walk() if not section.title.startswith("Page"))
    assert any(note.code == "model_reply_missed" for note in tree.notes)


def test_a_refused_key_stops_at_once(server: ModelServer, model: LiteLLMModel, tmp_path: Path) -> None:
    """One call is enough to know; the document's status says why, and nothing is stored."""
    server.answer = always(Fault.denied())
    library = open_library()
    with pytest.raises(ModelAccessError):
        index_source(given(manual()), library, model=model)

    assert library.get("manual").status == "failed"
    assert "key" in (library.get("manual").error or "").lower()
    assert len(server.requests) <= 8  # those that were under way side by side


def test_a_server_that_stays_away_is_not_asked_for_every_section(
    make: Make, server: ModelServer, model: LiteLLMModel
) -> None:
    """After eight failures in a row the rest is left to a later run, and a note says so."""
    server.answer = always(Fault.failing())
    options = IndexOptions(tree=TreeOptions(optimize="off"))
    tree = make(manual(12), options, model=model, model_options=ModelOptions(concurrency=8))

    assert len(server.requests) <= 2 * (8 + 8)  # each tried twice; eight more were under way
    assert [note.code for note in tree.notes][-1] == "model_ended"


def test_a_server_that_never_answers_in_time_ends_the_asking(server: ModelServer, make: Make) -> None:
    """Timeouts are failures like others: the tree is whole, long before every section has waited for its own."""
    server.answer = always(Fault.slow(30))
    model = LiteLLMModel("openai/x", api_base=server.base_url, api_key="test", timeout_s=0.3, max_retries=0)
    tree = make(manual(12), IndexOptions(tree=TreeOptions(optimize="off")), model=model)

    assert check_tree(tree) == []
    assert [note.code for note in tree.notes][-1] == "model_ended"


def test_a_budget_ends_the_run_with_what_it_has(make: Make, server: ModelServer, model: LiteLLMModel) -> None:
    """Not one call more than allowed; the tree is whole, and a note says what was not done."""
    tree = make(manual(), model=model, model_options=ModelOptions(max_calls=5))

    assert len(server.requests) == 5
    assert check_tree(tree) == []
    assert all(section.summary for section in tree.walk() if not section.title.startswith("Page"))
    (note,) = [note for note in tree.notes if note.code == "model_ended"]
    assert "5 of 5 model calls" in note.message


def test_a_budget_holds_for_all_documents_of_a_run(server: ModelServer, model: LiteLLMModel, tmp_path: Path) -> None:
    """The second file is indexed without the model when the first has used the calls up."""
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(manual(1) + name.encode())
    report = index_paths(tmp_path, open_library(), model=model, model_options=ModelOptions(max_calls=3))

    assert len(server.requests) == 3
    assert len(report.indexed) == 2
    assert report.spent is not None
    assert report.spent.calls == 3


def test_the_next_run_completes_what_a_budget_left_open(
    server: ModelServer, model: LiteLLMModel, tmp_path: Path
) -> None:
    """With the same options and a larger budget the document is taken up again, and no call is paid twice."""
    library = open_library(tmp_path / "library")
    index_source(given(manual()), library, model=model, model_options=ModelOptions(max_calls=6))
    info, worked = index_source(given(manual()), library, model=model)

    assert worked
    assert [note.code for note in info.notes] == []
    assert _repeated(server) == []
    assert index_source(given(manual()), library, model=model) == (info, False)


def test_a_document_that_a_model_described_is_left_alone_without_one(server: ModelServer, model: LiteLLMModel) -> None:
    """Summaries that were paid for are not thrown away; other options of layout still index anew."""
    library = open_library()
    info, _ = index_source(given(manual()), library, model=model)

    assert index_source(given(manual()), library) == (info, False)
    assert index_source(given(manual()), library, options=_groups_of_four())[1]


def test_another_model_or_other_options_describe_anew(server: ModelServer, model: LiteLLMModel) -> None:
    """What shapes the summaries is part of the fingerprint; what only limits the run is not."""
    library = open_library()
    index_source(given(manual()), library, model=model)

    def index(**options: Any) -> bool:
        return index_source(given(manual()), library, model=model, model_options=ModelOptions(**options))[1]

    assert not index(concurrency=2, max_calls=10_000)
    assert index(summary_words=60)


def test_a_changed_chapter_alone_is_asked_for_again(server: ModelServer, model: LiteLLMModel) -> None:
    """Without any cache, the summaries of unchanged sections come from the stored tree."""
    library = open_library()  # in memory, so that no reply is kept on disk
    index_source(given(manual()), library, model=model)
    server.forget()
    info, _ = index_source(given(manual(change=" It is new.")), library, model=model)
    asked = [texts_in(request.body)[0].splitlines()[0] for request in _summaries(server)]

    assert asked
    assert all(title == "Chapter 2" or title.startswith("Part b") for title in asked)
    parts = [section for section in library.tree(info.doc_id).walk() if is_part(section.title)]
    assert all(section.summary_model == "test-model" for section in parts)


def test_async_gives_the_same_tree(server: ModelServer, model: LiteLLMModel) -> None:
    """Under an event loop, calls, tree and notes are those of the threads."""
    pages = read_pages(given(manual(2)))
    run = open_run(model)
    threads = tree_with_model(pages, IndexOptions(), run)
    loop = asyncio.run(atree_with_model(pages, IndexOptions(), run))

    assert threads == loop
    assert sorted(_repeated(server)) == sorted({_shape(request) for request in server.requests})


def test_user_prompts_replace_ours(make: Make, server: ModelServer, model: LiteLLMModel, tmp_path: Path) -> None:
    """A wording of the caller's is sent instead, and makes another fingerprint; an unknown field is refused."""
    own = {"summary": "Sum up in {words} words:\n<{mark}>\n{title}\n{text}\n</{mark}>"}
    make(manual(1), model=model, model_options=ModelOptions(prompts=own))

    assert any(request.prompt.startswith("Sum up in 150 words:") for request in server.requests)
    assert open_run(model, ModelOptions(prompts=own)).mark != open_run(model).mark
    with pytest.raises(OptionError, match="unknown fields: texts"):
        make(manual(1), model=model, model_options=ModelOptions(prompts={"summary": "{texts}"}))


def test_structure_alone_writes_no_summaries(make: Make, server: ModelServer, model: LiteLLMModel) -> None:
    """With summaries switched off, the model divides leaves and nothing else; quotations fill the rest."""
    tree = make(manual(1), model=model, model_options=ModelOptions(summaries=False))

    assert set(purposes(server.requests)) == {"headings"}
    assert by_title(tree)["Part an of the works"].summary
    assert tree.description


def _groups_of_four() -> IndexOptions:
    return replace(IndexOptions(), tree=TreeOptions(group_pages=4))


def _summaries(server: ModelServer) -> list[Any]:
    return [request for request in server.requests if "summary" in schema_of(request.body)["properties"]]


def _shape(request: Any) -> str:
    from pageindex_core.llm.prompts import without_marks

    return without_marks(request.prompt)


def _repeated(server: ModelServer) -> list[str]:
    """Prompts that were answered more than once, but for their random marks."""
    shapes = [_shape(request) for request in server.requests if request.status == 200]
    return [shape for shape in set(shapes) if shapes.count(shape) > 1]
