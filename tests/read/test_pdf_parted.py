"""Lines that PDFium joins over their ends, where one ends in a piece of text as low as a full stop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Line
from pdf_builder import Run, build_pdf, text_width_pt

SCALE = 0.02
"""PDFium joins lines of fonts that are set in hundreds of points and shown in ten."""


def read(*items: Run) -> tuple[Line, ...]:
    return read_pages(open_source(build_pdf([list(items)]))).pages[0].lines


def ended_low(text: str, *, y: float, x: float = 72.0, size: float = 10.0) -> list[Run]:
    """A line whose full stop is drawn apart: PDFium takes what is drawn next for its continuation."""
    run = Run(text, x=x, y=y, size=size, scale=SCALE)
    return [run, Run(".", x=x + text_width_pt(run) + 2, y=y, size=size, scale=SCALE)]


def test_a_heading_below_a_short_last_line_is_a_line_of_its_own() -> None:
    """What PDFium joins is parted, and each part has its own box and style."""
    body, title = read(
        *ended_low("to pay a fee of $100", y=100),
        Run("4 Goodwill and Intangibles", x=72, y=126, size=12, bold=True, scale=SCALE),
    )

    assert (body.text, title.text) == ("to pay a fee of $100 .", "4 Goodwill and Intangibles")
    assert (body.bold, title.bold, title.font_size) == (False, True, 12.0)
    assert body.box is not None
    assert title.box is not None
    assert body.box.y1 < title.box.y0


@pytest.mark.parametrize("leading", [11.0, 14.0], ids=["set solid", "leaded"])
def test_items_of_a_list_are_lines_of_their_own(leading: float) -> None:
    """Each item begins at the left below the one before, be it set close or apart."""
    items = [f"{letter} item of the list with some words" for letter in "abcd"]
    drawn = [run for row, text in enumerate(items) for run in ended_low(text, y=100 + row * leading)]

    assert [line.text for line in read(*drawn)] == [f"{text} ." for text in items]


def test_a_page_number_far_below_is_a_line_of_its_own() -> None:
    """Clear white space parts lines wherever the lower one begins."""
    number = Run("13", x=300, y=640, scale=SCALE)

    assert [line.text for line in read(*ended_low("full force and effect", y=600), number)] == [
        "full force and effect .",
        "13",
    ]


def test_the_lower_half_of_a_fraction_stays_in_its_line() -> None:
    """What begins lower, but in the second half of its line and close to what stands above it, parts nothing."""
    drawn = [Run("the share of", y=100), Run("-", x=140, y=94), Run("b", x=140, y=106)]

    assert [line.text for line in read(*(replace(run, scale=SCALE) for run in drawn))] == ["the share of -b"]
