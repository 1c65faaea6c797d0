"""Headings by how they are set, without bookmarks and contents: what is one, and what only looks like it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from outline_cases import Flow, found, nested, outline_of_pdf, prose, read, titles, tree_of_pdf
from pdf_builder import Rule, Run, build_pdf, page, paragraph, text_width_pt
from pdf_builder.items import PAGE_WIDTH_PT, Item


def centred(text: str, size: float = 14, **style: object) -> dict[str, object]:
    run = Run(text, size=size, **style)  # type: ignore[arg-type]
    return {"x": (PAGE_WIDTH_PT - text_width_pt(run)) / 2, "size": size, **style}


def titled() -> Flow:
    """Give a document that opens with a title of its own, which is no section."""
    return Flow().heading("Handbook of the works", 28).text(40)


def found_in(flow: Flow) -> list[str]:
    return titles(outline_of_pdf(build_pdf(flow.pages)))


@pytest.mark.parametrize("body_size", [10, 12])
def test_short_page_with_three_headings_has_those_three(body_size: float) -> None:
    """Three large headings with one sentence each: no sentence is a heading, and no heading the document's title."""
    flow = Flow()
    for title, text in (
        ("Storage", "The seal is replaced every year in the spring of that year."),
        ("Transport", "The valve is closed by its spring when the pressure falls."),
        ("Disposal", "The gate is raised by hand if the motor does not start."),
    ):
        flow.heading(title, 18).paragraph(text, size=body_size)

    assert found_in(flow) == ["Storage", "Transport", "Disposal"]


def test_sheet_with_more_title_than_body_takes_no_body_line_for_a_heading() -> None:
    """Where the title block is longer than the text, the text is still not a heading."""
    sheet: list[Item] = [
        Run("INVITATION TO TENDER", y=150, size=24, bold=True),
        Run("Renewal of the weir gates and of the hoists", y=185, size=20, bold=True),
        Run("Tenders close on 1 March.", y=250, size=12),
        Run("See the office for details.", y=266, size=12),
    ]

    assert not {"Tenders close on 1 March.", "See the office for details."} & set(
        titles(outline_of_pdf(build_pdf([sheet])))
    )


def test_headings_of_body_size_are_found_by_weight_or_number() -> None:
    """Bold lines and numbered lines over text are headings though they are no larger than the text."""
    flow = Flow()
    for title, bold in (
        ("Purpose of the rules", True),
        ("2.1 Keeping of records", False),
        ("2.2 Return of keys", False),
        ("Penalties", True),
        ("3.1 Appeals", False),
    ):
        flow.heading(title, 10, bold=bold).text(70)

    assert found_in(flow) == [
        "Purpose of the rules", "2.1 Keeping of records", "2.2 Return of keys", "Penalties", "3.1 Appeals",
    ]  # fmt: skip


def report(sizes: tuple[float, ...]) -> Flow:
    """Give three chapters of four levels in the given sizes."""
    flow = Flow()
    for number, chapter in enumerate(("Water", "Power", "Waste"), 1):
        if number > 1:
            flow.new_page()
        flow.heading(f"{number} {chapter}", sizes[0]).text(50)
        flow.heading(f"{number}.1 Sources of {chapter.lower()}", sizes[1]).text(50)
        flow.heading(f"{number}.1.1 Public {chapter.lower()}", sizes[2]).text(50)
        flow.heading(f"{number}.1.1.1 Measured {chapter.lower()}", sizes[3]).text(50)
        flow.heading(f"{number}.1.2 Private {chapter.lower()}", sizes[2]).text(50)
        flow.heading(f"{number}.2 Uses of {chapter.lower()}", sizes[1]).text(50)
    return flow


