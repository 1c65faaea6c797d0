"""Dividing long leaves: the cost rule, where the parts lie, what is left over, and when sections are finished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pageindex_core.llm.schedule import Job, run_without_calls
from pageindex_core.records import Heading, Outline, Pages, PageTree, Section
from pageindex_core.tree import build_tree
from pageindex_core.tree.check import check_tree
from pageindex_core.tree.expand import Growth, divide_tree, grow, optimize_tree
from pageindex_core.tree.spans import Place
from random_outlines import documents, pages_of, rows, tree_of

NOTHING: tuple[Heading, ...] = ()


def book(count: int, *titled: tuple[int, str]) -> Pages:
    """A document whose pages hold their title and a line, "text" where they have no title."""
    named = dict(titled)
    return pages_of(*(f"{named.get(number, 'text')}\nline of page {number}" for number in range(1, count + 1)))


def heading(title: str, page: int, level: int = 1, line: int = 0) -> Heading:
    return Heading(title, level, page, line, evidence="model")


def divided(tree: PageTree, pages: Pages, *headings: Heading) -> tuple[list[Any], tuple[str, ...]]:
    """The rows of the tree, page groups left out, and the decisions."""

    def propose(leaf: Section, stop: Place) -> Sequence[Heading]:
        return [
            one for one in headings if (leaf.start_page, leaf.start_line) < (one.page_number, one.line_index) < stop
        ]

    grown, decisions = divide_tree(tree, pages.pages, propose)
    return [row for row in rows(grown) if not row[1].startswith("Page")], decisions


def test_a_leaf_is_divided_where_that_makes_reading_cheaper() -> None:
    """Twelve pages cost more than one step and the longest part of seven."""
    pages = book(12, (1, "One"), (6, "A"))
    found, decisions = divided(tree_of(pages, (1, "One", 1, 0)), pages, heading("A", 6))

    assert found == [(1, "One", 1, 12), (2, "One (intro)", 1, 5), (2, "A", 6, 12)]
    assert decisions[0] == "p. 1-12 One: whole 12 > below 8, divided"


def test_a_leaf_is_kept_where_dividing_saves_nothing() -> None:
    """A heading on the second of ten pages leaves nine to read after one step: ten either way."""
    pages = book(10, (1, "One"), (2, "A"))
    found, decisions = divided(tree_of(pages, (1, "One", 1, 0)), pages, heading("A", 2))

    assert found == [(1, "One", 1, 10)]
    assert decisions == ("p. 1-10 One: whole 10 <= below 10, kept",)


def test_pages_that_no_part_holds_weigh_in_the_decision() -> None:
    """Nine own pages before the only part are as dear as the leaf."""
    pages = book(10, (1, "One"), (10, "A"))

    assert divided(tree_of(pages, (1, "One", 1, 0)), pages, heading("A", 10))[0] == [(1, "One", 1, 10)]


def test_short_leaves_are_not_offered() -> None:
    """Five pages are read whole."""
    pages = book(5, (1, "One"), (3, "A"))

    assert divided(tree_of(pages, (1, "One", 1, 0)), pages, heading("A", 3)) == ([(1, "One", 1, 5)], ())


def test_no_headings_leave_the_leaf_as_it_was() -> None:
    """Prose stays one section, with its page groups."""
    pages = book(8, (1, "One"))
    tree = tree_of(pages, (1, "One", 1, 0))
    grown, decisions = divide_tree(tree, pages.pages, lambda leaf, stop: NOTHING)

    assert grown == tree
    assert decisions == ("p. 1-8 One: whole 8, no heading in it, kept",)


def test_parts_nest_by_their_levels() -> None:
    """A second level stays below the first, and both below the leaf."""
    pages = book(9, (1, "One"), (2, "A"), (4, "A.1"), (6, "B"))
    found, _ = divided(tree_of(pages, (1, "One", 1, 0)), pages, heading("A", 2), heading("A.1", 4, 2), heading("B", 6))

    assert [row[:2] for row in found] == [
        (1, "One"),
        (2, "One (intro)"),
        (2, "A"),
        (3, "A (intro)"),
        (3, "A.1"),
        (2, "B"),
    ]


def test_a_preface_gives_way_to_sections_beside_it() -> None:
    """Headings before the first chapter open sections of its own level; the rest of the preface stays."""
    pages = book(12, (3, "Foreword"), (6, "Thanks"), (10, "One"))
    found, _ = divided(tree_of(pages, (1, "One", 10, 0)), pages, heading("Foreword", 3), heading("Thanks", 6))

    assert found == [(1, "Preface", 1, 2), (1, "Foreword", 3, 5), (1, "Thanks", 6, 9), (1, "One", 10, 12)]


def test_dividing_goes_on_in_what_is_still_too_long() -> None:
    """A part of more than five pages is offered again; three rounds at most."""
    pages = book(20, (1, "One"), (11, "A"), (15, "B"), (17, "C"), (18, "D"))
    offered = []

    def propose(leaf: Section, stop: Place, rounds: int) -> Iterator[Any]:
        offered.append((leaf.title, rounds))
        marks = {"One": [heading("A", 11)], "A": [heading("B", 15)]}
        return marks.get(leaf.title, [])
        yield

    growth = Growth.of(pages.pages, lambda leaf, stop: leaf.end_page - leaf.start_page >= 5, propose)
    grown = run_without_calls(grow(tree_of(pages, (1, "One", 1, 0)).sections, growth))

    assert offered == [("One", 0), ("A", 1), ("B", 2)]
    (one,) = grown
    assert [child.title for child in one.children] == ["One (intro)", "A"]
    assert [child.title for child in one.children[1].children] == ["A (intro)", "B"]


def test_children_are_finished_before_their_parent() -> None:
    """Whoever finishes a section sees its finished children, and where its own and its whole text stop."""
    pages = pages_of("One\nopening", "A\ntext", "B\ntext\nTwo")
    tree = tree_of(pages, (1, "One", 1, 0), (2, "A", 2, 0), (2, "B", 3, 0), (1, "Two", 3, 2))
    seen = []

    def finish(section: Section, own_stop: Place, stop: Place) -> Job[Section]:
        seen.append((section.title, [child.summary for child in section.children], own_stop, stop))
        return replace(section, summary=f"on {section.title}")
        yield

    growth = Growth.of(pages.pages, lambda leaf, stop: False, lambda *_: iter(()), finish)
    run_without_calls(grow(tree.sections, growth))

    assert sorted(seen) == [
        ("A", [], (3, 0), (3, 0)),
        ("B", [], (3, 2), (3, 2)),
        ("One", ["on One (intro)", "on A", "on B"], (1, 0), (3, 2)),
        ("One (intro)", [], (2, 0), (2, 0)),
        ("Two", [], (4, 0), (4, 0)),
    ]
    order = [title for title, *_ in seen]
    assert order.index("One") > max(order.index("A"), order.index("B"), order.index("One (intro)"))


def test_keys_of_finished_sections_are_those_of_the_numbered_tree() -> None:
    """What is known of an unchanged section can be found while the tree still grows."""
    pages = book(14, (1, "One"), (9, "Two"))
    tree = tree_of(pages, (1, "One", 1, 0), (1, "Two", 9, 0))
    keys = {}

    def finish(section: Section, own_stop: Place, stop: Place) -> Job[Section]:
        keys[section.title] = section.section_key
        return section
        yield

    growth = Growth.of(pages.pages, lambda leaf, stop: False, lambda *_: iter(()), finish)
    run_without_calls(grow(tree.sections, growth))
    numbered = {section.title: section.section_key for section in tree.walk()}

    assert {"One", "Two", "Pages 10-14"} <= keys.keys() < numbered.keys()
    assert keys == {title: numbered[title] for title in keys}


def test_the_optimised_view_is_divided_then_merged_and_reports_both() -> None:
    """The given tree is its own dry run: unchanged, with every decision and both costs in the report."""
    pages = book(12, (1, "One"), (6, "A"))
    tree = tree_of(pages, (1, "One", 1, 0))
    view, report = optimize_tree(tree, pages.pages, "full", lambda leaf, stop: [heading("A", 6)], longest=5)

    assert tree == tree_of(pages, (1, "One", 1, 0))
    assert [title for _, title, _, _ in rows(view)][:3] == ["One", "One (intro)", "A"]
    assert any(line.endswith("divided") for line in report.decisions)
    assert any(line.endswith(("merged", "kept")) for line in report.decisions)


@pytest.mark.parametrize("mode", ["merge", "off"])
def test_other_modes_divide_nothing(mode: Any) -> None:
    """Proposals are not even asked for; ``off`` gives the tree itself."""
    pages = book(12, (1, "One"), (6, "A"))
    tree = tree_of(pages, (1, "One", 1, 0))

    def propose(leaf: Section, stop: Place) -> Sequence[Heading]:
        raise AssertionError("nothing is to be divided")

    view, report = optimize_tree(tree, pages.pages, mode, propose)
    assert (view is tree) == (mode == "off")
    assert report.leaves[0] == sum(not section.children for section in tree.walk())


@given(documents(), st.data())
def test_a_divided_tree_keeps_every_promise(document: tuple[Pages, Outline], data: st.DataObject) -> None:
    """Whatever headings divide it, pages stay covered, children inside parents and in order, keys unique."""
    pages, outline = document
    places = sorted(
        data.draw(
            st.sets(
                st.tuples(st.integers(1, len(pages.pages)), st.integers(0, 5)).filter(
                    lambda place: place[1] < max(1, len(pages.pages[place[0] - 1].lines))
                ),
                max_size=6,
            )
        )
    )
    levels = data.draw(st.lists(st.integers(1, 3), min_size=len(places), max_size=len(places)))
    headings = [
        heading(f"H{page}.{line}", page, level, line) for (page, line), level in zip(places, levels, strict=True)
    ]

    def propose(leaf: Section, stop: Place) -> Sequence[Heading]:
        return [
            one for one in headings if (leaf.start_page, leaf.start_line) < (one.page_number, one.line_index) < stop
        ]

    before = build_tree(pages, outline)
    after, _ = divide_tree(before, pages.pages, propose, longest=1)

    assert check_tree(after) == []
    assert {one.title for one in before.walk() if not one.synthetic} <= {one.title for one in after.walk()}
