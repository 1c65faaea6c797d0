"""PDF files in every condition: what is read, what is noted, what is refused and why."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary

from pageindex_core.errors import (
    DamagedFileError,
    EmptySourceError,
    InputError,
    NoPagesError,
    PasswordRequiredError,
    UnsupportedFormatError,
)
from pageindex_core.options import ReadOptions
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages
from pdf_builder import (
    Picture,
    build_pdf,
    encrypted,
    image_only,
    lines,
    not_pdf,
    page,
    truncated,
    xfa_form,
    zero_pages,
)

REVISIONS = (2, 3, 4, 6)
CHAPTERS = build_pdf([page(f"# Chapter {number}", f"Text of chapter {number}. " * 60) for number in range(1, 41)])


def read(pdf: bytes, **options: Any) -> Pages:
    return read_pages(open_source(pdf, name="manual.pdf"), ReadOptions(**options))


def codes(pages: Pages) -> list[str]:
    return [note.code for note in pages.notes]


def resaved(pdf: bytes, change: Callable[[pikepdf.Pdf], None] = lambda opened: None, **how: Any) -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        change(opened)
        opened.save(out, deterministic_id=True, **how)
    return out.getvalue()


def test_a_pdf_is_read_from_a_path_and_from_bytes_alike(tmp_path: Path) -> None:
    """Only the identity differs: name and source are those of the file or of the caller."""
    path = tmp_path / "manual.pdf"
    path.write_bytes(CHAPTERS)
    from_path = read_pages(open_source(path, metadata={"k": 1}))
    from_bytes = read_pages(open_source(CHAPTERS, source_id="s"))

    assert from_path.pages == from_bytes.pages
    assert (from_path.source_id, from_path.name, from_path.metadata) == (str(path), "manual.pdf", {"k": 1})
    assert (from_bytes.source_id, from_bytes.media_type) == ("s", "application/pdf")
    assert from_path.notes == ()


def test_max_pages_reads_the_first_and_notes_the_cut() -> None:
    """The cut is never silent, and says how much was left out."""
    pages = read(CHAPTERS, max_pages=3)

    assert [page.lines[0].text for page in pages.pages] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert codes(pages) == ["pages_cut"]
    assert "first 3 of 40 pages" in pages.notes[0].message
    assert codes(read(CHAPTERS, max_pages=40)) == []


# Encryption


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_empty_user_password_opens_by_itself(revision: int) -> None:
    """An owner password restricts editing; the text is read, in all revisions, with or without a given password."""
    pdf = encrypted(build_pdf(["Open to all"]), R=revision)

    assert read(pdf).pages[0].text == "Open to all"
    assert read(pdf, password="meant for another file").pages[0].text == "Open to all"


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_user_password_is_asked_for_and_used(revision: int) -> None:
    """Without it the error says so and how to pass it; a wrong one is called wrong; the right one opens."""
    pdf = encrypted(build_pdf(["For some only"]), user="secret", R=revision)

    with pytest.raises(PasswordRequiredError, match=r"manual\.pdf is protected.+only with a user password.+--password"):
        read(pdf)
    with pytest.raises(PasswordRequiredError, match=r"manual\.pdf is protected\. The given password is wrong\."):
        read(pdf, password="guess")
    assert read(pdf, password="secret").pages[0].text == "For some only"


# Files that are no readable PDF


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        ("empty", EmptySourceError, "is empty"),
        ("lfs", UnsupportedFormatError, "Git LFS pointer"),
        ("html", UnsupportedFormatError, "HTML page"),
        ("zip", UnsupportedFormatError, "ZIP archive"),
        ("text", UnsupportedFormatError, "looks like text"),
    ],
)
def test_what_is_no_pdf_is_named_for_what_it_is(kind: str, error: type[InputError], words: str) -> None:
    """Each has one typed error with the file's name, the cause and a remedy."""
    with pytest.raises(error, match=words) as caught:
        read(not_pdf(kind))
    assert caught.value.what.startswith("manual.pdf ")
    assert caught.value.remedy


