"""Places that a question names come first, and references are followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages
from pageindex_core.records import Page
from pageindex_core.search import search
from written_documents import write_pages

Add = Callable[..., str]

REPORT = [
    "# Contents\nChapter 1 page 3\nItem 7 page 4",
    "# Foreword\nThe year was wet. See table 3 and chapter 2.",
    "# Chapter 1 Rivers\n## 1.1 Floods\nThe floods came in May.\n## 1.2 Droughts\nNo droughts.",
    "# Item 7. Discussion\nWe discuss the rivers.\n# Item 7A. Risks\nThe rivers may flood.",
    "# Results\nTable 3: Rainfall by month\nJanuary 40\nFigure 2. The gauge",
    "# Appendix G\nCalibration of gauges",
]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What does page 3 say?", "1.1 Floods"),
        ("section 1.2", "1.2 Droughts"),
        ("What is in Item 7?", "Item 7. Discussion"),
        ("Item 7A", "Item 7A. Risks"),
        ("Summarise chapter one", "1.1 Floods"),
        ("What are the columns of Table 3?", "Results"),
        ("Describe fig. 2", "Results"),
        ("What does Appendix G contain?", "Appendix G"),
    ],
)
def test_a_named_place_comes_first(library: Library, add: Add, question: str, title: str) -> None:
    """Pages, numbered sections, captions and appendices are found by what they are, not by their words."""
    add("report.pdf", REPORT)
    hit = search(library, question, k=1).hits[0]
    assert hit.title == title
    assert hit.found_by == "structure"
    assert hit.score >= 0.4


def test_a_place_in_a_document_without_text_is_not_found(library: Library) -> None:
    """Headings alone, over pages that could not be read, hold no place to show."""
    index_pages(write_pages("scan.pdf", [""]), library)
    pages = replace(write_pages("tree.pdf", ["# Section B"]), pages=(Page(1, ()),))
    index_pages(pages, library)
    result = search(library, "section B")
    assert result.hits == ()
    assert [note.code for note in result.notes] == ["place_not_found"]


def test_an_article_is_no_number_of_a_title(library: Library, add: Add) -> None:
    """ "A short history" is not appendix A; "A Proofs" is."""
    add("report.pdf", ["# A short history\nof gauges", "# A Proofs\nof the theorem"])
    hits = search(library, "appendix A", k=2).hits
    assert [(hit.title, hit.found_by) for hit in hits] == [("A Proofs", "structure"), ("A short history", "fill")]


def test_words_decide_among_several_places(library: Library, add: Add) -> None:
    """Of the sections below a named chapter, the one with the words asked for comes first."""
    add("report.pdf", REPORT)
    assert search(library, "What about droughts in chapter 1?", k=1).hits[0].title == "1.2 Droughts"


def test_a_place_that_is_not_there_leaves_the_words(library: Library, add: Add) -> None:
    """Section 9.9 does not exist: the words are searched, and nothing claims to be structure."""
    add("report.pdf", REPORT)
    hits = search(library, "floods in section 9.9", k=3).hits
    assert hits[0].title == "1.1 Floods"
    assert all(hit.found_by != "structure" for hit in hits)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("What is on page 999?", "Page 999 was not found in report.pdf, which has pages 1 to 6."),
        ("floods in section 99.9", "Section 99.9 was not found in report.pdf, where they go from 1.1 to 1.2."),
        ("Table 99", "Table 99 was not found in report.pdf, where 3 is the one."),
        ("chapter twelve", "Chapter 12 was not found in report.pdf, where 1 is the one."),
        ("Appendix H", "Appendix H was not found in report.pdf."),
    ],
)
def test_a_place_that_is_not_there_is_said(library: Library, add: Add, question: str, message: str) -> None:
    """The note names what was asked for and, where it can be told, what there is."""
    add("report.pdf", REPORT)
    (note,) = search(library, question).notes
    assert (note.code, note.message) == ("place_not_found", message)


def test_a_place_that_any_document_has_is_no_news(library: Library, add: Add) -> None:
    """Of several documents one is enough; where none has it, no range is given."""
    add("report.pdf", REPORT)
    add("slip.pdf", ["# Slip\nnothing here"])
    assert search(library, "Table 3").notes == ()
    (note,) = search(library, "Table 99").notes
    assert note.message == "Table 99 was not found in the 2 documents that were searched."


def test_page_labels_go_before_physical_numbers(library: Library, add: Add) -> None:
    """In a document with a preface, page 1 is the page that says 1, and page iv the one that says iv."""
    pages = ["# A\nalpha", "# B\nbeta", "# C\ngamma", "# D\ndelta"]
    add("book.pdf", pages, labels=["iii", "iv", "1", "2"])
    assert search(library, "page 1", k=1).hits[0].page_start == 3
    assert search(library, "page iv", k=1).hits[0].page_start == 2


@pytest.mark.parametrize(
    ("labels", "question", "expected"),
    [
        (["", "i", "ii", "1", "2", "3"], "page ii", 3),
        (["", "i", "ii", "1", "2", "3"], "What does page 2 say?", 5),
        (["169", "170", "171", "172", "173", "174"], "page 171", 3),
        (["169", "170", "171", "172", "173", "174"], "page 3", 3),
        (["1", "2", "3", "A-1", "A-2", "A-3"], "page A-2", 5),
        (["1", "2", "3", "A-1", "A-2", "A-3"], "page 2", 2),
    ],
)
def test_labels_of_every_form_name_their_page(
    library: Library, add: Add, labels: list[str], question: str, expected: int
) -> None:
    """Roman front matter, extracts that start at 169, and prefixed appendices; a number no label has is physical."""
    add(f"book to {labels[-1]}.pdf", [f"# Part {word}\nabout {word}" for word in "abcdef"], labels=labels)
    hit = search(library, question, k=1).hits[0]
    assert (hit.page_start, hit.page_label) == (expected, labels[expected - 1] or None)


def test_printed_numbers_go_before_physical_ones(library: Library, add: Add) -> None:
    """Numbers at the foot of pages that agree on one offset are what a reader means."""
    pages = [f"# Section of {word}\nabout {word}\n{number}" for number, word in enumerate("abcdefgh", start=-1)]
    add("book.pdf", pages)
    assert search(library, "page 3", k=1).hits[0].page_start == 5


def test_numbers_that_disagree_are_no_page_numbers(library: Library, add: Add) -> None:
    """Figures at the foot of tables do not renumber a document."""
    add(
        "book.pdf",
        [f"# Section of {word}\nabout {word}\n{number}" for word, number in zip("abcd", (9, 7, 30, 2), strict=True)],
    )
    assert search(library, "page 3", k=1).hits[0].page_start == 3


@pytest.mark.parametrize(
    ("titles", "question", "expected"),
    [
        (["第一章 総則", "第二章 契約", "第三章 罰則"], "第三章は何ですか", "第三章 罰則"),
        (["第1条 目的", "第2条 定義", "第3条 適用"], "第2条", "第2条 定義"),
        (["제1조 목적", "제2조 정의", "제3조 적용"], "제3조의 내용", "제3조 적용"),
        (["NOTE 11 — Debt", "NOTE 12 — Leases", "NOTE 13 — Taxes"], "note 12", "NOTE 12 — Leases"),
        (["I. Introduction", "II. Method", "III. Results"], "section II", "II. Method"),
        (["11. Debt", "12. Leases", "13. Taxes"], "Note 12", "12. Leases"),
        (["1 Introduction", "A Proofs", "B Data"], "appendix B", "B Data"),
    ],
)
def test_numbered_titles_in_many_styles(
    library: Library, add: Add, titles: list[str], question: str, expected: str
) -> None:
    """Numerals of each script and titles with a bare number are understood."""
    add("law.pdf", [f"# {title}\ntext of it" for title in titles])
    hit = search(library, question, k=1).hits[0]
    assert (hit.title, hit.found_by) == (expected, "structure")


def test_an_article_without_a_section_is_found_by_its_line(library: Library, add: Add) -> None:
    """Where the tree stops at chapters, the line that opens the article is the target."""
    add("law.pdf", ["# Chapter 1\nArticle 4\nWages are paid monthly.", "# Chapter 2\nas Article 4 says\nand more"])
    hit = search(library, "article 4", k=1).hits[0]
    assert (hit.page_start, hit.found_by) == (1, "structure")


def test_a_reference_in_a_strong_hit_is_followed(library: Library, add: Add) -> None:
    """'See Note 12' beside the answer raises Note 12 above sections with equally few of the words."""
    filler = [f"# {number}. Filler {number}\nnothing about it, only goodwill" for number in range(1, 12)]
    add(
        "filing.pdf",
        ["# Overview\nThe impairment of goodwill grew; for the impairment test see Note 12.", *filler,
         "# 12. Intangibles\nAmounts by year."],
    )  # fmt: skip
    hits = search(library, "goodwill impairment", k=3).hits
    assert [hit.title for hit in hits[:2]] == ["Overview", "12. Intangibles"]
    assert hits[1].found_by == "reference"


def test_a_reference_far_from_the_answer_is_not_followed(library: Library, add: Add) -> None:
    """A cross-reference between other words of the hit leads nowhere."""
    lines = ["The impairment of goodwill grew."] + ["plain words"] * 8 + ["For pensions see Note 12."]
    add("filing.pdf", ["# Overview\n" + "\n".join(lines), "# 11. Other\ngoodwill", "# 12. Pensions\nAmounts by year."])
    hits = search(library, "goodwill impairment", k=3).hits
    assert all(hit.found_by != "reference" for hit in hits)
