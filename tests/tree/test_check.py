"""The checker itself: each kind of broken tree is told, with the section's name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pageindex_core.records import PageTree, Section
from pageindex_core.tree.check import check_tree


def section(node_id: str, first: int, last: int, *children: Section, level: int = 1, line: int = 0) -> Section:
    return Section(node_id, f"key{node_id}", f"S{node_id}", level, first, last, line, children)


def tree(*sections: Section, pages: int = 4) -> PageTree:
    return PageTree("doc", sections, "detected", pages)


SOUND = tree(
    section("0000", 1, 3, section("0001", 1, 2, level=2), section("0002", 2, 3, level=2, line=4)), section("0003", 4, 4)
)


def test_sound_tree_has_no_problems() -> None:
    """Shared pages and nested children are fine."""
    assert check_tree(SOUND) == []


BROKEN = {
    "page left out": (tree(section("0000", 1, 3)), "page 4 is in no section"),
    "gap between siblings": (tree(section("0000", 1, 1), section("0001", 3, 4)), "page 2 is in no section"),
    "past the end": (tree(section("0000", 1, 5)), "[0000] 'S0000' covers 1-5 of 4 pages"),
    "before the start": (tree(section("0000", 0, 4)), "covers 0-4 of 4 pages"),
    "backwards": (tree(section("0000", 1, 4), section("0001", 4, 3)), "[0001] 'S0001' covers 4-3"),
    "child past its parent": (
        tree(section("0000", 1, 2, section("0001", 2, 3, level=2)), section("0002", 3, 4)),
        "[0001] 'S0001' leaves its parent [0000] 'S0000'",
    ),
    "child above its parent's heading": (
        tree(section("0000", 1, 4, section("0001", 1, 4, level=2, line=2), line=5)),
        "leaves its parent",
    ),
    "siblings out of order": (tree(section("0000", 2, 4), section("0001", 1, 4)), "[0001] 'S0001' starts before"),
    "siblings out of order on a page": (
        tree(section("0000", 1, 1, line=5), section("0001", 1, 4, line=2)),
        "[0001] 'S0001' starts before",
    ),
    "siblings overlapping": (tree(section("0000", 1, 3), section("0001", 2, 4)), "before the end of [0000]"),
    "children overlapping": (
        tree(section("0000", 1, 4, section("0001", 1, 4, level=2), section("0002", 2, 4, level=2))),
        "in [0000] 'S0000'",
    ),
    "level skipped": (tree(section("0000", 1, 4, section("0001", 1, 4, level=3))), "has level 3 below level 1"),
    "root below level 1": (tree(section("0000", 1, 4, level=2)), "has level 2, outermost"),
    "id twice": (tree(section("0000", 1, 2), section("0000", 3, 4)), "not unique and in pre-order"),
    "ids out of order": (tree(section("0001", 1, 2), section("0000", 3, 4)), "not unique and in pre-order"),
    "id that is no number": (tree(section("intro", 1, 4)), "not all numbers"),
    "key twice": (tree(section("0000", 1, 2), replace(section("0001", 3, 4), section_key="key0000")), "keys are"),
    "key missing": (tree(replace(section("0000", 1, 4), section_key="")), "keys are"),
}


@pytest.mark.parametrize(("broken", "problem"), BROKEN.values(), ids=BROKEN)
def test_broken_tree_is_told(broken: PageTree, problem: str) -> None:
    """Each broken promise is named, and where it is broken."""
    problems = check_tree(broken)
    assert any(problem in found for found in problems), problems
