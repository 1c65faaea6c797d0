"""The tools at their limits: no call raises, no answer outgrows what hosts take, and nothing is cut without a word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pageindex_core.errors import OptionError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.page_ranges import LAST_NUMBER, read_page_number
from pageindex_core.pipeline import index_pages
from pageindex_core.records import Scope
from pageindex_core.search import exact
from pageindex_core.search.navigate import run
from pageindex_core.search.tools.toolbox import answer_call
from pageindex_core.tools import DocumentTools
from written_documents import write_pages

AGENT_CHARACTERS = 24_000
"""The size that the reading agent asks for."""


def nested(depth: int, *, objects: bool = False) -> Any:
    value: Any = "1"
    for _ in range(depth):
        value = {"start": value} if objects else [value]
    return value


def library_of(*documents: tuple[str, list[str], dict[str, Any]]) -> Library:
    library = open_library(None)
    for name, pages, metadata in documents:
        index_pages(write_pages(name, pages, metadata=metadata), library)
    return library


def agent_call(library: Library, name: str, **arguments: Any) -> dict[str, Any]:
    """A call as the reading agent makes it; its answer has the agent's size at most."""
    result = run(answer_call(name, arguments, Scope(), AGENT_CHARACTERS), library)
    assert len(json.dumps(result, ensure_ascii=False)) <= AGENT_CHARACTERS
    return result


@pytest.fixture
def tools() -> DocumentTools:
    return DocumentTools(library_of(("saw.pdf", ["# Safety\nKeep hands away.", "Noise 78 dB"], {})), management=True)


# Nothing raises


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_page_content", {"doc_name": "saw.pdf", "pages": "9" * 5_000}, "no_such_page"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": 10**5_000}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": nested(5_000)}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": nested(5_000, objects=True)}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": nested(20)}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": "1", "offset": 10**30}, "no_such_offset"),
        ("get_document", {"doc_name": 10**5_000}, "bad_arguments"),
        ("get_document", {"doc_name": nested(5_000)}, "bad_arguments"),
        ("remove_document", {"doc_name": 10**5_000}, "bad_arguments"),
        ("browse_documents", {"offset": 10**5_000}, "bad_arguments"),
        (None, {}, "unknown_tool"),
        (5, {}, "unknown_tool"),
        (["x"], {}, "unknown_tool"),
        ({}, None, "unknown_tool"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, (dict, list)) else None,
)
async def test_values_that_python_cannot_take_are_explained(
    tools: DocumentTools, name: Any, arguments: Any, code: str
) -> None:
    """Numbers of thousands of digits, deep nesting and names that are no texts end in an answer, in both ways."""
    for result in (tools.call(name, arguments), await tools.acall(name, arguments)):
        assert result["error_code"] == code
        assert result["next_steps"]


@pytest.mark.parametrize("pages", ["1-" + "9" * 4_400, "9" * 4_400 + "-1"])
def test_a_range_that_ends_anywhere_past_the_document_gives_what_exists(tools: DocumentTools, pages: str) -> None:
    """However many digits its end has, and written backwards too."""
    result = tools.get_page_content("saw.pdf", pages)
    assert [page["page"] for page in result["pages"]] == [1, 2]
    assert "pages 1 to 2" in result["note"]
    assert len(json.dumps(result)) < 3_000


def test_page_numbers_are_read_up_to_the_last() -> None:
    """Zeros before a number do not count as digits; what is larger is the last number."""
    assert read_page_number("0" * 5_000 + "17") == 17
    assert read_page_number("0") == 0
    assert read_page_number("1000000000000") == LAST_NUMBER
    assert read_page_number("1000000000001") == LAST_NUMBER
    assert read_page_number("999999999999") == LAST_NUMBER - 1


@pytest.mark.parametrize("more", [{}, {"query": "noise"}])
@pytest.mark.parametrize("offset", [10**30, "1e30"])
def test_a_list_ends_however_far_is_skipped(tools: DocumentTools, offset: Any, more: dict[str, str]) -> None:
    """Past the end there are no documents, and none to go on with."""
    result = tools.call("browse_documents", {"offset": offset, **more})
    assert (result["total"], result["documents"]) == (1, [])
    assert "next_offset" not in result


