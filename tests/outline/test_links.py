"""Links on contents pages: exact targets, told from every other kind of link."""

from __future__ import annotations

import pytest

from outline_cases import Flow, codes, contents_page, found, nested, outline_of_pdf, tree_of_pdf
from pageindex_core.records import PageTree
from pdf_builder import Link, Run, build_pdf
from pdf_builder.items import MARGIN_PT, PAGE_WIDTH_PT, Item

ENTRIES = [
    ("1 Harbour dues", 2, 0),
    ("1.1 Who pays", 2, 1),
    ("1.2 Exemptions", 3, 0),
    ("2 Mooring", 4, 0),
    ("2.1 Lines", 4, 1),
    ("3 Pilots", 5, 0),
]
"""Title, page, and how many headings stand above it there."""
NAMES = ("Dues", "Mooring", "Pilots", "Cargo", "Fuel", "Cranes", "Salvage")


def body(*, bold: bool = False, size: float = 10) -> Flow:
    """Give four pages with the headings of ENTRIES, set like the text unless told otherwise."""
    flow = Flow()
    for index, (title, page_number, _) in enumerate(ENTRIES):
        if index and page_number != ENTRIES[index - 1][1]:
            flow.new_page()
        flow.heading(title, size, bold=bold).text(90)
    return flow


def entry_links(*, with_heights: bool = True) -> list[Link]:
    """Give one link over each row of the contents page to the place of its heading."""
    flow = body()
    heights = {run.text: run.y - 12 for sheet in flow.pages for run in sheet if isinstance(run, Run)}
    return [
        Link(1, row_box(row), page_number, heights[title] if with_heights else None)
        for row, (title, page_number, _) in enumerate(ENTRIES)
    ]


def row_box(row: int) -> tuple[float, float, float, float]:
    return (MARGIN_PT, 110 + 16 * row, PAGE_WIDTH_PT - MARGIN_PT, 123 + 16 * row)


def linked(links: list[Link], *, labels: bool = True, **style: float) -> bytes:
    """Give the document: contents page, four pages of text, the given links."""
    rows = [(title, str(page_number) if labels else "") for title, page_number, _ in ENTRIES]
    sheets: list[list[Item]] = [contents_page(*rows, leaders="none"), *body(**style).pages]  # type: ignore[arg-type]
    return build_pdf(sheets, links=links)


def of_entries(tree: PageTree) -> list[tuple[int, str, int]]:
    """Give the printed sections but for the contents themselves."""
    return [row for row in nested(tree) if row[1] != "Contents"]


EXPECTED = [(1 + title.split()[0].count("."), title, page_number) for title, page_number, _ in ENTRIES]


@pytest.mark.parametrize("with_heights", [True, False])
def test_linked_entries_are_the_tree(with_heights: bool) -> None:
    """Headings set like body text are found by the links of the contents page, with their levels and pages."""
    tree = tree_of_pdf(linked(entry_links(with_heights=with_heights)))

    assert tree.toc_source == "links"
    assert nested(tree) == EXPECTED


def test_linked_entries_need_no_printed_page_numbers() -> None:
    """Web-born documents print no page numbers in their contents: the links say all."""
    assert nested(tree_of_pdf(linked(entry_links(), labels=False))) == EXPECTED


def test_heading_of_a_linked_entry_stands_on_its_printed_line() -> None:
    """The section's text starts at the printed title, and a later heading on the page is not at its top."""
    outline = outline_of_pdf(linked(entry_links()))

    assert [heading.line_index == 0 for heading in outline.headings] == [above == 0 for _, _, above in ENTRIES]
    assert all(heading.evidence == "links" and heading.y is not None for heading in outline.headings)


def test_cross_references_are_not_contents() -> None:
    """Links inside running text lead to sections too, and make no headings of the sentences they stand in."""
    flow = body(bold=True, size=14)
    links = [Link(1, (MARGIN_PT, 150 + 13 * row, 200, 162 + 13 * row), 2 + row % 3) for row in range(6)]
    outline = outline_of_pdf(build_pdf([Flow().heading("Foreword", 14).text(200).pages[0], *flow.pages], links=links))

    assert outline.toc_source == "detected"
    assert [title for title, _ in found(outline)][1:] == [title for title, _, _ in ENTRIES]


