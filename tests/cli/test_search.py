"""``pageindex-rag search``: what hits show, what narrows them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_builder import build_pdf, page


def names(outcome) -> list[str]:
    return [hit["doc_name"] for hit in outcome.json["hits"]]


def test_hit_shows_where_it_comes_from(run, stored: Path) -> None:
    """People see document, section path, pages with their printed labels, score and the quoted lines."""
    outcome = run("search", "spring of the valves", "-k", "1")
    first, place, *quotes = outcome.out.splitlines()
    assert first == "1. pumps.pdf: 2 Valves"
    assert place.startswith("   page 3 (printed 1), score 0.")
    assert "   | Valves close by a spring." in quotes


def test_range_of_pages_shows_both_ends_of_the_labels(run, stored: Path) -> None:
    """A section over two pages names both, and both labels."""
    outcome = run("search", "red cabinet of the workshop", "-k", "1")
    assert outcome.out.startswith("1. pumps.pdf: 1 Pumps > 1.1 Seals\n   pages 1-2 (printed iv-v), score ")


def test_markdown_hit_shows_lines(run, stored: Path) -> None:
    """A source without pages of its own is cited by its lines."""
    assert "page 1, lines 1-" in run("search", "ordered in May", "-k", "1").out


def test_question_needs_no_quotes(run, stored: Path) -> None:
    """Words given one by one are one question."""
    apart = run("search", "spring", "of", "the", "valves", "--json").json
    assert apart["question"] == "spring of the valves"
    assert apart["hits"] == run("search", "spring of the valves", "--json").json["hits"]


def test_json_holds_what_a_program_needs(run, stored: Path) -> None:
    """Each hit has document, section, pages, text, score and boxes; the trace comes when asked for."""
    found = run("search", "spring of the valves", "-k", "2", "--json").json
    assert set(found) == {"question", "hits", "notes"}
    hit = found["hits"][0]
    assert hit["doc_name"] == "pumps.pdf"
    assert hit["section_path"] == ["2 Valves"]
    assert (hit["page_start"], hit["page_end"], hit["page_label"]) == (3, 3, "1")
    assert "Valves close by a spring." in hit["text"]
    assert 0 < hit["score"] <= 1
    assert hit["boxes"][0]["page_number"] == 3
    x0, y0, x1, y1 = hit["boxes"][0]["box"]
    assert 0 < x0 < x1 < 595
    assert 0 < y0 < y1 < 842
    assert run("search", "valves", "--json", "--trace").json["trace"]["navigator"] == "lexical"


def test_k_and_units_limit_the_answer(run, stored: Path) -> None:
    """``-k`` hits come back, of the kind that was asked for."""
    assert len(run("search", "seals", "-k", "2", "--json").json["hits"]) == 2
    pages = run("search", "seals", "--unit", "page", "-k", "9", "--doc", "pumps.pdf", "--json").json["hits"]
    assert sorted((hit["page_start"], hit["page_end"]) for hit in pages) == [(1, 1), (2, 2), (3, 3)]


def test_max_tokens_cuts_the_text(run, folder: Path) -> None:
    """A long section comes back as the part around its best lines."""
    lines = [f"The crane number {number} lifts nothing special." for number in range(30)]
    lines[20] = "The yellow crane lifts nine tonnes."
    (folder / "long.md").write_text("# Cranes\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    assert run("index", "long.md").code == 0
    (hit,) = run("search", "yellow nine tonnes", "-k", "1", "--max-tokens", "40", "--json").json["hits"]
    assert "yellow crane" in hit["text"]
    assert hit["tokens"] <= 40


def test_documents_narrow_the_scope(run, stored: Path) -> None:
    """``--doc`` takes names, ids and relative paths, more than one, and searches nothing else."""
    doc_id = next(info["doc_id"] for info in run("list", "--json").json["documents"] if info["name"] == "notes.md")
    for given in ("notes.md", doc_id, "./notes.md"):
        assert set(names(run("search", "seals", "--doc", given, "--json"))) == {"notes.md"}
    both = run("search", "seals", "--doc", "notes.md", "--doc", "pumps.pdf", "-k", "9", "--json")
    assert set(names(both)) == {"notes.md", "pumps.pdf"}


def test_unknown_document_is_refused_with_the_closest_name(run, stored: Path) -> None:
    """A document that is not there is an error with exit code 4, not an empty answer."""
    outcome = run("search", "seals", "--doc", "pump.pdf")
    assert outcome.code == 4
    assert "pumps.pdf" in outcome.err


def test_folder_narrows_the_scope(run, stored: Path) -> None:
    """``--folder`` sees that folder alone, and a document outside it cannot be named either."""
    assert set(names(run("search", "seals", "--folder", "/shop", "--json"))) == {"notes.md"}
    assert run("search", "seals", "--folder", "/shop", "--doc", "pumps.pdf").code == 4


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("year=2024", True),
        ("year=2023", False),
        ("year>=2024", True),
        ("year<2024", False),
        ("year>2023", True),
        ("year<=2023", False),
        ("year!=2024", False),
        ("kind=log", True),
        ("kind!=book", True),
        ("other=1", False),
    ],
)
def test_conditions_filter_by_metadata(run, stored: Path, condition: str, is_met: bool) -> None:
    """``--where`` compares metadata; a document without the key meets no equality and no order."""
    found = names(run("search", "ordered in May", "--where", condition, "--json"))
    assert ("notes.md" in found) == is_met


def test_conditions_all_hold(run, stored: Path) -> None:
    """Repeated conditions narrow further, also on the same key."""
    assert names(run("search", "May", "--where", "year>2000", "--where", "year<2024", "--json")) == []
    assert set(names(run("search", "May", "--where", "year>2000", "--where", "kind=log", "--json"))) == {"notes.md"}


def test_numbers_stored_as_text_are_found(run, folder: Path) -> None:
    """``year=2024`` finds the text "2024" as well, since loaders store either."""
    (folder / "a.txt").write_text("Cranes lift.", encoding="utf-8")
    assert run("index", "a.txt", "--meta", 'year="2024"').code == 0
    assert names(run("search", "cranes", "--where", "year=2024", "--json")) == ["a.txt"]


def test_phrase_and_expression_find_exactly(run, stored: Path) -> None:
    """``--phrase`` and ``--regex`` give only what contains it, and nothing to fill up."""
    assert names(run("search", "--phrase", "close by a spring", "--json")) == ["pumps.pdf"]
    assert names(run("search", "--phrase", "close by spring", "--json")) == []
    assert names(run("search", "--regex", r"ordered in \w+", "--json")) == ["notes.md"]


def test_nothing_found_is_said(run, stored: Path) -> None:
    """An exact search without a match succeeds, prints nothing and says so."""
    outcome = run("search", "--phrase", "no such words")
    assert (outcome.code, outcome.out) == (0, "")
    assert "nothing found" in outcome.err


def test_trace_is_shown(run, stored: Path) -> None:
    """``--trace`` tells people how the answer came about."""
    out = run("search", "valves", "--trace").out
    assert "trace: lexical, " in out
    assert "  shortlist: " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["search", ""], "question is empty"),
        (["search", "   "], "question is empty"),
        (["search", "seals", "-k", "0"], "k=0"),
        (["search", "seals", "-k", "-3"], "k=-3"),
        (["search", "seals", "-k", "many"], "invalid int value"),
        (["search", "--regex", "("], "no regular expression"),
        (["search", "seals", "--max-tokens", "3"], "max_tokens=3"),
        (["search", "seals", "--unit", "chapter"], "invalid choice"),
        (["search", "seals", "--phrase", "--regex"], "not allowed with"),
        (["search", "seals", "--where", "year"], "key=value"),
        (["search"], "required"),
        (["find", "seals"], "invalid choice"),
        ([], "required"),
    ],
)
def test_what_cannot_be_meant_is_refused(run, stored: Path, arguments: list[str], words: str) -> None:
    """A wrong argument exits with 2 and names what is wrong, without a traceback."""
    outcome = run(*arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_missing_library_is_named_and_not_made(run, folder: Path) -> None:
    """Searching where there is no library exits with 4 and makes none."""
    outcome = run("search", "seals", "--library", "nowhere")
    assert outcome.code == 4
    assert "nowhere" in outcome.err
    assert list(folder.iterdir()) == []


def test_control_characters_never_reach_the_terminal(run, folder: Path) -> None:
    """Neither a file name nor a document's text can steer the terminal."""
    name = "a\x1b[31mred.pdf"
    (folder / name).write_bytes(build_pdf([page("# 1 Red", "Paint is red.")], bookmarks=[(1, "1 \x1b[2JRed", 1)]))
    outputs = [run("index", name), run("search", "paint"), run("list"), run("show", name, "1"), run("tree", name)]
    assert [outcome.code for outcome in outputs] == [0] * 5
    assert not any("\x1b" in outcome.out + outcome.err for outcome in outputs)
