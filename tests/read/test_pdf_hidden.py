"""Text that no reader sees is left out and noted; what only looks hidden stays."""

from __future__ import annotations

import pytest

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages
from pdf_builder import Fill, Picture, Run, build_pdf, cropped

SHOWN = Run("Total: 485 euro", y=100)
WHITE = (1.0, 1.0, 1.0)


def read(*pages: list[object]) -> Pages:
    return read_pages(open_source(build_pdf(pages)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "items",
    [
        [Run("Total: 9,999 euro", y=140, render_mode=3)],
        [Run("Total: 9,999 euro", y=140, color=WHITE)],
        [Fill(60, 120, 400, 160, (0.9, 0.95, 0.9)), Run("Total: 9,999 euro", y=140, color=(0.9, 0.95, 0.9))],
        [Run("Total: 9,999 euro", y=140, size=0.5)],
        [Run("Total: 9,999 euro", x=700, y=140)],
        [Run("Total: 9,999 euro", y=140), Picture(60, 120, 400, 160)],
    ],
    ids=["invisible", "white on white", "background colour", "half a point", "off the page", "under an image"],
)
def test_hidden_lines_are_left_out_and_noted(items: list[object]) -> None:
    """A line hidden in any of these ways says nothing; the note counts it and names its page."""
    pages = read([Run("First page", y=100)], [SHOWN, *items])

    assert [line.text for page in pages.pages for line in page.lines] == ["First page", SHOWN.text]
    assert [(note.code, note.message) for note in pages.notes] == [
        ("hidden_text", "1 line that no reader sees left out, on pages: 2.")
    ]


def test_text_outside_the_crop_box_is_hidden() -> None:
    """Printers' marks beyond what is displayed are no text of the page."""
    pdf = cropped(build_pdf([[Run("Job 4711", y=20), SHOWN]]), left=0, top=50, right=0, bottom=0)
    pages = read_pages(open_source(pdf))

    assert [line.text for line in pages.pages[0].lines] == [SHOWN.text]


@pytest.mark.parametrize("order", [1, -1], ids=["image first", "text first"])
def test_the_invisible_layer_of_a_scan_is_its_text(order: int) -> None:
    """Invisible text on a page that an image covers is what OCR read there, above or below the image."""
    page = [Picture(0, 0, 595, 842), Run("Read by OCR", y=100, render_mode=3)][::order]
    pages = read(page)

    assert [line.text for line in pages.pages[0].lines] == ["Read by OCR"]
    assert pages.notes == ()


@pytest.mark.parametrize(
    "banner", [Fill(60, 80, 400, 120, (0.1, 0.2, 0.4)), Picture(60, 80, 400, 120)], ids=["dark box", "image"]
)
def test_white_text_on_a_banner_is_seen(banner: object) -> None:
    """A white title on a dark box or on an image stays."""
    pages = read([banner, Run("Terms of use", y=105, size=16, color=WHITE)])

    assert [line.text for line in pages.pages[0].lines] == ["Terms of use"]
    assert pages.notes == ()


def test_the_hidden_part_of_a_line_is_taken_out_of_it() -> None:
    """Invisible words beside visible ones on the same baseline go, and the visible ones stay."""
    pages = read([SHOWN, Run("plus 9,000 hidden", x=200, y=100, render_mode=3)])

    assert [line.text for line in pages.pages[0].lines] == [SHOWN.text]


def test_pale_but_readable_text_stays() -> None:
    """Light grey on white is hard to read, not hidden."""
    pages = read([SHOWN, Run("Draft of March", y=140, color=(0.85, 0.85, 0.85))])

    assert [line.text for line in pages.pages[0].lines] == [SHOWN.text, "Draft of March"]
