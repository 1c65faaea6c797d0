"""Places: what a text calls a part of a document."""

from __future__ import annotations

import pytest

from pageindex_core.search.places import Place, find_places, is_bare_label, roman_value


@pytest.mark.parametrize(
    ("text", "kind", "numbers"),
    [
        ("What is on page 5?", "page", ("5",)),
        ("see p. 12", "page", ("12",)),
        ("page iv of the preface", "page", ("4", "iv")),
        ("slide 3", "page", ("3",)),
        ("the second page", "page", ("2",)),
        ("Section 2.1", "section", ("2.1",)),
        ("§ 14", "section", ("14",)),
        ("Item 7A", "item", ("7a",)),
        ("chapter three", "chapter", ("3",)),
        ("Table II", "table", ("2", "ii")),
        ("Fig. 3", "figure", ("3",)),
        ("Appendix G", "appendix", ("g",)),
        ("appendix A", "appendix", ("a",)),
        ("What does annex a say?", "appendix", ("a",)),
        ("APPENDIX A PROOFS", "appendix", ("a",)),
        ("Part A", "part", ("a",)),
        ("what does item A require", "item", ("a",)),
        ("what is in table a?", "table", ("a",)),
        ("Part I", "part", ("1", "i")),
        ("Note 12", "note", ("12",)),
        ("Table1-1", "table", ("1-1",)),
        ("제3조", "article", ("3",)),
        ("제 1 장", "chapter", ("1",)),
        ("第三章", "chapter", ("3",)),
        ("第二十一条", "article", ("21",)),
        ("표 3", "table", ("3",)),
        ("5ページ", "page", ("5",)),
    ],
)
def test_a_place_is_found_with_its_number(text: str, kind: str, numbers: tuple[str, ...]) -> None:
    """Each form of naming a part gives its kind and the readings of its number."""
    assert list(find_places(text)) == [Place(kind, numbers)]


def test_ranges_and_lists_of_pages_name_each_page() -> None:
    """Pages 3-5 are three pages, and so are 7, 8 and 9."""
    ranged = [place.numbers[0] for place in find_places("pages 3-5")]
    listed = [place.numbers[0] for place in find_places("pages 7, 8 and 9")]
    assert (ranged, listed) == (["3", "4", "5"], ["7", "8", "9"])


@pytest.mark.parametrize(
    "text",
    [
        "What figure is shown?",
        "Figure a way out",
        "schedule a call",
        "the section I wrote",
        "parts of it",
        "the table is 5 cm wide",
        "",
    ],
)
def test_words_that_name_no_place_give_none(text: str) -> None:
    """A kind without a number is only a word."""
    assert list(find_places(text)) == []


def test_the_letter_a_is_listed_like_any_other() -> None:
    """ "appendix A and B" are two places."""
    assert [place.numbers for place in find_places("appendix A and B")] == [("a",), ("b",)]


@pytest.mark.parametrize("text", ["Chapter 12", "IV.", "2.1", "PART II", "第十二章", "Appendix A", "three"])
def test_a_label_alone_is_told(text: str) -> None:
    """The number of a part, with or without the word for it."""
    assert is_bare_label(text)


@pytest.mark.parametrize("text", ["MIT", "New", "Chapter 12 Leases", "Part", "", "Our"])
def test_a_word_is_no_label(text: str) -> None:
    """Other words, with or without a label, are text."""
    assert not is_bare_label(text)


@pytest.mark.parametrize(
    ("written", "value"), [("iv", 4), ("xii", 12), ("xc", 90), ("iiii", None), ("mix", None), ("", None)]
)
def test_roman_numerals_are_read_or_refused(written: str, value: int | None) -> None:
    """Only well-formed numerals have a value."""
    assert roman_value(written) == value
