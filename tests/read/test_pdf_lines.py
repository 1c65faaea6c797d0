"""Lines of a PDF: their text, where they are displayed, and how they are set."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Box, Line, Page
from pdf_builder import Rule, Run, build_pdf, cropped, lines, page, text_width_pt

FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\ufffe\uffff]")
TITLE = Run("2.1 Valves", x=90, y=100, size=20, bold=True)
BODY = Run("Valves close by a spring.", x=120, y=300, size=10)


def read(pdf: bytes) -> tuple[Page, ...]:
    return read_pages(open_source(pdf)).pages


def line_of(page: Page, text: str) -> Line:
    return next(line for line in page.lines if line.text == text)


def drawn_box(run: Run) -> Box:
    """Give the box of a run on an unturned page, from where the builder put it: ascender to descender."""
    return Box(run.x, run.y - 0.95 * run.size, run.x + text_width_pt(run), run.y + 0.22 * run.size)


def with_to_unicode(pdf: bytes, meanings: Mapping[str, str]) -> bytes:
    """Give the file with a character map: each drawn letter means the given text (hex, UTF-16BE), others themselves."""
    entries = {letter: f"{ord(letter):04X}" for letter in map(chr, range(32, 127))} | dict(meanings)
    rows = "\n".join(f"<{ord(letter):02X}> <{meaning}>" for letter, meaning in entries.items() if meaning)
    count = sum(bool(meaning) for meaning in entries.values())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Test def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{count} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        stream = opened.make_stream(cmap.encode())
        for font in opened.pages[0].Resources.Font.values():
            font.ToUnicode = stream
        opened.save(out, deterministic_id=True)
    return out.getvalue()


def test_lines_come_in_order_one_for_each_line_set() -> None:
    """Headings, paragraphs and plain lines are lines; pages are numbered from 1 and blank ones are kept."""
    pages = read(build_pdf([page("# 1 Pumps", "Each pump moves 40 litres."), "", "First line\nSecond line"]))

    assert [(page.page_number, page.text) for page in pages] == [
        (1, "1 Pumps\nEach pump moves 40 litres."),
        (2, ""),
        (3, "First line\nSecond line"),
    ]
    assert {(page.width_pt, page.height_pt) for page in pages} == {(595.0, 842.0)}


@pytest.mark.parametrize("run", [TITLE, BODY], ids=["title", "body"])
def test_boxes_are_points_from_the_top_left(run: Run) -> None:
    """A box lies where the builder drew the text, y growing downwards."""
    box = line_of(read(build_pdf([[TITLE, Rule(72, 200, 300), BODY]]))[0], run.text).box

    assert box == pytest.approx(drawn_box(run), abs=3)


def test_size_weight_style_and_font_are_those_set() -> None:
    """Bold and italic are told apart for every combination, and the size is the one set."""
    runs = [
        Run("Plain", y=100, size=9),
        Run("Bold", y=130, size=18, bold=True),
        Run("Italic", y=160, size=11, italic=True, font="Times"),
        Run("Both", y=190, size=12.5, bold=True, italic=True, font="Courier"),
    ]

    assert [
        (line.text, line.font_size, line.bold, line.italic, line.font) for line in read(build_pdf([runs]))[0].lines
    ] == [
        ("Plain", 9.0, False, False, "Helvetica"),
        ("Bold", 18.0, True, False, "Helvetica-Bold"),
        ("Italic", 11.0, False, True, "Times-Italic"),
        ("Both", 12.5, True, True, "Courier-BoldOblique"),
    ]


def with_stems(pdf: bytes, name: str, width: int = 160) -> bytes:
    """Give the file with its fonts named so and said to have stems so wide, by default as a bold font's."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for font in opened.pages[0].Resources.Font.values():
            font.BaseFont = Name("/" + name)
            font.FirstChar, font.Widths = 32, Array([500] * 95)
            font.FontDescriptor = opened.make_indirect(
                Dictionary(
                    Type=Name.FontDescriptor, FontName=font.BaseFont, Flags=4, StemV=width, ItalicAngle=0, Ascent=700,
                    Descent=-200, CapHeight=700, FontBBox=Array([0, -200, 1000, 900]),
                )
            )  # fmt: skip
        opened.save(out, deterministic_id=True)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "bold"),
    [("LMRoman10-Regular", False), ("Garamond-ItalicMT", False), ("Garamond-Demi", True), ("F12", True)],
)
def test_the_name_of_a_style_outweighs_the_width_of_stems(name: str, bold: bool) -> None:
    """Wide stems make a font bold only where its name does not say that it is none."""
    assert read(with_stems(build_pdf([[Run("Valves", y=100)]]), name))[0].lines[0].bold is bold