def test_a_failure_stays_short_whatever_was_sent(tools: DocumentTools) -> None:
    """A name of a million letters is not sent back."""
    result = tools.call("get_document", {"doc_name": "x" * 1_000_000})
    assert result["error_code"] == "unknown_document"
    assert len(json.dumps(result)) < 3_000


@pytest.mark.parametrize("scope", [None, "saw.pdf", {"folder": "/"}])
def test_what_is_no_scope_is_refused(scope: Any) -> None:
    """The tools ask for a scope as the search verbs do, before any call."""
    with pytest.raises(OptionError, match=r"Scope\(\) for everything"):
        DocumentTools(open_library(None), scope=scope)


# Pages longer than one answer


WORDS = ["word" + "".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(9_000)]


@pytest.mark.parametrize("line_words", [9_000, 10])
def test_a_page_longer_than_one_answer_is_cut_and_can_be_gone_on_with(line_words: int) -> None:
    """Each part says what it is of the page; following the steps gives the whole text, then the next page."""
    lines = [" ".join(WORDS[at : at + line_words]) for at in range(0, len(WORDS), line_words)]
    library = library_of(("long.pdf", ["\n".join(lines), "# End\nThe end."], {}))
    (whole,) = library.pages(library.list()[0].doc_id, [1])
    text, offset, answers = "", 0, 0
    while True:
        result = agent_call(library, "get_page_content", doc_name="long.pdf", pages="1-2", offset=offset)
        first, *others = result["pages"]
        answers += 1
        assert first["from_character"] == offset == len(text)
        text += first["text"]
        assert (first["to_character"], first["characters"]) == (len(text), len(whole.text))
        if others:
            break
        offset = len(text)
        assert f"up to character {offset} of {len(whole.text)}" in result["note"]
        assert result["next_steps"] == [f"Too much for one answer. Ask for pages 1-2 with offset {offset} next."]
        assert text[-1].isspace()
    assert text == whole.text
    assert answers == 4
    assert [page["text"] for page in others] == ["End\nThe end."]
    assert "next_steps" not in result


def test_an_offset_past_the_page_is_explained(tools: DocumentTools) -> None:
    """The answer says how long the page is."""
    result = tools.get_page_content("saw.pdf", "2", 11)
    assert result["error_code"] == "no_such_offset"
    assert "11 characters" in result["error"]
    assert tools.get_page_content("saw.pdf", "2", 6)["pages"][0]["text"] == "78 dB"


# Long lists


@pytest.mark.parametrize("more", [{}, {"query": "blades"}])
def test_documents_with_long_metadata_are_listed_in_answers_of_the_usual_size(more: dict[str, str]) -> None:
    """Going on with the offset gives each document once; what is left out of an entry is named."""
    metadata = {"year": 2024, "notes": "n" * 47_000}
    names = [f"saw {number:02}.pdf" for number in range(30)]
    library = library_of(*((name, [f"# Saw\nBlades of {name}"], metadata) for name in names))
    listed: list[str] = []
    result: dict[str, Any] = {"next_offset": 0}
    while "next_offset" in result:
        result = agent_call(library, "browse_documents", limit=30, offset=result["next_offset"], **more)
        listed += [one["doc_name"] for one in result["documents"]]
        assert all(one["metadata"] == {"year": 2024} for one in result["documents"])
        assert all("1 of 2 entries" in one["metadata_left_out"] for one in result["documents"])
    assert sorted(listed) == names


def test_a_list_cut_by_its_size_says_where_to_go_on() -> None:
    """Entries of 2,000 characters each: ten or so fit the agent's answer, and the step names the offset."""
    documents = [(f"saw {number:02}.pdf", ["# Saw\nBlades"], {"notes": "n" * 2_000}) for number in range(20)]
    result = agent_call(library_of(*documents), "browse_documents")
    assert 10 <= len(result["documents"]) < 20
    assert all(one["metadata"] == {"notes": "n" * 2_000} for one in result["documents"])
    assert result["next_offset"] == len(result["documents"])
    assert str(result["next_offset"]) in result["next_steps"][0]


