"""Printed contents without links: entries, leaders, printed numbers, and the pages they mean."""

from __future__ import annotations

import pytest

from outline_cases import Flow, codes, contents_page, found, nested, outline_of_pdf, titles, tree_of_pdf
from pageindex_core.tree.check import check_tree
from pdf_builder import Run, build_pdf, page
from pdf_builder.items import Item

CHAPTERS = {
    "1 Harbour dues": ["1.1 Who pays", "1.2 Exemptions"],
    "2 Mooring": ["2.1 Lines"],
    "3 Pilots": [],
    "4 Dangerous cargo": ["4.1 Notice", "4.2 Berths"],
    "5 Appeals": [],
}


def body() -> Flow:
    """Give one chapter a page, every heading set like the text: only the contents can tell them."""
    flow = Flow()
    for index, (chapter, sections) in enumerate(CHAPTERS.items()):
        if index:
            flow.new_page()
        flow.heading(chapter, 10, bold=False).text(60)
        for section in sections:
            flow.heading(section, 10, bold=False).text(60)
    return flow


def entries(first: int = 1) -> list[tuple[str, str]]:
    """Give the entries with printed numbers that count from ``first`` at the first chapter."""
    return [
        (title, str(first + index))
        for index, (chapter, sections) in enumerate(CHAPTERS.items())
        for title in (chapter, *(f"   {section}" for section in sections))
    ]


def expected(first_page: int = 2) -> list[tuple[int, str, int]]:
    return [
        (1 + title.split()[0].count("."), title, first_page + index)
        for index, (chapter, sections) in enumerate(CHAPTERS.items())
        for title in (chapter, *sections)
    ]


@pytest.mark.parametrize("leaders", ["one run", "own run", "none"])
def test_entries_are_read_however_their_leaders_are_drawn(leaders: str) -> None:
    """Dots within the line, dots as a run of their own, and no dots at all give the same tree."""
    tree = tree_of_pdf(build_pdf([contents_page(*entries(2), leaders=leaders), *body().pages]))

    assert tree.toc_source == "contents"
    assert nested(tree) == expected()


def test_printed_numbers_are_matched_by_where_the_titles_stand() -> None:
    """Numbering that starts after two unnumbered leaves is found out by the titles themselves."""
    sheets = [page("Cover"), page("Imprint"), contents_page(*entries(1)), *body().pages]

    assert nested(tree_of_pdf(build_pdf(sheets))) == expected(4)


def test_printed_numbers_are_matched_by_page_labels() -> None:
    """Labels that start at 169 send the printed 169 to the page that bears it."""
    sheets = [page("Cover"), contents_page(*entries(169)), *body().pages]

    assert nested(tree_of_pdf(build_pdf(sheets, labels={1: "", 3: "169"}))) == expected(3)


def test_roman_numbers_lead_to_the_front_matter() -> None:
    """A preface on page iii and chapters from page 1 stand in one list of contents."""
    front = Flow().heading("Foreword", 10, bold=False).text(100).pages[0]
    sheet = contents_page(("Foreword", "ii"), *entries(1))
    outline = outline_of_pdf(build_pdf([sheet, front, *body().pages], labels={1: "i", 3: "1"}))

    assert found(outline) == [("Foreword", 2), *((title, number) for _, title, number in expected(3))]


def test_contents_over_three_pages_are_one_list() -> None:
    """All pages of a long list are read, and none of its rows becomes a heading."""
    flow = Flow()
    rows: list[tuple[str, str]] = []
    for number in range(1, 61):
        if number > 1:
            flow.new_page()
        title = f"{number} Rule on {('ropes', 'lights', 'wheels', 'signals', 'boats')[number % 5]} of class {number}"
        flow.heading(title, 10, bold=False).text(40)
        rows.append((title, str(number + 3)))
    sheets = [
        contents_page(*rows[start : start + 20], headline="Contents" if not start else "") for start in (0, 20, 40)
    ]
    outline = outline_of_pdf(build_pdf([*sheets, *flow.pages]))

    assert found(outline) == [(title, int(label)) for title, label in rows]
    assert outline.toc_source == "contents"