@pytest.mark.parametrize("sizes", [(18, 14, 12, 11), (18, 14, 11, 11), (12, 12, 12, 12), (10, 10, 10, 10)])
def test_levels_come_from_numbers_where_sizes_tie(sizes: tuple[float, ...]) -> None:
    """Four levels are told apart in four sizes, in three, and in one, down to the size of the text."""
    expected = [
        (1 + title.split()[0].count("."), title, number)
        for number, chapter in enumerate(("Water", "Power", "Waste"), 1)
        for title in (
            f"{number} {chapter}", f"{number}.1 Sources of {chapter.lower()}", f"{number}.1.1 Public {chapter.lower()}",
            f"{number}.1.1.1 Measured {chapter.lower()}", f"{number}.1.2 Private {chapter.lower()}",
            f"{number}.2 Uses of {chapter.lower()}",
        )
    ]  # fmt: skip

    assert nested(tree_of_pdf(build_pdf(report(sizes).pages))) == expected


def test_levels_come_from_sizes_where_nothing_is_numbered() -> None:
    """Three sizes are three levels."""
    flow = titled()
    for part in ("Water", "Power"):
        flow.heading(part, 20).text(50)
        for chapter in ("Sources", "Uses"):
            flow.heading(f"{chapter} of {part.lower()}", 15).text(50)
            flow.heading(f"Public {chapter.lower()} of {part.lower()}", 12).text(50)
        flow.new_page()

    levels = [(level, title.split()[0]) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages[:-1])))]
    assert levels == [(1, "Water"), (2, "Sources"), (3, "Public"), (2, "Uses"), (3, "Public"),
                      (1, "Power"), (2, "Sources"), (3, "Public"), (2, "Uses"), (3, "Public")]  # fmt: skip


def test_parts_stand_over_numbers_that_start_again() -> None:
    """PART I and PART II each hold sections 1 and 2, which hold 1.1: restarting numbers do not end a part."""
    flow = Flow()
    for part, subject in (("PART I", "GENERAL"), ("PART II", "SPECIAL")):
        flow.heading(f"{part} {subject} TERMS", 14).text(40)
        for number, title in ((1, "Duties"), (2, "Rights")):
            flow.heading(f"{number}. {title} under {subject.lower()} terms", 12).text(50)
            flow.heading(f"{number}.1 Notice of {subject.lower()} {title.lower()}", 11).text(50)

    assert [(level, title.split()[0]) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        (1, "PART"), (2, "1."), (3, "1.1"), (2, "2."), (3, "2.1"),
        (1, "PART"), (2, "1."), (3, "1.1"), (2, "2."), (3, "2.1"),
    ]  # fmt: skip


def test_clause_letters_h_i_j_are_one_list() -> None:
    """Bold clauses (g), (h), (i), (j) are siblings: between letters, (i) is a letter and no Roman one."""
    flow = Flow().heading("1. Duties of the carrier", 14).text(50)
    for letter in "abcdefghij":
        flow.heading(f"({letter}) Care of goods of class {letter.upper()}", 11).text(30)
    levels = {title.split()[0]: level for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))}

    assert {levels[f"({letter})"] for letter in "ghij"} == {2}


def test_two_column_paper_has_its_two_headings_and_no_equation_stamp_or_author() -> None:
    """Centred capitals and an italic subsection are headings; a display equation and a margin stamp are not."""
    left, right, width = 54.0, 307.0, 234.0
    sheet: list[Item] = [Run("arXiv:0000.00000v1 [cs.XX] 1 Jan 2020", 30, 600, 16, angle=90)]
    y = 140.0
    heading = Run("I. INTRODUCTION", size=10)
    sheet.append(Run(heading.text, left + (width - text_width_pt(heading)) / 2, y))
    sheet += paragraph(prose(200, 10), y + 22, left, width)
    sheet.append(Run("A. Setup", right, y, 10, italic=True))
    sheet += paragraph(prose(90, 90), y + 20, right, width)
    sheet += [Run("E = mc + f(x)", right + 60, 420, 16), Run("(2)", right + width - 14, 420, 10)]
    sheet += paragraph(prose(90, 200), 450, right, width)
    more = [*paragraph(prose(200, 300), 140, left, width), *paragraph(prose(200, 380), 140, right, width)]

    assert titles(outline_of_pdf(build_pdf([sheet, more, more[:]]))) == ["I. INTRODUCTION", "A. Setup"]


