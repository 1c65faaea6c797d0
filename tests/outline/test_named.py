"""Headings that someone names: only what is printed on its page, in order, is taken."""

from __future__ import annotations

from typing import Any

import pytest

from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.named import Named, in_order, level_alike, named_in, verified
from random_outlines import pages_of

TEXT = (
    "Pumps\nA pump moves water through a pipe, and every pump needs a seal.",
    "Seals\nSeals wear with use. Replace them every year, or where\nthe water carries sand.\nTable 4 Sizes of seals",
    "Valves\nA valve closes a pipe.\n12 14 18 20\n7.1 Scope. This clause applies to all valves.",
)
END = (4, 0)


def layout() -> Layout:
    return Layout.measure(pages_of(*TEXT).pages)


def titles(*named: Named, start: tuple[int, int] = (1, 0), stop: tuple[int, int] = END) -> list[str]:
    return [candidate.title for candidate in verified(layout(), named, start, stop)[0]]


def test_a_heading_printed_on_its_page_is_taken_as_printed() -> None:
    """Case and spacing of the name do not matter; the title is the page's own."""
    kept, dropped = verified(layout(), [Named("SEALS", 2), Named(" valves", 3, 2)], (1, 0), END)

    assert [(one.title, one.page_index, one.line_index, one.level) for one in kept] == [
        ("Seals", 1, 0, 1),
        ("Valves", 2, 0, 2),
    ]
    assert dropped == 0


@pytest.mark.parametrize(
    "named",
    [
        pytest.param(Named("Bearings", 2), id="printed nowhere"),
        pytest.param(Named("Valves", 2), id="printed on another page"),
        pytest.param(Named("Seals", 9), id="on a page that does not exist"),
        pytest.param(Named("Seals", 0), id="on page 0"),
        pytest.param(Named("Table 4 Sizes of seals", 2), id="a caption"),
        pytest.param(Named("12 14 18 20", 3), id="a row of figures"),
        pytest.param(Named("Seals wear with use", 2), id="the beginning of a sentence"),
        pytest.param(Named("the water carries sand.", 2), id="the end of a sentence"),
        pytest.param(Named("...", 2), id="no letters"),
    ],
)
def test_what_is_no_heading_of_its_page_is_dropped(named: Named) -> None:
    """A title that is not printed there, or is part of something else, is counted and left out."""
    assert verified(layout(), [named], (1, 0), END) == ([], 1)


def test_the_heading_of_the_stretch_itself_is_neither_taken_nor_counted() -> None:
    """A leaf is shown with its own heading, which may be named with the others."""
    kept, dropped = verified(layout(), [Named("Seals", 2), Named("Valves", 3)], (2, 0), END)

    assert ([one.title for one in kept], dropped) == (["Valves"], 0)


def test_a_numbered_clause_may_run_on_into_its_text() -> None:
    """The number tells where the heading begins, the name where it ends."""
    assert titles(Named("7.1 Scope", 3)) == ["7.1 Scope"]


def test_headings_lie_inside_the_leaf_and_after_its_own() -> None:
    """The leaf's own heading, and what stands before or behind the leaf, divide nothing."""
    everything = [Named("Pumps", 1), Named("Seals", 2), Named("Valves", 3)]

    assert titles(*everything) == ["Seals", "Valves"]
    assert titles(*everything, stop=(3, 0)) == ["Seals"]
    assert titles(*everything, start=(2, 0)) == ["Valves"]


def test_one_heading_out_of_order_costs_only_itself() -> None:
    """The longest run in the order of the text stays, wherever the stray was named."""
    assert titles(Named("Valves", 3), Named("Seals", 2), Named("7.1 Scope", 3)) == ["Seals", "7.1 Scope"]


def test_a_heading_named_twice_counts_once() -> None:
    """The second naming cannot stand after the first, at the same place."""
    kept, dropped = verified(layout(), [Named("Seals", 2), Named("Seals", 2)], (1, 0), END)

    assert (len(kept), dropped) == (1, 1)


def test_in_order_of_nothing_is_nothing() -> None:
    """No candidate, no run."""
    assert in_order([]) == []


def test_levels_agree_among_headings_of_one_numbering() -> None:
    """A part of the text that shows second-level numbers alone calls them level 1; the others know better."""
    pages = pages_of(
        "\n".join(["Start", "1 One", "1.1 Sub", "1.2 Sub", "2 Two", "2.1 Sub", "2.1.1 Deep", "2.1.2 Deep"])
    )
    measured = Layout.measure(pages.pages)
    levels = {"1 One": 1, "1.1 Sub": 2, "1.2 Sub": 2, "2 Two": 1, "2.1 Sub": 1, "2.1.1 Deep": 2, "2.1.2 Deep": 2}
    kept, _ = verified(measured, [Named(title, 1, level) for title, level in levels.items()], (1, 0), (2, 0))

    assert [one.level for one in level_alike(kept, measured)] == [1, 2, 2, 1, 2, 3, 3]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"headings": [{"title": "A", "page": 3, "level": 2}]}, ([Named("A", 3, 2)], 0)),
        ([{"title": "A", "page": "3"}], ([Named("A", 3, 1)], 0)),
        ({"headings": [{"title": "A\n b", "page": 3.0, "level": 99}]}, ([Named("A b", 3, 9)], 0)),
        ({"headings": [{"title": "A"}, {"page": 3}, "A", None, {"title": 7, "page": 1}]}, ([], 5)),
        ({"headings": [{"title": "A", "page": True}, {"title": "A", "page": 1e400}]}, ([], 2)),
        ({"headings": []}, ([], 0)),
        ({"headings": "none"}, ([], 0)),
        (None, ([], 0)),
    ],
    ids=["as asked", "bare list, page in quotes", "folded", "items broken", "no pages", "empty", "text", "nothing"],
)
def test_replies_are_read_as_far_as_they_can_be(value: Any, expected: tuple[list[Named], int]) -> None:
    """A broken item is counted and does not spoil the others; a reply without a list names nothing."""
    assert named_in(value) == expected
