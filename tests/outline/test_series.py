"""Numbers in series: neighbours decide what a letter counts, and a series that goes on closes what it held."""

from __future__ import annotations

import pytest

from outline_cases import Flow, nested, tree_of_pdf
from pageindex_core.outline.numbering import parse_number
from pageindex_core.outline.series import settle
from pdf_builder import build_pdf


def read(*labels: str) -> list[tuple[str, int]]:
    """Give form and value of numbers that follow each other, each read among its neighbours."""
    numbers = settle([parse_number(f"{label} Care") for label in labels])
    return [(number.form, number.value[0]) for number in numbers if number is not None]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("(g)", "(h)", "(i)", "(j)"), [("letter", 7), ("letter", 8), ("letter", 9), ("letter", 10)]),
        (("(i)", "(ii)", "(iii)"), [("roman", 1), ("roman", 2), ("roman", 3)]),
        (("(a)", "(i)", "(ii)", "(b)"), [("letter", 1), ("roman", 1), ("roman", 2), ("letter", 2)]),
        (("(h)", "(i)", "(i)", "(ii)"), [("letter", 8), ("letter", 9), ("roman", 1), ("roman", 2)]),
        (("H.", "I.", "J."), [("letter", 8), ("letter", 9), ("letter", 10)]),
        (("I.", "II.", "III."), [("roman", 1), ("roman", 2), ("roman", 3)]),
        (("IV.", "V.", "VI."), [("roman", 4), ("roman", 5), ("roman", 6)]),
        (("U.", "V.", "W."), [("letter", 21), ("letter", 22), ("letter", 23)]),
    ],
)
def test_neighbours_decide_what_a_single_letter_counts(
    labels: tuple[str, ...], expected: list[tuple[str, int]]
) -> None:
    """A letter that may be a Roman number is what makes a series with the numbers around it."""
    assert read(*labels) == expected


def test_roman_clauses_stand_under_lettered_ones_and_letters_go_on_after_them() -> None:
    """(i) and (ii) under (a) do not keep (b) from being the sibling of (a), though all are set alike."""
    flow = Flow().heading("1. Duties of the carrier", 14).text(50)
    for label in ("(a)", "(i)", "(ii)", "(b)", "(i)", "(ii)", "(c)"):
        flow.heading(f"{label} Care of goods {len(flow.pages)}{flow.said}", 11).text(30)
    rows = [(level, title.split()[0]) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))]

    assert rows == [
        (1, "1."), (2, "(a)"), (3, "(i)"), (3, "(ii)"), (2, "(b)"), (3, "(i)"), (3, "(ii)"), (2, "(c)"),
    ]  # fmt: skip