def test_links_to_web_addresses_are_not_contents() -> None:
    """A page of rows that lead out of the document is no table of contents."""
    links = [Link(1, row_box(row), uri=f"https://example.org/{row}") for row in range(len(ENTRIES))]
    assert outline_of_pdf(linked(links)).toc_source != "links"


def test_one_broken_link_does_not_cost_its_entry() -> None:
    """An entry whose link leads to the wrong end of the file is put where its title is printed."""
    links = entry_links()
    links[2] = Link(1, row_box(2), 5)
    pdf = linked(links)

    assert nested(tree_of_pdf(pdf)) == EXPECTED
    assert [note.message[:9] for note in outline_of_pdf(pdf).notes if note.code == "links_moved"] == ["1 linked "]


def test_links_that_lead_where_their_titles_stand_leave_no_note() -> None:
    """Whole contents are no damage."""
    assert codes(outline_of_pdf(linked(entry_links()))) == []


def test_entry_wrapped_over_two_rows_is_one_heading() -> None:
    """Two rows under one pair of links are one title, found where it is printed."""
    first, second = "4 Carriage of explosives and of other", "goods that may endanger the port"
    sheet = contents_page(*[(title, str(page_number)) for title, page_number, _ in ENTRIES], leaders="none")
    y = 120.0 + 16 * len(ENTRIES)
    sheet += [Run(first, y=y), Run(second, y=y + 13), Run("6", x=515, y=y + 13)]
    flow = body().new_page().heading(f"{first} {second}", 10, bold=False).text(80)
    links = [*entry_links(), Link(1, (MARGIN_PT, y - 10, 523, y + 2), 6), Link(1, (MARGIN_PT, y + 3, 523, y + 15), 6)]
    outline = outline_of_pdf(build_pdf([sheet, *flow.pages], links=links))

    assert found(outline)[-1] == (f"{first} {second}", 6)
    assert len(outline.headings) == len(ENTRIES) + 1


def test_entry_wrapped_with_wide_leading_is_one_heading() -> None:
    """Theses set their contents with a half line of white space: one target and a small letter tell the second row."""
    first, second = "4 Carriage of explosives that are stowed", "on the deck of a lighter"
    sheet = contents_page(*[(title, str(page_number)) for title, page_number, _ in ENTRIES], leaders="none")
    y = 120.0 + 16 * len(ENTRIES)
    sheet += [Run(first, y=y), Run(second, x=96, y=y + 19), Run("6", x=515, y=y + 19)]
    flow = body().new_page().heading(f"{first} {second}", 10, bold=False).text(80)
    links = [
        *entry_links(),
        Link(1, (MARGIN_PT, y - 10, 523, y + 2), 6, 100.0),
        Link(1, (96, y + 9, 523, y + 21), 6, 100.0),
    ]
    outline = outline_of_pdf(build_pdf([sheet, *flow.pages], links=links))

    assert found(outline)[-1] == (f"{first} {second}", 6)


def test_linked_chapters_are_found_behind_another_form_of_their_number() -> None:
    """Contents say "2. 点検" where the page says "第2章 点検", and the page names it a second time without a number."""
    names = ["概要", "点検", "運転", "保守", "廃棄"]
    flow = Flow()
    for number, name in enumerate(names, 1):
        if number > 1:
            flow.new_page()
        flow.heading(f"第{number}章 {name}", 18).heading(name, 12).text(60)
        flow.new_page().heading(name, 11).text(60)
    rows = [(f"{number}. {name}", str(2 * number)) for number, name in enumerate(names, 1)]
    links = [Link(1, row_box(row), 2 * row + 2, 100.0) for row in range(len(names))]
    outline = outline_of_pdf(build_pdf([contents_page(*rows, headline="目次"), *flow.pages], links=links))
    linked_at = [(one.page_number, one.line_index) for one in outline.headings if one.evidence == "links"]

    assert linked_at == [(2 * number, 0) for number in range(1, len(names) + 1)]