def test_numbered_paragraphs_of_a_judgment_are_text() -> None:
    """Forty numbered paragraphs of whole sentences under three headings: the headings alone are headings."""
    flow = titled()
    for number in range(1, 41):
        if number in (1, 15, 30):
            flow.heading({1: "The facts", 15: "The law", 30: "The order"}[number], 14)
        flow.paragraph(f"{number}. {prose(28, number * 11)}")

    assert found_in(flow) == ["The facts", "The law", "The order"]


def test_items_of_numbered_lists_get_one_decision() -> None:
    """Short list items 1. to 9. after each heading are none of them headings, or the list would fall apart."""
    flow = Flow()
    for chapter in ("1 Preparation", "2 Installation", "3 Operation", "4 Shutdown"):
        flow.heading(chapter, 16).text(50)
        for step, word in enumerate(("Open", "Close", "Check", "Clean", "Fill", "Drain", "Start", "Stop", "Lock"), 1):
            flow.line(f"{step}. {word} the valve of line {step}")
        flow.text(40)

    assert found_in(flow) == ["1 Preparation", "2 Installation", "3 Operation", "4 Shutdown"]


def test_short_last_lines_of_paragraphs_are_text() -> None:
    """A tail of three words on its own line is the end of a paragraph."""
    flow = Flow().heading("Findings", 14)
    for number in range(8):
        flow.text(50)
        flow.y -= 6
        flow.line("of the same year.").line("")
        flow.y += number % 2
    assert found_in(flow) == ["Findings"]


def test_chinese_paragraphs_are_text() -> None:
    """Blocks of unspaced characters are not short titles, and the two real headings are found."""
    flow = Flow()
    sentence = "本公司应当在每年春季检查水泵和阀门并将结果记入登记簿供主管机关随时查阅不得遗漏任何一项记录。"
    flow.heading("第一章 总则", 15, bold=False).paragraph(sentence * 3).paragraph(sentence * 2).paragraph(sentence)
    flow.heading("第二章 附则", 15, bold=False).paragraph(sentence * 2).paragraph(sentence * 3)

    assert found_in(flow) == ["第一章 总则", "第二章 附则"]


def test_title_wrapped_at_a_space_is_one_heading() -> None:
    """Two lines of one title are one heading with the whole text."""
    flow = Flow().heading("2 Maintenance of pumps and valves in the", 14)
    flow.y -= 6
    flow.heading("northern district of the province", 14, gap=0).text(80)
    flow.heading("3 Supervision", 14).text(80)

    assert found_in(flow) == [
        "2 Maintenance of pumps and valves in the northern district of the province",
        "3 Supervision",
    ]


def test_title_wrapped_after_a_dash_is_one_heading() -> None:
    """An em dash at the line end joins without a space."""
    flow = Flow().heading("2 Maintenance of pumps and valves —", 14)
    flow.y -= 6
    flow.heading("a guide for the northern district", 14, gap=0).text(80).heading("3 Supervision", 14).text(80)

    assert found_in(flow)[0].replace(" ", "") == ("2Maintenanceofpumpsandvalves—aguideforthenortherndistrict")


def test_title_wrapped_within_a_word_is_one_heading() -> None:
    """A hyphen at the line end, before a small letter, splits one title and not two."""
    flow = Flow().heading("2 Maintenance of pumps and the instru-", 14)
    flow.y -= 6
    flow.heading("ments of the northern district", 14, gap=0).text(80).heading("3 Supervision", 14).text(80)
    first = found_in(flow)[0]

    assert first.replace("-", "") == "2 Maintenance of pumps and the instruments of the northern district"


