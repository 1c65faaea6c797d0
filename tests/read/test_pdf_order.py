"""The order of lines where it is not the order in which they are drawn."""

from __future__ import annotations

import pytest

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages
from pdf_builder import Run, build_pdf, with_meanings

PROSE = [
    "The pump moves water from the lower",
    "basin to the tank on the roof, and it",
    "stops by itself as soon as the tank is",
    "full. A valve keeps the water from the",
    "way back. Both are looked after by the",
    "house service, which also reads the",
    "meters at the end of each month and",
    "writes the numbers into the book.",
]
SIDEWAYS = ["Table 4 lists the pumps", "by their place and year", "of their last repair"]


def read(pdf: bytes) -> Pages:
    return read_pages(open_source(pdf))


def texts(pdf: bytes) -> list[str]:
    return [line.text for line in read(pdf).pages[0].lines]


@pytest.mark.parametrize("count", [2, 3])
def test_columns_drawn_row_by_row_are_read_column_by_column(count: int) -> None:
    """A title across comes first, then each column from top to bottom."""
    rows = [
        Run(text, x=40 + column * 185, y=140 + 12 * row) for row, text in enumerate(PROSE) for column in range(count)
    ]

    assert texts(build_pdf([[Run("A title across the columns", x=200, y=100, size=16), *rows]])) == [
        "A title across the columns",
        *PROSE * count,
    ]


def test_columns_drawn_one_after_the_other_stay_as_drawn() -> None:
    """The order of PDFium is right in nearly all files, and is left alone."""
    runs = [Run(text, x=40 + 250 * side, y=100 + 12 * row) for side in (0, 1) for row, text in enumerate(PROSE)]

    assert texts(build_pdf([runs])) == PROSE * 2


TITLE = [Run("The care of pumps", x=240, y=90, size=16), Run("and of their valves", x=238, y=110, size=16)]
COLUMNS = [Run(text, x=60 + 250 * side, y=140 + 12 * row) for side in (0, 1) for row, text in enumerate(PROSE)]


@pytest.mark.parametrize("place", [16, 8], ids=["last", "between the columns"])
def test_a_title_drawn_after_the_columns_below_it_is_read_before_them(place: int) -> None:
    """A centred title of two lines stands above both columns, whenever it is drawn; the running head stays first."""
    head = Run("House rules", x=60, y=50)
    drawn = [*COLUMNS[:place], head, *TITLE, *COLUMNS[place:]]

    assert texts(build_pdf([drawn])) == ["House rules", "The care of pumps", "and of their valves", *PROSE * 2]


def test_a_large_title_drawn_after_its_whole_page_is_read_first() -> None:
    """The title over one column of text comes first though it is drawn after the foot, but for the running head."""
    text = [Run(text, x=60, y=140 + 12 * row) for row, text in enumerate(PROSE)]
    drawn = [Run("House rules", x=60, y=50), *text, Run("7", x=300, y=800), Run("Care of pumps", x=60, y=90, size=16)]

    assert texts(build_pdf([drawn])) == ["House rules", "Care of pumps", *PROSE, "7"]


def test_the_title_of_a_column_on_the_right_stays_before_its_text() -> None:
    """What is large and starts further right than the text drawn before it heads another column."""
    left, right = COLUMNS[:8], COLUMNS[8:]
    drawn = [*left, Run("Care of pumps", x=310, y=90, size=16), *right]

    assert texts(build_pdf([drawn])) == [*PROSE, "Care of pumps", *PROSE]


def test_a_line_across_the_middle_within_columns_stays_as_drawn() -> None:
    """Above a caption in the middle of the page, the columns are text of their own."""
    caption = Run("The pump and its valve", x=240, y=190)
    columns = [Run(text, x=60 + 250 * side, y=100 + (12 * row if row < 6 else 60 + 12 * row))
               for side in (0, 1) for row, text in enumerate([*PROSE[:6], *PROSE])]  # fmt: skip

    assert texts(build_pdf([[*columns, caption]]))[-1] == "The pump and its valve"


def test_the_rows_of_a_table_stay_together() -> None:
    """Cells of words are no columns of prose: they do not run on from row to row."""
    cells = [("Chief Financial Officer of the group", "Responsible for the budget since 2019")] * 8
    pdf = build_pdf([[Run(cell, x=40 + 260 * side, y=100 + 14 * row) for row, pair in enumerate(cells)
                      for side, cell in enumerate(pair)]])  # fmt: skip

    assert texts(pdf) == [" ".join(pair) for pair in cells]


@pytest.mark.parametrize(("angle", "step"), [(90, (14, 0)), (270, (-14, 0)), (180, (0, -14))])
def test_lines_set_sideways_are_read_as_when_the_page_is_turned(angle: int, step: tuple[int, int]) -> None:
    """A table set sideways, either way or upside down, gives its first row first."""
    rows = [Run(text, x=300 + step[0] * row, y=400 + step[1] * row, angle=angle) for row, text in enumerate(SIDEWAYS)]

    assert texts(build_pdf([[Run("Upright text.", y=100), *rows]])) == ["Upright text.", *SIDEWAYS]


@pytest.mark.parametrize("by_columns", [True, False], ids=["right to left", "left to right"])
def test_vertical_lines_are_read_right_to_left(by_columns: bool) -> None:
    """Columns of Chinese or Japanese go from the right, in whatever order they are drawn; the title is the first."""
    columns = ["ABCDE", "FGHIJKL", "MNOPQR"]
    meanings = dict(zip("ABCDEFGHIJKLMNOPQR", "第一章総則本規程は水道の管理を定め", strict=False)) | {"R": "る"}
    drawn = list(enumerate(columns))[:: 1 if by_columns else -1]
    pdf = build_pdf(
        [
            [
                Run(letter, x=500 - 30 * place, y=100 + (18 if place == 0 else 13) * row, size=16 if place == 0 else 11)
                for place, column in drawn
                for row, letter in enumerate(column)
            ]
        ]
    )
    pages = read(with_meanings(pdf, meanings))

    assert [line.text for line in pages.pages[0].lines] == [
        "".join(meanings[letter] for letter in column) for column in columns
    ]
    assert pages.pages[0].lines[0].font_size == 16.0
    assert pages.notes == ()


def test_vertical_text_drawn_across_its_lines_is_noted() -> None:
    """Glyphs placed row by row over vertical lines cannot be put in order, and the note says so."""
    letters = dict(zip("ABCDEFGHIJKL", "第一章総則本規程は水道の", strict=True))
    runs = [Run(letter, x=500 - 30 * (place % 3), y=100 + 13 * (place // 3)) for place, letter in enumerate(letters)]

    assert "vertical_text" in [note.code for note in read(with_meanings(build_pdf([runs]), letters)).notes]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_level_text_on_a_turned_page_is_read_as_it_is_set(turn: int) -> None:
    """A page turned after it was set displays on its side; its first line is still the first."""
    runs = [Run(text, y=100 + 12 * row) for row, text in enumerate(PROSE)]

    assert texts(build_pdf([runs], rotate=turn)) == PROSE
