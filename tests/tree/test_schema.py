"""Trees as JSON: ours and those that ``pageindex`` writes, and JSON that is no tree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pageindex_core.errors import TreeFormatError
from pageindex_core.records import Note, PageTree, Section
from pageindex_core.tree import tree_from_json, tree_to_json
from pageindex_core.tree.check import check_tree
from random_outlines import pages_of, rows, tree_of

FOREIGN: dict[str, Any] = {
    "doc_name": "report.pdf",
    "doc_description": "A yearly report.",
    "structure": [
        {"title": "Preface", "start_index": 1, "end_index": 2, "node_id": "0000", "summary": "Opens."},
        {
            "title": "1 Money",
            "start_index": 3,
            "end_index": 3,
            "node_id": "0001",
            "text": "ignored",
            "nodes": [
                {"title": "1.1 Income", "start_index": 3, "end_index": 5, "node_id": "0002"},
                {"title": "1.2 Costs", "start_index": 5, "end_index": 9, "node_id": "0003", "key_items": ["Rent"]},
            ],
        },
    ],
}
"""As ``pageindex`` writes a PDF's tree: the parent's end is that of its own text."""


def full_tree() -> PageTree:
    tree = tree_of(pages_of("1 Pumps\n1.1 Seals", "x\n2 Valves"), (1, "1 Pumps", 1, 0), (2, "1.1 Seals", 1, 1))
    section = replace(
        tree.sections[0],
        summary="On pumps.",
        key_items=("pump", "펌프"),
        start_y=71.5,
        page_label="iv",
        line_range=(3, 9),
        evidence="links",
        synthetic=True,
        summary_model="gpt-test",
    )
    notes = (Note("page_unreadable", "Page 2 is damaged.", 2), Note("other", "x"))
    return replace(
        tree,
        sections=(section,),
        toc_source="hybrid",
        shares={"links": 0.6, "detected": 0.4},
        notes=notes,
        description="One manual.",
    )


def test_every_field_is_saved_and_loaded() -> None:
    """Nothing that a tree can hold is lost on the way through JSON text."""
    assert tree_from_json(json.dumps(tree_to_json(full_tree()))) == full_tree()


def test_shared_keys_are_those_of_pageindex() -> None:
    """Readers of the shared form find its keys, 1-based and inclusive, and a schema version beside them."""
    out = tree_to_json(full_tree())
    node = out["structure"][0]

    assert (out["doc_name"], out["toc_source"], out["schema_version"]) == ("doc.pdf", "hybrid", 1)
    assert {key: node[key] for key in ("title", "node_id", "start_index", "end_index", "summary", "key_items")} == {
        "title": "1 Pumps",
        "node_id": "0000",
        "start_index": 1,
        "end_index": 2,
        "summary": "On pumps.",
        "key_items": ["pump", "펌프"],
    }
    assert [child["title"] for child in node["nodes"]] == ["1.1 Seals"]


def test_keys_without_a_value_are_left_out() -> None:
    """A leaf without summary has no empty keys: files stay small and readable."""
    leaf = tree_to_json(full_tree())["structure"][0]["nodes"][0]

    assert set(leaf) == {
        "title", "node_id", "start_index", "end_index", "level", "start_line", "evidence", "section_key",
    }  # fmt: skip


def test_tree_of_pageindex_is_read_and_made_sound() -> None:
    """Levels come from the nesting, keys are made, and a parent is stretched over its children with a note."""
    tree = tree_from_json(FOREIGN)

    assert rows(tree) == [(1, "Preface", 1, 2), (1, "1 Money", 3, 9), (2, "1.1 Income", 3, 5), (2, "1.2 Costs", 5, 9)]
    assert (tree.doc_name, tree.description, tree.page_count, tree.toc_source) == (
        "report.pdf",
        "A yearly report.",
        9,
        "detected",
    )
    assert [section.node_id for section in tree.walk()] == ["0000", "0001", "0002", "0003"]
    assert (tree.sections[0].summary, tree.sections[1].children[1].key_items) == ("Opens.", ("Rent",))
    assert [note.code for note in tree.notes] == ["tree_repaired"]
    assert check_tree(tree) == []


def test_a_list_of_nodes_is_a_structure() -> None:
    """The bare list, as passed around without its document, is read too."""
    assert rows(tree_from_json(FOREIGN["structure"])) == rows(tree_from_json(FOREIGN))


def test_tree_is_read_from_text_and_from_a_file(tmp_path: Path) -> None:
    """JSON text, a file and values give the same tree."""
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(FOREIGN, ensure_ascii=False), encoding="utf-8")

    assert tree_from_json(path) == tree_from_json(json.dumps(FOREIGN)) == tree_from_json(FOREIGN)


def test_parents_summary_may_be_a_prefix_summary() -> None:
    """``pageindex`` writes a parent's summary under a name of its own."""
    node = {"title": "a", "start_index": 1, "end_index": 1, "prefix_summary": "Before its children."}

    assert tree_from_json([node]).sections[0].summary == "Before its children."


