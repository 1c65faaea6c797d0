"""The shipped sample manual is what its script writes, and has the features the demo shows."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest

from pdf_builder.seen import labels_of, texts_of

SAMPLE = Path(__file__).parents[1] / "examples" / "sample"
MANUAL = SAMPLE / "manual.pdf"
SCRIPT = SAMPLE / "write_manual.py"
REPORTLAB_OF_MANUAL = "5.1.0"
"""Version that wrote the committed bytes; others may compress or order objects differently."""

CONTENTS_ENTRY = re.compile(r"(?:Appendix )?([0-9A-Z]+(?:\.\d+)*) +(.+?)[ .]{4,}(\d+)")
CONTENTS_PAGES = range(2, 5)
FIRST_BODY_PAGE_INDEX = 6


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The manual as the script writes it: plain, and without bookmarks or links."""
    folder = tmp_path_factory.mktemp("manual")
    flags = {"plain": [], "no_bookmarks": ["--no-bookmarks"], "no_links": ["--no-links"]}
    flags["neither"] = ["--no-bookmarks", "--no-links"]
    for name, options in flags.items():
        subprocess.run([sys.executable, SCRIPT, folder / f"{name}.pdf", *options], check=True)
    return {name: folder / f"{name}.pdf" for name in flags}


def bookmarks_of(path: Path) -> list[tuple[int, str, int, float]]:
    """Give level, title, page index and height above the bottom of the page."""
    with pdfium.PdfDocument(path) as document:
        found = []
        for mark in document.get_toc():
            mode, view = mark.get_dest().get_view()
            assert mode == pdfium_c.PDFDEST_VIEW_XYZ
            found.append((mark.level + 1, mark.get_title(), mark.get_dest().get_index(), round(view[1], 2)))
        return found


def links_of(path: Path) -> list[tuple[int, str, int, float]]:
    """Give the page index of each link, the text it covers, and page index and height of its target."""
    found = []
    with pdfium.PdfDocument(path) as document:
        for page_index, page in enumerate(document):
            text = page.get_textpage()
            position, link = pdfium_c.c_int(0), pdfium_c.FPDF_LINK()
            while pdfium_c.FPDFLink_Enumerate(page.raw, position, link):
                box = pdfium_c.FS_RECTF()
                pdfium_c.FPDFLink_GetAnnotRect(link, box)
                target: Any = pdfium.PdfDest(pdfium_c.FPDFLink_GetDest(document.raw, link), document)
                covered = text.get_text_bounded(box.left, min(box.top, box.bottom), box.right, max(box.top, box.bottom))
                found.append((page_index, covered.strip(), target.get_index(), round(target.get_view()[1][1], 2)))
    return found


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_script_reproduces_the_committed_manual(variants: dict[str, Path]) -> None:
    """Running the script gives the committed file: its bytes, or its texts, labels, bookmarks and links."""
    written = variants["plain"]

    if importlib.metadata.version("reportlab") == REPORTLAB_OF_MANUAL:
        assert written.read_bytes() == MANUAL.read_bytes()
    assert texts_of(written) == texts_of(MANUAL)
    assert labels_of(written) == labels_of(MANUAL)
    assert bookmarks_of(written) == bookmarks_of(MANUAL)
    assert links_of(written) == links_of(MANUAL)


def test_manual_is_small_and_about_forty_pages() -> None:
    """It fits into a repository and is long enough to be worth searching."""
    assert MANUAL.stat().st_size < 400_000
    assert 36 <= len(texts_of(MANUAL)) <= 44


def test_labels_are_roman_in_front_and_arabic_in_the_body() -> None:
    """The cover has no label, the front matter counts i, ii, iii, and the body starts at 1."""
    labels = labels_of(MANUAL)

    assert labels[:FIRST_BODY_PAGE_INDEX] == ["", "i", "ii", "iii", "iv", "v"]
    assert labels[FIRST_BODY_PAGE_INDEX:] == [str(number + 1) for number in range(len(labels) - FIRST_BODY_PAGE_INDEX)]


def test_printed_page_numbers_agree_with_the_labels() -> None:
    """The number at the foot of each page after the cover is its label, next to document number and issue."""
    texts, labels = texts_of(MANUAL), labels_of(MANUAL)

    for text, label in zip(texts[1:], labels[1:], strict=True):
        assert re.search(rf"KW-OM-001 +Issue 4, March 2025\s+{label}\b", squeezed(text)), label


def test_bookmarks_have_three_levels_and_land_on_their_headings() -> None:
    """Every bookmark's title is printed on its page, at the height it names."""
    marks = bookmarks_of(MANUAL)

    assert {level for level, *_ in marks} == {1, 2, 3}
    with pdfium.PdfDocument(MANUAL) as document:
        for _, title, page_index, y in marks:
            page = document[page_index]
            at_target = page.get_textpage().get_text_bounded(0, y - 34, page.get_width(), y)
            assert squeezed(at_target).startswith(title), title


