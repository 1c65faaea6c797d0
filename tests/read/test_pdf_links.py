"""Page labels, links and bookmarks of a PDF, in every form their destinations take."""

from __future__ import annotations

import io
from typing import Any, Literal

import pikepdf
import pytest
from pikepdf import Array, Name

from pageindex_core.options import ReadOptions
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Bookmark, Pages
from pdf_builder import (
    Link,
    broken_outline_root,
    build_pdf,
    cropped,
    outline_with_bad_destinations,
    outline_with_cycle,
    outline_with_one_bad_entry,
    outline_with_strange_titles,
)

FORMS = ("array", "action", "name tree", "dests dictionary")
THREE_PAGES = ["Cover", "Alpha", "Beta"]
MARKS = [(1, "Part", 1, 100.0), (2, "Alpha", 2, 250.0), (1, "Beta", 3)]


def read(pdf: bytes, **options: Any) -> Pages:
    return read_pages(open_source(pdf), ReadOptions(**options))


def codes(pages: Pages) -> list[str]:
    return [note.code for note in pages.notes]


def with_destination(*view: Any, rotate: int = 0, crop: tuple[float, float, float, float] | None = None) -> bytes:
    """Give two pages and one bookmark to the second, whose destination has the given view."""
    pdf = build_pdf(["One", "Two"], bookmarks=[(1, "Two", 2)], rotate={2: rotate})
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        opened.Root.Outlines.First.Dest = Array([opened.pages[1].obj, *view])
        opened.save(out, deterministic_id=True)
    return cropped(out.getvalue(), *crop) if crop else out.getvalue()


def test_labels_are_those_of_each_range() -> None:
    """Roman, Arabic and prefixed labels count on within their range, and a range without style has none."""
    pdf = build_pdf(["x"] * 7, labels={1: "", 2: "iv", 4: "1", 6: "A-3"})

    assert [page.page_label for page in read(pdf).pages] == [None, "iv", "v", "1", "2", "A-3", "A-4"]


def test_a_file_without_labels_has_none() -> None:
    """No label is invented from the page number."""
    assert [page.page_label for page in read(build_pdf(THREE_PAGES)).pages] == [None, None, None]


@pytest.mark.parametrize("form", FORMS)
def test_every_destination_form_gives_the_same_bookmarks(form: Literal["array", "action"]) -> None:
    """Direct arrays, actions, the name tree and the old dictionary lead to the same pages and heights."""
    pages = read(build_pdf(THREE_PAGES, bookmarks=MARKS, destinations=form))

    assert pages.bookmarks == (
        Bookmark("Part", 1, 1, 100.0),
        Bookmark("Alpha", 2, 2, 250.0),
        Bookmark("Beta", 1, 3, None),
    )
    assert codes(pages) == []


@pytest.mark.parametrize("form", FORMS)
def test_every_destination_form_gives_the_same_links(form: Literal["array", "action"]) -> None:
    """Links have their own box and their target's page and height; web addresses are no links within the file."""
    links = [
        Link(1, (72, 80, 200, 95), to_page=3, to_y=300),
        Link(1, (72, 100, 210, 115), to_page=2),
        Link(2, (10, 20, 30, 40), uri="https://example.org/"),
    ]
    cover, alpha, beta = read(build_pdf(THREE_PAGES, links=links, destinations=form)).pages

    assert [(link.box, link.page_number, link.y) for link in cover.links] == [
        (pytest.approx((72, 80, 200, 95), abs=0.1), 3, 300.0),
        (pytest.approx((72, 100, 210, 115), abs=0.1), 2, None),
    ]
    assert alpha.links == beta.links == ()


def test_the_box_of_a_link_is_where_it_is_displayed() -> None:
    """A link on a turned page turns with it, as its text does."""
    pdf = build_pdf(THREE_PAGES, links=[Link(1, (72, 80, 200, 95), to_page=2)], rotate={1: 90})

    assert read(pdf).pages[0].links[0].box == pytest.approx((842 - 95, 72, 842 - 80, 200), abs=0.1)


@pytest.mark.parametrize(
    ("view", "y"),
    [
        ((Name.XYZ, 0, 742, 0), 100.0),
        ((Name.XYZ, None, 742, None), 100.0),
        ((Name.XYZ, 0, None, 0), None),
        ((Name.XYZ, 0, 5000, 0), 0.0),
        ((Name.Fit,), None),
        ((Name.FitH, 742), 100.0),
        ((Name.FitBH, 742), 100.0),
        ((Name.FitR, 50, 600, 500, 742), 100.0),
        ((Name.FitV, 50), None),
        ((Name.FitB,), None),
        ((), None),
    ],
    ids=str,
)
def test_the_height_is_taken_from_every_view_that_says_it(view: tuple[Any, ...], y: float | None) -> None:
    """XYZ, FitH, FitBH and FitR name a height; the others and nulls do not; none leaves the page."""
    assert read(with_destination(*view)).bookmarks == (Bookmark("Two", 1, 2, y),)


