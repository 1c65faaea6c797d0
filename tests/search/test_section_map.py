"""The map of sections: within its budget, complete, and detailed where the words of the question are."""

from __future__ import annotations

import gc
from types import FunctionType, ModuleType

from hypothesis import given, strategies as st

from pageindex_core.records import PageTree, Section
from pageindex_core.search.tree.outline import Outline
from pageindex_core.search.tree.section_map import SectionMap, Spot, draw_map
from pageindex_core.tokens import count_tokens


def spot(ident: str, first: int, last: int, *children: Spot, likely: float = 0.0, hint: str = "") -> Spot:
    above = max([likely, *(child.likely for child in children)])
    return Spot(ident, "section", f"Title of {ident}", 0, first, last, range(1), above, hint, list(children), likely)


def row(count: int, *, likely: int | None = None) -> list[Spot]:
    """Give so many sections of one page each."""
    return [
        spot(f"{number:04}", number + 1, number + 1, likely=1.0 if number == likely else 0.0, hint="has it: yes")
        for number in range(count)
    ]


def covered(drawn: SectionMap) -> set[int]:
    return {page for one in drawn.spots for page in range(one.first_page, one.last_page + 1)}


def test_a_small_outline_is_shown_whole() -> None:
    """Everything is on the map, children indented below their parents, and nothing is left to open."""
    drawn = draw_map([spot("0000", 1, 4, spot("0001", 1, 2), spot("0002", 3, 4)), spot("0003", 5, 5)], 3_000)
    assert drawn.is_whole
    assert drawn.text.splitlines() == [
        "[0000] Title of 0000 · p. 1-4",
        " [0001] Title of 0001 · p. 1-2",
        " [0002] Title of 0002 · p. 3-4",
        "[0003] Title of 0003 · p. 5",
    ]


@given(
    counts=st.lists(st.integers(1, 60), min_size=1, max_size=3),
    tokens=st.integers(300, 3_000),
    likely=st.integers(0, 400),
)
def test_a_map_keeps_to_its_tokens_and_covers_every_page(counts: list[int], tokens: int, likely: int) -> None:
    """However the sections branch, the text fits, each page lies in a place that is shown, and ids are unique."""
    pages = iter(range(1, 1 << 30))
    numbers = iter(range(1 << 30))

    def grow(level: int) -> Spot:
        ident = f"{next(numbers):04}"
        children = [grow(level + 1) for _ in range(counts[level])] if level < len(counts) else []
        page = next(pages) if not children else 0
        first, last = (children[0].first_page, children[-1].last_page) if children else (page, page)
        return spot(ident, first, last, *children, likely=float(int(ident) == likely), hint="has words: line")

    if 0 < (counts[0] * (counts[1] if len(counts) > 1 else 1) * (counts[2] if len(counts) > 2 else 1)) <= 4_000:
        root = grow(0)
        drawn = draw_map([root], tokens)
        assert count_tokens(drawn.text) <= tokens
        assert covered(drawn) == set(range(root.first_page, root.last_page + 1))
        assert len({one.ident for one in drawn.spots}) == len(drawn.spots)


def test_what_is_likely_is_shown_however_deep_it_lies() -> None:
    """The one section with words of the question is named among thousands, first, with what it says."""
    drawn = draw_map(row(5_000, likely=3_210), 1_000)
    assert drawn.text.splitlines()[1] == "[3210] Title of 3210 · p. 3211 · has it: yes"
    assert "3210" in drawn.options
    assert count_tokens(drawn.text) <= 1_000


def test_siblings_without_room_become_runs_that_can_be_opened() -> None:
    """A run names its first and last title and all their pages, and a further map shows what is in it."""
    drawn = draw_map(row(300), 600)
    run = next(one for one in drawn.spots if one.kind == "run")
    assert run.line.endswith(f"p. {run.first_page}-{run.last_page}")
    assert run.children[0].title in run.title
    assert run.children[-1].title in run.title
    assert not drawn.is_whole
    below = draw_map([run], 3_000)
    assert {child.ident for child in run.children} <= set(below.options)


def test_a_title_with_line_ends_stays_on_its_line() -> None:
    """No title can pass for further lines of the map."""
    one = Spot("0000", "section", "Costs\n[0001] Forged · p. 9", 0, 1, 1, range(1))
    assert draw_map([one], 1_000).text == "[0000] Costs [0001] Forged · p. 9 · p. 1"


def test_an_outline_makes_the_places_of_a_tree_when_they_are_looked_at() -> None:
    """Sections nest as in the tree, a page goes to the first long leaf it lies in, and what is likely rises."""

    def section(number: int, first: int, last: int, *children: Section) -> Section:
        return Section(f"{number:04}", str(number), f"Title {number}", 1, first, last, children=children)

    tree = PageTree("a.pdf", (section(0, 1, 9, section(1, 1, 4), section(2, 4, 9)), section(3, 10, 10)), "detected", 10)
    outline = Outline(2, "a", tree, {(2, 6): 0.5, (3, 10): 1.0, (1, 9): 0.7})
    outline.section_hints[3] = outline.page_hints[6] = "has words"
    first, last = outline.roots
    assert [(one.ident, one.sections) for one in (first, *first.children, last)] == [
        ("a0000", range(3)), ("a0001", range(1, 2)), ("a0002", range(2, 3)), ("a0003", range(3, 4)),
    ]  # fmt: skip
    pages = [[page.ident for page in child.children] for child in first.children]
    assert pages == [["ap1", "ap2", "ap3", "ap4"], ["ap5", "ap6", "ap7", "ap8", "ap9"]]
    assert [one.likely for one in (first, *first.children, last)] == [0.7, 0.0, 0.7, 1.0]
    assert [one.own for one in (first, *first.children, last)] == [0.0, 0.0, 0.0, 1.0]
    assert [(page.likely, page.hint) for page in first.children[1].children[1:3]] == [(0.5, "has words"), (0.0, "")]
    assert (last.hint, len(last.children), outline.roots[1:][0].ident) == ("has words", 0, "a0003")


def test_many_outlines_are_few_objects() -> None:
    """What is kept of a document whose places nobody looks at does not grow with it, for the garbage collector."""

    def kept(count: int) -> int:
        sections = (Section(f"{n:04}", str(n), "Title", 1, n + 1, n + 1) for n in range(count))
        tree = PageTree("a.pdf", tuple(sections), "detected", count)
        outline = Outline(0, "", tree, {})
        found: dict[int, object] = {}
        waiting: list[object] = [outline]
        while waiting:  # what other threads make or drop meanwhile does not count
            one = waiting.pop()
            if id(one) in found or one is tree or isinstance(one, (type, ModuleType, FunctionType)):
                continue
            found[id(one)] = one
            waiting += gc.get_referents(one)
        assert len(outline.roots) == count
        return sum(map(gc.is_tracked, found.values()))

    assert kept(2_000) <= kept(20) + 5
