"""All signals on one document: each alone gives the same sections, and together they complete each other."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from outline_cases import Flow, codes, contents_page, found, nested, outline_of_pdf, titles, tree_of_pdf
from pageindex_core.outline import find_headings
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Outline, Pages
from pageindex_core.tree import build_tree
from pageindex_core.tree.check import check_tree
from pdf_builder import Link, build_pdf, image_only

SCRIPT = Path(__file__).parents[2] / "examples" / "sample" / "write_manual.py"
FIRST_BODY_PAGE = 7
"""Page of chapter 1; before it stand cover, notice, contents and list of tables."""

Rows = list[tuple[int, str, int, int]]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pages]:
    """The sample manual with bookmarks and links, with links alone, with neither, and its body alone."""
    folder = tmp_path_factory.mktemp("manual")
    flags = {"bookmarks": [], "links": ["--no-bookmarks"], "contents": ["--no-bookmarks", "--no-links"]}
    pages = {}
    for name, options in flags.items():
        path = folder / f"{name}.pdf"
        subprocess.run([sys.executable, SCRIPT, path, *options], check=True)
        pages[name] = read_pages(open_source(path))
    body = pages["contents"].pages[FIRST_BODY_PAGE - 1 :]
    numbered = tuple(replace(page, page_number=number) for number, page in enumerate(body, 1))
    return pages | {"detected": replace(pages["contents"], pages=numbered)}


@pytest.fixture(scope="module")
def written(manual: dict[str, Pages]) -> Rows:
    """What the author of the manual says: level, title, pages, from the bookmarks as stored."""
    marks = [mark for mark in manual["bookmarks"].bookmarks if mark.page_number and mark.page_number >= FIRST_BODY_PAGE]
    rows = []
    for index, mark in enumerate(marks):
        assert mark.page_number is not None
        following = next((later for later in marks[index + 1 :] if later.level <= mark.level), None)
        last = len(manual["bookmarks"].pages)
        if following is not None and following.page_number is not None:
            last = following.page_number - (following.level == 1)  # chapters open a page, sections share one
        rows.append((mark.level, mark.title, mark.page_number, max(last, mark.page_number)))
    return rows


def sections_of(outline: Outline, pages: Pages, shift: int = 0) -> Rows:
    tree = build_tree(pages, outline)
    assert check_tree(tree) == []
    return [
        (section.level, section.title, section.start_page + shift, section.end_page + shift)
        for section in tree.walk()
        if not section.synthetic and section.start_page + shift >= FIRST_BODY_PAGE
    ]


def test_manual_is_worth_the_comparison(written: Rows) -> None:
    """The manual has more than a hundred sections on three levels."""
    assert len(written) > 100
    assert {level for level, *_ in written} == {1, 2, 3}


@pytest.mark.parametrize("signal", ["bookmarks", "links", "contents"])
def test_each_table_of_contents_gives_the_authors_sections(
    manual: dict[str, Pages], written: Rows, signal: str
) -> None:
    """Bookmarks, links alone, and printed contents alone give the same 3-level sections on the same pages."""
    outline = find_headings(manual[signal])
    found_rows = sections_of(outline, manual[signal])

    assert outline.toc_source == signal
    assert [row[:3] for row in found_rows] == [row[:3] for row in written]
    # Where a section opens a page, the one before it ends a page earlier than its bookmark alone can tell.
    assert all(ours[3] in (row[3], row[3] - 1) for ours, row in zip(found_rows, written, strict=True))


def test_layout_alone_gives_the_authors_sections(manual: dict[str, Pages], written: Rows) -> None:
    """Without front matter, bookmarks and links the type and numbers of the body show every section on its page."""
    outline = find_headings(manual["detected"])

    assert outline.toc_source == "detected"
    assert [row[:3] for row in sections_of(outline, manual["detected"], FIRST_BODY_PAGE - 1)] == [
        r[:3] for r in written
    ]


def test_all_signals_agree_to_the_page_and_line(manual: dict[str, Pages]) -> None:
    """Sections found by different signals start on one line and end on one page; layout misses one at most."""

    def placed(signal: str) -> list[tuple[int, str, int, int, int]]:
        tree = build_tree(manual[signal], find_headings(manual[signal]))
        shift = FIRST_BODY_PAGE - 1 if signal == "detected" else 0
        return [
            (s.level, s.title, s.start_page + shift, s.end_page + shift, s.start_line)
            for s in tree.walk()
            if s.start_page + shift >= FIRST_BODY_PAGE and not s.synthetic
        ]

    assert placed("bookmarks") == placed("links") == placed("contents")
    by_layout = placed("detected")
    assert set(by_layout) <= set(placed("bookmarks"))
    assert len(by_layout) >= 0.99 * len(placed("bookmarks"))


def test_headings_missing_from_the_contents_are_added_below_their_chapter() -> None:
    """Contents that list chapters only are completed by the section titles that type shows."""
    flow, entries = Flow(), []
    for number, chapter in enumerate(("Water", "Power", "Waste", "Noise"), 1):
        if number > 1:
            flow.new_page()
        flow.heading(f"{number} {chapter}", 18).text(40).heading(f"{number}.1 Sources of {chapter.lower()}", 13).text(
            60
        )
        flow.heading(f"{number}.2 Limits of {chapter.lower()}", 13).text(60)
        entries.append((f"{number} {chapter}", str(number + 1)))
    tree = tree_of_pdf(build_pdf([contents_page(*entries), *flow.pages]))

    assert tree.toc_source == "hybrid"
    assert sum(tree.shares.values()) == pytest.approx(1, abs=0.01)
    assert set(tree.shares) == {"contents", "detected"}
    assert [(level, title.split()[0], page) for level, title, page in nested(tree)] == [
        row for n in range(1, 5) for row in ((1, f"{n}", n + 1), (2, f"{n}.1", n + 1), (2, f"{n}.2", n + 1))
    ]


def test_bookmarks_outweigh_contents_that_differ() -> None:
    """The author's outline is the frame where it agrees with the text; the printed list does not double it."""
    flow = Flow()
    names = ["1 Water", "2 Power", "3 Waste", "4 Noise"]
    for index, name in enumerate(names):
        if index:
            flow.new_page()
        flow.heading(name, 18).text(90)
    marks = [(1, name, index + 2, 100.0) for index, name in enumerate(names)]
    sheets = [contents_page(*[(name, str(index + 2)) for index, name in enumerate(names)]), *flow.pages]
    outline = outline_of_pdf(build_pdf(sheets, bookmarks=marks))

    assert found(outline) == [(name, index + 2) for index, name in enumerate(names)]
    assert outline.toc_source == "bookmarks"


