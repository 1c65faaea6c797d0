"""Headings as the classes of journals set them: run in, in small capitals, smaller than the text, in italics."""

from __future__ import annotations

import io
import textwrap

import pikepdf
from pikepdf import Name

from outline_cases import Flow, nested, outline_of_pdf, prose, titles, tree_of_pdf
from pdf_builder import Run, build_pdf, text_width_pt
from pdf_builder.items import BODY_SIZE_PT, LEADING, MARGIN_PT, PAGE_WIDTH_PT


def run_in(flow: Flow, title: str, *, number: str = "", italic: bool = False, gap: float = 8) -> None:
    """Set a title and text behind it on one line, and more text below."""
    flow.y += gap
    x = MARGIN_PT
    for text, style in ((number, {}), (title, {"bold": not italic, "italic": italic}), (prose(9, flow.said), {})):
        if text:
            run = Run(text, x, flow.y, **style)  # type: ignore[arg-type]
            flow.pages[-1].append(run)
            x += text_width_pt(run) + 4
    flow.y += BODY_SIZE_PT * LEADING
    flow.text(60)


def centred(flow: Flow, title: str, size: float, **style: bool) -> None:
    """Set a title in the middle, with white space above and below."""
    flow.y += 16
    if flow.y > flow.bottom - 120:
        flow.new_page()
    run = Run(title, 0, flow.y, size, **style)  # type: ignore[arg-type]
    flow.pages[-1].append(Run(title, (PAGE_WIDTH_PT - text_width_pt(run)) / 2, flow.y, size, **style))  # type: ignore[arg-type]
    flow.y += 24


def with_font(pdf: bytes, before: str, name: str) -> bytes:
    """Give the file with one of its fonts under another name."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            for font in page.Resources.Font.values():
                if font.BaseFont == Name("/" + before):
                    font.BaseFont = Name("/" + name)
        opened.save(out, deterministic_id=True)
    return out.getvalue()


def test_numbered_titles_run_in_by_their_style_are_headings_without_their_text() -> None:
    """As in lecture notes and journals of mathematics: the number in the title's style, or in that of the text."""
    flow = Flow()
    flow.heading("1 Wells").text(80)
    run_in(flow, "1.1 Depth of Wells")
    run_in(flow, "1.2 Water")
    flow.heading("2 Pipes").text(80)
    run_in(flow, "Joints.", number="2.1.")
    run_in(flow, "Gates.", number="2.2.", italic=True)

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        (1, "1 Wells"),
        (2, "1.1 Depth of Wells"),
        (2, "1.2 Water"),
        (1, "2 Pipes"),
        (2, "2.1. Joints"),
        (2, "2.2. Gates"),
    ]


def test_a_title_run_in_may_fill_its_line_before() -> None:
    """It ends where its style does, on the next line."""
    flow = Flow()
    flow.heading("1 Wells").text(80)
    for number in (1, 2, 3):
        flow.y += 8
        flow.line(f"1.{number} Depth of Wells in Valleys and on Hills, Water, Pipes and the Number of Pumps", bold=True)
        run_in(flow, "That They Need.", gap=0)

    assert titles(outline_of_pdf(build_pdf(flow.pages)))[1:] == [
        f"1.{number} Depth of Wells in Valleys and on Hills, Water, Pipes and the Number of Pumps That They Need"
        for number in (1, 2, 3)
    ]


def test_titles_over_two_lines_are_one_heading_where_everything_is_set_with_double_space() -> None:
    """As theses are: within a title there is as much space as within the text."""
    flow = Flow()
    for name in ("Wells in Valleys", "Pipes under Roads", "Meters and Valves"):
        flow.y += 16
        for part in (name, "and on Hills"):
            flow.line(part, size=14, bold=True)
            flow.y += 14
        for start in (0, 40, 80):
            for text in textwrap.wrap(prose(50, flow.said + start), 90):
                flow.line(text)
                flow.y += 10
        flow.said += 20

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == [
        f"{name} and on Hills" for name in ("Wells in Valleys", "Pipes under Roads", "Meters and Valves")
    ]


