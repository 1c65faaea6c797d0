"""Printed contents, lists and indexes: told by what they print, and weighed behind the text they point at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from pageindex_core.library.protocol import Library
from pageindex_core.records import Outline
from pageindex_core.search import search
from pageindex_core.search.listings import asks_for_listing, find_listings
from pageindex_core.search.postings import build_postings, load_postings
from pageindex_core.tree import build_tree
from written_documents import write_pages

Add = Callable[..., str]

ENTRIES = ["Valves", "Shaft seal", "Pumps", "Filters", "Belts", "Hoses"]
CHAPTERS = [f"# {title}\nHow to look after this part of the machine\nand what it needs" for title in ENTRIES]


def contents(headline: str, *, leaders: str = " .... ", first: int = 2) -> str:
    """A page of entries with the numbers of the pages that follow it."""
    rows = [f"{title}{leaders}{page}" for page, title in enumerate(ENTRIES, start=first)]
    return "\n".join([headline, *rows])


def listing_titles(page_texts: list[str]) -> list[str]:
    """The titles of the sections whose pieces are listings."""
    pages = write_pages("a.pdf", page_texts)
    outline = Outline(pages.headings or (), "markup")
    index = load_postings(build_postings(build_tree(pages, outline), pages).data)
    return [index.sections[index.pieces[piece].section].title for piece in sorted(find_listings(index))]


@pytest.mark.parametrize("headline", ["# Contents", "# Table of Contents", "# Overview"])
def test_entries_with_their_pages_are_a_listing(headline: str) -> None:
    """Lines that end in the rising numbers of pages where sections start, whatever the headline."""
    assert listing_titles([contents(headline), *CHAPTERS]) == [headline.removeprefix("# ")]


def test_page_numbers_on_lines_of_their_own_count() -> None:
    """Text taken from columns has an entry and its number on two lines."""
    assert listing_titles([contents("# Contents", leaders="\n"), *CHAPTERS]) == ["Contents"]


@pytest.mark.parametrize(
    "table",
    [
        "# Rain\nMay 41\nJune 30\nJuly 12\nAugust 90\nMarch 3\nApril 44",  # no pages
        "# Rain\nMay 7\nJune 3\nJuly 6\nAugust 2\nMarch 5\nApril 2",  # pages, but falling
        "# Rain\nMay 2\nJune 3\nJuly 4",  # too few
        "# Contents\nof the box\na pump\na hose\na belt\ntwo filters",  # no numbers
    ],
)
def test_tables_of_figures_are_text(table: str) -> None:
    """Numbers at the ends of lines are page numbers only where pages and their order say so."""
    assert listing_titles([table, *CHAPTERS]) == []


def test_an_index_is_told_by_its_headline() -> None:
    """Its page numbers do not rise, and under the headline "Index" they need not."""
    rows = "belt, 6\nhose, 7\npump, 4\nseal, 3"
    assert listing_titles([*CHAPTERS, f"# Index\n{rows}"]) == ["Index"]
    assert listing_titles([*CHAPTERS, f"# Words\n{rows}"]) == []


@pytest.mark.parametrize(
    ("question", "mode"),
    [('"shaft seal"', "words"), ("shaft seal", "words"), ("shaft seal", "phrase"), ("[Ss]haft seal", "regex")],
)
def test_text_comes_before_the_contents_that_point_at_it(
    library: Library, add: Add, question: str, mode: Literal["words", "phrase", "regex"]
) -> None:
    """Contents that hold the words twice still come after a section that holds them once."""
    add("a.pdf", [contents("# Contents") + "\nShaft seal, old .... 7", *CHAPTERS])
    titles = [hit.title for hit in search(library, question, mode=mode, fill=False).hits]
    assert titles == ["Shaft seal", "Contents"]


def test_a_caption_comes_before_its_entry_in_the_list_of_tables(library: Library, add: Add) -> None:
    """Both lines open with "Table 3"; the place is where the table is."""
    rows = "\n".join(f"Table {number} Data .... {number + 1}" for number in range(1, 7))
    add("a.pdf", [f"# List of tables\n{rows}", *(f"{text}\nTable {at} Data" for at, text in enumerate(CHAPTERS, 1))])
    hits = search(library, "Table 3", k=2).hits
    assert [hit.title for hit in hits] == ["Pumps", "List of tables"]


def test_who_asks_for_the_contents_gets_them(library: Library, add: Add) -> None:
    """A question about a listing finds it first, at its full weight."""
    add("a.pdf", [contents("# Table of contents"), *CHAPTERS])
    hit = search(library, "What is in the table of contents?", k=1).hits[0]
    assert hit.title == "Table of contents"
    assert asks_for_listing("Index")
    assert not asks_for_listing("the soil moisture index")
