"""Bookmarks: every form and every damage of the document's own outline, checked against the printed text."""

from __future__ import annotations

import json
from typing import Literal, get_args

import pytest

from outline_cases import Flow, codes, found, nested, outline_of_pdf, read, titles, tree_of_pdf
from pageindex_core.tree import tree_to_json
from pageindex_core.tree.check import check_tree
from pdf_builder import (
    Run,
    broken_outline_root,
    build_pdf,
    outline_with_bad_destinations,
    outline_with_cycle,
    outline_with_one_bad_entry,
    outline_with_strange_titles,
    page,
)
from pdf_builder.items import Item
from pdf_builder.navigation import DestinationForm

NAMES = [
    "1 Harbour dues", "2 Mooring of vessels", "3 Pilots", "4 Dangerous cargo", "5 Fuel and water", "6 Dredging",
    "7 Cranes", "8 Fire on board", "9 Salvage", "10 Appeals",
]  # fmt: skip


def chapters(number: int) -> list[list[Item]]:
    """Give one chapter a page, with its title in large letters at the top."""
    flow = Flow()
    for index, name in enumerate(NAMES[:number]):
        if index:
            flow.new_page()
        flow.heading(name, 18).text(120)
    return flow.pages


THREE = [(1, "Alpha", 1, 60.0), (2, "Beta", 2, 60.0), (1, "Gamma", 3, 60.0)]
THREE_PAGES = [page(f"# {title}", f"Text about {title.lower()}.") for _, title, _, _ in THREE]


@pytest.mark.parametrize("form", get_args(DestinationForm))
def test_every_form_of_destination_gives_the_same_tree(form: DestinationForm) -> None:
    """Arrays, actions, both kinds of names and page-only targets lead to the same sections."""
    tree = tree_of_pdf(build_pdf(THREE_PAGES, bookmarks=THREE, destinations=form))

    assert tree.toc_source == "bookmarks"
    assert nested(tree) == [(1, "Alpha", 1), (2, "Beta", 2), (1, "Gamma", 3)]
    assert [(section.start_line, section.end_page) for section in tree.walk()] == [(0, 2), (0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize("kind", ["sibling", "self", "child"])
def test_loop_in_the_outline_is_cut(kind: Literal["sibling", "self", "child"]) -> None:
    """Every title comes once, a note tells of the loop, and the tree is sound."""
    pdf = outline_with_cycle(kind)
    outline = outline_of_pdf(pdf)

    assert sorted(titles(outline)) == sorted(set(titles(outline)))
    assert set(titles(outline)) >= {"Alpha", "Beta"}
    if kind != "self":  # PDFium itself ends an entry that follows itself, and does not tell
        assert [note.code for note in read(pdf).notes] == ["bookmarks_loop"]
    assert check_tree(tree_of_pdf(pdf)) == []


def test_forty_levels_of_bookmarks_are_all_kept() -> None:
    """PDFium's own limit of 15 levels is not ours."""
    names = [f"Level {number} of the classification" for number in range(1, 41)]
    pdf = build_pdf(["\n".join(names)], bookmarks=[(n, name, 1) for n, name in enumerate(names, 1)])

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(pdf))] == list(enumerate(names, 1))


