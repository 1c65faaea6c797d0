"""The damaged synthetic PDFs are damaged in the way they claim, as PDFium and qpdf see them."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest

from pdf_builder import (
    broken_outline_root,
    build_pdf,
    cropped,
    encrypted,
    image_only,
    not_pdf,
    outline_with_bad_destinations,
    outline_with_cycle,
    outline_with_one_bad_entry,
    outline_with_strange_titles,
    page,
    truncated,
    xfa_form,
    zero_pages,
)
from pdf_builder.seen import bookmarks_of, open_error, texts_of

TWO_PAGES = [page("# Alpha", "Text about alpha."), page("# Beta", "Text about beta.")]


@pytest.mark.parametrize("revision", [2, 3, 4, 6])
def test_encrypted_with_an_owner_password_only_opens(revision: int) -> None:
    """In all four revisions a file without user password opens, and says which revision it is."""
    pdf = encrypted(build_pdf(TWO_PAGES), R=revision)

    with pdfium.PdfDocument(pdf) as document:
        assert pdfium_c.FPDF_GetSecurityHandlerRevision(document.raw) == revision
    assert texts_of(pdf)[1].startswith("Beta")


@pytest.mark.parametrize("revision", [2, 3, 4, 6])
def test_encrypted_with_a_user_password_needs_it(revision: int) -> None:
    """Without the password PDFium refuses, with it the text is there."""
    pdf = build_pdf(TWO_PAGES, encrypt={"user": "secret", "R": revision})

    assert open_error(pdf) == pdfium_c.FPDF_ERR_PASSWORD
    assert texts_of(pdf, password="secret")[0].startswith("Alpha")


@pytest.mark.parametrize(
    "pdf",
    [truncated(build_pdf(TWO_PAGES)), *(not_pdf(kind) for kind in ("html", "lfs", "zip", "text"))],
    ids=["truncated", "html", "lfs", "zip", "text"],
)
def test_broken_files_are_refused_as_a_format_error(pdf: bytes) -> None:
    """A cut file and files of other kinds do not open, and the cut one still starts like a PDF."""
    assert open_error(pdf) == pdfium_c.FPDF_ERR_FORMAT


def test_truncated_file_starts_like_a_pdf_and_empty_is_empty() -> None:
    """The cut file is not told from a real one by its first bytes."""
    assert truncated(build_pdf(TWO_PAGES)).startswith(b"%PDF-")
    assert not_pdf("empty") == b""


def test_zero_pages_has_a_page_tree_of_none() -> None:
    """The file is well formed and holds no page, and PDFium refuses it.

    Its error code is no proof of anything here: PDFium leaves the one of the failure before.
    """
    with pikepdf.open(io.BytesIO(zero_pages())) as opened:
        assert len(opened.pages) == 0
        assert opened.check_pdf_syntax() == ["ERROR: file does not contain any pages"]
    with pytest.raises(pdfium.PdfiumError):
        pdfium.PdfDocument(zero_pages())


def test_image_only_pages_have_an_image_and_no_text() -> None:
    """Every page is a picture."""
    pdf = image_only(3)

    with pdfium.PdfDocument(pdf) as document:
        kinds = [[obj.type for obj in opened.get_objects()] for opened in document]
    assert kinds == [[pdfium_c.FPDF_PAGEOBJ_IMAGE]] * 3
    assert texts_of(pdf) == ["", "", ""]


def test_cropping_shrinks_the_displayed_page() -> None:
    """Each edge is cut by its own number of points."""
    with pdfium.PdfDocument(cropped(build_pdf(TWO_PAGES), 10, 20, 30, 40)) as document:
        assert document[0].get_cropbox() == (10, 40, 565, 822)
        assert document[0].get_size() == (555, 782)


def test_xfa_form_is_seen_as_one() -> None:
    """PDFium tells a dynamic form from a static one."""
    with pdfium.PdfDocument(xfa_form(build_pdf(["Please wait"]))) as document:
        assert document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL


@pytest.mark.parametrize("kind", ["sibling", "child"])
def test_outline_with_cycle_never_ends(kind: str) -> None:
    """Following the links by hand visits more entries than the outline has."""
    with pdfium.PdfDocument(outline_with_cycle(kind)) as document:
        mark = pdfium_c.FPDFBookmark_GetFirstChild(document.raw, None)
        steps = 0
        while mark and steps < 10:
            follow = pdfium_c.FPDFBookmark_GetFirstChild if kind == "child" else pdfium_c.FPDFBookmark_GetNextSibling
            mark = follow(document.raw, mark)
            steps += 1

    assert steps == 10


def test_outline_with_a_self_cycle_points_to_itself() -> None:
    """The second entry is its own successor; PDFium cuts this one by itself and shows two entries."""
    with pikepdf.open(io.BytesIO(outline_with_cycle("self"))) as opened:
        second = opened.Root.Outlines.First.Next
        assert second.Next.objgen == second.objgen
    assert [title for _, title, _, _ in bookmarks_of(outline_with_cycle("self"))] == ["Alpha", "Beta"]


def test_outline_with_bad_destinations_has_one_good_entry() -> None:
    """Six entries, one page."""
    assert [(title, number) for _, title, number, _ in bookmarks_of(outline_with_bad_destinations())] == [
        ("Good", 1),
        ("No destination", None),
        ("Action without target", None),
        ("Web address", None),
        ("Deleted page", None),
        ("", None),
    ]


def test_outline_with_one_bad_entry_keeps_all_other_pages() -> None:
    """Entry 7 has no page, entry 20 a page without a usable height, the rest are right."""
    found = bookmarks_of(outline_with_one_bad_entry())

    assert [number for _, _, number, _ in found] == [*range(1, 7), None, *range(8, 21)]
    assert [y for _, _, _, y in found] == [60.0] * 6 + [None] + [60.0] * 12 + [None]


def test_outline_with_strange_titles_decodes() -> None:
    """Each encoding is one PDFium understands, so that only cleaning is left to the reader."""
    titles = [title for _, title, _, _ in bookmarks_of(outline_with_strange_titles())]

    assert titles[:3] == ["안전 수칙", "第一章 总则", "“Price” € 5"]
    assert [title.strip("\0 ") for title in titles[3:]] == ["Ends in nulls", "Broken line", ""]


@pytest.mark.parametrize(
    ("value", "marker"),
    [("null", b"/Outlines null"), ("number", b"/Outlines 7"), ("missing", b"/Outlines 999 0 R")],
)
def test_broken_outline_root_opens_without_bookmarks(value: str, marker: bytes) -> None:
    """The catalog holds the bad value and PDFium sees no outline."""
    pdf = broken_outline_root(value)

    assert marker in pdf
    assert bookmarks_of(pdf) == []
    assert texts_of(pdf)[0].startswith("Only")
