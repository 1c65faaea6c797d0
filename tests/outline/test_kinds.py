"""What filings, papers, standards and theses have of their own: notes, run-in titles, feet, cells, several lists."""

from __future__ import annotations

from outline_cases import Flow, contents_page, found, nested, outline_of_pdf, prose, titles, tree_of_pdf
from pageindex_core.outline.furniture import find_furniture
from pageindex_core.outline.layout import fold
from pageindex_core.outline.refuse import may_be_title
from pageindex_core.records import Box, Line, Page
from pdf_builder import Run, build_pdf
from pdf_builder.items import BODY_SIZE_PT, MARGIN_PT, PAGE_HEIGHT_PT

ROWS = ("Cash  1,204  1,187  3", "Loans  52,310  51,040  2", "Goodwill  1,904  1,877  1")


def found_in(flow: Flow) -> list[str]:
    return titles(outline_of_pdf(build_pdf(flow.pages), use_bookmarks=False))


def test_a_note_of_a_filing_holds_the_headings_set_like_its_title() -> None:
    """Bold titles in body size stand below the note before them, and the next note stands beside that one."""
    flow = Flow().heading("Notes to the financial statements", 16).text(40)
    for number, name in enumerate(("Policies", "Inventories", "Leases"), start=1):
        flow.heading(f"Note {number} - {name}", 10).text(40)
        flow.heading(f"Measurement of {name.lower()}", 10).text(40)

    levels = {title: level for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))}
    assert levels["Note 1 - Policies"] == levels["Note 2 - Inventories"] == levels["Note 3 - Leases"]
    assert levels["Measurement of leases"] == levels["Note 3 - Leases"] + 1


def test_headings_of_an_item_stand_below_it_though_set_alike() -> None:
    """In a filing only PART and the next Item end an Item."""
    flow = Flow()
    for number, name in enumerate(("Business", "Properties", "Proceedings"), start=1):
        flow.heading(f"Item {number}. {name}", 12).text(40).heading(f"Markets of {name.lower()}", 12).text(40)

    levels = [level for level, _, _ in nested(tree_of_pdf(build_pdf(flow.pages)))]
    assert levels == [1, 2] * 3


