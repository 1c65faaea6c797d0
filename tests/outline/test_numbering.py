"""Numbers that open headings, in every script and scheme: the cases stand in ``numbering_cases.txt``."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pageindex_core.outline.numbering import han_number, parse_number, roman_number, to_roman

CASES = [
    line
    for line in (Path(__file__).parent / "numbering_cases.txt").read_text(encoding="utf-8").split("\n")
    if line and not line.startswith("#")
]
NUMBERED = [tuple(field.strip() for field in line.split(" | ")) for line in CASES if not line.endswith("| -")]
PLAIN = [line.removesuffix("| -").strip() for line in CASES if line.endswith("| -")]


@pytest.mark.parametrize("case", NUMBERED, ids=[case[0] for case in NUMBERED])
def test_number_is_read(case: tuple[str, ...]) -> None:
    """Kind, depth, value, rest and printed form of the number that opens a line."""
    line, kind, depth, value, title, label = case
    number = parse_number(line)

    assert number is not None
    assert (number.kind, number.depth, number.title, number.label) == (kind, int(depth), title, label)
    assert number.value == tuple(map(int, value.split(".")))


@pytest.mark.parametrize("line", PLAIN)
def test_no_number_is_made_up(line: str) -> None:
    """Words that only look like numbers or their words open no number."""
    assert parse_number(line) is None


def test_roman_numbers_are_read_back_from_one_to_399() -> None:
    """Every number below 400 is written and read, in capitals and in small letters."""
    assert all(roman_number(to_roman(value)) == value for value in range(1, 400))
    assert all(roman_number(to_roman(value).lower()) == value for value in range(1, 400))


@pytest.mark.parametrize("text", ["IIII", "VX", "IC", "", "ABC", "I1"])
def test_what_is_no_roman_number_is_none(text: str) -> None:
    """Letters in an order that no one writes are not a number."""
    assert roman_number(text) is None


HAN = {
    "一": 1, "十": 10, "十二": 12, "二十": 20, "二十一": 21, "九十九": 99, "一百": 100, "一百零三": 103,
    "一百二十": 120, "三百四十五": 345, "〇": 0, "12": 12, "１２": 12, "二〇二四": 2024,
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), HAN.items())
def test_han_numbers_are_read(text: str, value: int) -> None:
    """Tens and hundreds, digits in a row, and wide digits."""
    assert han_number(text) == value


def test_ranks_put_parts_over_chapters_over_sections_over_articles_over_brackets() -> None:
    """The usual height of a kind orders every scheme, Latin or Eastern."""
    for ladder in (
        ["PART I", "Chapter 2", "Section 3", "Article 4", "(a) x"],
        ["제1편", "제1장", "제1절", "제1조", "(1) 점검"],
        ["第一编", "第一章", "第一节", "第一条", "（一）检查"],
        ["2 x", "2.1 x", "2.1.1 x", "(a) x"],
    ):
        numbers = [parse_number(line) for line in ladder]
        ranks = [number.rank for number in numbers if number is not None]
        assert len(ranks) == len(ladder)
        assert all(above < below for above, below in pairwise(ranks)), ladder


@pytest.mark.parametrize(("line", "value"), [("(ii) the ship", 2), ("(iv) the crew", 4), ("(xi) the cargo", 11)])
def test_small_roman_numbers_in_brackets_have_their_value(line: str, value: int) -> None:
    """(ii) is two, (iv) four: a sequence of clauses can be followed."""
    number = parse_number(line)

    assert number is not None
    assert number.value == (value,)


@pytest.mark.parametrize(("line", "value"), [("(나) 점검", 2), ("가. 점검", 1), ("다. 기록", 3)])
def test_korean_letters_are_counted(line: str, value: int) -> None:
    """가, 나, 다 number clauses as a, b, c do."""
    number = parse_number(line)

    assert number is not None
    assert number.value == (value,)
