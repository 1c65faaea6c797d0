"""The merged view: the cost rule, joined siblings, what is kept, and the report."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given

from pageindex_core.records import Outline, Pages, PageTree, Section
from pageindex_core.tree import build_tree, merge_tree
from pageindex_core.tree.check import check_tree
from random_outlines import documents, pages_of, rows, tree_of


def section(node_id: str, first: int, last: int, *children: Section, level: int = 1) -> Section:
    return Section(node_id, f"key{node_id}", f"S{node_id}", level, first, last, 0, children)


def tree(*sections: Section) -> PageTree:
    return PageTree("doc", sections, "detected", sections[-1].end_page)


def test_a_section_is_read_whole_where_its_children_save_nothing() -> None:
    """Three pages cost no more than one step plus a child of two: the children become key items."""
    merged, report = merge_tree(tree(section("0000", 1, 3, section("0001", 1, 1), section("0002", 2, 3))))

    assert rows(merged) == [(1, "S0000", 1, 3)]
    assert merged.sections[0].key_items == ("S0001", "S0002")
    assert report.decisions == ("0000 S0000: whole 3 <= below 3, merged",)


def test_children_that_save_pages_are_kept() -> None:
    """Four pages cost more than one step plus a child of two."""
    given_tree = tree(section("0000", 1, 4, section("0001", 1, 2, level=2), section("0002", 3, 4, level=2)))
    merged, report = merge_tree(given_tree)

    assert merged == given_tree
    assert report.decisions == ("0000 S0000: whole 4 > below 3, kept",)


def test_pages_that_no_child_holds_count_as_a_way_of_their_own() -> None:
    """A parent with six pages of its own is as dear below as whole: eight pages, one step and seven."""
    kept, _ = merge_tree(tree(section("0000", 1, 8, section("0001", 7, 7, level=2), section("0002", 8, 8, level=2))))
    merged, _ = merge_tree(tree(section("0000", 1, 8, section("0001", 8, 8, level=2))))

    assert len(rows(kept)) == 3
    assert len(rows(merged)) == 1


def test_merging_works_from_the_bottom_up() -> None:
    """A child that was merged weighs its whole size in the decision on its parent."""
    inner = section("0001", 1, 3, section("0002", 1, 1, level=3), section("0003", 2, 3, level=3), level=2)
    merged, report = merge_tree(tree(section("0000", 1, 4, inner, section("0004", 4, 4, level=2))))

    assert rows(merged) == [(1, "S0000", 1, 4)]
    assert [line.split(",")[-1] for line in report.decisions] == [" merged", " merged"]
    assert merged.sections[0].key_items == ("S0001", "S0002", "S0003", "S0004")


def test_neighbouring_leaves_of_one_page_are_joined() -> None:
    """Siblings on the same page are one reading unit, under the first title; others stay apart."""
    children = [section(f"000{n}", page, page, level=2) for n, page in enumerate((1, 1, 1, 2, 3, 4, 5, 6), start=1)]
    merged, report = merge_tree(tree(section("0000", 1, 6, *children)))

    assert [title for _, title, _, _ in rows(merged)] == ["S0000", "S0001", "S0004", "S0005", "S0006", "S0007", "S0008"]
    assert merged.sections[0].children[0].key_items == ("S0002", "S0003")
    assert [line for line in report.decisions if "joined" in line] == [
        "0002 S0002: on page 1 as 0001, joined",
        "0003 S0003: on page 1 as 0001, joined",
    ]


def test_outermost_sections_of_one_page_are_joined_with_all_they_held() -> None:
    """Titles that a section took over before it was joined itself are not lost."""
    merged, _ = merge_tree(tree(section("0000", 1, 1), section("0001", 1, 1, section("0002", 1, 1, level=2))))

    assert rows(merged) == [(1, "S0000", 1, 1)]
    assert merged.sections[0].key_items == ("S0001", "S0002")


def test_a_leaf_that_runs_on_is_not_joined() -> None:
    """Only leaves of exactly one page share it; a leaf of pages 1 to 2 keeps its own place."""
    children = [section("0001", 1, 1, level=2), section("0002", 1, 2, level=2), section("0003", 3, 9, level=2)]
    merged, _ = merge_tree(tree(section("0000", 1, 9, *children)))

    assert len(rows(merged)) == 4


def test_no_title_is_claimed_for_synthetic_sections() -> None:
    """Preface and intro are names of ours: they do not become key items."""
    pages = pages_of("1 Start\nopening", "1.1 Sub\ntext")
    merged, _ = merge_tree(tree_of(pages, (1, "1 Start", 1, 0), (2, "1.1 Sub", 2, 0)))

    assert merged.sections[0].key_items == ("1.1 Sub",)


def test_report_compares_before_and_after() -> None:
    """Leaves, worst and average cost in pages and steps, and depth, each before and after."""
    inner = section("0001", 1, 3, section("0002", 1, 1, level=3), section("0003", 2, 3, level=3), level=2)
    _, report = merge_tree(tree(section("0000", 1, 8, inner, section("0004", 4, 8, level=2))))

    assert report.leaves == (3, 2)
    assert report.depth == (3, 2)
    assert report.worst_cost == (6.0, 6.0)
    assert report.average_cost == (pytest.approx((3 + 4 + 6) / 3, abs=0.01), 5.0)


def cost(section: Section) -> float:
    """The definition: R plus the dearest of own pages and children; the size of a leaf."""
    pages = set(range(section.start_page, section.end_page + 1))
    if not section.children:
        return len(pages)
    held = set().union(*(range(child.start_page, child.end_page + 1) for child in section.children))
    return 1 + max([len(pages - held), *map(cost, section.children)])


@given(documents())
def test_merging_keeps_pages_titles_and_the_original(document: tuple[Pages, Outline]) -> None:
    """Every page stays covered and every printed title readable, nothing gets dearer, the given tree is unchanged."""
    before = build_tree(*document)
    untouched = copy.deepcopy(before)
    merged, report = merge_tree(before)

    assert before == untouched
    assert check_tree(merged) == []
    readable = {item for section in merged.walk() for item in (section.title, *section.key_items)}
    assert {section.title for section in before.walk() if not section.synthetic} <= readable
    assert report.worst_cost == (max(map(cost, before.sections)), max(map(cost, merged.sections)))
    assert report.worst_cost[1] <= report.worst_cost[0]
    assert report.leaves[1] <= report.leaves[0]


@given(documents())
def test_no_parent_of_the_merged_view_breaks_the_rule(document: tuple[Pages, Outline]) -> None:
    """Wherever children are left, reading the section whole is dearer than going below."""
    merged, _ = merge_tree(build_tree(*document))
    for found in merged.walk():
        if found.children:
            assert found.end_page - found.start_page + 1 > cost(found)


def test_cost_of_a_parents_own_pages_counts_the_step_to_them() -> None:
    """Six pages that no child holds cost one step and six pages, and are no leaf."""
    _, report = merge_tree(tree(section("0000", 1, 8, section("0001", 7, 7, level=2), section("0002", 8, 8, level=2))))

    assert report.worst_cost == (7.0, 7.0)
    assert report.leaves == (2, 2)
    assert report.average_cost[0] == pytest.approx((7 + 2 + 2) / 3, abs=0.01)
