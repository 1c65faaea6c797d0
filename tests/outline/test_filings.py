"""What annual reports, contracts and rulings are full of: signatures, tables, small print, series within series."""

from __future__ import annotations

import pytest

from outline_cases import Flow, contents_page, nested, outline_of_pdf, prose, titles, tree_of_pdf
from pageindex_core.outline.refuse import may_be_title
from pdf_builder import build_pdf

ROWS = ("Cash  1,204  1,187  3", "Loans  52,310  51,040  2", "Goodwill  1,904  1,877  1")


def found_in(flow: Flow) -> list[str]:
    return titles(outline_of_pdf(build_pdf(flow.pages), use_bookmarks=False))


def levels_in(flow: Flow) -> dict[str, int]:
    return {title: level for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages), use_bookmarks=False))}


def test_names_below_signatures_are_no_headings() -> None:
    """Who signed is printed in bold below a name that was signed, or below a line to sign on."""
    flow = Flow().text(60)
    for name, sign in (("Boilers", "/s/ Ann Miller"), ("Pumps", "__________________"), ("Valves", "By: /s/ Ben Cole")):
        flow.heading(f"Terms of {name}", 11).text(60)
        flow.y += 20
        flow.line(sign).line("Ann Miller", bold=True).line("Chief Engineer", bold=True)

    assert found_in(flow) == ["Terms of Boilers", "Terms of Pumps", "Terms of Valves"]


def test_nothing_on_the_cover_of_a_form_is_a_heading() -> None:
    """Where the items of a form begin on its second page, the first page gives names and addresses."""
    flow = Flow()
    for text in ("CURRENT REPORT", "Boiler Works Inc.", "330 Mill Street, Northtown"):
        flow.heading(text, 14)
    flow.text(60).new_page()
    for number, name in enumerate(("Other Events", "Exhibits", "Signatures"), start=1):
        flow.heading(f"Item {number}. {name}", 11).text(60)

    assert found_in(flow) == ["Item 1. Other Events", "Item 2. Exhibits", "Item 3. Signatures"]


@pytest.mark.parametrize(
    ("text", "is_title"),
    [("FULL-YEAR GUIDANCE:", True), ("ASSETS:", False), ("Guidance for the year:", False), ("IN ALL", True)],
)
def test_titles_in_capitals_may_end_in_a_colon(text: str, is_title: bool) -> None:
    """Press releases set titles so; a word, or small letters, before a colon label what follows."""
    assert may_be_title(text) is is_title


def test_headings_of_small_print_are_found_over_small_print_alone() -> None:
    """Rules set smaller than the text have bold headings as small; labels of as small a figure are none."""
    flow = Flow().text(900).new_page()
    for number, name in enumerate(("Due Date", "Affected Boilers", "Inspection", "Credit"), start=1):
        flow.heading(f"({'abcd'[number - 1]}) {name}", 8).paragraph(prose(60, 9 * number), size=8)
    flow.heading("Share of boilers", 8)
    for label in ("North", "South", "East"):
        flow.line(label, size=8)

    assert found_in(flow) == ["(a) Due Date", "(b) Affected Boilers", "(c) Inspection", "(d) Credit"]


def test_an_acronym_is_no_title_in_capitals() -> None:
    """It stands beside the titles around it, which have small letters, and swallows none of them."""
    flow = Flow()
    for name in ("Overview", "LIBOR", "Cash Flows", "Debt Covenants"):
        flow.heading(name, 11).text(200)

    assert set(levels_in(flow).values()) == {1}


def test_a_statement_that_opens_its_page_is_a_heading() -> None:
    """The same title in the middle of a page is that of a table."""
    flow = Flow().text(60).heading("Income by Region", 10)
    for row in ROWS:
        flow.line(row)
    flow.text(60).new_page().heading("Balance Sheets", 10)
    for row in ROWS * 4:
        flow.line(row)
    flow.heading("Policies", 10).text(200).heading("Leases", 10).text(200)

    assert found_in(flow) == ["Balance Sheets", "Policies", "Leases"]


def test_labels_between_rows_are_no_headings() -> None:
    """A line in capitals between two rows of a table names the rows below it."""
    flow = Flow().heading("RESULTS OF THE YEAR", 10).text(60)
    for row in ROWS:
        flow.line(row)
    flow.line("INVENTORIES OF THE YEAR", bold=True)
    for row in ROWS:
        flow.line(row)
    flow.heading("OUTLOOK FOR THE YEAR", 10).text(60)

    assert found_in(flow) == ["RESULTS OF THE YEAR", "OUTLOOK FOR THE YEAR"]


def test_text_set_larger_than_the_rest_has_no_headings_in_it() -> None:
    """An exhibit in larger letters is text: neither its lines nor the last words of its paragraphs are titles."""
    flow = Flow().text(900)
    flow.new_page().heading("Pension Plan", 14)
    for at in range(6):
        flow.paragraph(f"{prose(60, 7 * at)} And so the Plan.", size=12)
        flow.y += 8

    assert found_in(flow) == ["Pension Plan"]


