"""The synthetic PDFs are what they claim to be, as PDFium alone sees them."""

from __future__ import annotations

import ctypes
import io

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest

from pdf_builder import (
    Fill,
    Link,
    Picture,
    Rule,
    Run,
    build_pdf,
    contents_entry,
    heading,
    lines,
    page,
    text_width_pt,
)
from pdf_builder.seen import bookmarks_of, labels_of, texts_of

TWO_PAGES = [page("# Alpha", "Text about alpha."), page("# Beta", "Text about beta.")]
DESTINATION_FORMS = ("array", "action", "name tree", "dests dictionary")


def first_char_box(pdf: bytes, page_index: int = 0) -> tuple[float, float, float, float]:
    with pdfium.PdfDocument(pdf) as document:
        return document[page_index].get_textpage().get_charbox(0)


def structure_tags(page: pdfium.PdfPage) -> list[str]:
    """Give the structure types of one page's elements, below the element that is the document."""
    tree = pdfium_c.FPDF_StructTree_GetForPage(page.raw)
    root = pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, 0)
    tags = []
    for index in range(pdfium_c.FPDF_StructElement_CountChildren(root)):
        child = pdfium_c.FPDF_StructElement_GetChildAtIndex(root, index)
        length = pdfium_c.FPDF_StructElement_GetType(child, None, 0) if child else 0
        if length:
            buffer = ctypes.create_string_buffer(length)
            pdfium_c.FPDF_StructElement_GetType(child, buffer, length)
            tags.append(buffer.raw.decode("utf-16-le").rstrip("\0"))
    pdfium_c.FPDF_StructTree_Close(tree)
    return tags


def test_text_is_extracted_line_by_line_in_order() -> None:
    """Headings, paragraphs and plain text pages come out as they went in; an empty page has no text."""
    pdf = build_pdf([page("# 1 Pumps", "Each pump moves 40 litres."), "First line\nSecond line", "", []])

    assert texts_of(pdf) == ["1 Pumps\r\nEach pump moves 40 litres.", "First line\r\nSecond line", "", ""]


@pytest.mark.parametrize(
    "text",
    [
        "제1장 총칙 모든 작업자는 보호구를 착용한다.",
        "第一章 总则 本法适用于中华人民共和国境内",
        "第1章 はじめに カタカナとひらがな",
    ],
)
def test_cjk_text_is_extracted_exactly(text: str) -> None:
    """Korean, Chinese and Japanese text finds a font by its script, and PDFium reads it back unchanged."""
    pdf = build_pdf([[Run(text, y=100, size=14)]])

    assert texts_of(pdf) == [text]


def test_long_cjk_paragraphs_wrap_inside_the_margins() -> None:
    """A paragraph without spaces wraps, and no character is lost."""
    sentence = "检查水泵的密封圈，如有磨损应立即更换。" * 8
    items = page(sentence)

    assert len(items) > 2
    assert texts_of(build_pdf([items]))[0].replace("\r\n", "") == sentence


def test_baseline_is_measured_from_the_top() -> None:
    """A run at y = 100 stands on a baseline 100 points below the top edge, at its x."""
    left, bottom, _, top = first_char_box(build_pdf([[Run("Hxx", x=90, y=100, size=20)]]))

    assert left == pytest.approx(90, abs=2)
    assert bottom == pytest.approx(842 - 100, abs=0.5)
    assert top == pytest.approx(842 - 100 + 14.4, abs=1)


def test_size_weight_and_style_are_visible_to_the_reader() -> None:
    """Font size and names differ as asked for."""
    pdf = build_pdf([[Run("Bold", size=18, bold=True), Run("Slanted", y=200, size=9, font="Times", italic=True)]])

    with pdfium.PdfDocument(pdf) as document:
        seen = [
            (obj.get_font_size(), obj.get_font().get_base_name())
            for obj in document[0].get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_TEXT])
        ]

    assert seen == [(18.0, "Helvetica-Bold"), (9.0, "Times-Italic")]


def test_invisible_and_coloured_text_keep_their_marks() -> None:
    """Render mode 3 and white fill are in the file, for tests of hidden text."""
    pdf = build_pdf([[Run("Hidden", render_mode=3), Run("White", y=200, color=(1, 1, 1))]])

    with pdfium.PdfDocument(pdf) as document:
        objects = list(document[0].get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_TEXT]))
        modes = [pdfium_c.FPDFTextObj_GetTextRenderMode(obj.raw) for obj in objects]

    assert modes == [pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_FILL]


