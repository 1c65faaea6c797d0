"""Titles that a plain text marks: underlined or ruled with a row of one sign, or behind equal signs."""

from __future__ import annotations

from outline_cases import prose
from pageindex_core.outline import find_headings
from pageindex_core.pipeline import make_tree
from pageindex_core.records import PageTree
from random_outlines import pages_of

TEXT = "The pump is opened in spring and its seals are looked at\nbefore the water rises."


def found(*parts: str) -> list[tuple[int, str]]:
    """Level and title of the headings of a text, whose parts are told apart by blank lines."""
    return [(heading.level, heading.title) for heading in find_headings(pages_of("\n\n".join(parts))).headings]


def test_each_new_row_marks_titles_below_those_before() -> None:
    """Signs have no rank of their own, and a title between two rules is another kind than one over a rule."""
    assert found(
        *("=====\nPumps\n=====", TEXT, "Care\n----", TEXT, "Seals\n=====", TEXT, "Shafts\n======", TEXT),
        *("Storage\n-------", TEXT, "=======\n Wells\n=======", TEXT),
    ) == [(1, "Pumps"), (2, "Care"), (3, "Seals"), (3, "Shafts"), (2, "Storage"), (1, "Wells")]


def test_rows_may_be_wider_than_their_titles_and_a_little_shorter() -> None:
    """People miscount, and some rule the whole width. Two signs are enough under two letters."""
    assert found("Well\n" + "-" * 72, TEXT, "Cleaning of filters\n----------------", TEXT, "Oh\n--", TEXT) == [
        (1, "Well"),
        (1, "Cleaning of filters"),
        (1, "Oh"),
    ]


def test_titles_in_scripts_of_wide_characters_are_as_wide_as_shown() -> None:
    """Two columns each, as editors show them."""
    assert found("安全について\n============", "水が上がる前に開ける。", "保守\n====", "水が上がる前に開ける。") == [
        (1, "安全について"),
        (1, "保守"),
    ]
    assert found("安全について水が上がる\n------", "水が上がる前に。", "保守と点検と\n---", "水が上がる前に。") == []


def test_what_is_no_title() -> None:
    """The last line of a paragraph, a sentence over a long rule, quoted text, heads of tables, fields of forms."""
    no_titles = (
        f"{TEXT}\n-----------------------",
        "We write again soon.\n" + "-" * 60,
        "  Sample\n  ------",
        "Name      Age\n--------  ---\nAnn       12",
        "Signature\n_________",
        "-----\n-----",
        "Prices rise\n--",
    )
    assert found(*no_titles, *no_titles) == []


def test_one_title_alone_needs_a_row_of_equal_signs() -> None:
    """A single row of anything else ends something as often as it underlines it."""
    assert found("Pumps\n=====", TEXT) == [(1, "Pumps")]
    assert found("Pumps\n-----", TEXT) == []


def test_equal_signs_on_both_sides_or_before() -> None:
    """As wikis and AsciiDoc write titles: as many signs as they are deep."""
    assert found(TEXT, f"== Pumps ==\n{TEXT}", f"=== Seals ===\n{TEXT}", f"==Wells==\n{TEXT}", "== See also ==") == [
        (1, "Pumps"),
        (2, "Seals"),
        (1, "Wells"),
        (1, "See also"),
    ]
    assert found("= Pumps of the river", f"== Seals\n\n{TEXT}", f"=== Shafts\n{TEXT}", f"== Wells\n\n{TEXT}") == [
        (1, "Pumps of the river"),
        (2, "Seals"),
        (3, "Shafts"),
        (2, "Wells"),
    ]
    assert found(f"{TEXT}\n= 4", "a == b", "== ==", f"{TEXT}\n== as before", "=> next") == []


