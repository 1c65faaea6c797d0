"""Decks of slides: one section a slide, named by its title."""

from __future__ import annotations

from pageindex_core.outline.layout import Layout
from pageindex_core.outline.slides import are_slides, find_slides
from pageindex_core.records import Box, Line, Page


def slide(number: int, *texts: tuple[str, float, float], width: float = 960.0) -> Page:
    """Give a slide with lines of (text, size, top)."""
    lines = tuple(Line(text, Box(40, top, 40 + 6 * len(text), top + size), size) for text, size, top in texts)
    return Page(number, lines, width_pt=width, height_pt=540.0)


DECK = [
    slide(1, ("Harbour strategy", 40, 200), ("Board meeting", 20, 260)),
    slide(2, ("Where we stand", 32, 40), ("Berths are full", 18, 120), ("Dues are flat", 18, 150)),
    slide(3, ("What the pilots", 32, 40), ("ask for", 32, 76), ("Two more boats", 18, 140)),
    slide(4, ("Costs", 32, 40), ("2.4 million", 60, 300)),
]


def test_each_slide_is_a_section_named_by_its_largest_lines_near_the_top() -> None:
    """Titles of two lines are joined, and a large figure lower down is no title."""
    layout = Layout.measure(DECK)

    assert are_slides(layout)
    assert [(found.title, found.page_index, found.level) for found in find_slides(layout)] == [
        ("Harbour strategy", 0, 1), ("Where we stand", 1, 1), ("What the pilots ask for", 2, 1), ("Costs", 3, 1),
    ]  # fmt: skip


def test_upright_pages_and_full_pages_are_no_slides() -> None:
    """A report on upright pages, and landscape pages full of words, are not decks."""
    upright = [slide(number, ("Costs", 32, 40), width=400.0) for number in range(1, 5)]
    full = [slide(number, ("Costs", 32, 40), ("word " * 200, 10, 80)) for number in range(1, 5)]

    assert not are_slides(Layout.measure(upright))
    assert not are_slides(Layout.measure(full))