def test_shapes_are_drawn_as_shapes() -> None:
    """Rules and fills are paths and a picture is an image; none of them adds text."""
    pdf = build_pdf([[Rule(72, 100, 300), Fill(72, 120, 300, 140), Picture(72, 200, 172, 300)]])

    with pdfium.PdfDocument(pdf) as document:
        kinds = [obj.type for obj in document[0].get_objects()]

    assert kinds == [pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE]
    assert texts_of(pdf) == [""]


def test_a_page_that_overflows_is_refused() -> None:
    """Text that would run off the page is an error of the test, not silently lost."""
    with pytest.raises(ValueError, match="page is full"):
        page(*["A paragraph of one line."] * 60)


def test_running_head_and_footer_stand_in_the_margins() -> None:
    """The running head is at the top and the footer at the bottom."""
    text = texts_of(build_pdf([page("# 1 Pumps", running_head="Water manual", footer="17")]))[0]

    assert "Water manual" in text
    assert "17" in text.splitlines()


@pytest.mark.parametrize("leaders", ["one run", "own run", "none"])
def test_contents_entries_end_at_the_right_margin(leaders: str) -> None:
    """Whatever the leaders, title and page number are on one line and dots stand between them only if asked for."""
    entry = contents_entry("2.1 Valves", "14", 100, leaders=leaders)
    last = entry[-1]
    text = texts_of(build_pdf([entry]))[0]

    assert isinstance(last, Run)
    assert last.x + text_width_pt(last) == pytest.approx(595 - 72, abs=8)
    assert text.startswith("2.1 Valves")
    assert text.endswith("14")
    assert ("....." in text.replace(" ", "")) == (leaders != "none")


@pytest.mark.parametrize("form", DESTINATION_FORMS)
def test_bookmarks_resolve_in_every_destination_form(form: str) -> None:
    """Arrays, actions, a name tree with two kids and the old dictionary all give the same outline."""
    pdf = build_pdf(
        [*TWO_PAGES, "Third page"],
        bookmarks=[(1, "Alpha", 1, 60), (2, "Part", 2, 80), (2, "Other part", 2, 300), (1, "End", 3, 70)],
        destinations=form,
    )

    assert bookmarks_of(pdf) == [
        (1, "Alpha", 1, 60), (2, "Part", 2, 80), (2, "Other part", 2, 300), (1, "End", 3, 70)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "marker"),
    [("action", b"/GoTo"), ("name tree", b"/Kids"), ("dests dictionary", b"/Dests"), ("fit", b"/Fit")],
)
def test_each_destination_form_is_stored_in_its_own_way(form: str, marker: bytes) -> None:
    """The forms differ in the file, so tests that compare them compare something."""
    plain, special = io.BytesIO(), io.BytesIO()
    for target, chosen in ((plain, "array"), (special, form)):
        pdf = build_pdf(TWO_PAGES, bookmarks=[(1, "Alpha", 1, 60), (1, "Beta", 2, 60)], destinations=chosen)
        with pikepdf.open(io.BytesIO(pdf)) as opened:
            del opened.Root.Pages
            opened.save(target, qdf=True, static_id=True)

    assert plain.getvalue().count(marker) < special.getvalue().count(marker)


def test_outline_may_be_thousands_of_levels_deep() -> None:
    """A chain of 3,000 nested bookmarks is written, each one level below the one before."""
    pdf = build_pdf(["Deep"], bookmarks=[(level, f"Level {level}", 1) for level in range(1, 3001)])

    with pdfium.PdfDocument(pdf) as document:
        depth, mark = 0, pdfium_c.FPDFBookmark_GetFirstChild(document.raw, None)
        while mark:
            depth, mark = depth + 1, pdfium_c.FPDFBookmark_GetFirstChild(document.raw, mark)

    assert depth == 3000


def test_labels_count_on_from_the_first_of_each_range() -> None:
    """Style and start are read from the label given, the pages after it follow."""
    pdf = build_pdf([""] * 9, labels={1: "", 2: "i", 4: "1", 6: "A-9", 8: "Cover", 9: "XIV"})

    assert labels_of(pdf) == ["", "i", "ii", "1", "2", "A-9", "A-10", "Cover", "XIV"]