@pytest.mark.parametrize(
    ("name", "bold"),
    [("CMBX10", True), ("SFBX1095", True), ("CMSSBX10", True), ("CMB10", True), ("CMR10", False), ("SFRM1095", False),
     ("CMBSY10", False), ("MSBM10", False)],
)  # fmt: skip
def test_computer_modern_is_bold_by_name(name: str, bold: bool) -> None:
    """The stems of its bold fonts are as thin as those of other fonts' text; symbols are no text."""
    assert read(with_stems(build_pdf([[Run("Valves", y=100)]]), name, 114))[0].lines[0].bold is bold


def test_a_title_that_text_runs_on_from_is_counted() -> None:
    """In bold or italics, with its number in any style; none where the end of the line is set like its start."""
    title = Run("2.1 Valves.", x=72, y=100, bold=True)
    rest = Run("They close by a spring.", x=72 + text_width_pt(title) + 3, y=100)
    number = Run("2.2", x=72, y=130)
    slanted = Run("Gates:", x=72 + text_width_pt(number) + 3, y=130, italic=True)
    more = Run("raised by hand.", x=slanted.x + text_width_pt(slanted) + 3, y=130)
    start = Run("2.3 When", x=72, y=160, bold=True, italic=True)
    end = Run("to close", x=72 + text_width_pt(start) + 3, y=160, bold=True)
    lines = read(build_pdf([[title, rest, number, slanted, more, start, end]]))[0].lines

    assert [line.text[: line.lead] for line in lines] == ["2.1 Valves.", "2.2 Gates:", ""]


def test_a_line_is_bold_only_where_all_of_it_is() -> None:
    """A bold word that leads into plain text, or ends it, makes no bold line."""
    lead = Run("Note:", x=72, y=100, bold=True)
    rest = Run("valves close by a spring.", x=72 + text_width_pt(lead) + 3, y=100)
    end = Run("never", x=rest.x, y=130, bold=True)
    start = Run("This is", x=rest.x - text_width_pt(Run("This is")) - 3, y=130)
    first, second = read(build_pdf([[lead, rest, start, end]]))[0].lines

    assert (first.text, first.bold) == ("Note: valves close by a spring.", False)
    assert (second.text, second.bold) == ("This is never", False)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_content_turned_back_on_a_rotated_page_is_where_it_is_displayed(degrees: int) -> None:
    """A landscape or scanned page displays as given, whatever rotation is stored."""
    pages = read(build_pdf([[TITLE, BODY]], rotate=degrees, upright=True))

    assert (pages[0].width_pt, pages[0].height_pt) == (595.0, 842.0)
    assert [line.text for line in pages[0].lines] == [TITLE.text, BODY.text]
    assert line_of(pages[0], TITLE.text).box == pytest.approx(drawn_box(TITLE), abs=3)
    assert line_of(pages[0], TITLE.text).font_size == 20.0


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_boxes_turn_with_the_page(degrees: int) -> None:
    """On a page that is displayed turned, boxes are those of the turned text."""
    x0, y0, x1, y1 = drawn_box(TITLE)
    expected = {
        90: (842 - y1, x0, 842 - y0, x1),
        180: (595 - x1, 842 - y1, 595 - x0, 842 - y0),
        270: (y0, 595 - x1, y1, 595 - x0),
    }[degrees]
    turned = read(build_pdf([[TITLE, BODY]], rotate=degrees))[0]

    assert (turned.width_pt, turned.height_pt) == ((595.0, 842.0) if degrees == 180 else (842.0, 595.0))
    assert line_of(turned, TITLE.text).box == pytest.approx(expected, abs=3)


def test_boxes_count_from_the_crop_box() -> None:
    """What is displayed is the crop box, so its corner is the origin."""
    pdf = cropped(build_pdf([[TITLE, BODY]]), left=50, top=30, right=20, bottom=10)
    shown = read(pdf)[0]
    x0, y0, x1, y1 = drawn_box(BODY)

    assert (shown.width_pt, shown.height_pt) == (525.0, 802.0)
    assert line_of(shown, BODY.text).box == pytest.approx((x0 - 50, y0 - 30, x1 - 50, y1 - 30), abs=3)


def test_sideways_text_on_an_upright_page_keeps_its_size_and_place() -> None:
    """A stamp in the margin has a tall, narrow box and the size it is set in."""
    stamp = Run("arXiv:2024 [cs.CL]", x=30, y=500, size=16, angle=90)
    line = line_of(read(build_pdf([[stamp, BODY]]))[0], stamp.text)
    length = text_width_pt(stamp)

    assert line.font_size == 16.0
    assert line.box == pytest.approx((30 - 0.95 * 16, 500 - length, 30 + 0.22 * 16, 500), abs=3)