def test_missing_ids_are_given_in_pre_order() -> None:
    """Nodes written without ids are numbered from 0000."""
    nodes = [
        {"title": t, "start_index": 1, "end_index": 1, "nodes": [{"title": t * 2, "start_index": 1}]} for t in "ab"
    ]

    assert [(section.node_id, section.title) for section in tree_from_json(nodes).walk()] == [
        ("0000", "a"),
        ("0001", "aa"),
        ("0002", "b"),
        ("0003", "bb"),
    ]


def test_ids_that_are_not_unique_are_given_anew() -> None:
    """Two nodes of one id cannot be told apart: all are numbered again."""
    nodes = [{"title": title, "start_index": 1, "end_index": 1, "node_id": "0007"} for title in "ab"]

    assert [section.node_id for section in tree_from_json(nodes).walk()] == ["0000", "0001"]


def test_ids_may_be_numbers() -> None:
    """An id of 0 is an id, not a missing one."""
    nodes = [{"title": title, "start_index": 1, "end_index": 1, "node_id": index} for index, title in enumerate("ab")]
    nodes[1]["node_id"] = 12

    assert [section.node_id for section in tree_from_json(nodes).walk()] == ["0000", "0012"]


def test_keys_of_foreign_trees_are_stable_and_unique() -> None:
    """Without a text to hash, path and order identify a section; the same title twice is two sections."""
    nodes = [{"title": "Summary", "start_index": page, "end_index": page} for page in (1, 2)]
    keys = [section.section_key for section in tree_from_json(nodes).walk()]

    assert len(set(keys)) == 2
    assert keys == [section.section_key for section in tree_from_json(nodes).walk()]


def test_section_without_an_end_runs_to_the_next() -> None:
    """Where only starts are written, a section ends before the next one starts, the last at its own start."""
    nodes = [{"title": title, "start_index": page} for title, page in (("a", 1), ("b", 4), ("c", 4), ("d", 6))]

    assert rows(tree_from_json(nodes)) == [(1, "a", 1, 3), (1, "b", 4, 4), (1, "c", 4, 5), (1, "d", 6, 6)]
    assert tree_from_json(nodes).notes == ()


def test_markdown_tree_counts_lines_where_others_count_pages() -> None:
    """Trees of Markdown files have ``line_num`` alone; a parent covers its children's lines."""
    nodes = [
        {"title": "a", "line_num": 1, "nodes": [{"title": "a1", "line_num": 5}, {"title": "a2", "line_num": 9}]},
        {"title": "b", "line_num": 20},
    ]
    tree = tree_from_json({"doc_name": "x", "structure": nodes})

    assert rows(tree) == [(1, "a", 1, 19), (2, "a1", 5, 8), (2, "a2", 9, 19), (1, "b", 20, 20)]


def test_section_that_ends_before_it_starts_is_stretched_with_a_note() -> None:
    """Off-by-one ends are repaired to one page, and counted."""
    tree = tree_from_json([{"title": "a", "start_index": 4, "end_index": 3}])

    assert rows(tree) == [(1, "a", 4, 4)]
    assert [(note.code, note.message[:10]) for note in tree.notes] == [("tree_repaired", "1 sections")]


def test_unknown_evidence_and_source_are_not_believed() -> None:
    """Words of other writers do not enter our closed lists."""
    node = {"title": "a", "start_index": 1, "end_index": 1, "evidence": "guess"}
    tree = tree_from_json({"structure": [node], "toc_source": ["llm"]})

    assert (tree.toc_source, tree.sections[0].evidence) == ("detected", None)