def test_stacked_headings_stay_apart() -> None:
    """A chapter title directly above a section title is two headings on two levels."""
    flow = Flow().heading("2 Maintenance", 18).heading("2.1 Pumps", 14, gap=4).text(80)
    flow.heading("2.2 Valves", 14).text(80).heading("3 Supervision", 18).heading("3.1 Staff", 14, gap=4).text(80)

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        (1, "2 Maintenance"), (2, "2.1 Pumps"), (2, "2.2 Valves"), (1, "3 Supervision"), (2, "3.1 Staff"),
    ]  # fmt: skip


def test_drop_cap_is_no_heading() -> None:
    """A letter three lines high at the start of a chapter is part of its first word."""
    flow = Flow().heading("One morning", 18)
    flow.pages[-1].append(Run("T", y=flow.y + 26, size=36))
    flow.paragraph(f"he {prose(30, 5)}", x=100, width=420).text(100).heading("Two letters", 18).text(120)
    outline = outline_of_pdf(build_pdf(flow.pages))

    assert titles(outline) == ["One morning", "Two letters"]


def with_heads(flow: Flow, left: str, right: str) -> list[list[Item]]:
    """Give the pages with running titles in turn left and right, drawn first, and a page number."""
    return [
        [Run(left if number % 2 else right, y=40, size=9), Run(str(number), x=300, y=806, size=9), *sheet]
        for number, sheet in enumerate(flow.pages, 1)
    ]


def test_running_titles_are_never_headings_and_titles_at_page_tops_are() -> None:
    """Thirty pages of running titles equal to the chapter's: it comes once, and so does each true title at a top."""
    flow = Flow(top=100).heading("Handbook of the works", 30).new_page().heading("Water supply", 18).text(120)
    for number in range(3, 31):
        flow.new_page()
        if number in (8, 15, 22):
            flow.heading({8: "Wells", 15: "Pipes", 22: "Meters"}[number], 14)
        flow.text(150)
    outline = outline_of_pdf(build_pdf(with_heads(flow, "Water supply", "Handbook of the works")))

    assert found(outline) == [("Water supply", 2), ("Wells", 8), ("Pipes", 15), ("Meters", 22)]


def test_header_that_changes_every_page_is_no_heading() -> None:
    """A dictionary's guide words stand at one height in one style: furniture, though no two are alike."""
    flow = Flow(top=120).heading("Glossary", 18)
    for number in range(12):
        if number:
            flow.new_page()
        flow.text(150)
    words = (
        "abbey",
        "barge",
        "canal",
        "derrick",
        "estuary",
        "ferry",
        "gate",
        "harbour",
        "inlet",
        "jetty",
        "keel",
        "lock",
    )
    sheets = [[Run(word, y=50, size=10, bold=True), *sheet] for word, sheet in zip(words, flow.pages, strict=True)]

    assert titles(outline_of_pdf(build_pdf(sheets))) == ["Glossary"]


@pytest.mark.parametrize(
    "top",
    [
        130.0,
        85.0,
    ],
)
def test_headings_at_the_top_of_every_page_are_headings(top: float) -> None:
    """Where each page opens with a section title of body size, the titles are not taken for running heads."""
    flow = Flow(top=top)
    names = ["1.1 Wells", "1.2 Pipes", "1.3 Meters", "1.4 Valves", "1.5 Tanks", "1.6 Towers"]
    for index, name in enumerate(names):
        if index:
            flow.new_page()
        flow.heading(name, 10).text(200)

    assert found_in(flow) == names


def test_titles_that_differ_in_their_number_alone_are_not_page_numbers() -> None:
    """Chapter 1, Chapter 2 and so on, in large letters at the top of every page, are headings."""
    flow = Flow(top=85)
    for number in range(1, 7):
        if number > 1:
            flow.new_page()
        flow.heading(f"Chapter {number}", 20).text(150)

    assert found_in(flow) == [f"Chapter {number}" for number in range(1, 7)]