def test_entry_wrapped_over_two_rows_is_one_heading() -> None:
    """A long title whose number stands at the end of its second row is joined."""
    first, second = "6 Carriage of explosives and of other", "goods that may endanger the port"
    sheet = contents_page(*entries(2))
    y = 120.0 + 16 * len(entries())
    sheet += [Run(first, y=y), Run(f"{second} . . . . . . . . . . 7", y=y + 13)]
    flow = body().new_page().heading(f"{first} {second}", 10, bold=False).text(80)

    assert nested(tree_of_pdf(build_pdf([sheet, *flow.pages]))) == [*expected(), (1, f"{first} {second}", 7)]


def strange_numbers(*labels: str) -> list[list[Item]]:
    """Give contents whose printed numbers are as given, and a document of nine pages in true order."""
    names = ["Dues", "Mooring", "Pilots", "Annex of fees", "Annex of forms", "Index of terms"]
    rows = [
        (f"{index}. {name} and related matters", label)
        for index, (name, label) in enumerate(zip(names, labels, strict=True), 1)
    ]
    flow = Flow()
    for index, (title, _) in enumerate(rows):
        if index:
            flow.new_page()
        flow.heading(title, 10, bold=False).text(70)
    return [contents_page(*rows), *flow.pages]


@pytest.mark.parametrize(
    "labels",
    [("1", "2", "3", "1", "2", "120"), ("1", "2", "3", "4", "5", ""), ("5", "4", "3", "2", "1", "6")],
    ids=["restarts and jumps", "one without a number", "backwards"],
)
def test_strange_numbers_give_ranges_inside_the_file_and_in_order(labels: tuple[str, ...]) -> None:
    """Numbers that restart, jump past the end or are missing: sections stay in order and within the pages."""
    tree = tree_of_pdf(build_pdf(strange_numbers(*labels)))

    assert check_tree(tree) == []
    assert tree.page_count == 7


def test_entries_with_wrong_numbers_are_placed_by_their_titles() -> None:
    """An annex numbered from 1 again, and one past the end, are found where their titles are printed."""
    tree = tree_of_pdf(build_pdf(strange_numbers("1", "2", "3", "1", "2", "120")))

    assert [(title.split()[0], page_number) for _, title, page_number in nested(tree)] == [
        ("1.", 2), ("2.", 3), ("3.", 4), ("4.", 5), ("5.", 6), ("6.", 7),
    ]  # fmt: skip


def test_unnumbered_entries_stand_with_those_set_like_them() -> None:
    """An index set as large as the chapters is one, though chapters and sections start at the same edge."""
    rows = [("1 Dues", 12), ("1.1 Who pays", 10), ("1.2 Exemptions", 10), ("2 Mooring", 12), ("2.1 Lines", 10),
            ("2.2 Buoys", 10), ("Index of terms", 12)]  # fmt: skip
    items: list[Item] = [Run("Contents", y=80, size=16, bold=True)]
    flow = Flow()
    for number, (title, size) in enumerate(rows):
        items += [Run(title, y=120 + 18 * number, size=size), Run(str(number + 2), 480, 120 + 18 * number, size)]
        if number:
            flow.new_page()
        flow.heading(title, 10, bold=False).text(60)

    assert [level for level, _, _ in nested(tree_of_pdf(build_pdf([items, *flow.pages])))] == [1, 2, 2, 1, 2, 2, 1]


def test_entries_moved_to_the_page_of_their_title_are_counted() -> None:
    """Of six entries three name another page than the one with their title; a note says so."""
    outline = outline_of_pdf(build_pdf(strange_numbers("1", "2", "3", "1", "2", "120")))

    assert [note.message[:18] for note in outline.notes if note.code == "contents_moved"] == ["3 contents entries"]