def test_tables_are_no_titles() -> None:
    """Neither heads of columns, nor rows between rules, nor sums over a double rule."""
    table = "-----------\nPump, large\n-----------\nPump, small\n-----------\nSeal, round\n-----------"
    sums = "Net income          50\n======================"
    head = "Item        Price\n-----------------\nPump           12"
    assert found(TEXT, table, sums, head, TEXT, sums, head, TEXT) == []
    assert found("3    Pumps\n==========", TEXT, "-----\nWells\n-----\nSeals\n-----", TEXT) == [
        (1, "3 Pumps"),
        (2, "Wells"),
        (2, "Seals"),
    ]


def test_sentences_over_rules_are_no_titles() -> None:
    """What an author underlines is as wide as its row; what ends in a full stop and is not, ends there."""
    texts = [f"The pump is opened in {month} every year.\n{'-' * 60}" for month in ("March", "April", "May")]
    assert found(*texts) == []
    assert found(
        "Open the pump now.\n------------------", TEXT, "Then close it again.\n--------------------", TEXT
    ) == [
        (1, "Open the pump now."),
        (1, "Then close it again."),
    ]


def test_frames_of_titles_are_no_words() -> None:
    """Banners have sides of the same sign."""
    assert found("***********\n*  Pumps  *\n***********", TEXT, "*********\n* Seals *\n*********", TEXT) == [
        (1, "Pumps"),
        (1, "Seals"),
    ]


def test_ruled_heads_and_feet_of_pages_are_no_titles() -> None:
    """But for the first of those that say the same on every page."""
    heads = pages_of(*(f"Manual of pumps\n===============\n\n{prose(60, at)}" for at in range(0, 200, 40)))
    feet = pages_of(*(f"{prose(60, at)}\n\n-------\nPage {at // 40}\n-------" for at in range(0, 200, 40)))
    assert [(one.title, one.page_number) for one in find_headings(heads).headings] == [("Manual of pumps", 1)]
    assert find_headings(feet).headings == ()


def test_signs_of_formulas_are_none() -> None:
    """Sums go on with an equal sign; AsciiDoc's own titles may have an anchor above."""
    assert found(TEXT, "= a + b", TEXT, "= 12 kW", TEXT) == []
    assert found("= Pumps", f"[[seals]]\n[.wide]\n== Seals\n{TEXT}", f"== Wells\n\n{TEXT}") == [
        (1, "Pumps"),
        (2, "Seals"),
        (2, "Wells"),
    ]


def test_a_marked_end_takes_no_numbered_title_away() -> None:
    """One underlined line says nothing about the chapters before it."""
    chapters = [
        f"{at} {name} of the river\n\n{prose(120, at)}" for at, name in enumerate(("Pumps", "Seals", "Wells"), 1)
    ]
    assert found(*chapters, f"Summary\n=======\n\n{TEXT}") == [
        (1, "1 Pumps of the river"),
        (1, "2 Seals of the river"),
        (1, "3 Wells of the river"),
        (1, "Summary"),
    ]


def tree_of(text: str) -> PageTree:
    return make_tree(text.encode(), name="manual.rst")


def test_rows_are_no_text_of_their_sections() -> None:
    """A summary quotes sentences, and rows of signs are none."""
    text = f"Pumps and their seals for the river\n{'=' * 60}\n\n{TEXT}\n\n{'*' * 40}\nWells\n{'*' * 40}\n\n{TEXT}\n"
    tree = tree_of(text)
    assert [section.title for section in tree.walk()] == ["Pumps and their seals for the river", "Wells"]
    assert tree.toc_source == "markup"
    assert all(section.summary == " ".join(TEXT.split()) for section in tree.walk())


def test_a_list_of_contents_and_underlined_titles_complete_each_other() -> None:
    """Titles that the contents leave out are underlined too."""
    contents = "Contents\n\n1 Pumps ........ 1\n2 Seals ........ 1\n3 Wells ........ 1"
    texts = [f"{title}\n{'=' * len(title)}\n\n{TEXT}" for title in ("1 Pumps", "2 Seals", "3 Wells", "Words of thanks")]
    titles = [title for _, title in found(contents, *texts)]
    assert [title for title in titles if title != "Contents"] == ["1 Pumps", "2 Seals", "3 Wells", "Words of thanks"]
