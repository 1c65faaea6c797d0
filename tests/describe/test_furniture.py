"""What is no text of a section is not quoted: running heads of every kind, entries of contents, empty words."""

from __future__ import annotations

import pytest

from pageindex_core.describe import describe
from pageindex_core.describe.compare import fold_digits
from pageindex_core.describe.furniture import furniture_of, running_titles
from pageindex_core.records import Line, Page, Pages, PageTree, Section


def _pages(*texts: str) -> tuple[Page, ...]:
    return tuple(Page(number, tuple(map(Line, text.splitlines()))) for number, text in enumerate(texts, start=1))


def _described(pages: tuple[Page, ...], *titles: str) -> list[Section]:
    """The sections described, one starting at the top of each page."""
    sections = tuple(
        Section(f"{index:04d}", "0" * 12, title, 1, index + 1, index + 1) for index, title in enumerate(titles)
    )
    read = Pages("doc", "doc.pdf", "application/pdf", "0" * 64, pages)
    return list(describe(PageTree("doc.pdf", sections, "detected", len(pages)), read).walk())


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Service Manual iv", "Service Manual 0"),
        ("xii Service Manual", "0 Service Manual"),
        ("Page 12 of 300", "Page 0 of 0"),
        ("The public", "The public"),
        ("Handbuch für Öl 7", "Handbuch für Öl 0"),
    ],
)
def test_numbers_fold_in_either_form(text: str, folded: str) -> None:
    """Front matter is numbered in small Roman numerals under the same heads; a word that ends in one is none."""
    assert fold_digits(text) == folded


def test_heads_that_alternate_are_furniture_on_four_pages() -> None:
    """Left and right pages have heads of their own, and two pages of each are enough to tell."""
    pages = _pages(
        *(f"{('Manual', 'Northwind')[number % 2]}\nSome text {'ab'[number % 2] * number}." for number in range(4))
    )
    assert {"Manual", "Northwind"} <= furniture_of(pages)
    assert not {"Manual", "Northwind"} & furniture_of(pages[:3])


def test_section_titles_at_the_edge_of_pages_are_running_heads() -> None:
    """A head that names the section is told by the title, however few pages it stands on; a mention inside is text."""
    pages = _pages(
        "2 Valves\nA\nB\nC\n2 Valves\nD\nE\n3 | Northwind",
        "14 | Valves\nA\nB\nC\nD\nE\nF\nG",
        "A\nB\nC\nD\nE\nVALVES ix",
    )
    assert running_titles(pages, ["2 Valves", "iv"]) == {0, 8, 21}


def test_running_heads_are_neither_quoted_nor_key_items() -> None:
    """The head of a chapter of two pages stays out of both, and the text around it is quoted as it stands."""
    first, second = _described(
        _pages(
            "Red Pump Handling\nEach pump is greased in May.",
            "Red Pump Handling\nStorage Hall Rules\nEach hall is aired in June. Gaskets rest on the\n"
            "7 Storage Hall Rules",
            "Storage Hall Rules\nupper floor of the building.",
        ),
        "Red Pump Handling",
        "Storage Hall Rules",
    )
    assert first.summary == "Each pump is greased in May."
    assert second.summary == "Each hall is aired in June."
    assert not [item for item in second.key_items if "Pump" in item or "Hall" in item]


def test_a_list_of_contents_is_not_summed_up_by_its_entries_or_its_foot() -> None:
    """Its lines are titles of other sections, and its running foot is numbered in Roman numerals."""
    entries = "\n".join(
        f"Handling of pump number{letter} {page}" for letter, page in zip("abcdef", range(2, 14, 2), strict=True)
    )
    foot = "Issue 26 of the manual, copyright by Northwind"
    contents, *others = _described(
        _pages(
            f"Contents\n{entries}\n{foot} iii",
            f"One\nEach pump is greased in May.\n{foot} 1",
            f"Two\nEach hall is aired in June.\n{foot} 2",
        ),
        "Contents",
        "One",
        "Two",
    )
    assert (contents.summary, contents.key_items) == (None, ())
    assert [other.summary for other in others] == ["Each pump is greased in May.", "Each hall is aired in June."]


def test_rows_whose_numbers_do_not_rise_are_text() -> None:
    """A list of lines that end in numbers is a list of contents only where those could be pages."""
    work = ("Greasing a red pump takes minutes", "Draining tanks", "Airing halls", "Changing worn gaskets", "Rest")
    rows = "\n".join(f"{row} {minutes}" for row, minutes in zip(work, (40, 10, 35, 5, 20), strict=True))
    (only,) = _described(_pages(f"Times\n{rows}"), "Times")
    assert only.summary is not None
    assert "40" in only.summary


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        (
            "What every valve means above and after it, after every valve above, means what.",
            "what every means above after",
        ),
        ("Während jeder Pumpe zwischen jeder Dichtung, während jeder Welle zwischen.", "während jeder zwischen"),
        ("Pendant chaque pompe toujours pendant la vidange, chaque joint toujours.", "pendant chaque toujours"),
        ("Durante cada bomba siempre, durante la purga cada junta siempre según según.", "durante cada siempre según"),
    ],
)
def test_stop_words_are_no_key_items(text: str, empty: str) -> None:
    """Words that every text is full of tell no section from another, in whichever of the languages."""
    other = "speaks of bearings, grease, oil, shafts and drums in plain and different words. " * 3
    pages = _pages(
        f"One\n{text} Valve valve pompe pompe.", *[f"Part {mark}\nHall {mark} {other}" for mark in "abcdefg"]
    )
    first, *_ = _described(pages, "One", *[f"Part {mark}" for mark in "abcdefg"])
    assert first.key_items
    assert not {item.lower() for item in first.key_items} & set(empty.split())


def test_quoted_stop_words_are_no_defined_terms() -> None:
    """Quotation marks introduce terms, and sometimes stress a word that is none."""
    (only,) = _described(
        _pages("Terms\nThe “Seller” delivers “after” the “Closing Date” and “above” the rest."), "Terms"
    )
    assert only.key_items == ("Seller", "Closing Date")