def test_entries_on_their_pages_leave_no_note() -> None:
    """An offset that all entries share, and front matter in Roman numbers, are no damage."""
    assert codes(outline_of_pdf(build_pdf([contents_page(*entries(2)), *body().pages]))) == []


def test_page_of_numbered_rules_is_not_contents() -> None:
    """Fifteen short rules on one page are text: the page keeps it, and a section covers it."""
    rules = [f"{number}. Keep the {thing} clean at all times." for number, thing in enumerate("abcdefghijklmno", 1)]
    tree = tree_of_pdf(build_pdf(["\n".join(rules)]))

    assert tree.toc_source != "contents"
    assert [(section.start_page, section.end_page) for section in tree.sections[:1]] == [(1, 1)]
    assert check_tree(tree) == []


def test_leaflet_of_numbered_policies_is_not_contents() -> None:
    """Four pages of numbered policies keep all their pages and take none for contents."""
    sheets = [
        page(
            *(
                f"{4 * sheet + row}. Members return keys to office {row + 10 * sheet} within {row + 3} days."
                for row in range(1, 5)
            )
        )
        for sheet in range(4)
    ]
    tree = tree_of_pdf(build_pdf(sheets))

    assert tree.toc_source != "contents"
    assert check_tree(tree) == []


def test_list_of_tables_is_not_part_of_the_tree() -> None:
    """Captions listed after the contents are not headings."""
    tables = contents_page(
        *[(f"Table {n} Fees of class {n}", str(n + 2)) for n in range(1, 6)], headline="List of tables"
    )
    outline = outline_of_pdf(build_pdf([contents_page(*entries(3)), tables, *body().pages]))

    assert titles(outline) == [title for _, title, _ in expected()]
    assert not any(title.startswith("Table") for title in titles(outline))


def test_table_of_figures_is_not_contents() -> None:
    """Rows of names and numbers inside a report are data."""
    flow = Flow().heading("1 Results", 16).text(60)
    for name, value in (("North", 12), ("South", 15), ("East", 18), ("West", 21), ("Centre", 30), ("Islands", 44)):
        flow.line(f"{name} {value}")
    flow.text(60).new_page().heading("2 Outlook", 16).text(90)
    outline = outline_of_pdf(build_pdf(flow.pages))

    assert titles(outline) == ["1 Results", "2 Outlook"]


def test_notes_made_of_several_papers_keep_every_page() -> None:
    """Fifty pages in which each paper starts with contents of its own: the tree covers all, in order."""
    sheets: list[list[Item]] = []
    for paper in "ABCDEFG":
        names = [
            f"{number} {name} of study {paper}" for number, name in enumerate(("Aim", "Way", "Result", "Limits"), 1)
        ]
        sheets.append(contents_page(*[(name, str(number + 1)) for number, name in enumerate(names, 1)]))
        flow = Flow()
        for index, name in enumerate(names):
            if index:
                flow.new_page()
            flow.heading(name, 14).text(120)
        sheets += flow.pages
    tree = tree_of_pdf(build_pdf(sheets))

    assert check_tree(tree) == []
    assert (tree.page_count, tree.sections[-1].end_page) == (35, 35)
    assert len({section.start_page for section in tree.walk()}) >= 20


def test_sections_carry_the_label_of_their_page() -> None:
    """A cover without label, Roman front matter, Arabic text, an annex with a prefix: each section tells its own."""
    flow = Flow()
    for index, (name, size) in enumerate((("Foreword", 16), ("1 Wells", 16), ("2 Pipes", 16), ("A Forms", 16))):
        if index:
            flow.new_page()
        flow.heading(name, size).text(90)
    pdf = build_pdf([page("Cover"), *flow.pages], labels={1: "", 2: "iv", 3: "169", 5: "A-1"})

    assert [(s.title, s.start_page, s.page_label) for s in tree_of_pdf(pdf).walk() if not s.synthetic] == [
        ("Foreword", 2, "iv"), ("1 Wells", 3, "169"), ("2 Pipes", 4, "170"), ("A Forms", 5, "A-1"),
    ]  # fmt: skip