@pytest.mark.parametrize("form", DESTINATION_FORMS)
def test_links_resolve_to_page_and_height(form: str) -> None:
    """A link annotation leads to its page and y; one with an address leads nowhere inside."""
    pdf = build_pdf(
        TWO_PAGES,
        links=[Link(1, (72, 90, 200, 110), 2, 65), Link(1, (72, 120, 200, 140), uri="https://example.org/")],
        destinations=form,
    )

    with pdfium.PdfDocument(pdf) as document:
        opened = document[0]
        at_first = pdfium_c.FPDFLink_GetLinkAtPoint(opened.raw, 100, 842 - 100)
        at_second = pdfium_c.FPDFLink_GetLinkAtPoint(opened.raw, 100, 842 - 130)
        target = pdfium_c.FPDFLink_GetDest(document.raw, at_first)
        if not target:
            target = pdfium_c.FPDFAction_GetDest(document.raw, pdfium_c.FPDFLink_GetAction(at_first))
        dest = pdfium.PdfDest(target, document)
        web = pdfium_c.FPDFAction_GetType(pdfium_c.FPDFLink_GetAction(at_second))
        nothing_between = pdfium_c.FPDFLink_GetLinkAtPoint(opened.raw, 100, 842 - 115)

        assert dest.get_index() == 1
        assert dest.get_view() == (pdfium_c.PDFDEST_VIEW_XYZ, [0, 842 - 65, 0])
        assert web == pdfium_c.PDFACTION_URI
        assert not nothing_between


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_rotation_turns_the_page_with_its_content(degrees: int) -> None:
    """Only the pages asked for carry a rotation, and their displayed size follows it."""
    pdf = build_pdf([*TWO_PAGES, "Third page"], rotate={2: degrees})

    with pdfium.PdfDocument(pdf) as document:
        rotations = [opened.get_rotation() for opened in document]
        size = document[1].get_size()

    assert rotations == [0, degrees, 0]
    assert size == ((595, 842) if degrees == 180 else (842, 595))


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_upright_rotation_displays_like_an_unrotated_page(degrees: int) -> None:
    """A rotated page drawn upright renders to the picture of the page without rotation."""
    plain, turned = (
        build_pdf([[Fill(72, 100, 200, 130), heading("Alpha", 300)]], rotate=angle, upright=True)
        for angle in (0, degrees)
    )

    with pdfium.PdfDocument(plain) as document, pdfium.PdfDocument(turned) as rotated:
        expected = document[0].render(scale=0.5).to_numpy().astype(int)
        seen = rotated[0].render(scale=0.5).to_numpy().astype(int)

    assert seen.shape == expected.shape
    assert expected.min() < 50, "something is drawn"
    assert abs(expected - seen).mean() < 0.5, "the smoothing of edges may differ"
    assert texts_of(turned) == texts_of(plain)


def test_tagged_runs_give_a_structure_tree() -> None:
    """Tags become structure elements in reading order, each on its page."""
    pdf = build_pdf([[Run("Alpha", tag="H1"), Run("Text", y=100, tag="P")], [Run("Beta", tag="H2")]])

    with pdfium.PdfDocument(pdf) as document:
        found = [structure_tags(opened) for opened in document]

    assert found == [["H1", "P"], ["H2"]]


def test_untagged_documents_have_no_structure_tree() -> None:
    """Without tags nothing claims to be structured."""
    with pdfium.PdfDocument(build_pdf(TWO_PAGES)) as document:
        assert not pdfium_c.FPDFCatalog_IsTagged(document.raw)


def test_bytes_are_the_same_on_every_run() -> None:
    """Two builds of the same document are equal, so fingerprints in tests are stable."""
    first, second = (build_pdf(TWO_PAGES, bookmarks=[(1, "Alpha", 1)], labels={1: "i"}) for _ in range(2))

    assert first == second


def test_lines_are_spaced_by_their_size() -> None:
    """Each line stands 1.3 times its size below the one before."""
    placed = lines("One", "Two", "Three", y=100, size=20)

    assert [item.y for item in placed if isinstance(item, Run)] == [100, 126, 152]


def test_builder_names_the_level_it_cannot_place() -> None:
    """A bookmark two levels below its predecessor is an error of the test."""
    with pytest.raises(ValueError, match="'B' has level 3 below level 1"):
        build_pdf(["One"], bookmarks=[(1, "A", 1), (3, "B", 1)])
