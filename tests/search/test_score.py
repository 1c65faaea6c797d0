"""The scorer: each kind of evidence decides where all else is equal.

Every case is set up so that, without the evidence in question, the earlier of two equal candidates would win.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pageindex_core.outline import find_headings
from pageindex_core.pipeline import tree_of
from pageindex_core.records import Pages
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.postings import build_postings, load_postings
from pageindex_core.search.question import parse_question
from pageindex_core.search.rank import rank_units
from pageindex_core.search.score import score_documents
from pageindex_core.tree import build_tree
from written_documents import write_pages


def opened(pages: Pages) -> OpenDocument:
    """Index and open a document."""
    return OpenDocument(load_postings(build_postings(tree_of(pages), pages).data))


def best(question: str, *documents: OpenDocument) -> tuple[int, int]:
    """Document and page, counted from 0, of the best unit."""
    scores = score_documents(documents, parse_question(question))
    unit = rank_units(documents, scores, "auto", 1)[0]
    return unit.document, unit.pages[0]


def test_the_first_lines_of_a_page_weigh_more() -> None:
    """A page that begins with the words comes before one that ends with them."""
    filler = "\n".join(["plain words in a long row"] * 10)
    document = opened(write_pages("a.pdf", [f"# One\n{filler}\nharvest table", f"# Two\nharvest table\n{filler}"]))
    assert best("harvest table", document) == (0, 1)


def test_words_close_together_weigh_more() -> None:
    """Neighbouring words of the question are looked for side by side."""
    apart = "# One\nwheat one two three four five six price"
    close = "# Two\none two three wheat price four five six"
    assert best("wheat price", opened(write_pages("a.pdf", [apart, close]))) == (0, 1)


def test_a_quoted_phrase_weighs_more_than_words_close_together() -> None:
    """Quotation marks ask for the words in a row, with nothing between."""
    document = opened(write_pages("a.pdf", ["# One\nsalt x water y table", "# Two\nsalt water table x y"]))
    assert best('"salt water table"', document) == (0, 1)


def test_titles_weigh_more_than_text() -> None:
    """The word in the heading beats the word below it."""
    document = opened(write_pages("a.pdf", ["# Storks\nthe cranes x", "# Cranes\nthe storks x"]))
    assert best("cranes", document) == (0, 1)


def test_titles_of_sections_above_count() -> None:
    """A leaf inherits the words of the chapters it lies in."""
    pages = ["# Engines\nx", "## Weight\nit is 5", "# Cranes\nx", "## Weight\nit is 5"]
    document = opened(write_pages("a.pdf", pages))
    ranked = rank_units([document], score_documents([document], parse_question("weight of cranes")), "auto", 4)
    order = [unit.pages[0] for unit in ranked]
    assert order.index(3) < order.index(1)


def test_descriptions_weigh() -> None:
    """Words of a summary or of key items find a section that does not print them."""
    pages = write_pages("a.pdf", ["# One\nx y z", "# Two\nx y z"])
    tree = build_tree(pages, find_headings(pages))
    described = replace(tree.sections[1], summary="About irrigation.", key_items=("drip lines",))
    tree = replace(tree, sections=(tree.sections[0], described))
    document = OpenDocument(load_postings(build_postings(tree, pages).data))
    assert best("irrigation", document) == (0, 1)
    assert best("drip lines", document) == (0, 1)


def test_the_whole_page_counts_for_its_sections() -> None:
    """Two sections of one page that answer together come before one that says as much alone."""
    pages = ["# One\nrye here", "# Two\nrye here\n# Three\noats there", "# Four\nnothing"]
    assert best("rye oats", opened(write_pages("a.pdf", pages))) == (0, 1)


def test_rare_words_weigh_more() -> None:
    """A word that is everywhere decides nothing."""
    pages = ["# One\nmill mill mill mill", "# Two\nmill weir", "# Three\nmill", "# Four\nmill"]
    assert best("mill weir", opened(write_pages("a.pdf", pages))) == (0, 1)


def test_running_heads_do_not_weigh_as_titles() -> None:
    """A word in the first lines of every page is furniture there."""
    pages = [f"# {name}\nAnnual crops\ntext {name}" for name in ("One", "Two", "Three")]
    pages[2] += "\ncrops crops"
    assert best("crops", opened(write_pages("a.pdf", pages))) == (0, 2)


@pytest.mark.parametrize("name", ["green_mill.pdf", "greenmill.pdf"])
def test_the_document_that_is_named_comes_first(name: str) -> None:
    """Of two alike documents the one whose file name says what is asked, in one word or two."""
    page = ["# Cover\nx", "# Income\nrevenue of the green mill 5"]
    assert (
        best("revenue of the green mill", opened(write_pages("x.pdf", page)), opened(write_pages(name, page)))[0] == 1
    )


def test_the_document_that_speaks_of_it_most_comes_first() -> None:
    """The report on a year has the year on most of its pages."""
    once = ["# Cover\nx", "# Income\nrevenue 2019", "# Notes\nx", "# More\nx"]
    often = ["# Cover\nx", "# Income\nrevenue 2019", "# Notes\nin 2019", "# More\nin 2019"]
    documents = [opened(write_pages("a.pdf", once)), opened(write_pages("b.pdf", often))]
    assert best("revenue in 2019", *documents)[0] == 1


def test_the_first_page_of_a_long_document_answers_for_the_whole() -> None:
    """Where a question shares one word with many pages, the first page comes before one that repeats it."""
    body = [f"# Part {number}\nthe crops, and again the crops" for number in range(2, 14)]
    document = opened(write_pages("a.pdf", ["# Board\nthe crops, by A. Miller and many others who have helped", *body]))
    assert best("Who signed the crops?", document) == (0, 0)
    short = opened(
        write_pages("a.pdf", ["# Board\nthe crops, by A. Miller and many others who have helped", *body[:5]])
    )
    assert best("Who signed the crops?", short) != (0, 0)


def test_a_page_with_everything_scores_near_one() -> None:
    """The score is the share of what the question could reach: high for a perfect page, lower with a word missing."""
    document = opened(write_pages("a.pdf", ["# Wheat price\n" + "wheat price\n" * 30, *["# X\nother"] * 6]))
    full = score_of("wheat price", document)
    partial = score_of("wheat price zeppelin", document)
    assert 0.7 < full <= 1.0
    assert partial < full - 0.2


def score_of(question: str, document: OpenDocument) -> float:
    """The score of the best unit."""
    return rank_units([document], score_documents([document], parse_question(question)), "auto", 1)[0].score