def node(**changes: Any) -> dict[str, Any]:
    return {"title": "a", "start_index": 1, "end_index": 2} | changes


MALFORMED: dict[str, tuple[Any, str]] = {
    "no structure": ({"doc_name": "x"}, "the top level"),
    "structure of another type": ({"structure": {"title": "a"}}, "the top level"),
    "a number": (7, "the top level"),
    "node that is a text": (["a"], "structure[0] "),
    "no title": ([node(), {"start_index": 1}], "structure[1] "),
    "title of another type": ([node(title=3)], "structure[0] "),
    "no start": ([{"title": "a"}], "structure[0].start_index"),
    "start of zero": ([node(start_index=0)], "structure[0].start_index"),
    "start as text": ([node(start_index="1")], "structure[0].start_index"),
    "start that is true": ([node(start_index=True)], "structure[0].start_index"),
    "end as text": ([node(end_index="2")], "structure[0].end_index"),
    "deep in the tree": (
        [node(nodes=[node(), node(nodes=[node(end_index=None)])])],
        "structure[0].nodes[1].nodes[0].end",
    ),
    "nodes of another type": ([node(nodes={"title": "b"})], "structure[0].nodes"),
    "summary of another type": ([node(summary=["s"])], "structure[0].summary"),
    "key items as text": ([node(key_items="abc")], "structure[0].key_items"),
    "key items of numbers": ([node(key_items=[1])], "structure[0].key_items"),
    "line range of one": ([node(line_range=[1])], "structure[0].line_range"),
    "line range of texts": ([node(line_range=["1", "2"])], "structure[0].line_range"),
    "height as text": ([node(start_y="12")], "structure[0].start_y"),
    "negative line": ([node(start_line=-1)], "structure[0].start_line"),
    "id of another type": ([node(node_id=[])], "structure[0].node_id"),
    "page count as text": ({"structure": [], "page_count": "12"}, "page_count"),
    "name of another type": ({"structure": [], "doc_name": 5}, "doc_name"),
    "notes of texts": ({"structure": [], "notes": ["x"]}, "notes"),
    "shares as list": ({"structure": [], "toc_shares": [1]}, "toc_shares"),
    "not JSON": ("{broken", "The text is not JSON"),
    "JSON nested without end": ("[" * 100_000, "levels"),
}


@pytest.mark.parametrize(("data", "place"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_tree_is_refused_with_its_place(data: Any, place: str) -> None:
    """The error is typed, and names the place where the JSON departs from a tree."""
    with pytest.raises(TreeFormatError) as caught:
        tree_from_json(data)

    assert place in str(caught.value)
    assert caught.value.why
    assert caught.value.remedy


def test_nesting_deeper_than_any_document_is_refused() -> None:
    """A hostile file cannot exhaust the stack; 110 levels are read."""

    def nested(levels: int) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = []
        for _ in range(levels):
            nodes = [node(nodes=nodes)]
        return nodes

    assert sum(1 for _ in tree_from_json(nested(110)).walk()) == 110
    with pytest.raises(TreeFormatError, match="at most 110 levels"):
        tree_from_json(nested(111))


def test_unknown_schema_version_names_both_versions() -> None:
    """A tree of a later release is refused with the versions and the way out."""
    with pytest.raises(TreeFormatError) as caught:
        tree_from_json({"structure": [], "schema_version": 99})

    assert "99" in caught.value.what
    assert "version 1" in caught.value.why
    assert "upgrade" in caught.value.remedy


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b"{"])
def test_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    """A missing file, bytes that are not UTF-8 and broken JSON give the typed error with the file's name."""
    path = tmp_path / "tree.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TreeFormatError, match=r"tree\.json"):
        tree_from_json(path)


def test_section_made_by_hand_is_saved_without_a_key() -> None:
    """A tree built in code without keys can be saved, and gets its keys when it is loaded."""
    tree = PageTree("x", (Section("0000", "", "a", 1, 1, 1),), "detected", 1)

    assert "section_key" not in tree_to_json(tree)["structure"][0]
    assert len(tree_from_json(tree_to_json(tree)).sections[0].section_key) == 12
