"""Words that lose an f in files that place each letter by itself."""

from __future__ import annotations

from pageindex_core.read import open_source, read_pages
from pdf_builder import Run, build_pdf
from pdf_builder.items import text_width_pt


def letters(text: str, y: float) -> list[Run]:
    """Give a line in italics, each letter drawn by itself, spaces left out; a second f leans over the first."""
    runs, x = [], 72.0
    for before, letter in zip(f" {text}", text, strict=False):
        lean = 0.5 if before == letter == "f" else 0.0
        run = Run(letter, x - lean, y, font="Times", italic=True)
        x += text_width_pt(run)
        if letter != " ":
            runs.append(run)
    return runs


def read(*rows: str, plain: str) -> list[str]:
    """Give what is read of rows in italics under one in upright letters."""
    items = [Run(plain, y=100), *(run for row, text in enumerate(rows) for run in letters(text, 140 + 20 * row))]
    return [line.text for line in read_pages(open_source(build_pdf([items]))).pages[0].lines][1:]


def test_words_that_lost_an_f_are_whole_where_the_document_writes_them_whole() -> None:
    """PDFium reads "suf icient": the upright line shows what the word is."""
    rows = ["The Officer has sufficient means", "to offer what is of use"]

    assert read(*rows, plain="An officer and a sufficient offer.") == rows


def test_words_that_the_document_writes_alone_stay_alone() -> None:
    """An offset is written elsewhere, and yet "a means of setting of set dates" has no offset in it."""
    rows = ["a means of setting and of set dates", "that are sufficient"]

    assert read(*rows, plain="The offset is sufficient; offsetting it, the set dates, while setting them.") == rows


def test_a_word_that_is_written_whole_nowhere_is_left_as_it_is_read() -> None:
    """Nothing is made up."""
    assert read("his coffee is sufficient", plain="A sufficient cup.") == ["his cof ee is sufficient"]
