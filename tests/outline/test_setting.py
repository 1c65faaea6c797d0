"""How pages and titles are set: columns, banners, turned pages, slides, letters apart, and what only looks alike."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from outline_cases import Flow, found, nested, outline_of_pdf, prose, read, titles, tree_of_pdf
from pdf_builder import Fill, Rule, Run, build_pdf, paragraph, text_width_pt, with_meanings
from pdf_builder.items import PAGE_WIDTH_PT, Item

LEFT, RIGHT, WIDTH = 54.0, 307.0, 234.0
"""Left edges and width of two columns."""


def centred(text: str, y: float, size: float, left: float = 0.0, width: float = PAGE_WIDTH_PT) -> Run:
    """Give a bold line in the middle of a column, or of the page."""
    run = Run(text, y=y, size=size, bold=True)
    return Run(text, left + (width - text_width_pt(run)) / 2, y, size, bold=True)


def columns(names: Iterable[str], top: float, said: int) -> list[Item]:
    """Give two columns, each with two centred titles over text."""
    items: list[Item] = []
    y = top
    for index, name in enumerate(names):
        x = (LEFT, RIGHT)[index // 2]
        y = top if index % 2 == 0 else y
        text = paragraph(prose(150, said + index * 40), y + 20, x, WIDTH)
        items += [centred(name, y, 12, x, WIDTH), *text]
        y += 20 + 13 * len(text) + 17
    return items


def test_centred_titles_keep_their_place_in_their_columns() -> None:
    """A title across comes first; those within a column stay between its texts, and are the sections."""
    names = ["Dues", "Mooring", "Pilots", "Appeals", "Fuel", "Cranes", "Salvage", "Fire"]
    sheet = [centred("Rules of the harbour", 100, 18), *columns(names[:4], 150, 0)]
    pdf = build_pdf([sheet, columns(names[4:], 100, 400)])

    assert [line.text for line in read(pdf).pages[0].lines if line.bold] == ["Rules of the harbour", *names[:4]]
    assert [title for title in titles(outline_of_pdf(pdf)) if title != "Rules of the harbour"] == names


def test_banners_at_the_tops_of_columns_are_parents_of_their_clauses() -> None:
    """White titles on dark boxes open each column of Korean policy terms; the clauses below are theirs."""
    told = ("펌프와 밸브를 점검한다", "여과기를 교체한다", "보일러를 청소한다", "계약을 확인한다", "수위를 기록한다")
    pages: list[list[Item]] = [[], []]
    expected = []
    for index, banner in enumerate(("보통약관", "특별약관", "배상책임", "부가조항")):
        page, x = pages[index // 2], (LEFT, RIGHT)[index % 2]
        page += [Fill(x, 80, x + WIDTH, 110, (0.1, 0.2, 0.5)), Run(banner, x + 8, 101, 14, color=(1.0, 1.0, 1.0))]
        expected.append((1, banner))
        y = 140.0
        for number, subject in enumerate(("보험금", "보험료", "해지"), 1):
            page.append(Run(f"{number}. {banner}의 {subject}", x, y, 12))
            expected.append((2, f"{number}. {banner}의 {subject}"))
            y += 20
            for item in range(1, 4):
                clause = " ".join(told[(index * 3 + number * 2 + item + step) % 5] for step in range(3))
                rows = paragraph(f"({item}) {subject}: {clause}", y, x, WIDTH)
                page += rows
                y += 13 * len(rows)
            y += 10
    pdf = build_pdf(pages)

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(pdf))] == expected
    assert read(pdf).notes == ()


NAMES = ["1 Wells", "2 Pipes", "3 Meters", "4 Valves"]


def four_pages() -> Flow:
    """Give four pages with a heading and text, short enough to be turned."""
    flow = Flow(top=100, bottom=500)
    for index, name in enumerate(NAMES):
        if index:
            flow.new_page()
        flow.heading(name, 16).text(60)
    return flow


@pytest.mark.parametrize("upright", [True, False], ids=["read upright", "read sideways"])
def test_headings_are_found_on_turned_pages(upright: bool) -> None:
    """Each page is turned another way; where its text is turned back it displays upright, else on its side."""
    pdf = build_pdf(four_pages().pages, rotate={1: 0, 2: 90, 3: 180, 4: 270}, upright=upright)

    assert nested(tree_of_pdf(pdf)) == [(1, name, number) for number, name in enumerate(NAMES, 1)]
    pages = read(pdf).pages
    assert [page.lines[0].text for page in pages] == NAMES
    boxes = [page.lines[0].box for page in pages]
    assert [heading.y for heading in outline_of_pdf(pdf).headings] == [box and box.y0 for box in boxes]


def test_a_table_set_sideways_heads_nothing() -> None:
    """Sideways lines on an upright page are no headings, in capitals or not."""
    flow = Flow().heading("1 Wells", 16).text(60).heading("2 Pumps", 16).text(40)
    rows = ("PUMPS BY YEAR", "Pump one dates from 1968", "Pump two dates from 1971")
    flow.pages[0] += [Run(text, 300 + 14 * row, 740, angle=90) for row, text in enumerate(rows)]
    flow.new_page().heading("3 Meters", 16).text(60)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Wells", "2 Pumps", "3 Meters"]


def test_each_slide_of_a_file_is_a_section() -> None:
    """Landscape pages with a large title, a few points and a foot: one section a slide, from the PDF on."""
    deck = {
        "Harbour strategy": ("Board meeting",),
        "Where we stand": ("Berths are full", "Dues are flat", "Pilots are old"),
        "What the pilots ask for": ("Two more boats", "Better radios"),
        "Costs": ("The boats are dear", "The radios are cheap"),
        "Next steps": ("Ask the council",),
    }
    pages = [
        [
            Run(title, 60, 90 if number > 1 else 250, 32),
            *(Run(f"• {point}", 80, 300 + 30 * row, 18) for row, point in enumerate(points)),
            Run(f"Harbour council {number}", 60, 560, 9),
        ]
        for number, (title, points) in enumerate(deck.items(), 1)
    ]
    tree = tree_of_pdf(build_pdf(pages, rotate=90, upright=True))

    assert nested(tree) == [(1, title, number) for number, title in enumerate(deck, 1)]


def test_title_wrapped_over_three_lines_is_one_heading() -> None:
    """Three full lines of one title are one heading."""
    rows = ["2 Maintenance of pumps and valves in the", "northern district of the province and", "on the islands"]
    flow = Flow().heading("1 Scope", 14).text(60)
    for index, row in enumerate(rows):
        flow.y -= 6 if index else 0
        flow.heading(row, 14, gap=0 if index else 14)
    flow.text(80).heading("3 Supervision", 14).text(80)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Scope", " ".join(rows), "3 Supervision"]


def test_title_split_by_a_soft_hyphen_is_one_heading() -> None:
    """The mark of the split reaches no title."""
    flow = Flow().heading("1 Scope", 14).text(60).heading("2 Maintenance of pumps and instru\u00ad", 14)
    flow.y -= 6
    flow.heading("ments of the district", 14, gap=0).text(80).heading("3 Supervision", 14).text(80)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == [
        "1 Scope", "2 Maintenance of pumps and instruments of the district", "3 Supervision",
    ]  # fmt: skip


def test_titles_with_letters_apart_are_words() -> None:
    """Letter-spaced titles are found, and read as the words they are."""
    flow = Flow()
    for title in ("H A R B O U R", "M O O R I N G", "P I L O T S"):
        flow.heading(title, 16).text(80)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["HARBOUR", "MOORING", "PILOTS"]


def test_titles_of_several_words_with_letters_apart_are_no_rows_of_cells() -> None:
    """A letter-spaced title is far wider than its words need, and has no cells all the same."""
    flow = Flow()
    for title in ("A N N U A L   R E P O R T", "C O N S O L I D A T E D   A C C O U N T S", "N O T E S   O F   A L L"):
        flow.heading(title, 12, bold=False).text(80)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["ANNUAL REPORT", "CONSOLIDATED ACCOUNTS", "NOTES OF ALL"]


def test_titles_in_somewhat_larger_italics_are_headings() -> None:
    """Parts of sections in italics, less than a point and a half larger than the text, are found below them."""
    flow = Flow()
    for number, title in enumerate(("Harbour dues", "Mooring", "Pilots"), 1):
        flow.heading(f"{number}. {title}").text(40)
        for part in ("Who pays for it", "How to object"):
            flow.heading(f"{part} {number}", 11, bold=False, italic=True).text(110)

    sections = [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))]
    assert sections[:3] == [(1, "1. Harbour dues"), (2, "Who pays for it 1"), (2, "How to object 1")]
    assert len(sections) == 9


def test_titles_in_small_capitals_are_words() -> None:
    """A large first letter and smaller capitals on one line are one word, not two."""
    flow = Flow()
    for title in ("Harbour Dues", "Mooring Lines", "Pilots Abroad"):
        flow.y += 14
        x = 72.0
        for word in title.split():
            for text, size in ((word[0], 14), (word[1:].upper(), 11)):
                flow.pages[-1].append(Run(text, x, flow.y, size))
                x += text_width_pt(Run(text, size=size))
            x += 5
        flow.y += 22
        flow.text(80)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["HARBOUR DUES", "MOORING LINES", "PILOTS ABROAD"]


def test_number_and_title_in_different_sizes_are_one_heading() -> None:
    """A chapter's large number stands before its smaller title."""
    flow = Flow()
    for number, name in enumerate(("Harbour dues", "Mooring", "Pilots"), 1):
        if number > 1:
            flow.new_page()
        flow.pages[-1] += [Run(str(number), 72, flow.y, 30, bold=True), Run(name, 120, flow.y, 18, bold=True)]
        flow.y += 40
        flow.text(80).text(90)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Harbour dues", "2 Mooring", "3 Pilots"]