def test_section_ends_before_a_page_that_opens_with_the_next_heading_under_a_running_title() -> None:
    """A running title above it does not keep a heading from opening its page: nothing of the page is shared."""
    flow = Flow(top=100)
    for index, name in enumerate(("1 Wells", "2 Pipes", "3 Meters", "4 Valves")):
        if index:
            flow.new_page()
        flow.heading(name, 16).text(150)
    tree = tree_of_pdf(build_pdf(with_heads(flow, "Handbook", "Handbook")))

    assert [(section.title, section.start_page, section.end_page) for section in tree.walk()] == [
        ("1 Wells", 1, 1), ("2 Pipes", 2, 2), ("3 Meters", 3, 3), ("4 Valves", 4, 4),
    ]  # fmt: skip


def test_bold_command_lines_are_no_headings() -> None:
    """A command in bold typewriter letters under the word Example stands within its section."""
    flow = Flow()
    for number, verb in enumerate(("install", "start", "remove"), 1):
        flow.heading(f"{number} How to {verb}", 16).text(60)
        flow.heading("Example:", 10).line(f"$ {verb} --all /dev/pump{number}", bold=True, font="Courier").text(40)

    assert found_in(flow) == ["1 How to install", "2 How to start", "3 How to remove"]


def test_table_heads_and_captions_are_no_headings() -> None:
    """The bold first row of a table and a bold caption do not cut the section they stand in."""
    flow = Flow().heading("1 Installation", 16).text(60).heading("2 Settings", 16).text(60)
    y = flow.y + 10
    for row, cells in enumerate((("Name", "Unit", "Default"), ("speed", "rpm", "1500"), ("flow", "l/s", "40"))):
        flow.pages[-1] += [Run(cell, 80 + 130 * n, y + 16 * row, bold=row == 0) for n, cell in enumerate(cells)]
        flow.pages[-1].append(Rule(72, y + 16 * row + 4, 460))
    flow.y = y + 70
    flow.heading("Table 4 Limits of the settings", 10).text(60).heading("3 Removal", 16).text(60)

    assert found_in(flow) == ["1 Installation", "2 Settings", "3 Removal"]


def test_underlined_first_line_of_a_page_is_text() -> None:
    """A sentence that goes on from the page before and has a rule under it is no heading."""
    flow = Flow().heading("1 Evidence", 16).text(260).text(200)
    flow.pages[-1].append(Rule(72, flow.y - 3, 500))
    flow.new_page()
    flow.pages[-1].append(Rule(72, flow.top + 3, 500))
    flow.paragraph("was found beneath the floor, as the second witness said, and " + prose(80, 400))
    flow.heading("2 Order", 16).text(60)

    assert found_in(flow) == ["1 Evidence", "2 Order"]


def test_headings_of_one_word_are_headings() -> None:
    """IMPLEMENTATION and References stand alone over text; single bold words inside text do not."""
    flow = Flow()
    for title in ("IMPLEMENTATION", "Results", "References"):
        flow.heading(title, 10).text(60)
        line = Run("The", y=flow.y)
        flow.pages[-1] += [line, Run("pump", line.x + text_width_pt(line) + 3, flow.y, bold=True),
                           Run("is checked by the operator every year", line.x + 52, flow.y)]  # fmt: skip
        flow.y += 13
        flow.text(30)

    assert found_in(flow) == ["IMPLEMENTATION", "Results", "References"]


def twice(flow: Flow, text: str, shift: float = 0.2) -> None:
    """Draw a heading twice, a fraction of a point apart, as printers without a bold font do."""
    flow.heading(text, 14, bold=False)
    run = flow.pages[-1][-1]
    assert isinstance(run, Run)
    flow.pages[-1].append(Run(run.text, run.x + shift, run.y, run.size))


def test_heading_drawn_twice_reads_once() -> None:
    """Fake bold gives one heading with its letters once; true double letters stay."""
    flow = titled()
    for title in ("The bookkeeper", "第二章 附则", "Committee of success"):
        twice(flow, title)
        flow.text(80)

    assert found_in(flow) == ["The bookkeeper", "第二章 附则", "Committee of success"]
    assert read(build_pdf(flow.pages)).pages[0].text.count("bookkeeper") == 1