def test_rejected_bookmarks_make_way_for_linked_contents() -> None:
    """File names as bookmarks do not stand in the way of a contents page whose entries are links."""
    flow = Flow()
    names = ["1 Water", "2 Power", "3 Waste", "4 Noise", "5 Light"]
    for index, name in enumerate(names):
        if index:
            flow.new_page()
        flow.heading(name, 10, bold=False).text(90)
    sheets = [contents_page(*[(name, str(index + 2)) for index, name in enumerate(names)]), *flow.pages]
    links = [Link(1, (72, 110 + 16 * row, 523, 123 + 16 * row), row + 2) for row in range(5)]
    marks = [(1, f"{letter} final.pdf", 1) for letter in "abc"]
    outline = outline_of_pdf(build_pdf(sheets, bookmarks=marks, links=links))

    assert found(outline) == [(name, index + 2) for index, name in enumerate(names)]
    assert outline.toc_source == "links"
    assert "bookmarks_rejected" in codes(outline)


def test_headings_are_in_reading_order_and_within_the_file(manual: dict[str, Pages]) -> None:
    """Whatever the signal, headings come as they are read and their lines exist."""
    for pages in manual.values():
        places = [(h.page_number, h.line_index) for h in find_headings(pages).headings]
        assert places == sorted(places)
        assert all(line < max(len(pages.pages[page - 1].lines), 1) for page, line in places)


def test_declared_headings_are_taken_at_their_word() -> None:
    """Markdown says what its headings are: nothing is detected besides."""
    pages = read_pages(open_source(b"# One\n\n**BOLD LINE**\n\n## Two\ntext\n", name="x.md"))
    outline = find_headings(pages)

    assert (titles(outline), outline.toc_source, dict(outline.shares)) == (["One", "Two"], "markup", {"markup": 1.0})


def test_text_without_any_heading_has_the_source_pages() -> None:
    """No signal, no heading: the document is still indexed, by page groups."""
    outline = outline_of_pdf(build_pdf(Flow().text(300).text(300).pages))

    assert (outline.headings, outline.toc_source, dict(outline.shares)) == ((), "pages", {})


def test_scan_is_unreadable_with_a_note_on_ocr() -> None:
    """Images alone give no headings, and the note says what the file needs."""
    outline = outline_of_pdf(image_only(2))

    assert (outline.headings, outline.toc_source, codes(outline)) == ((), "unreadable", ["unreadable"])
    assert "OCR" in outline.notes[0].message
