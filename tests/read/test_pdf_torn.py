"""Lines that PDFium gives in pieces: word by word, letter by letter, with the mark of a footnote between."""

from __future__ import annotations

import pytest

from pageindex_core.read.pdf.lines import TextLines
from pageindex_core.read.pdf.torn import join_torn
from pageindex_core.records import Box, Line

SIZE = 10.0
SPACE = 0.25 * SIZE


class Drawn(TextLines):
    """The lines of a page as PDFium might give them."""

    __slots__ = ()

    def __init__(self, *pieces: tuple[str, float, float]) -> None:
        self.text = "\r\n".join(text for text, _, _ in pieces)
        self.odd = {}
        self.lines = [Line(text, Box(x, y, x + 5 * len(text), y + SIZE), SIZE, font="Serif") for text, x, y in pieces]
        starts = [sum(len(text) + 2 for text, _, _ in pieces[:at]) for at in range(len(pieces))]
        self.spans = [(start, start + len(piece[0]) - 1) for start, piece in zip(starts, pieces, strict=True)]


def joined(*pieces: tuple[str, float, float]) -> list[str]:
    found = Drawn(*pieces)
    return [found.lines[index].text for index in join_torn(found, list(range(len(pieces))))]


def in_a_row(*texts: str, gap: float) -> list[tuple[str, float, float]]:
    """Pieces of one line with so much space between them."""
    x = 72.0
    pieces = []
    for text in texts:
        pieces.append((text, x, 100.0))
        x += 5 * len(text) + gap
    return pieces


@pytest.mark.parametrize("gap", [SPACE, 0.4 * SPACE], ids=["a space", "hardly a space"])
def test_a_title_in_words_is_one_line(gap: float) -> None:
    """Words that stand a space apart at one height are one line, however narrow the space is."""
    found = Drawn(*in_a_row("Risks", "Related", "to", "Our", "Business", gap=gap))

    (index,) = join_torn(found, list(range(5)))
    line = found.lines[index]
    assert line.text == "Risks Related to Our Business"
    assert line.box == Box(72.0, 100.0, 72.0 + 5 * 25 + 4 * gap, 110.0)
    assert found.spans[index] == (0, len(found.text) - 1)


def test_letters_that_touch_are_one_word() -> None:
    """A word that comes letter by letter has no spaces."""
    assert joined(*in_a_row(*"Total", gap=0.0)) == ["Total"]


def test_the_mark_of_a_footnote_does_not_grow_into_the_word_before_it() -> None:
    """What is found by words is found beside a mark too."""
    assert joined(*in_a_row("Remittances to the Treasury", "4 670 76,031", gap=0.0)) == [
        "Remittances to the Treasury 4 670 76,031"
    ]


def test_cells_lines_and_columns_stay_apart() -> None:
    """Pieces stand in one line at one height, a space apart, one after the other, and in no other case."""
    for pieces in (
        in_a_row("Cash", "1,204", gap=2 * SPACE),
        [("Cash", 72.0, 100.0), ("flows", 94.0, 112.0)],
        [("x", 72.0, 100.0), ("2", 77.0, 96.0)],
        [("right", 300.0, 100.0), ("left", 72.0, 100.0)],
    ):
        assert joined(*pieces) == [text for text, _, _ in pieces]
