"""Pieces and units: every line once, cut where a reader would cut."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pageindex_core.records import Outline, Pages, PageTree, Unit
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.postings import build_postings, load_postings
from pageindex_core.search.units import LONG_SECTION_TOKENS, cut_pieces
from pageindex_core.tree import build_tree
from random_outlines import documents, pages_of, tree_of

UNITS: tuple[Unit, ...] = ("auto", "section", "window", "page")


def opened(tree: PageTree, pages: Pages) -> OpenDocument:
    """Index a document and open the index."""
    return OpenDocument(load_postings(build_postings(tree, pages).data))


def unit_texts(tree: PageTree, pages: Pages, unit: Unit) -> list[str]:
    """The text of each unit."""
    document = opened(tree, pages)
    lines = [line.text for page in pages.pages for line in page.lines]
    ends = [*(piece.first_line for piece in document.index.pieces), len(lines)]
    return ["\n".join(lines[ends[first] : ends[stop]]) for first, stop in document.units(unit)]


@given(documents(), st.sampled_from(UNITS))
def test_units_hold_every_line_exactly_once(drawn: tuple[Pages, Outline], unit: Unit) -> None:
    """Joined in order, the units of any kind are the document, whatever its headings."""
    pages, outline = drawn
    texts = unit_texts(build_tree(pages, outline), pages, unit)
    lines = [line.text for page in pages.pages for line in page.lines]
    assert "\n".join(texts) == "\n".join(lines)
    assert all(lines) is False or len(texts) <= len(lines)


@given(documents())
def test_pieces_never_cross_a_page(drawn: tuple[Pages, Outline]) -> None:
    """A piece lies on the page it names."""
    pages, outline = drawn
    pieces = cut_pieces(build_tree(pages, outline), pages.pages)
    page_of_line = [index for index, page in enumerate(pages.pages) for _ in page.lines]
    ends = [piece.first_line for piece in pieces[1:]] + [len(page_of_line)]
    for piece, end in zip(pieces, ends, strict=False):  # a document without lines has no piece
        assert set(page_of_line[piece.first_line : end]) == {piece.page}


def test_a_tree_that_leaves_lines_out_loses_none() -> None:
    """Lines before the first section go to it; a tree without sections gives one unit."""
    pages = pages_of("loose\nFirst\nbody")
    tree = tree_of(pages, (1, "First", 1, 1))
    late = PageTree(tree.doc_name, tree.sections[-1:], tree.toc_source, tree.page_count)
    assert unit_texts(late, pages, "auto") == ["loose\nFirst\nbody"]
    assert unit_texts(PageTree("empty", (), "pages", 1), pages, "auto") == ["loose\nFirst\nbody"]


def test_a_bare_heading_goes_to_the_text_below_it() -> None:
    """A parent with nothing but its title is no unit of its own."""
    pages = pages_of("Maintenance\nFilters\nwash them\nBelts\nreplace them")
    tree = tree_of(pages, (1, "Maintenance", 1, 0), (2, "Filters", 1, 1), (2, "Belts", 1, 3))
    assert unit_texts(tree, pages, "auto") == ["Maintenance\nFilters\nwash them", "Belts\nreplace them"]


@pytest.mark.parametrize("label", ["Chapter 12", "12.", "PART IV"])
def test_a_label_before_a_title_belongs_to_the_bare_heading(label: str) -> None:
    """ "Chapter 12" over "Maintenance" is one heading of two lines."""
    pages = pages_of(f"{label}\nMaintenance\nFilters\nwash them")
    tree = tree_of(pages, (1, "Maintenance", 1, 0), (2, "Filters", 1, 2))
    assert unit_texts(tree, pages, "auto") == [f"{label}\nMaintenance\nFilters\nwash them"]


@pytest.mark.parametrize(
    ("title", "text"), [("License", "MIT License"), ("Status", "New status"), ("Table", "5 table")]
)
def test_a_short_text_that_ends_in_its_title_stays_with_it(title: str, text: str) -> None:
    """Only the heading's own lines make it bare: a line of text below is what the section says."""
    pages = pages_of(f"{title}\n{text}\nContact\nwrite to us")
    tree = tree_of(pages, (1, title, 1, 0), (1, "Contact", 1, 2))
    assert unit_texts(tree, pages, "auto") == [f"{title}\n{text}", "Contact\nwrite to us"]


def test_a_bare_heading_alone_on_its_page_is_a_unit() -> None:
    """A divider page has to be found by what it shows."""
    pages = pages_of("Maintenance", "Filters\nwash them")
    tree = tree_of(pages, (1, "Maintenance", 1, 0), (2, "Filters", 2, 0))
    assert unit_texts(tree, pages, "auto") == ["Maintenance", "Filters\nwash them"]


def test_a_parent_with_text_of_its_own_is_a_unit_beside_its_children() -> None:
    """Own text and child are two units, and neither holds the other."""
    pages = pages_of("Maintenance\nkeep the machine dry\nFilters\nwash them")
    tree = tree_of(pages, (1, "Maintenance", 1, 0), (2, "Filters", 1, 2))
    assert unit_texts(tree, pages, "auto") == ["Maintenance\nkeep the machine dry", "Filters\nwash them"]


@pytest.fixture(scope="module")
def long_section() -> tuple[PageTree, Pages]:
    """One section of three pages, 2,250 tokens, then a short one."""
    page = "\n".join(["a line of thirty characters ok"] * 100)
    pages = pages_of(f"Long\n{page}", page, page, "Short\nnearly nothing")
    return tree_of(pages, (1, "Long", 1, 0), (1, "Short", 4, 0)), pages


def test_long_sections_are_cut_into_windows_at_page_breaks(long_section: tuple[PageTree, Pages]) -> None:
    """No window of a section with full pages spans two of them, and none is longer than a page."""
    tree, pages = long_section
    document = opened(tree, pages)
    units = document.units("auto")
    spans = [{document.index.pieces[piece].page for piece in range(first, stop)} for first, stop in units]
    assert all(len(span) == 1 for span in spans)
    assert [sorted(span)[0] for span in spans] == [0, 0, 1, 1, 2, 2, 3]


def test_sections_come_whole_when_asked_for(long_section: tuple[PageTree, Pages]) -> None:
    """unit="section" never cuts."""
    tree, pages = long_section
    assert [text.split("\n")[0] for text in unit_texts(tree, pages, "section")] == ["Long", "Short"]


def test_sections_up_to_the_limit_are_not_cut() -> None:
    """A section of two pages below the limit is one unit, and two windows when windows are asked for."""
    page = "\n".join(["a line of thirty characters ok"] * 80)
    pages = pages_of(page, page)
    tree = tree_of(pages, (1, "a line of thirty characters ok", 1, 0))
    assert len(page) // 4 * 2 < LONG_SECTION_TOKENS
    assert len(unit_texts(tree, pages, "auto")) == 1
    assert len(unit_texts(tree, pages, "window")) > 1
    assert len(unit_texts(tree, pages, "page")) == 2
