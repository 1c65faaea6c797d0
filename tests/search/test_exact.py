"""Phrases and patterns: what contains them, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pageindex_core.errors import QuestionError
from pageindex_core.library.protocol import Library
from pageindex_core.records import Scope
from pageindex_core.search import asearch, exact, search

Add = Callable[..., str]

PAGES = [
    "# Soil\nThe soil moisture\nindex is low in May.\nMoisture of the soil.",
    "# Index\nsoil and moisture, index",
    "# Codes\nOrder A-1234 and B-77\nOrder C-9 (soil moisture index)",
]


def test_a_phrase_is_found_over_a_line_end_in_any_case(library: Library, add: Add) -> None:
    """Whitespace and case make no difference; scattered words do not count."""
    add("a.pdf", PAGES)
    hits = search(library, "Soil  Moisture Index", mode="phrase").hits
    assert {hit.title for hit in hits} == {"Soil", "Codes"}
    assert {hit.found_by for hit in hits} == {"phrase"}
    soil = next(hit for hit in hits if hit.title == "Soil")
    assert soil.quotes == ("The soil moisture",)
    assert soil.boxes[0].box.y0 == 64.0


def test_a_phrase_is_what_is_written_not_what_is_meant(library: Library, add: Add) -> None:
    """No stemming, no parts of words, no fill."""
    add("a.pdf", PAGES)
    assert search(library, "soils moisture", mode="phrase").hits == ()
    assert search(library, "oil moisture", mode="phrase").hits == ()
    assert len(search(library, "moisture", mode="phrase", k=9).hits) == 3


def test_punctuation_is_part_of_a_phrase(library: Library, add: Add) -> None:
    """ "(soil" is found only with its bracket."""
    add("a.pdf", PAGES)
    assert [hit.title for hit in search(library, "(soil moisture", mode="phrase").hits] == ["Codes"]
    assert [hit.title for hit in search(library, "(", mode="phrase").hits] == ["Codes"]


def test_a_pattern_is_matched_over_line_ends(library: Library, add: Add) -> None:
    """A space in the pattern matches the end of a line."""
    add("a.pdf", PAGES)
    assert [hit.title for hit in search(library, r"moisture index is", mode="regex").hits] == ["Soil"]
    (hit,) = search(library, r"Order [A-C]-\d+", mode="regex").hits
    assert (hit.title, hit.found_by, len(hit.quotes)) == ("Codes", "regex", 2)


def test_patterns_keep_case(library: Library, add: Add) -> None:
    """A pattern says itself whether case matters."""
    add("a.pdf", PAGES)
    assert search(library, r"ORDER", mode="regex").hits == ()
    assert len(search(library, r"(?i)ORDER", mode="regex").hits) == 1


def test_more_matches_rank_higher(library: Library, add: Add) -> None:
    """Scores rise with the number of matches and stay within 0..1."""
    add("a.pdf", ["# One\ntea", "# Three\ntea tea tea", "# Two\ntea and tea"])
    hits = search(library, "tea", mode="phrase").hits
    assert [hit.title for hit in hits] == ["Three", "Two", "One"]
    assert [hit.score for hit in hits] == [3 / 4, 2 / 3, 1 / 2]


def test_cjk_phrases_are_found_inside_running_text(library: Library, add: Add) -> None:
    """There are no word boundaries to stand at."""
    add("law.pdf", ["# 一\n使用者は労働基準法を守る", "# 二\n基準と労働"])
    assert [hit.title for hit in search(library, "労働基準", mode="phrase").hits] == ["一"]


@pytest.mark.parametrize("pattern", ["(", "[a-", "*x", "a{3,1}", "(?P<n>", "\\"])
def test_a_broken_pattern_is_refused(library: Library, pattern: str) -> None:
    """The error says that it is no regular expression."""
    with pytest.raises(QuestionError, match="no regular expression"):
        search(library, pattern, mode="regex")


def test_a_pattern_too_long_to_be_written_by_hand_is_refused(library: Library) -> None:
    """The limit is named."""
    with pytest.raises(QuestionError, match="500"):
        search(library, "x" * 501, mode="regex")


@pytest.mark.parametrize(
    "pattern",
    [r"((.+))+", r"(.|\s)+", r"(?:.?){200}", r"([a-z ]|[a-z ]{2})+", r"(.*)*.*.*.*"],
)
def test_no_pattern_runs_for_ever(library: Library, add: Add, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """A pattern that would never end is given up, page for page, and a note tells which; the others are searched."""
    monkeypatch.setattr(exact, "MOST_PAGE_SECONDS", 0.02)
    add("a.pdf", ["# Seals\n" + "lubricate the shaft of the pump again " * 60, "# Short\nzz!"])
    result = search(library, pattern + r"(?:z!|y\?)", mode="regex")
    assert [hit.title for hit in result.hits] == ["Short"]
    (note,) = result.notes
    assert (note.code, note.page_number) == ("search_cut", 1)
    assert "1 of 2 pages" in note.message


def test_repeats_inside_repeats_are_no_harm_where_they_end(library: Library, add: Add) -> None:
    """A pattern is judged by the time it takes, not by its shape."""
    add("a.pdf", PAGES)
    assert [hit.title for hit in search(library, r"(?:[A-C]-\d+(?: and )?)+", mode="regex").hits] == ["Codes"]


def test_out_of_time_is_not_said_to_be_found_nowhere(
    library: Library, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no time is left, the note says that what was not looked through may hold more."""
    monkeypatch.setattr(exact, "MOST_SECONDS", 0.0)
    add("a.pdf", ["# One\ntea tea tea"])
    result = search(library, "tea", mode="regex")
    assert [note.code for note in result.notes] == ["search_cut"]
    assert "may hold more" in result.notes[0].message


def test_a_pattern_that_matches_nothing_visible_finds_nothing(library: Library, add: Add) -> None:
    """Empty matches are everywhere and mean nothing."""
    add("a.pdf", PAGES)
    assert search(library, r"q*", mode="regex").hits == ()


def test_limits_cut_the_search_and_say_so(library: Library, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found so far is returned, with a note that names the limit."""
    monkeypatch.setattr(exact, "MOST_PAGES", 2)
    add("a.pdf", ["# One\ntea 1", "# Two\ntea 2", "# Three\ntea 3"])
    result = search(library, r"tea \d", mode="regex")
    assert [hit.title for hit in result.hits] == ["One", "Two"]
    assert result.notes[0].code == "search_cut"
    assert "2 pages" in result.notes[0].message


async def test_scope_and_async_hold_for_exact_search(library: Library, add: Add) -> None:
    """Both modes see only the scope, and async gives the same."""
    add("a.pdf", PAGES)
    second = add("b.pdf", PAGES)
    for mode, question in (("phrase", "soil moisture"), ("regex", r"soil\s+moisture")):
        result = search(library, question, mode=mode, scope=Scope(documents=(second,)))  # type: ignore[arg-type]
        assert {hit.doc_id for hit in result.hits} == {second}
        again = await asearch(library, question, mode=mode, scope=Scope(documents=(second,)))  # type: ignore[arg-type]
        assert again.hits == result.hits