def test_words_drawn_twice_read_once() -> None:
    """The same, word by word."""
    flow = Flow()
    sheet = flow.pages[-1]
    x = 72.0
    for word in ("Accounts", "committee"):
        sheet += [Run(word, x, 140, 14), Run(word, x + 0.2, 140, 14)]
        x += text_width_pt(Run(word + " ", size=14))
    flow.y = 170
    flow.text(100).heading("Results", 14).text(80)

    assert found_in(flow) == ["Accounts committee", "Results"]


def test_tags_on_every_paragraph_are_not_believed() -> None:
    """A file whose paragraphs are all tagged H1 has the headings that its type shows, no more."""
    flow = Flow()
    for title in ("1 Wells", "2 Pipes", "3 Meters"):
        flow.heading(title, 14, tag="H1").text(80)
    sheet = [Run(i.text, i.x, i.y, i.size, i.bold, tag="H1") if isinstance(i, Run) else i for i in flow.pages[0]]

    assert titles(outline_of_pdf(build_pdf([sheet]))) == ["1 Wells", "2 Pipes", "3 Meters"]


def test_sections_tagged_as_paragraphs_are_found_beside_tagged_chapters() -> None:
    """H1 for chapters and P for bold numbered sections: both are headings, on two levels."""
    flow = Flow()
    for number in (1, 2):
        flow.heading(f"{number} Part {'AB'[number - 1]}", 16, tag="H1").text(50)
        for section in (1, 2):
            flow.heading(f"{number}.{section} Topic {section}", 10, tag="P").text(60)

    assert [(level, title[:3].strip()) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        (1, "1 P"), (2, "1.1"), (2, "1.2"), (1, "2 P"), (2, "2.1"), (2, "2.2"),
    ]  # fmt: skip


def test_blank_pages_keep_their_numbers() -> None:
    """Pages 2, 5 and 6 are blank: the heading on page 7 is on page 7, and page 5 is empty text."""
    sheets: list[list[Item]] = [page(prose(80, number * 50)) for number in range(10)]
    for blank in (2, 5, 6):
        sheets[blank - 1] = []
    sheets[6] = [*Flow().heading("Seventh heaven", 18).pages[0], *page(prose(80, 700), y=200)]
    pdf = build_pdf(sheets)

    assert found(outline_of_pdf(pdf)) == [("Seventh heaven", 7)]
    assert read(pdf).pages[4].text == ""
    assert [section.start_page for section in tree_of_pdf(pdf).sections] == [1, 7]


def test_articles_over_page_breaks_stay_whole_and_in_order() -> None:
    """Ten articles with lettered clauses and footers: every word of an article is in its own span of lines."""
    flow = Flow()
    for number in range(1, 11):
        flow.heading(f"Article {number}. Duty number {number}", 12)
        for letter in "abcdefghij":
            flow.paragraph(f"({letter}) Clause {number}{letter} holds. {prose(14, number * 20)}")
    sheets = [[*sheet, Run(f"Law gazette - {n}", 260, 806, 8)] for n, sheet in enumerate(flow.pages, 1)]
    pages = read(build_pdf(sheets))
    sections = list(tree_of_pdf(build_pdf(sheets)).walk())

    assert [section.title for section in sections] == [f"Article {n}. Duty number {n}" for n in range(1, 11)]
    starts = [(section.start_page, section.start_line) for section in sections] + [(len(pages.pages) + 1, 0)]
    for number, (start, stop) in enumerate(pairwise(starts), 1):
        text = " ".join(
            line.text
            for page_ in pages.pages
            for index, line in enumerate(page_.lines)
            if start <= (page_.page_number, index) < stop
        )
        assert [f"Clause {number}{letter} " in text for letter in "abcdefghij"] == [True] * 10
        assert f"Clause {number + 1}a" not in text
    shared = [a.end_page == b.start_page for a, b in pairwise(sections)]
    assert all(shared[index] or sections[index + 1].start_line == 0 for index in range(9))


