"""Mending of extracted text, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pageindex_core.read.repair import SPLIT_MARK, join_split_words, name_ligatures, repair_line
from pageindex_core.records import Line, Page


def joined(*texts: str) -> list[str]:
    """Give the lines of one page after its split words were joined."""
    return [line.text for line in join_split_words((Page(1, tuple(map(Line, texts))),))[0].lines]


@pytest.mark.parametrize(
    ("raw", "repaired"),
    [
        ("  Pumps \t and   valves ", "Pumps and valves"),
        ("o\ufb03ce \ufb02ow", "office flow"),
        ("a\x00b\x0cc\x7f\u00ad\u200b\ufeff", "abc"),
        (f"main{SPLIT_MARK}", "main-"),
        ("\ud835\udc00x", "\U0001d400x"),
        ("lone \ud835 half", "lone \ufffd half"),
        ("plain", "plain"),
        ("\x01\x02"[:1], ""),
    ],
)
def test_a_line_is_repaired(raw: str, repaired: str) -> None:
    """Spaces single, ligatures spelt out, controls gone, pairs of surrogates one character."""
    assert repair_line(raw) == repaired


@given(st.text(alphabet=st.characters(codec=None)))
def test_a_repaired_line_can_be_stored_and_needs_no_further_repair(raw: str) -> None:
    """Whatever comes in, the result encodes, has no line end or control character, and is stable."""
    line = repair_line(raw)

    line.encode()
    assert not any((char < " " and char not in "\n") or "\x7f" <= char <= "\x9f" for char in line)
    assert repair_line(line) == line


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["the main-", "tenance plan"], ["the maintenance", "plan"]),
        (["the main-", "tenance"], ["the maintenance"]),
        (["the (main-", "tenance), and"], ["the (maintenance),", "and"]),
        (["a state-of-the-", "art pump"], ["a state-of-the-art", "pump"]),
        (["a state-of-", "the-art pump"], ["a state-of-the-art", "pump"]),
        (["an anti-", "German paper"], ["an anti-", "German paper"]),
        (["pages 10-", "12 are"], ["pages 10-", "12 are"]),
        (["a list -", "item"], ["a list -", "item"]),
        (["well-known", "a well-", "known pump"], ["well-known", "a well-known", "pump"]),
        (
            ["low cost and effective", "it is cost-", "effective now"],
            ["low cost and effective", "it is cost-effective", "now"],
        ),
        (["under standing, understanding", "under-", "standing"], ["under standing, understanding", "understanding"]),
        (["in the formation", "more in-", "formation"], ["in the formation", "more information"]),
        (["region-", "alizing", "a region-", "alizing word"], ["regionalizing", "a regionalizing", "word"]),
    ],
)
def test_split_words_are_joined_as_the_document_spells_them(lines: list[str], expected: list[str]) -> None:
    """A compound seen elsewhere, of three parts, or of two words of the document keeps its hyphen; others lose it."""
    assert joined(*lines) == expected


def test_a_joined_line_keeps_its_box_and_style() -> None:
    """Only the text moves: the line stays where it is and looks as it did."""
    first = Line("the main-", None, 12.0, True, False, "F")
    joined_page = join_split_words((Page(3, (first, Line("tenance plan")), "iii"),))[0]

    assert joined_page.lines[0] == first._replace(text="the maintenance")
    assert (joined_page.page_number, joined_page.page_label) == (3, "iii")


def test_words_are_not_joined_over_a_page_border() -> None:
    """The last line of a page stays as printed, since page texts must not depend on each other."""
    pages = (Page(1, (Line("the main-"),)), Page(2, (Line("tenance plan"),)))

    assert join_split_words(pages) == pages


@pytest.mark.parametrize(
    "text", ["\x0c + \x0b = 1", "e.g. \x0b1, \x0c2", "x\x0c\x01y", "one\x0c\r\ntwo", "line\r\nline\r"]
)
def test_codes_outside_words_are_no_ligatures(text: str) -> None:
    """Greek of a formula, a form feed, and the ends of lines stay what they are."""
    assert name_ligatures(text) == text
