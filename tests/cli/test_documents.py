"""``pageindex-rag tree``, ``show``, ``list`` and ``remove``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pageindex_core.tree import tree_from_json


def titles(nodes: list[dict]) -> list:
    return [[node["title"], *titles(node.get("nodes", []))] for node in nodes]


def test_tree_of_a_file_needs_no_library(run, folder: Path, pumps_pdf: bytes) -> None:
    """A file is read on the spot, and nothing is stored."""
    (folder / "pumps.pdf").write_bytes(pumps_pdf)
    lines = run("tree", "pumps.pdf").out.splitlines()
    assert lines[0] == "pumps.pdf  (3 pages, structure from bookmarks)"
    assert lines[1:] == ["  [0000] 1 Pumps  · p. 1-2", "    [0001] 1.1 Seals  · p. 1-2", "  [0002] 2 Valves  · p. 3"]
    assert [path.name for path in folder.iterdir()] == ["pumps.pdf"]


def test_depth_limits_text_and_json(run, stored: Path) -> None:
    """``--depth 1`` shows the outermost sections only, in both forms."""
    assert "1.1 Seals" in run("tree", "pumps.pdf").out
    assert "1.1 Seals" not in run("tree", "pumps.pdf", "--depth", "1").out
    shallow = run("tree", "pumps.pdf", "--depth", "1", "--json").json
    assert titles(shallow["structure"]) == [["1 Pumps"], ["2 Valves"]]
    assert run("tree", "pumps.pdf", "--depth", "0").code == 2


def test_json_is_a_page_tree(run, stored: Path) -> None:
    """The JSON form has the shared keys and loads as a tree again."""
    outcome = run("tree", "pumps.pdf", "--json")
    assert {"doc_name", "structure", "toc_source"} <= set(outcome.json)
    first = outcome.json["structure"][0]
    assert (first["title"], first["node_id"], first["start_index"], first["end_index"]) == ("1 Pumps", "0000", 1, 2)
    tree = tree_from_json(outcome.out)
    assert [section.title for section in tree.walk() if not section.synthetic] == ["1 Pumps", "1.1 Seals", "2 Valves"]


def test_summaries_are_shown_when_asked_for(run, stored: Path) -> None:
    """``--summaries`` adds what each section says."""
    assert "close by a spring" not in run("tree", "pumps.pdf").out
    assert "close by a spring" in run("tree", "pumps.pdf", "--summaries").out


def test_merging_reports_what_it_saves(run, stored: Path) -> None:
    """``--optimize merge`` shows the merged tree and its measures before and after."""
    out = run("tree", "pumps.pdf", "--optimize", "merge").out
    assert "merged: leaves " in out
    assert "1.1 Seals" not in out


def test_library_option_asks_for_the_stored_tree(run, stored: Path) -> None:
    """A changed file is read anew by its path, and as it was stored with ``--library``."""
    (stored / "notes.md").write_text("# Changed\n\nText.\n", encoding="utf-8")
    assert titles(run("tree", "notes.md", "--json").json["structure"]) == [["Changed"]]
    kept = run("tree", "notes.md", "--json", "--library", ".pageindex").json
    assert titles(kept["structure"]) == [["Orders"], ["Visits"]]


def test_stored_tree_outlives_its_file(run, stored: Path) -> None:
    """Without the file, its name means the stored document."""
    (stored / "notes.md").unlink()
    assert titles(run("tree", "notes.md", "--json").json["structure"]) == [["Orders"], ["Visits"]]


def test_tree_of_nothing_says_which_kind_of_nothing(run, stored: Path) -> None:
    """No file and no library is a missing file; no file and a library is a missing document."""
    assert run("tree", "absent.pdf").code == 4
    lost = run("tree", "absent.pdf", "--library", "nowhere")
    assert lost.code == 3
    assert "absent.pdf is not a file" in lost.err


def test_bad_file_has_no_tree(run, folder: Path) -> None:
    """A file that cannot be read exits with 3 and its cause."""
    (folder / "empty.pdf").write_bytes(b"")
    outcome = run("tree", "empty.pdf")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("pageindex-rag: empty.pdf is empty.\n  ")


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("2", [2]),
        ("1,3", [1, 3]),
        ("2-3", [2, 3]),
        ("3,1-2", [1, 2, 3]),
        ("1-2,2", [1, 2]),
        ("label:iv", [1]),
        ("label:iv-v", [1, 2]),
        ("label:1", [3]),
        ("label:v,3", [2, 3]),
        (" 1 , 2 - 3 ", [1, 2, 3]),
        ("2-9", [2, 3]),
    ],
)
def test_pages_are_named_in_many_forms(run, stored: Path, pages: str, expected: list[int]) -> None:
    """Numbers, lists, ranges and printed labels give the pages meant, ascending and each once."""
    outcome = run("show", "pumps.pdf", pages, "--json")
    assert outcome.code == 0
    assert [page["page_number"] for page in outcome.json["pages"]] == expected


def test_pages_are_shown_under_their_names(run, stored: Path) -> None:
    """Each page has a line with document, number and printed label, and then its text as read."""
    lines = run("show", "pumps.pdf", "3").out.splitlines()
    assert lines == ["--- pumps.pdf, page 3 of 3 (printed 1) ---", "2 Valves", "Valves close by a spring."]


def test_pages_past_the_end_are_named(run, stored: Path) -> None:
    """What exists is shown and the rest named; nothing that exists is an error."""
    partly = run("show", "pumps.pdf", "3-5")
    assert (partly.code, "3-5" in partly.err) == (0, True)
    beyond = run("show", "pumps.pdf", "4,label:xx")
    assert (beyond.code, beyond.out) == (2, "")
    assert "has no page 4, label:xx" in beyond.err
    assert "3 pages" in beyond.err


@pytest.mark.parametrize("pages", ["", "x", "3-1", "1,,2", "1-", "-1", "1.5"])
def test_pages_that_cannot_be_meant_are_refused(run, stored: Path, pages: str) -> None:
    """Another form exits with 2; most messages show the accepted forms."""
    outcome = run("show", "pumps.pdf", "--", pages)
    assert (outcome.code, outcome.out) == (2, "")
    assert "cannot be read" in outcome.err


def test_list_is_an_aligned_table(run, stored: Path) -> None:
    """Columns start below their heads, and each document has its id."""
    head, *rows = run("list").out.splitlines()
    assert [row.split()[0] for row in rows] == ["notes.md", "pumps.pdf"]
    assert all(row[head.index("STATUS") :].startswith("ready") for row in rows)
    doc_ids = {info["doc_id"] for info in run("list", "--json").json["documents"]}
    assert {row[head.index("DOC_ID") :] for row in rows} == doc_ids


def test_list_is_sorted_and_scoped(run, stored: Path) -> None:
    """``--sort``, ``--descending`` and ``--folder`` do what they say."""

    def listed(*arguments: str) -> list[str]:
        return [info["name"] for info in run("list", *arguments, "--json").json["documents"]]

    assert listed("--sort", "page_count") == ["notes.md", "pumps.pdf"]
    assert listed("--sort", "page_count", "--descending") == ["pumps.pdf", "notes.md"]
    assert listed("--folder", "/shop") == ["notes.md"]
    assert run("list", "--folder", "/empty").err == "pageindex-rag: no documents\n"


def test_list_tells_why_a_document_failed(run, stored: Path) -> None:
    """A source that could once be read keeps its pages and shows why it cannot be read now."""
    (stored / "pumps.pdf").write_bytes((stored / "pumps.pdf").read_bytes()[:200])
    assert run("index", "pumps.pdf").code == 3
    out = run("list").out
    assert "failed" in out
    assert "pumps.pdf: pumps.pdf cannot be opened" in out
    assert run("search", "spring", "-k", "1", "--json").json["hits"][0]["doc_name"] == "pumps.pdf"


def test_removed_documents_are_not_found(run, stored: Path) -> None:
    """After ``remove`` neither search, list, show nor tree knows the document, and its file is still there."""
    assert run("remove", "pumps.pdf").out.startswith("removed  pumps.pdf")
    hits = run("search", "valves seals", "-k", "9", "--json").json["hits"]
    assert {hit["doc_name"] for hit in hits} == {"notes.md"}
    assert [info["name"] for info in run("list", "--json").json["documents"]] == ["notes.md"]
    assert run("show", "pumps.pdf", "1").code == 4
    assert (stored / "pumps.pdf").exists()


def test_unknown_documents_do_not_stop_removal(run, stored: Path) -> None:
    """The others are removed, the unknown one is named, and the code is 4."""
    outcome = run("remove", "absent.pdf", "notes.md", "--json")
    assert outcome.code == 4
    assert [info["name"] for info in json.loads(outcome.out)["removed"]] == ["notes.md"]
    assert "absent.pdf" in outcome.err


def test_remove_makes_no_library(run, folder: Path) -> None:
    """Removing from a library that does not exist exits with 4 and makes none."""
    assert run("remove", "a.pdf").code == 4
    assert list(folder.iterdir()) == []