@pytest.mark.parametrize("headline", ["List of Figures", "図の一覧"])
def test_linked_lists_of_figures_are_not_part_of_the_tree(headline: str) -> None:
    """Numbered captions are linked from a list behind the contents, on the same page and on the next one."""
    sheets = body().pages
    for number, sheet in enumerate(sheets, 1):
        sheet.append(Run(f"Fig. {number}.7 Plan of basin {number}", y=600))
    listed = [(f"{number}.7 Plan of basin {number}", number + 2) for number in range(1, len(sheets) + 1)]
    contents = contents_page(*[(title, str(page_number + 1)) for title, page_number, _ in ENTRIES], leaders="none")
    y = 130.0 + 16 * len(ENTRIES)
    contents += [Run(headline, y=y, size=16), Run(listed[0][0], y=y + 20), Run("3", x=515, y=y + 20)]
    rest = contents_page(*[(title, str(number)) for title, number in listed], leaders="none", headline=headline)
    links = [Link(1, link.box, (link.to_page or 0) + 1, link.to_y) for link in entry_links()]
    links.append(Link(1, (MARGIN_PT, y + 10, 523, y + 23), 3))
    links += [Link(2, row_box(row), number) for row, (_, number) in enumerate(listed)]
    outline = outline_of_pdf(build_pdf([contents, rest, *sheets], links=links))

    assert found(outline) == [(title, page_number + 1) for title, page_number, _ in ENTRIES]


def test_contents_page_gives_no_headings_of_its_own() -> None:
    """The rows of the contents page are not headings on page 1, however they are set."""
    assert all(page_number > 1 for title, page_number in found(outline_of_pdf(linked(entry_links()))))


def test_contents_that_link_only_some_entries_give_all() -> None:
    """Entries without a link between linked ones are found where their titles are printed."""
    links = [link for row, link in enumerate(entry_links()) if row in (0, 2, 3, 5)]

    assert of_entries(tree_of_pdf(linked(links))) == EXPECTED


def test_contents_that_link_only_their_chapters_give_all() -> None:
    """A first level of links is the frame, and the printed entries below it are its sections."""
    links = [link for row, link in enumerate(entry_links()) if row in (0, 3, 5)]

    assert of_entries(tree_of_pdf(linked(links))) == EXPECTED


def test_linked_contents_run_over_several_pages() -> None:
    """Twelve chapters of three sections are linked from two pages of contents, in one list."""
    flow = Flow()
    entries: list[tuple[str, int]] = []
    for chapter in range(1, 13):
        if chapter > 1:
            flow.new_page()
        for section in range(4):
            title = (
                f"{chapter}{f'.{section}' if section else ''} {NAMES[(chapter * 4 + section) % 7]} {chapter}{section}"
            )
            entries.append((title, len(flow.pages) + 2))
            flow.heading(title, 10, bold=False).text(60)
    halves = entries[:24], entries[24:]
    sheets = [contents_page(*[(title, str(n)) for title, n in half], leaders="none") for half in halves]
    links = [
        Link(number, row_box(row), target)
        for number, half in enumerate(halves, 1)
        for row, (_, target) in enumerate(half)
    ]
    tree = tree_of_pdf(build_pdf([*sheets, *flow.pages], links=links))

    assert {section.evidence for section in tree.walk() if not section.synthetic and section.title != "Contents"} == {
        "links"
    }
    assert of_entries(tree) == [(2 if "." in title.split()[0] else 1, title, target) for title, target in entries]


def test_entry_of_a_page_without_text_is_kept_and_stands_back_behind_bookmarks() -> None:
    """The chapter is a scan, so that nothing of its title is printed there."""
    rows = [("Dues", "2"), ("Mooring", "3"), ("Pilots", "4"), ("Cargo", "5")]
    opened = {title: Flow().heading(title).text(90).pages for title in ("Dues", "Mooring", "Cargo")}
    sheets = [contents_page(*rows, leaders="none"), *opened["Dues"], *opened["Mooring"], [], *opened["Cargo"]]
    links = [Link(1, row_box(row), int(number)) for row, (_, number) in enumerate(rows)]
    pdf = build_pdf(sheets, links=links, bookmarks=[(1, "Dues", 2), (1, "Mooring", 3), (1, "Cargo", 5)])
    assert found(outline_of_pdf(pdf)) == [("Dues", 2), ("Mooring", 3), ("Cargo", 5)]
    assert ("Pilots", 4) in found(outline_of_pdf(pdf, use_bookmarks=False))
