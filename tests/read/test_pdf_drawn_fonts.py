"""The Type 3 fonts of old TeX files, which state neither their size nor the names of their glyphs."""

from __future__ import annotations

import pytest

from pageindex_core import make_tree
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Line
from pdf_builder import Run, build_pdf, page, with_bitmap_fonts, with_meanings
from pdf_builder.items import Item

BOOK = [
    page("# 1 Pumps", "Each pump moves 40 litres a minute, and needs no more than water to do so. " * 4, "## 1.1 Seals",
         "Replace the seals every year, and sooner where sand is in the water that is moved. " * 4),
    page("## 1.2 Filters", "A filter stops the sand before it comes as far as the seals, if it is clean itself. " * 4),
]  # fmt: skip


def lines_of(pages: list[list[Item]]) -> list[Line]:
    return [line for read in read_pages(open_source(with_bitmap_fonts(build_pdf(pages)))).pages for line in read.lines]


@pytest.mark.parametrize("size", [7.0, 10.0, 12.0, 17.0])
def test_the_size_is_that_of_the_letters(size: float) -> None:
    """Whatever the file states, letters as high as those of another font are in a font of that size."""
    (line,) = lines_of([[Run("Replace seals every year", size=size, y=100)]])
    assert line.font_size == pytest.approx(size, abs=0.5)
    assert line.box is not None
    assert (line.box.y0, line.box.y1) == pytest.approx((100 - 0.7 * size, 100 + 0.2 * size), abs=0.5)


def test_a_font_without_letters_has_the_size_of_the_others() -> None:
    """Dashes and dots of a font of their own do not make a line tiny."""
    (line,) = lines_of([[Run("-- ", font="Courier", y=100), Run("Replace seals every year", x=92, y=100)]])
    assert (line.text, line.font_size) == ("-- Replace seals every year", 10.0)


def test_bold_letters_are_wider() -> None:
    """Fonts without a name are bold where they are drawn as bold ones are; small ones are not told from them."""
    text = "Replace seals once a year, never more"
    runs: list[Item] = [Run(text, y=100), Run(text, y=130, bold=True), Run(text, y=160, size=7, bold=True)]
    assert [line.bold for line in lines_of([runs])] == [False, True, False]


def test_headings_are_found_as_in_other_fonts() -> None:
    """A chapter over two sections, by the sizes of the letters alone, since nothing is bold in such fonts."""
    tree = make_tree(with_bitmap_fonts(build_pdf(BOOK)))
    assert [(section.level, section.title) for section in tree.walk()] == [
        (1, "1 Pumps"),
        (2, "1.1 Seals"),
        (2, "1.2 Filters"),
    ]


def test_what_is_drawn_tiny_is_hidden() -> None:
    """Letters of half a point are read by nobody, in whatever units."""
    pages = read_pages(
        open_source(with_bitmap_fonts(build_pdf([[Run("Seen", y=90), Run("Total: 99", y=99, size=0.5)]])))
    )
    assert [line.text for line in pages.pages[0].lines] == ["Seen"]
    assert [note.code for note in pages.notes] == ["hidden_text"]


@pytest.mark.parametrize("turn", [90, 270])
def test_pages_on_their_side_are_measured_as_displayed(turn: int) -> None:
    """The height of letters is that on the page as it is shown."""
    pdf = build_pdf([[Run("Replace seals every year", y=100)]], rotate=turn, upright=True)
    (line,) = read_pages(open_source(with_bitmap_fonts(pdf))).pages[0].lines
    assert line.font_size == 10.0


@pytest.mark.parametrize("codes", ["\x0b\x0c\x0d\x0e\x0f", "\x1b\x1c\x1d\x1e\x1f"], ids=["OT1", "T1"])
def test_ligatures_are_read_as_letters(codes: str) -> None:
    """The codes of TeX's own encodings, where a font does not say what they are, one of them a line end elsewhere."""
    text = "The e#ect of the @rst pump, o# and on, is su$cient; a ba^e re%ects the %ow."
    pdf = build_pdf([[Run(text, y=100)]])
    pages = read_pages(open_source(with_meanings(pdf, dict(zip("#@%$^", codes, strict=True)))))
    (line,) = pages.pages[0].lines
    assert line.text == "The effect of the first pump, off and on, is sufficient; a baffle reflects the flow."