def test_rows_set_larger_than_the_text_are_no_headings() -> None:
    """A list in larger letters, one name a row, is no list of titles."""
    flow = Flow().text(900)
    flow.new_page().heading("Subsidiaries", 14)
    for at in range(20):
        flow.y += 8
        flow.line(f"{prose(4, at).rstrip('.').title()} Limited", size=12)

    assert found_in(flow) == ["Subsidiaries"]


@pytest.mark.parametrize(
    ("text", "is_title"),
    [
        ("Item 15 of this report", False),
        ("Title 9 of the Code sets the fee", False),
        ("Note 3 is unaudited", False),
        ("Item 15. Exhibits of this report", True),
        ("Chapter 3 introduction", True),
        ("Section 4 Of Pumps", True),
    ],
)
def test_sentences_that_mention_a_number_are_no_titles(text: str, is_title: bool) -> None:
    """A sentence goes on after the number of an item; a title begins there."""
    assert may_be_title(text) is is_title


def test_titles_that_come_back_are_counted_in_their_own_style() -> None:
    """Segments head chapters in one style and parts of notes in another, which comes more often."""
    flow = Flow()
    for chapter in ("Overview", "Results"):
        flow.heading(chapter, 16).text(20)
        flow.heading("Boilers Segment", 12).text(60)
    for number in range(1, 5):
        flow.heading(f"Note {number} - Matters of kind {'abcde'[number]}", 12).text(20)
        flow.heading("Boilers Segment", 10).text(60)

    assert found_in(flow).count("Boilers Segment") == 2


def test_a_series_between_two_members_of_another_is_within_it() -> None:
    """1, 2 and 3 between (b) and (c) are parts of (b), and (c) goes on with (b)."""
    flow = Flow()
    for number, name in (("IV.", "Review"), ("V.", "Arguments")):
        flow.heading(f"{number} {name}", 12).text(40)
        for letter, part in (("(a)", "Rentals"), ("(b)", "Immunity")):
            flow.heading(f"{letter} {part} of {name}", 12).text(40)
            if part == "Immunity":
                for digit in (1, 2, 3):
                    flow.heading(f"{digit}. Matter {'abcd'[digit]} of {name}", 12).text(40)
        flow.heading(f"(c) Appearance of {name}", 12).text(40)

    levels = levels_in(flow)
    assert [levels[f"(b) Immunity of {name}"] for name in ("Review", "Arguments")] == [2, 2]
    assert [levels[f"{digit}. Matter {'abcd'[digit]} of Review"] for digit in (1, 2, 3)] == [3, 3, 3]
    assert levels["(c) Appearance of Arguments"] == 2


def test_headings_set_like_a_series_stand_within_it_until_it_ends() -> None:
    """Between note 1 and note 2 they are parts of note 1; after the last note they stand beside it."""
    flow = Flow()
    for title in ("1. Policies", "Use of estimates", "Leases", "2. Inventories", "3. Debt", "Signatures"):
        flow.heading(title, 11).text(80)

    assert list(levels_in(flow).values()) == [1, 2, 2, 1, 1, 1]


def test_numbers_that_contents_list_already_are_of_another_series() -> None:
    """Notes 1 and 2 within chapter 3 are no chapters."""
    names = ("Business", "Properties", "Statements", "Controls", "Exhibits")
    entries = [(f"{number} {name}", str(3 * number - 1)) for number, name in enumerate(names, start=1)]
    flow = Flow()
    flow.pages = [contents_page(*entries)]
    for number, name in enumerate(names, start=1):
        flow.new_page().heading(f"{number} {name}", 16)
        for part in (1, 2):
            if name == "Statements":
                flow.heading(f"{part} {('Policies', 'Inventories')[part - 1]}", 12)
            flow.text(500)
        while len(flow.pages) < 3 * number + 1:
            flow.text(60)

    levels = levels_in(flow)
    assert levels["3 Statements"] == 1
    assert levels["1 Policies"] == levels["2 Inventories"] == 2


def test_a_heading_that_bears_the_name_of_a_listed_one_is_kept() -> None:
    """What contents list in one chapter comes back as a part of another, set as its parts are."""
    names = ("Business", "Competition", "Leases", "Debt", "Controls")
    flow = Flow()
    flow.pages = [contents_page(*((name, str(4 * at + 1)) for at, name in enumerate(names)))]
    for at, name in enumerate(names):
        flow.new_page().heading(name, 16).text(900)
        for part in ("Risks of boilers", "Competition", "Risks of pumps") if name == "Debt" else ():
            flow.heading(part, 11).text(200)
        while len(flow.pages) < 4 * at + 5:
            flow.text(60)

    assert found_in(flow).count("Competition") == 2
