"""Finding sections by id, and the printed tree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pageindex_core.records import PageTree
from pageindex_core.tree import get_node, get_node_map, get_node_parent, get_node_path, print_tree
from random_outlines import pages_of, tree_of


@pytest.fixture
def tree() -> PageTree:
    return tree_of(
        pages_of("1 Pumps\n1.1 Seals", "1.1.1 Wear", "2 Valves"),
        (1, "1 Pumps", 1, 0),
        (2, "1.1 Seals", 1, 1),
        (3, "1.1.1 Wear", 2, 0),
        (1, "2 Valves", 3, 0),
    )


def test_map_holds_every_section_in_pre_order(tree: PageTree) -> None:
    """Ids lead to sections, in the order of the document."""
    assert [(node_id, section.title) for node_id, section in get_node_map(tree).items()] == [
        ("0000", "1 Pumps"),
        ("0001", "1.1 Seals"),
        ("0002", "1.1.1 Wear"),
        ("0003", "2 Valves"),
    ]


def test_node_is_found_at_any_depth(tree: PageTree) -> None:
    """The section of an id, or None."""
    found = get_node(tree, "0002")
    assert found is not None
    assert found.title == "1.1.1 Wear"
    assert get_node(tree, "0004") is None


def test_path_runs_from_the_outermost_section_to_the_one_asked_for(tree: PageTree) -> None:
    """The path of a section includes itself; an unknown id has none."""
    assert [section.title for section in get_node_path(tree, "0002")] == ["1 Pumps", "1.1 Seals", "1.1.1 Wear"]
    assert [section.title for section in get_node_path(tree, "0003")] == ["2 Valves"]
    assert get_node_path(tree, "9999") == ()


def test_parent_is_the_section_above(tree: PageTree) -> None:
    """Outermost and unknown sections have no parent."""
    parent = get_node_parent(tree, "0002")
    assert parent is not None
    assert parent.title == "1.1 Seals"
    assert get_node_parent(tree, "0000") is None
    assert get_node_parent(tree, "9999") is None


def test_printed_tree_shows_ids_titles_and_pages_by_depth(tree: PageTree) -> None:
    """One line a section, indented by level, after a line about the document."""
    assert print_tree(tree).splitlines() == [
        "doc.pdf  (3 pages, structure from detected)",
        "  [0000] 1 Pumps  · p. 1-2",
        "    [0001] 1.1 Seals  · p. 1-2",
        "      [0002] 1.1.1 Wear  · p. 2",
        "  [0003] 2 Valves  · p. 3",
    ]


def test_printed_tree_can_stop_at_a_depth(tree: PageTree) -> None:
    """Sections below the depth are left out, those above stay."""
    assert [line.split("]")[0].strip() for line in print_tree(tree, depth=1).splitlines()[1:]] == ["[0000", "[0003"]


def test_printed_tree_shows_summaries_on_request(tree: PageTree) -> None:
    """A summary stands under its section; sections without one get no empty line."""
    described = replace(tree, sections=(replace(tree.sections[0], summary="About pumps."), tree.sections[1]))

    assert "       About pumps." in print_tree(described, summaries=True)
    assert "About pumps." not in print_tree(described)
    assert len(print_tree(described, summaries=True).splitlines()) == 6