@pytest.mark.parametrize(("rotate", "y"), [(0, 142.0), (90, 60.0), (180, 700.0), (270, 535.0)])
def test_the_height_on_a_turned_page_is_that_of_the_turned_place(rotate: int, y: float) -> None:
    """A place 60 points from the left and 142 from the top is displayed where the turn takes it."""
    assert read(with_destination(Name.XYZ, 60, 700, 0, rotate=rotate)).bookmarks[0].y == pytest.approx(y, abs=0.1)


def test_the_height_on_a_cropped_page_counts_from_the_crop_box() -> None:
    """What is cut away above does not count."""
    assert read(with_destination(Name.XYZ, 60, 700, 0, crop=(50, 30, 20, 10))).bookmarks[0].y == pytest.approx(112.0)


@pytest.mark.parametrize("kind", ["sibling", "self", "child"])
def test_an_outline_that_closes_a_loop_is_cut(kind: Literal["sibling", "self", "child"]) -> None:
    """Reading ends, and each entry is given once."""
    marks = read(outline_with_cycle(kind)).bookmarks

    assert [mark.title for mark in marks] == ["Alpha", "Beta", "Gamma"][: len(marks)]
    assert len(marks) == (3 if kind == "child" else 2)


def test_a_loop_is_noted() -> None:
    """The caller learns that the outline is damaged."""
    assert codes(read(outline_with_cycle("sibling"))) == codes(read(outline_with_cycle("child"))) == ["bookmarks_loop"]


def test_an_outline_of_any_depth_is_read_whole() -> None:
    """Five thousand levels neither vanish nor exhaust the stack."""
    marks = read(build_pdf(["One"], bookmarks=[(level, f"Level {level}", 1) for level in range(1, 5001)])).bookmarks

    assert [(mark.title, mark.level) for mark in marks] == [(f"Level {level}", level) for level in range(1, 5001)]


def test_an_outline_past_the_bound_is_cut_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hostile outlines end at a bound that no real book reaches."""
    monkeypatch.setattr("pageindex_core.read.pdf.links.MAX_BOOKMARKS", 5)
    pages = read(build_pdf(["One"], bookmarks=[(1, f"Entry {number}", 1) for number in range(9)]))

    assert [mark.title for mark in pages.bookmarks] == [f"Entry {number}" for number in range(5)]
    assert codes(pages) == ["bookmarks_cut"]


def test_bookmarks_without_a_page_are_kept_and_counted() -> None:
    """No destination, none in the action, a web address, a deleted page and no title: no entry is lost or misled."""
    pages = read(outline_with_bad_destinations())

    assert [(mark.title, mark.page_number) for mark in pages.bookmarks] == [
        ("Good", 1),
        ("No destination", None),
        ("Action without target", None),
        ("Web address", None),
        ("Deleted page", None),
        ("(untitled)", None),
    ]
    assert codes(pages) == ["bookmarks_untitled", "bookmarks_lost"]
    assert "5 of 6" in pages.notes[1].message


def test_one_bad_entry_leaves_the_others_where_they_are() -> None:
    """An unknown name costs its own page; a view cut short still names the page."""
    marks = read(outline_with_one_bad_entry()).bookmarks
    expected = {number: number for number in range(1, 21)} | {7: None}

    assert {number: mark.page_number for number, mark in enumerate(marks, start=1)} == expected
    assert [mark.y for mark in marks[:6]] == [60.0] * 6
    assert (marks[6].y, marks[19].y) == (None, None)


def test_titles_of_any_encoding_are_clean_lines() -> None:
    """UTF-16 of both byte orders, PDFDocEncoding, NULs, line breaks and an empty title."""
    assert [mark.title for mark in read(outline_with_strange_titles()).bookmarks] == [
        "안전 수칙",
        "第一章 总则",
        "\u201cPrice\u201d \u20ac 5",
        "Ends in nulls",
        "Broken line",
        "(untitled)",
    ]


@pytest.mark.parametrize("value", ["null", "number", "missing"])
def test_an_outline_that_is_none_is_no_outline(value: Literal["null", "number", "missing"]) -> None:
    """A catalog that names null, a number or a missing object has no bookmarks, and the text is read."""
    pages = read(broken_outline_root(value))

    assert pages.bookmarks == ()
    assert pages.pages[0].text == "Only\nOne page."


def test_targets_past_max_pages_keep_their_page() -> None:
    """Entries that lead to pages left out still say where they lead, without a height that was not measured."""
    links = [Link(1, (72, 80, 200, 95), to_page=3, to_y=300)]
    pages = read(build_pdf(THREE_PAGES, bookmarks=MARKS, links=links), max_pages=2)

    assert [(mark.page_number, mark.y) for mark in pages.bookmarks] == [(1, 100.0), (2, 250.0), (3, None)]
    assert [(link.page_number, link.y) for link in pages.pages[0].links] == [(3, None)]