def writers() -> dict[str, bytes]:
    """Give the same document as different programs write it."""
    objects = pikepdf.ObjectStreamMode.generate
    return {
        "table at the end": CHAPTERS,
        "page tree first": resaved(CHAPTERS),
        "object streams": resaved(CHAPTERS, object_stream_mode=objects),
        "for the web": resaved(CHAPTERS, linearize=True),
        "for the web, object streams": resaved(CHAPTERS, linearize=True, object_stream_mode=objects),
    }


@pytest.mark.parametrize("writer", writers())
@pytest.mark.parametrize("keep", [0.2, 0.5, 0.8])
def test_a_file_cut_short_is_refused_however_it_was_written(writer: str, keep: float) -> None:
    """Part of a document must not pass for the whole: the error names file, cause and remedy."""
    pdf = writers()[writer]

    with pytest.raises(DamagedFileError, match=r"manual\.pdf .+Fetch or export the file again\.") as caught:
        read(truncated(pdf, keep))
    assert "ends before its end mark" in caught.value.why
    assert len(read(pdf).pages) == 40


def test_a_file_that_lacks_its_end_mark_alone_is_read_with_a_note() -> None:
    """A few lost bytes behind the cross-reference table cost nothing, and are told."""
    whole = CHAPTERS[: CHAPTERS.rfind(b"%%EOF")]
    pages = read(whole)

    assert pages.pages == read(CHAPTERS).pages
    assert codes(pages) == ["end_missing"]


def test_zeros_or_junk_around_the_file_are_no_damage() -> None:
    """Block transfers pad a file and mail systems write before it; readers allow both."""
    assert codes(read(CHAPTERS + b"\0" * 10_000)) == []
    assert codes(read(b"\r\n\r\n" + CHAPTERS + b"\r\n<!-- sent by a mail gateway -->")) == []


def test_a_pdf_header_without_a_document_is_damaged() -> None:
    """The first bytes alone make no document."""
    with pytest.raises(DamagedFileError, match=r"manual\.pdf cannot be opened as PDF"):
        read(b"%PDF-1.7\nnothing else\n%%EOF\n")