def test_roman_chapters_over_lettered_sections_over_numbers() -> None:
    """I. over A. over 1.: the C. of letters is no Roman hundred, and numbers start again below each letter."""
    flow = Flow()
    expected = []
    for numeral, subject in (("I.", "water"), ("II.", "power")):
        flow.heading(f"{numeral} {subject.upper()} SUPPLY", 16).text(50)
        expected.append((1, numeral))
        for letter in "ABC":
            flow.heading(f"{letter}. {subject.title()} of kind {letter}", 13).text(50)
            expected.append((2, f"{letter}."))
            for number in (1, 2):
                flow.heading(f"{number}. Test {number} of {subject} {letter}", 11).text(50)
                expected.append((3, f"{number}."))

    assert [(level, title.split()[0]) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == expected


@pytest.mark.parametrize("hidden", [{"render_mode": 3}, {"color": (1.0, 1.0, 1.0)}], ids=["invisible", "white"])
def test_hidden_titles_head_nothing(hidden: dict[str, object]) -> None:
    """A title that no reader sees is no section, though it is numbered like its neighbours."""
    flow = Flow().heading("1 Wells", 16).text(60)
    flow.pages[-1].append(Run("2 Secret orders", 72, flow.y + 20, 16, bold=True, **hidden))  # type: ignore[arg-type]
    flow.y += 40
    flow.text(40).heading("2 Pipes", 16).text(60).heading("3 Meters", 16).text(50)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Wells", "2 Pipes", "3 Meters"]


def test_references_form_fields_and_code_head_nothing() -> None:
    """Entries of a bibliography, labels of fields and comments of a program are not sections."""
    flow = Flow().heading("1 Application form", 14).text(60)
    for label in ("Name:", "Address:", "Date of birth:", "Signature:"):
        flow.heading(label, 10, gap=6)
        flow.pages[-1].append(Rule(200, flow.y - 4, 500))
    flow.heading("2 Control of the pumps", 14).text(60)
    for line in ("# Configure the pump", "def start(pump):", "    return pump.open()", "## Second stage"):
        flow.line(line, font="Courier")
    flow.text(60).heading("3 Results", 14).text(80).heading("References", 14)
    for number, subject in enumerate(("pumps", "valves", "wells", "pipes", "meters", "tanks", "towers"), 1):
        flow.paragraph(
            f"[{number}] A. Author and B. Writer. On {subject} in winter. Journal of Works, {number}(2), 2001."
        )
    for number, subject in enumerate(("gates", "locks", "piers", "quays", "cranes"), 1):
        flow.paragraph(f"{number}. Author, C. The {subject} in summer. Harbour Press, 199{number}.")

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == [
        "1 Application form", "2 Control of the pumps", "3 Results", "References",
    ]  # fmt: skip


def test_the_title_of_vertical_text_is_a_heading() -> None:
    """Columns of Japanese read from the right: what is set larger, before the text, is the section's title."""
    letters = "ABCDEGHKMNOPQRSTUVXYZabcdeghknopqsuvxyz"
    meanings = dict(
        zip(
            letters,
            "第一章総則二点検本規程は水道の管理を定め事業者義務示す毎年春にポンプと弁掃し結果台帳",
            strict=False,
        )
    )
    by_meaning = {meaning: letter for letter, meaning in meanings.items()}
    pages = []
    for title, said in (("第一章総則", "本規程は水道の管理を定め"), ("第二章点検", "事業者は毎年春にポンプと弁")):
        columns_ = [(title, 18, 16), *((said[shift:] + said[:shift], 13, 11) for shift in range(6))]
        pages.append(
            [
                Run(by_meaning[character], 500 - 30 * place, 100 + step * row, size)
                for place, (column, step, size) in enumerate(columns_)
                for row, character in enumerate(column)
            ]
        )
    pdf = with_meanings(build_pdf(pages), meanings)

    assert found(outline_of_pdf(pdf)) == [("第一章総則", 1), ("第二章点検", 2)]