def test_sections_of_a_contract_stand_below_its_articles() -> None:
    """ARTICLE over Section, numbered through or starting again, as contracts and constitutions have them."""
    for numbers in (("1.1", "1.2", "2.1", "2.2"), ("1", "2", "1", "2")):
        flow = Flow()
        for at, number in enumerate(numbers):
            if at % 2 == 0:
                flow.heading(f"ARTICLE {'I' * (at // 2 + 1)} {('SALE', 'PRICE')[at // 2]}", 11)
            flow.heading(f"Section {number} {('Goods', 'Delivery', 'Payment', 'Interest')[at]}", 11).text(120)

        assert [level for level, _, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [1, 2, 2, 1, 2, 2]


def test_articles_of_a_code_stand_below_its_sections() -> None:
    """CHAPTER over SECTION over Article, as in codes, whose articles run on from section to section."""
    flow = Flow()
    articles = iter(range(1, 9))
    for chapter in ("I", "II"):
        flow.heading(f"CHAPTER {chapter} On the {('pumps', 'valves')[len(chapter) - 1]}", 11)
        for section in (1, 2):
            flow.heading(f"SECTION {section} Of the {chapter} and {section}", 11)
            for number in (next(articles), next(articles)):
                flow.heading(f"Article {number} Duties of number {number}", 11).text(70)

    assert [level for level, _, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [1, 2, 3, 3, 2, 3, 3] * 2


def test_notes_that_open_their_pages_are_no_running_heads() -> None:
    """A note at the top of every page is a heading, though one line stands there in one style on all of them."""
    flow = Flow(top=60)
    for number in range(1, 7):
        if number > 1:
            flow.new_page()
        flow.heading(f"Note {number} - Matters of kind {'abcdefg'[number]}", 10).text(150)

    assert len(found_in(flow)) == 6


def test_a_foot_that_follows_the_text_is_furniture() -> None:
    """The last line of each page counts the pages, at whatever height the text ends."""
    pages = [
        Page(
            number,
            (
                Line("Text of the page.", Box(72, 200 + 9 * number, 400, 210 + 9 * number), 10.0),
                Line(f"Works plc Annual report {number + 7}", Box(72, 300 + 17 * number, 300, 310 + 17 * number), 8.0),
            ),
            height_pt=PAGE_HEIGHT_PT,
            width_pt=595.0,
        )
        for number in range(1, 6)
    ]
    keys = [[fold(line.text) for line in page.lines] for page in pages]

    assert find_furniture(pages, keys, 10.0) == {(index, 1) for index in range(5)}
    assert find_furniture(pages, keys, 7.0) == {(index, 1) for index in range(5)}


CLAUSES = ("Scope of the Plan", "Change in Control", "Notices", "Rights of Third Parties", "Governing Law")


def test_titles_of_clauses_end_where_the_text_goes_on() -> None:
    """What a full stop ends in a numbered paragraph is its title; each clause has one, however its text begins."""
    flow = Flow().text(30)
    for number, name in enumerate(CLAUSES, start=1):
        flow.y += 8
        flow.paragraph(f"{number}. {name}. Subject to the permits; and to the licences, {prose(40, 9 * number)}")

    assert found_in(flow) == [f"{number}. {name}" for number, name in enumerate(CLAUSES, start=1)]


def test_clauses_in_letters_have_titles_with_or_without_text_in_their_line() -> None:
    """Contracts break the line behind some titles of a list, and not behind others."""
    flow = Flow().text(30)
    for letter, name in zip("abcde", CLAUSES, strict=True):
        flow.y += 8
        flow.line(f"({letter}) {name}.") if letter == "c" else None
        flow.paragraph(prose(40) if letter == "c" else f"({letter}) {name}. {prose(40)}")

    assert found_in(flow) == [f"({letter}) {name}" for letter, name in zip("abcde", CLAUSES, strict=True)]


def test_numbered_sentences_and_references_have_no_titles() -> None:
    """A title has its capitals, and its last word is no initial."""
    flow = Flow().heading("References", 16).text(30)
    for number in range(1, 6):
        flow.y += 8
        flow.paragraph(f"{number}. Miller A{number}. Boilers of the north. {prose(30, number)}")
    flow.heading("Findings", 16)
    for number in range(1, 6):
        flow.y += 8
        flow.paragraph(f"{number}. The witness was there. {prose(30, number)}")

    assert found_in(flow) == ["References", "Findings"]


def test_clauses_stand_below_the_article_whose_number_they_begin_with() -> None:
    """Clause 2.1 is part of article 2, though the article is set in smaller letters than the text of its clauses."""
    flow = Flow().text(400)
    for article, name in ((1, "SCOPE"), (2, "PAYMENT")):
        flow.heading(f"ARTICLE {article} {name}", 10)
        for clause in (1, 2):
            flow.y += 12
            flow.paragraph(f"{article}.{clause}. {CLAUSES[article + clause]}. {prose(40, clause)}", size=11)

    levels = [level for level, _, _ in nested(tree_of_pdf(build_pdf(flow.pages)))]
    assert levels == [1, 2, 2, 1, 2, 2]


def test_the_title_of_a_table_is_no_heading() -> None:
    """A bold line in body size over rows of figures names the table; over text it opens a section."""
    flow = Flow().heading("Results", 16).text(200)
    flow.heading("Selected balance sheet data", 10)
    for row in ROWS:
        flow.line(row)
    flow.heading("Cash flows", 10).text(200)

    assert found_in(flow) == ["Results", "Cash flows"]


def test_the_set_off_start_of_a_sentence_is_no_heading() -> None:
    """A bold line that goes on below in small letters is part of the sentence."""
    flow = Flow().heading("Results", 16).text(60)
    flow.heading("Cash and deposits with other banks", 10)
    flow.y -= 6
    flow.paragraph("decreased in the year since loans were repaid before their time, and no others were made.")
    flow.heading("Outlook", 16).text(60)

    assert found_in(flow) == ["Results", "Outlook"]


def test_cells_at_several_heights_are_no_headings() -> None:
    """A name in large letters beside a title over two lines is the head of a table, none of it a heading."""
    flow = Flow().heading("Instructions", 24).text(40)
    top = flow.y + 20
    flow.pages[-1] += [
        Run("add.s", MARGIN_PT, top + 9, 18, bold=True),
        Run("Add with overflow signed", MARGIN_PT + 90, top, 18, bold=True),
        Run("and saturated", MARGIN_PT + 90, top + 18, 18, bold=True),
        Run("add.s", MARGIN_PT + 330, top + 9, 18, bold=True),
    ]
    flow.y = top + 60
    flow.text(60)

    assert "add.s" not in " ".join(found_in(flow))


def test_run_in_titles_of_papers_are_headings_without_their_text() -> None:
    """A numbered title set off by its font, before a colon, gives a heading below its section; the text does not."""
    flow = Flow()
    sections = {"I. RETRIEVAL": ("Query Expansion", "Query Routing"), "II. GENERATION": ("Reranking", "Compression")}
    for section, names in sections.items():
        flow.heading(section, 14).text(250)
        for number, name in enumerate(names, start=1):
            flow.y += 8
            flow.line(f"{number}) {name}: The valve is closed by its spring,", italic=True)
            flow.paragraph("and the gate is raised by hand if the motor does not start when it should.")

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        (1, "I. RETRIEVAL"),
        (2, "1) Query Expansion"),
        (2, "2) Query Routing"),
        (1, "II. GENERATION"),
        (2, "1) Reranking"),
        (2, "2) Compression"),
    ]


def test_initials_of_authors_above_the_abstract_are_no_numbers() -> None:
    """A paper begins with its abstract, however its authors are set."""
    flow = Flow()
    flow.heading("On the Flow of Water", 18).heading("A. Writer B. Other", 12, bold=False)
    flow.heading("Abstract", 12).text(60)
    for name in ("1 Introduction", "2 Filters", "3 Seals"):
        flow.heading(name, 14).text(120)

    assert found_in(flow) == ["Abstract", "1 Introduction", "2 Filters", "3 Seals"]


def test_a_chapter_number_joins_the_title_below_it() -> None:
    """ "Chapter 2" over "Pipes" is one heading, though each has a size of its own."""
    flow = Flow()
    for number, name in enumerate(("Wells", "Pipes", "Meters"), start=1):
        if number > 1:
            flow.new_page()
        flow.heading(f"Chapter {number}", 16).heading(name, 22).text(150)

    assert found_in(flow) == ["Chapter 1 Wells", "Chapter 2 Pipes", "Chapter 3 Meters"]


def test_lists_of_figures_before_the_contents_do_not_hide_them() -> None:
    """Theses print several lists; the contents are told by their headline, and the others give no headings."""
    flow = Flow()
    names = ("1 Wells", "2 Pipes", "3 Meters", "4 Valves", "5 Gates")
    for index, name in enumerate(names):
        if index:
            flow.new_page()
        flow.heading(name, BODY_SIZE_PT, bold=False).text(60)
    figures = contents_page(*((f"Sketch of part {n}", str(n)) for n in range(1, 7)), headline="List of Figures")
    contents = contents_page(*((name, str(n)) for n, name in enumerate(names, start=1)), headline="Sumário")

    outline = outline_of_pdf(build_pdf([figures, contents, *flow.pages]))
    assert found(outline) == [(name, 3 + index) for index, name in enumerate(names)]


def test_leaders_and_remarks_are_no_titles() -> None:
    """What leads to a page number is an entry of a list, and what stands in brackets alone a remark."""
    assert not may_be_title("2.1.3 Name of the author . . . . . . . . . 22")
    assert not may_be_title("(amounts in millions, except share data)")
    assert may_be_title("(a) Measurement of leases")


def test_sentences_of_scripts_without_spaces_are_no_titles() -> None:
    """A line that ends as a sentence does, or goes on behind one, is text; articles hold their first sentence."""
    sentences = (
        "该选项包含多个子项目，用于设置字体。",
        "見出しの大きさを決める。詳細は次の表",
        "5.1.0a 首次上传。",
        "これを参照してください．",
    )
    assert not any(map(may_be_title, sentences))
    assert may_be_title("第三条 本法适用于水泵。")
    assert may_be_title("设置字体，字号和行距")


def test_rows_of_letters_are_no_titles() -> None:
    """Specimens of fonts and keys of ciphers name nothing; a letter-spaced word has few letters."""
    assert not may_be_title("Standard a à á â ã ä å")
    assert may_be_title("I N D E X")


def test_captions_are_none_in_any_language_that_we_know() -> None:
    """Figures, tables and theorems count themselves; "Step 2" and "Section 2" are no captions."""
    captions = (
        "Tabela 3 – Listas e os comandos",
        "Exemple 2.7 – Jury",
        "Рисунок 4. Схема насоса",
        "Theorem 2 (Main)",
        "定理 3.1",
    )
    assert not any(map(may_be_title, captions))
    assert may_be_title("Step 2: Choose a pump")
    assert may_be_title("Section 2 Pumps")