def test_five_thousand_levels_of_bookmarks_end_in_a_counted_cut() -> None:
    """No title is lost and nothing overflows: what nests too deep stays at the deepest level, and a note says so."""
    names = [f"Level {number} of the classification" for number in range(1, 5001)]
    sheets = ["\n".join(names[start : start + 50]) for start in range(0, 5000, 50)]
    marks = [(n, name, (n - 1) // 50 + 1) for n, name in enumerate(names, 1)]
    tree = tree_of_pdf(build_pdf(sheets, bookmarks=marks))

    assert [title for _, title, _ in nested(tree)] == names
    assert max(section.level for section in tree.walk()) == 100
    assert "levels_cut" in [note.code for note in tree.notes]


def test_entries_without_a_page_are_dropped_and_counted() -> None:
    """Of six bookmarks one has a page; the others are named in a note, and no heading has a page outside the file."""
    outline = outline_of_pdf(outline_with_bad_destinations())

    assert ("Good", 1) in found(outline)
    assert all(1 <= heading.page_number <= 3 for heading in outline.headings)
    assert any("5 bookmarks" in note.message for note in outline.notes)


def test_one_bad_entry_leaves_the_others_where_they_lead() -> None:
    """An undefined name costs its own entry at most; an XYZ cut short still names its page."""
    outline = outline_of_pdf(outline_with_one_bad_entry())

    expected = [(f"Chapter {number}", number) for number in range(1, 21)]
    assert [entry for entry in found(outline) if entry[0] != "Chapter 7"] == expected[:6] + expected[7:]


def test_bookmarks_that_name_files_are_set_aside_for_the_printed_headings() -> None:
    """A merged file's bookmarks are file names: the headings come from the text, and a note gives the agreement."""
    marks = [(1, "03 rules final.pdf", 1), (1, "annex B v2.docx", 2), (1, "cover.indd", 3)]
    outline = outline_of_pdf(build_pdf(chapters(3), bookmarks=marks))

    assert titles(outline) == NAMES[:3]
    assert outline.toc_source == "detected"
    assert "bookmarks_rejected" in codes(outline)
    assert any("0 of 3 titles" in note.message for note in outline.notes)


def test_bookmarks_that_match_no_heading_are_set_aside() -> None:
    """Titles that are printed nowhere near their pages do not become the tree."""
    marks = [(1, f"Unrelated subject {letter}", page_number) for page_number, letter in enumerate("PQRS", 1)]
    outline = outline_of_pdf(build_pdf(chapters(4), bookmarks=marks))

    assert titles(outline) == NAMES[:4]
    assert "bookmarks_rejected" in codes(outline)


@pytest.mark.parametrize("value", ["null", "number", "missing"])
def test_outline_that_is_no_outline_counts_as_none(value: Literal["null", "number", "missing"]) -> None:
    """A catalog whose outline is null, a number or missing reads like a file without bookmarks."""
    pdf = broken_outline_root(value)

    assert read(pdf).bookmarks == ()
    assert titles(outline_of_pdf(pdf)) == ["Only"]


def test_titles_are_clean_single_lines() -> None:
    """UTF-16 of both orders, PDFDocEncoding, NULs and line breaks come out readable; an empty title gets a name."""
    names = [bookmark.title for bookmark in read(outline_with_strange_titles()).bookmarks]

    assert names == ["안전 수칙", "第一章 总则", "“Price” € 5", "Ends in nulls", "Broken line", "(untitled)"]


def test_tree_of_strange_titles_is_json() -> None:
    """What bookmarks bring in can be written as UTF-8 JSON."""
    title = b"\xfe\xff" + "안전 수칙".encode("utf-16-be")
    tree = tree_of_pdf(build_pdf(["안전 수칙\n본문"], bookmarks=[(1, title, 1)]))

    assert '"안전 수칙"' in json.dumps(tree_to_json(tree), ensure_ascii=False).encode("utf-8").decode("utf-8")


def test_targets_one_page_late_are_moved_to_the_printed_title() -> None:
    """Ten chapters whose bookmarks all lead one page too far are put right, and a note counts them."""
    sheets = [*chapters(10), page("The end of the book is left blank on purpose.")]
    marks = [(1, name, number + 1, 100.0) for number, name in enumerate(NAMES, 1)]
    outline = outline_of_pdf(build_pdf(sheets, bookmarks=marks))

    assert found(outline) == [(name, number) for number, name in enumerate(NAMES, 1)]
    assert any(note.code == "bookmarks_moved" and note.message.startswith("10 ") for note in outline.notes)


def test_targets_far_off_do_not_disturb_their_neighbours() -> None:
    """Two of ten bookmarks lead to the wrong end of the file: the rest keep their pages, and the two are flagged."""
    right = {number: number for number in range(1, 11)} | {3: 10, 8: 1}
    marks = [(1, NAMES[number - 1], target, 100.0) for number, target in right.items()]
    outline = outline_of_pdf(build_pdf(chapters(10), bookmarks=marks))

    pages = dict(found(outline))
    expected = {name: number for number, name in enumerate(NAMES, 1) if number not in (3, 8)}
    assert {title: pages[title] for title in expected} == expected
    assert outline.notes


def test_far_off_target_is_moved_to_where_the_title_is_printed() -> None:
    """A title printed once in the document as a heading is found there, however far off its bookmark leads."""
    marks = [(1, name, 10 if number == 3 else number, 100.0) for number, name in enumerate(NAMES, 1)]
    outline = outline_of_pdf(build_pdf(chapters(10), bookmarks=marks))

    assert found(outline) == [(name, number) for number, name in enumerate(NAMES, 1)]


def test_height_of_a_bookmark_chooses_between_equal_titles_on_a_page() -> None:
    """Two sections "Summary" on one page are told apart by where their bookmarks point."""
    flow = Flow().heading("Summary", 12).text(60)
    second_y = flow.y
    flow.heading("Summary", 12).text(60)
    outline = outline_of_pdf(build_pdf(flow.pages, bookmarks=[(1, "Summary", 1, 100.0), (1, "Summary", 1, second_y)]))

    assert titles(outline) == ["Summary", "Summary"]
    assert outline.headings[0].line_index == 0
    assert outline.headings[1].line_index > 3


def test_the_order_of_bookmarks_outweighs_that_of_the_lines_of_a_page() -> None:
    """A chapter whose large number is drawn last on its page, after its sections, still holds them."""
    pages = chapters(3)
    section = Run("2.1 Ropes", y=400, size=12, bold=True)
    pages[1] = [section, *pages[1][1:], Run(NAMES[1], y=500, size=12)]
    entries = [(1, NAMES[0], 1), (1, NAMES[1], 2), (2, "2.1 Ropes", 2), (1, NAMES[2], 3)]

    assert nested(tree_of_pdf(build_pdf(pages, bookmarks=entries))) == entries


def test_bookmarks_can_be_ignored() -> None:
    """With the option off the same file is read by its text."""
    pdf = build_pdf(chapters(3), bookmarks=[(1, "1 Harbour dues", 1)])

    assert outline_of_pdf(pdf, use_bookmarks=False).toc_source == "detected"


def test_scan_with_bookmarks_keeps_them() -> None:
    """A file without text has nothing to check bookmarks against: they are its only structure, and are kept."""
    outline = outline_of_pdf(build_pdf([[], [], []], bookmarks=[(1, "Minutes", 1), (1, "Accounts", 3)]))

    assert found(outline) == [("Minutes", 1), ("Accounts", 3)]
    assert outline.toc_source == "bookmarks"


def test_bookmarks_without_the_printed_numbers_are_trusted() -> None:
    """LaTeX writes "Duties" into the outline where "1 Duties" is printed, over two lines or with a dated number too."""
    flow = Flow()
    for number, title in enumerate(("Duties", "Rights of way", "Fees"), 1):
        flow.heading(f"{number} {title}", 14).text(60)
    flow.heading("4.2", 14).heading("(01-01-2020)", 10, bold=False, gap=0).heading("Dredging", 14, gap=0).text(60)
    marks = [(1, "Duties", 1), (1, "Rights of way", 1), (1, "Fees", 1), (1, "4.2 Dredging", 1)]
    outline = outline_of_pdf(build_pdf(flow.pages, bookmarks=marks))

    assert outline.toc_source == "bookmarks"
    assert titles(outline) == ["Duties", "Rights of way", "Fees", "4.2 Dredging"]
    assert "bookmarks_rejected" not in codes(outline)


def test_short_titles_of_wide_characters_are_found_on_their_page() -> None:
    """Three Korean characters and a number say as much as six Latin letters."""
    flow = Flow()
    for number, title in enumerate(("목적", "정의", "수수료"), 1):
        flow.heading(f"제{number}조({title}) 이 법은 항만의 이용에 관하여 필요한 사항을 정한다.", 10, bold=False).text(
            60
        )
    marks = [(1, f"제{number}조({title})", 1) for number, title in ((1, "목적"), (2, "정의"), (3, "수수료"))]
    outline = outline_of_pdf(build_pdf(flow.pages, bookmarks=marks))

    assert outline.toc_source == "bookmarks"
    assert [heading.line_index for heading in outline.headings] == sorted(h.line_index for h in outline.headings)
    assert len({heading.line_index for heading in outline.headings}) == 3