@pytest.mark.parametrize(
    "before", [b"", encrypted(build_pdf(["x"]), user="s"), truncated(CHAPTERS)], ids=["", "pw", "cut"]
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_without_pages_is_told_from_a_broken_one(before: bytes, packed: bool) -> None:
    """Whatever failed before in the same process, and however the page tree is stored."""
    mode = pikepdf.ObjectStreamMode.generate if packed else pikepdf.ObjectStreamMode.preserve
    pdf = resaved(zero_pages(), object_stream_mode=mode)
    with pytest.raises(InputError):
        read(before)

    with pytest.raises(NoPagesError, match=r"manual\.pdf has no pages"):
        read(pdf)


def test_errors_of_pdfium_are_kept_as_the_cause() -> None:
    """The parser's own error stays reachable behind the typed one."""
    with pytest.raises(DamagedFileError) as caught:
        read(truncated(CHAPTERS))
    assert type(caught.value.__cause__).__name__ == "PdfiumError"


# Pages that cannot be read or have no text


def with_broken_pages(*page_indices: int) -> bytes:
    """Give four pages, of which the objects of those given do not parse; every offset stays right."""
    pdf = bytearray(build_pdf([page(f"# Chapter {number}", "Text.") for number in range(1, 5)]))
    starts = [match.start(1) for match in re.finditer(rb"\d+ 0 obj\n(<<) /Contents", pdf)]
    for index in page_indices:
        pdf[starts[index] : starts[index] + 2] = b"(("
    return bytes(pdf)


def test_one_broken_page_is_noted_and_the_rest_is_read() -> None:
    """The broken page keeps its number, so that those behind it keep theirs."""
    pages = read(with_broken_pages(1))

    assert [(page.page_number, page.text) for page in pages.pages] == [
        (1, "Chapter 1\nText."),
        (2, ""),
        (3, "Chapter 3\nText."),
        (4, "Chapter 4\nText."),
    ]
    assert [(note.code, note.page_number) for note in pages.notes] == [("page_unreadable", 2)]


def test_a_file_of_broken_pages_only_is_damaged() -> None:
    """Without any page there is nothing to index, and no empty success."""
    with pytest.raises(DamagedFileError, match=r"manual\.pdf is damaged\. All 4 pages cannot be read"):
        read(with_broken_pages(0, 1, 2, 3))


def test_a_page_whose_content_is_broken_gives_what_can_be_read() -> None:
    """Garbage in a content stream neither stops the page nor the document."""

    def spoil(opened: pikepdf.Pdf) -> None:
        good = opened.pages[0].Contents.read_bytes()
        opened.pages[0].Contents = opened.make_stream(good + b"\n<< [ (unclosed \xff\x00 Tj Q Q BT ")

    pages = read(resaved(build_pdf([page("# One", "First."), page("# Two", "Second.")]), spoil))

    assert pages.pages[0].text.startswith("One\nFirst.")
    assert pages.pages[1].text == "Two\nSecond."


def test_blank_pages_stay_numbered_and_are_no_scans() -> None:
    """Ten pages with three blank: the heading of page 7 is on page 7, and no one is told to use OCR."""
    specs = ["" if number in (2, 5, 6) else f"Page {number}" for number in range(1, 11)]
    pages = read(build_pdf(specs))

    assert [page.page_number for page in pages.pages if page.text == "Page 7"] == [7]
    assert pages.pages[4].text == ""
    assert [(note.code, note.message) for note in pages.notes] == [
        ("pages_blank", "Blank pages, 3 of 10: 2, 5-6."),
    ]


def test_image_pages_among_text_are_listed() -> None:
    """Thirty pages of which ten are scanned: the note names exactly those."""
    scan = [Picture(40, 40, 555, 800)]
    pages = read(build_pdf([scan if 18 <= number <= 27 else f"Page {number}" for number in range(1, 31)]))

    assert [note.code for note in pages.notes] == ["pages_without_text"]
    assert "10 of 30: 18-27." in pages.notes[0].message
    assert "OCR" in pages.notes[0].message


def test_a_scan_says_that_it_needs_ocr() -> None:
    """No page has text: the file is read, has no text, and the note says what is needed."""
    pages = read(image_only(3))

    assert not pages.has_text
    assert [page.page_number for page in pages.pages] == [1, 2, 3]
    assert codes(pages) == ["no_text"]
    assert "OCR" in pages.notes[0].message


def test_a_figure_beside_text_is_no_scan() -> None:
    """Digital pages with images raise no alarm."""
    assert codes(read(build_pdf([[*lines("Figure 1 shows a pump."), Picture(72, 200, 300, 400)]]))) == []


def test_a_dynamic_form_is_noted_and_a_plain_form_is_not() -> None:
    """The placeholder page of an XFA form is not the document; a classic form is."""
    notice = build_pdf(["Please wait while the form loads."])

    def add_form(opened: pikepdf.Pdf) -> None:
        opened.Root.AcroForm = Dictionary(Fields=Array())

    assert codes(read(xfa_form(notice))) == ["dynamic_form"]
    assert codes(read(resaved(notice, add_form))) == []


# Threads


def test_ten_threads_read_what_one_reads() -> None:
    """Parallel reading of five files, some of which fail, gives the sequential results, round after round."""
    files = [
        CHAPTERS,
        build_pdf([page("# Pumps", "Text. " * 50)] * 5, bookmarks=[(1, "Pumps", 1)], labels={1: "i"}),
        encrypted(build_pdf(["Open to all"] * 3)),
        encrypted(build_pdf(["Closed"]), user="secret"),
        zero_pages(),
    ]

    def outcome(pdf: bytes) -> Pages | tuple[str, str]:
        try:
            return read(pdf)
        except InputError as error:
            return type(error).__name__, str(error)

    expected = [outcome(pdf) for pdf in files]
    with ThreadPoolExecutor(max_workers=10) as pool:
        found = list(pool.map(outcome, files * 20))

    assert [type(result).__name__ for result in expected] == ["Pages", "Pages", "Pages", "tuple", "tuple"]
    assert found == expected * 20