@pytest.mark.parametrize(
    "text",
    [
        "제1장 총칙 모든 작업자는 보호구를 착용한다.",
        "第一章 总则 本法适用于中华人民共和国境内",
        "第1章 はじめに カタカナとひらがな",
    ],
    ids=["ko", "zh", "ja"],
)
def test_cjk_lines_are_read_exactly(text: str) -> None:
    """Korean, Chinese and Japanese come out as set, with size and place."""
    run = Run(text, y=100, size=14)
    line = read(build_pdf([[run]]))[0].lines[0]

    assert (line.text, line.font_size) == (text, 14.0)
    assert line.box is not None
    assert line.box[:2] == pytest.approx((72, 100 - 0.85 * 14), abs=3)


@pytest.mark.parametrize(
    ("meaning", "expected"),
    [
        ("FB01", "The office opens."),
        ("00660069", "The office opens."),
        ("0000", "The ofce opens."),
        ("000C", "The office opens."),
        ("00AD", "The ofce opens."),
        ("200B", "The ofce opens."),
    ],
    ids=["ligature", "two letters", "NUL", "TeX ligature", "soft hyphen", "zero width space"],
)
def test_glyphs_that_mean_ligatures_or_controls_leave_readable_text(meaning: str, expected: str) -> None:
    """A ligature is spelt out; a glyph that means another control character leaves no trace and ends no line."""
    pdf = with_to_unicode(build_pdf([lines("The ofZce opens.", "Second line.")]), {"Z": meaning})

    assert [line.text for line in read(pdf)[0].lines] == [expected, "Second line."]


def test_a_glyph_without_a_meaning_does_not_shift_what_follows() -> None:
    """A character map that leaves a glyph out costs that glyph, never the place or text of other lines."""
    second = Run("Second line.", x=200, y=300)
    pdf = with_to_unicode(build_pdf([[Run("The ofZce ZZZ opens.", y=100), second]]), {"Z": ""})
    line = line_of(read(pdf)[0], second.text)

    assert line.box == pytest.approx(drawn_box(second), abs=3)
    assert not any(FORBIDDEN.search(line.text) for line in read(pdf)[0].lines)


def test_characters_of_two_utf16_units_do_not_shift_what_follows() -> None:
    """PDFium counts UTF-16 units; lines behind mathematical letters still have their own text and box."""
    second = Run("Second line.", x=200, y=300)
    pdf = with_to_unicode(build_pdf([[Run("ZZZZZZ is bold", y=100), second]]), {"Z": "D835DC00"})
    first = read(pdf)[0].lines[0]

    assert first.text == "\U0001d400" * 6 + " is bold"
    assert line_of(read(pdf)[0], second.text).box == pytest.approx(drawn_box(second), abs=3)


def test_split_words_are_joined_beside_characters_of_two_utf16_units() -> None:
    """A mathematical letter on the page does not change how its split words are read."""
    pdf = with_to_unicode(build_pdf([lines("Matrix Z and main-", "tenance")]), {"Z": "D835DC00"})

    assert [line.text for line in read(pdf)[0].lines] == ["Matrix \U0001d400 and maintenance"]


@pytest.mark.parametrize("hyphen", ["002D", "00AD"], ids=["hyphen", "soft hyphen"])
def test_words_split_at_line_ends_are_joined_and_compounds_kept(hyphen: str) -> None:
    """The rest of a word moves up to its start; what is written with a hyphen elsewhere keeps it."""
    text = [
        "The hydraulic mainZ",
        "tenance plan covers state-of-the-art pumps, and each wellZ",
        "known make of them. Our well-known makers keep to a sche\u002d",
        "dule of their own.",
    ]
    pdf = with_to_unicode(build_pdf([lines(*text)]), {"Z": hyphen})
    read_lines = [line.text for line in read(pdf)[0].lines]

    assert " ".join(read_lines) == (
        "The hydraulic maintenance plan covers state-of-the-art pumps, and each well-known make of them. "
        "Our well-known makers keep to a schedule of their own."
    )
    assert read_lines[0] == "The hydraulic maintenance"


def test_no_mark_of_a_split_word_reaches_the_output() -> None:
    """Twenty split words leave no U+FFFE and no soft hyphen, in lines, titles or the page's text."""
    words = [f"Line {number} tells of hydraulic mainZ" for number in range(20)]
    text = [words[0], *(f"tenance. {word}" for word in words[1:]), "tenance."]
    pages = read(with_to_unicode(build_pdf([lines(*text)]), {"Z": "00AD"}))

    assert not any(FORBIDDEN.search(line.text) for line in pages[0].lines)
    assert pages[0].text.count("maintenance") == 20