def test_sections_are_numbered_three_deep_with_two_appendices() -> None:
    """Numbers follow on from each other in chapters 1 to 10 and appendices A and B."""
    titles = [title for _, title, _, _ in bookmarks_of(MANUAL)]
    chapters = [title.split()[0] for title in titles if re.match(r"\d+ ", title)]
    sections = [title.split()[0] for title in titles if re.match(r"\d+\.\d+ ", title)]

    assert chapters == [str(number) for number in range(1, 11)]
    assert [title for title in titles if title.startswith("Appendix")] == [
        "Appendix A Technical data",
        "Appendix B Forms and checklists",
    ]
    for before, after in pairwise(tuple(map(int, section.split("."))) for section in sections):
        assert after in ((before[0], before[1] + 1), (before[0] + 1, 1))
    assert sum(bool(re.match(r"\d+\.\d+\.\d+ ", title)) for title in titles) >= 20


def test_contents_entries_are_links_to_their_headings() -> None:
    """Each entry of the contents covers a link to the page it prints and the height its bookmark names."""
    texts, labels = texts_of(MANUAL), labels_of(MANUAL)
    places = {title: (page_index, y) for _, title, page_index, y in bookmarks_of(MANUAL)}
    entries = [link for link in links_of(MANUAL) if link[0] in CONTENTS_PAGES]
    printed = [line for index in CONTENTS_PAGES for line in texts[index].splitlines() if ". . . ." in line]

    assert len(entries) == len(printed) == len(places) - 3, "all bookmarks but Notice, Contents and Tables"
    for _, covered, page_index, y in entries:
        entry = CONTENTS_ENTRY.match(squeezed(covered))
        assert entry, covered
        title = squeezed(covered).split(" . .")[0]
        assert places[title] == (page_index, y)
        assert labels[page_index] == entry[3]


def test_tables_are_captioned_listed_and_linked() -> None:
    """The list of tables links to every caption, on the page it prints."""
    texts, labels = texts_of(MANUAL), labels_of(MANUAL)
    entries = [link for link in links_of(MANUAL) if link[0] == CONTENTS_PAGES.stop]

    assert len(entries) >= 5
    for number, (_, covered, page_index, _) in enumerate(entries, start=1):
        title = squeezed(covered).split(" . .")[0]
        assert title.startswith(f"Table {number} ")
        assert title in squeezed(texts[page_index])
        assert squeezed(covered).endswith(f" {labels[page_index]}")


def test_cross_references_lead_to_what_they_name() -> None:
    """A reference in the text is a link to the page where that section, table or appendix begins."""
    texts = texts_of(MANUAL)
    places = {title.split(" ")[0]: page_index for _, title, page_index, _ in bookmarks_of(MANUAL)}
    kinds = set()
    for page_index, covered, target, _ in links_of(MANUAL):
        found = re.fullmatch(r"(section|chapter|Table|Appendix) ([\dA-Z.]+)", squeezed(covered))
        if page_index < FIRST_BODY_PAGE_INDEX or not found:
            continue
        kinds.add(found[1])
        if found[1] in ("section", "chapter"):
            assert places[found[2]] == target
        else:
            assert re.search(rf"^{found[0]} ", texts[target], re.MULTILINE)

    assert kinds == {"section", "chapter", "Table", "Appendix"}


def test_no_paragraph_is_repeated() -> None:
    """Outside the running heads and feet, no long line of text occurs twice."""
    long_lines = [
        line for text in texts_of(MANUAL) for line in text.splitlines() if len(line) > 70 and ". ." not in line
    ]

    assert len(long_lines) > 400
    assert len(set(long_lines)) == len(long_lines)


def test_options_leave_out_bookmarks_and_links(variants: dict[str, Path]) -> None:
    """Each option removes its own signal and nothing else: texts and labels stay the same."""
    full_bookmarks, full_links = bookmarks_of(MANUAL), links_of(MANUAL)

    assert bookmarks_of(variants["no_bookmarks"]) == bookmarks_of(variants["neither"]) == []
    assert links_of(variants["no_links"]) == links_of(variants["neither"]) == []
    assert bookmarks_of(variants["no_links"]) == full_bookmarks
    assert links_of(variants["no_bookmarks"]) == full_links
    for path in variants.values():
        assert texts_of(path) == texts_of(MANUAL)
        assert labels_of(path) == labels_of(MANUAL)


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        (0, "until leakage is between 0.5 and 1 litre a minute"),
        (1, "Shaft vibration (µm, peak to peak) 70 160 240"),
        (2, "It takes all the water up to 3.6 m³/s"),
    ],
)
def test_demo_questions_are_answered_where_they_say(number: int, answer: str) -> None:
    """The page of each question prints its answer, and its section begins there or before."""
    question = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))[number]
    page_index = labels_of(MANUAL).index(question["page"])
    starts = {title: index for _, title, index, _ in bookmarks_of(MANUAL)}

    assert answer in squeezed(texts_of(MANUAL)[page_index])
    assert starts[question["section"]] <= page_index


def test_demo_answers_stand_on_one_page_only() -> None:
    """No other page prints the answers, so a demo that finds another page is wrong."""
    pages = [squeezed(text) for text in texts_of(MANUAL)]

    for answer in ("between 0.5 and 1 litre a minute", "Shaft vibration (", "all the water up to 3.6"):
        assert sum(answer in text for text in pages) == 1