def test_a_bold_word_that_opens_the_text_below_is_no_end_of_a_title() -> None:
    """A title that leaves room in its line ends there."""
    flow = Flow()
    names = ("1 Settings of the pump", "2 Settings of the filter", "3 Settings of the seals")
    for name in names:
        flow.heading(name, 11).text(0)
        run_in(flow, "Speed", gap=0)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == list(names)


def test_short_bold_headings_somewhat_larger_than_the_text_are_headings() -> None:
    """Five letters may be a title, where those of figures and scores are set as plain text."""
    flow = Flow()
    names = ("Setup", "Usage", "Tests", "Build", "FAQ", "Links")
    for name in names:
        flow.heading(name, 12).text(110)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == list(names)


def test_large_figures_behind_labels_are_no_numbers_of_chapters() -> None:
    """Those of chapters count up."""
    flow = Flow()
    flow.heading("1 Introduction", 14).text(60)
    for label, figure in (("Revenues of the year", "42"), ("Profit of the year", "7"), ("Staff of the port", "98")):
        flow.y += 40
        run = Run(label, y=flow.y, bold=True)
        flow.pages[-1] += [run, Run(figure, run.x + text_width_pt(run) + 6, flow.y, 28, bold=True)]
        flow.y += 40
        flow.text(40)
    flow.heading("2 Results", 14).text(60)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Introduction", "2 Results"]


def test_steps_with_a_bold_start_are_no_headings() -> None:
    """A number of one part counts items, however they begin."""
    flow = Flow()
    flow.heading("Starting the pump").text(60)
    for number, verb in enumerate(("Open", "Press", "Wait", "Close"), start=1):
        run_in(flow, f"{number}. {verb} the gate")
    flow.heading("Stopping the pump").text(60)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["Starting the pump", "Stopping the pump"]


def test_centred_titles_in_a_font_of_small_capitals_are_headings() -> None:
    """They are neither larger nor bold, and their number is in the font of the text."""
    flow = Flow()
    names = ("1. Wells", "2. Pipes", "3. Meters", "Acknowledgements", "References")
    for name in names:
        centred(flow, name, BODY_SIZE_PT, italic=True)
        flow.text(120)
    pdf = with_font(build_pdf(flow.pages), "Helvetica-Oblique", "CMCSC10")

    assert titles(outline_of_pdf(pdf)) == list(names)


def test_headings_smaller_than_the_text_stand_off_it() -> None:
    """Journals of physics set them in small bold capitals, then bold, then in italics."""
    flow = Flow()
    expected = []
    for roman, name in (("I", "WELLS"), ("II", "PIPES")):
        centred(flow, f"{roman}. {name}", 9, bold=True)
        flow.text(90)
        expected.append((1, f"{roman}. {name}"))
        for letter in ("A", "B"):
            centred(flow, f"{letter}. Depth of {name.lower()}", 9, bold=True)
            expected.append((2, f"{letter}. Depth of {name.lower()}"))
            for number in (1, 2):
                centred(flow, f"{number}. Water in part {letter}", 9, italic=True)
                flow.text(160)
                expected.append((3, f"{number}. Water in part {letter}"))
    centred(flow, "ACKNOWLEDGMENTS", 9, bold=True)
    flow.text(60)

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        *expected,
        (1, "ACKNOWLEDGMENTS"),
    ]


def test_names_of_theorems_and_solutions_are_no_headings() -> None:
    """They label what follows, on a line of their own and in bold."""
    flow = Flow()
    for number, name in enumerate(("Wells", "Pipes", "Meters"), start=1):
        flow.heading(f"{number} {name}", 14).text(60)
        for label in (f"Proposition {number}.1", f"Folgerung {number}.2", f"Solution to Exercise {number}"):
            flow.heading(label, BODY_SIZE_PT).text(30)

    assert titles(outline_of_pdf(build_pdf(flow.pages))) == ["1 Wells", "2 Pipes", "3 Meters"]