def test_one_document_is_told_within_the_size_and_says_where_its_other_sections_are() -> None:
    """Of 700 outermost sections those that fit are given; the part named holds the first that is not."""
    pages = [f"# Section {number} {'with a long title ' * 5}\nText." for number in range(700)]
    library = library_of(("many.pdf", pages, {"abstract": "a" * 30_000}))
    result = agent_call(library, "get_document", doc_name="many.pdf")
    document = result["document"]
    shown = document["outermost_sections"]
    following = f"{int(shown[-1]['node_id']) + 1:04}"
    assert "abstract" in document["metadata_left_out"]
    assert 50 < len(shown) < document["outermost_sections_total"] == 700
    (step,) = result["next_steps"]
    assert f"{len(shown)} of 700" in step
    part = int(step.partition("part ")[2].partition(" ")[0])
    arguments = {"doc_name": "many.pdf", "depth": 1, "summaries": False, "part": part}
    rest = run(answer_call("get_document_structure", arguments, Scope(), AGENT_CHARACTERS), library)
    assert following in [node["node_id"] for node in rest["structure"]]
    assert 1 <= part <= rest["parts"]


def test_a_short_document_is_told_whole(tools: DocumentTools) -> None:
    """No step and no total where nothing is left out."""
    result = tools.get_document("saw.pdf")
    assert [node["title"] for node in result["document"]["outermost_sections"]] == ["Safety"]
    assert set(result) == {"success", "document"}
    assert "outermost_sections_total" not in result["document"]


# Searches


@pytest.mark.parametrize("exact_phrase", [False, True])
def test_places_on_long_lines_are_given_around_the_words(exact_phrase: bool) -> None:
    """A line of 60,000 characters comes as the part that matches, marked where it goes on."""
    line = " ".join([*WORDS[:3_000], "Zeppelin hangar", *WORDS[3_000:6_000]])
    result = agent_call(
        library_of(("saw.pdf", [line], {})),
        "find_in_document",
        doc_name="saw.pdf",
        query="zeppelin hangar",
        exact=exact_phrase,
    )
    (found,) = result["places"][0]["lines"]
    assert "Zeppelin hangar" in found
    assert found[0] == found[-1] == "…"
    assert len(found) < 600
    assert "next_steps" not in result


def test_places_that_do_not_fit_are_told() -> None:
    """Twenty sections with long paths and lines: the best are given, and the step says of how many."""
    title = "Saws " * 200
    page = f"# {title}\n## {title}\n### {title}\nsaw " + "blade " * 100
    library = library_of(("saw.pdf", [page] * 20, {}))
    result = agent_call(library, "find_in_document", doc_name="saw.pdf", query="saw blade", limit=20)
    places = result["places"]
    assert 5 < len(places) < 20
    assert f"the best {len(places)} of 20 places" in result["next_steps"][0]
    scores = [place["score"] for place in places]
    assert scores == sorted(scores, reverse=True)


def test_an_exact_search_that_was_cut_does_not_say_that_nothing_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words may stand further on; the note says where the search stopped."""
    monkeypatch.setattr(exact, "MOST_PAGES", 2)
    pages = [*(f"# {number}\nred. saw" for number in range(5)), "red saw"]
    tools = DocumentTools(library_of(("saw.pdf", pages, {})))
    cut = tools.find_in_document("saw.pdf", "red saw", exact=True)
    assert "stopped after 2 pages" in cut["note"]
    assert cut["places"] == []
    assert "before the search was cut" in cut["next_steps"][0]
    nothing = tools.find_in_document("saw.pdf", "zeppelin", exact=True)
    assert nothing["next_steps"][0].startswith("Nothing holds these words")
    assert "note" not in nothing
