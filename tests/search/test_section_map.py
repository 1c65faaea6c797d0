"""The map of sections: within its budget, complete, and detailed where the words of the question are."""

from __future__ import annotations

from hypothesis import given, strategies as st

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