def test_large_running_heads_with_page_numbers_are_no_headings() -> None:
    """A gazette sets "47 Harbour Gazette" larger than its text on every page: the number counts pages, not sections."""
    flow = Flow(top=130)
    for number in range(1, 8):
        if number > 1:
            flow.new_page()
        flow.heading(f"Ruling of case {'abcdefg'[number - 1]}", 14).text(150)
    for index, sheet in enumerate(flow.pages):
        sheet.append(Run(f"{700 + index} Harbour Gazette / Vol. 85", 72, 60, 13))

    assert all("Gazette" not in title for title in found_in(flow))


def test_title_pages_are_no_sections() -> None:
    """A thesis prints its title and its author's name on several leaves, larger than any chapter."""
    flow = Flow(top=220)
    for size in (24, 28):
        flow.heading("On the Upkeep of Harbours", size).heading("Adam Berger", 18).new_page()
    flow.heading("Preface", 16).text(120).new_page()
    for number, name in enumerate(("Dues", "Mooring", "Pilots"), 1):
        flow.heading(f"{number} {name}", 16).text(120)
    names = ["Preface", "1 Dues", "2 Mooring", "3 Pilots"]

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == names


def test_text_larger_than_the_listings_it_explains_is_no_title() -> None:
    """Where listings outnumber the text, its short paragraphs are not headings, though they are larger than most."""
    flow = Flow()
    expected = []
    for number in range(1, 7):
        flow.heading(f"Part of the pump {number}", 14)
        expected.append(f"Part of the pump {number}")
        for step in range(4):
            flow.y += 8
            flow.line(f"We now close the valve of basin {number} for the {step + 2} hours", size=10.5, font="Times")
            flow.y += 8
            for row in range(4):
                flow.line(f"set valve {number} {row} to half of what the gauge of basin {step} shows today", size=8)
    names = titles(outline_of_pdf(build_pdf(flow.pages)))

    assert names == expected


def test_syllables_and_signs_of_figures_are_no_titles() -> None:
    """Words below the notes of a score are larger than the text and stand apart, and name nothing."""
    flow = Flow()
    for number, words in enumerate(("Let us sing", "Oh my dear", "How far away", "The old moon"), 1):
        flow.heading(f"How the song of basin {number} goes", 14).text(60)
        for word in words.split():
            flow.y += 30
            flow.line(word, size=12, font="Times")
        flow.y += 30
        flow.text(60)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == [f"How the song of basin {n} goes" for n in range(1, 5)]


def test_numbered_titles_may_be_names_of_commands() -> None:
    """Reference manuals head a section with the command that it explains; without a number it is a line of program."""
    flow = Flow().heading("3 Rules", 16).text(60)
    for number, command in enumerate(("\\hline", "\\cline{i-j}", "\\vline"), 1):
        flow.heading(f"3.{number} {command}", 13).text(60)
    flow.heading("\\begin{table}", 13).text(60)
    names = ["3 Rules", "3.1 \\hline", "3.2 \\cline{i-j}", "3.3 \\vline"]

    assert found_in(flow) == names


def test_number_of_a_chapter_may_stand_behind_its_title_in_larger_letters() -> None:
    """The figure at the outer edge makes the line tall, but it is not set upwards."""
    flow = Flow()
    for number, name in enumerate(("Dues of the harbour", "Lines for mooring", "Pilots of the river"), 1):
        flow.y = 190
        flow.pages[-1].append(Run(name, y=190, size=20))
        flow.pages[-1].append(Run(str(number), x=100 + text_width_pt(Run(name, size=20)), y=190, size=50))
        flow.pages[-1].append(Run(f"{number}.1 Who pays", y=260, size=14))
        flow.y = 280
        flow.text(200).new_page()

    assert [title for title in found_in(flow) if "." not in title] == [
        "1 Dues of the harbour",
        "2 Lines for mooring",
        "3 Pilots of the river",
    ]
