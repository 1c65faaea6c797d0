"""Terms: what counts as the same word."""

from __future__ import annotations

import pytest

from pageindex_core.search.terms import line_terms, question_terms, single_characters, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Expenditures", "expenditure"),
        ("operating", "operated"),
        ("stores", "stored"),
        ("companies", "company"),
        ("running", "runs"),
        ("boxes", "box"),
        ("classes", "class"),
        ("using", "uses"),
        ("studied", "studies"),
        ("based", "bases"),
    ],
)
def test_inflected_forms_meet(one: str, other: str) -> None:
    """Plural, -ed and -ing make no difference."""
    assert line_terms(one) == line_terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("operation", "operating"), ("general", "generate"), ("business", "busy"), ("this", "thing"), ("need", "new")],
)
def test_words_of_other_meaning_stay_apart(one: str, other: str) -> None:
    """Derivation is not stripped: related words are still other words."""
    assert line_terms(one) != line_terms(other)


@pytest.mark.parametrize("word", ["string", "spring", "red", "bus", "analysis", "speed", "is"])
def test_words_that_only_look_inflected_keep_their_ending(word: str) -> None:
    """No ending is taken where too little would be left or where it belongs to the word."""
    assert stem(word) == word


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("1,577", ["1577"]),
        ("$12,645.00 million", ["12645.00", "million"]),
        ("3.5%", ["3.5"]),
        ("section 2.1.3", ["section", "2.1.3"]),
        ("pages 1,2,3", ["pag", "1", "2", "3"]),
        ("FY2018", ["fy2018"]),
    ],
)
def test_numbers_stay_whole(text: str, terms: list[str]) -> None:
    """Thousands separators go, decimal and section points stay, lists come apart."""
    assert line_terms(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"),
        ("naïve", "NAIVE"),
        ("Straße", "strasse"),
        ("ﬁnance", "finance"),
        ("Łódź", "lodz"),
        ("Ｆｕｌｌ", "full"),
        ("company’s", "company"),
        ("O’Brien", "O'Brien"),
    ],
)
def test_accents_case_and_compatibility_forms_are_folded(one: str, other: str) -> None:
    """The same word in another spelling is the same term."""
    assert line_terms(one) == line_terms(other)


def test_abbreviations_with_an_ampersand_stay_whole() -> None:
    """PP&E is one term, not two letters and one."""
    assert line_terms("net PP&E and R&D") == ["net", "pp&e", "and", "r&d"]


def test_accents_are_not_taken_off_kana_and_hangul() -> None:
    """Voiced kana and composed syllables are letters of their own."""
    assert line_terms("が") == ["が"] != line_terms("か")
    assert line_terms("각") == ["각"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("労働基準法", ["労働", "働基", "基準", "準法", "法"]),
        ("第3章", ["第", "3", "章"]),
        ("계약서 2부", ["계약", "약서", "서", "2", "부"]),
        ("GPUの性能", ["gpu", "の性", "性能", "能"]),
    ],
)
def test_cjk_runs_become_pairs(text: str, terms: list[str]) -> None:
    """Each position of a run starts a pair; the last character stands alone."""
    assert line_terms(text) == terms


def test_a_question_does_not_ask_for_the_single_last_character() -> None:
    """Only a run of one character asks for that character."""
    assert question_terms("労働基準 税") == ["労働", "働基", "基準", "税"]


def test_single_characters_of_pairs_are_known() -> None:
    """A document with 税金 answers to 税 and to 金."""
    assert single_characters(["税金", "tax", "法"]) == {"税", "金"}
