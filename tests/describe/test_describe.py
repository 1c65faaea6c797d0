"""Summaries, key items and descriptions are quotations, of the right section, of bounded length."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from pageindex_core.describe import describe
from pageindex_core.describe.extract import Extractor
from pageindex_core.describe.furniture import furniture_of
from pageindex_core.describe.passages import passages_of
from pageindex_core.options import DescribeOptions
from pageindex_core.records import Line, Page, Pages, PageTree, Section

OPEN = DescribeOptions()


def document(*pages: str, media_type: str = "application/pdf") -> Pages:
    """A document of the given page texts, one line a text line."""
    made = [Page(number, tuple(map(Line, text.splitlines()))) for number, text in enumerate(pages, start=1)]
    return Pages("doc", "doc.pdf", media_type, "0" * 64, tuple(made))


def section(title: str, page: int, line: int = 0, *children: Section, synthetic: bool = False) -> Section:
    end = max([page, *(child.end_page for child in children)])
    return Section("0000", "0" * 12, title, 1, page, end, line, children, synthetic=synthetic)


def tree(*sections: Section) -> PageTree:
    return PageTree("doc.pdf", sections, "detected", 1)


def described(pages: Pages, *sections: Section, options: DescribeOptions = OPEN) -> list[Section]:
    return list(describe(tree(*sections), pages, options).walk())


def folded(text: str) -> str:
    """Text without white space, so that line ends do not matter."""
    return re.sub(r"\s+", "", text)


FILTERS = """2 Filters
The filter keeps sand out of the pump housing. Replace the filter every 400 hours
of operation. Wash it in clean water.
3 Bearings
Grease the bearings once a year with lithium grease."""


def test_a_summary_quotes_the_sections_own_text() -> None:
    """Each section is summed up by its own sentences, whole, joined over line ends, in the order of the text."""
    filters, bearings = described(document(FILTERS), section("2 Filters", 1), section("3 Bearings", 1, 3))
    assert filters.summary == (
        "The filter keeps sand out of the pump housing. Replace the filter every 400 hours of operation. "
        "Wash it in clean water."
    )
    assert bearings.summary == "Grease the bearings once a year with lithium grease."


def test_a_summary_of_limited_length_holds_whole_sentences() -> None:
    """What does not fit is left out, not cut."""
    options = DescribeOptions(summary_chars=80)
    (filters, _) = described(document(FILTERS), section("2 Filters", 1), section("3 Bearings", 1, 3), options=options)
    assert filters.summary in (
        "The filter keeps sand out of the pump housing. Wash it in clean water.",
        "Replace the filter every 400 hours of operation.",
        "Replace the filter every 400 hours of operation. Wash it in clean water.",
    )


def test_a_single_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    """The cut is marked, and within the limit."""
    long = "The operator checks the pressure gauge, the oil level, both valves and every seal before the pump starts."
    (only,) = described(document(long), section("Duty", 1), options=DescribeOptions(summary_chars=60))
    assert only.summary == "The operator checks the pressure gauge, the oil level, both…"


def test_without_room_nothing_is_written() -> None:
    """Zero characters and zero items mean none."""
    (only,) = described(
        document("The pump runs at full speed."), section("Pump", 1), options=DescribeOptions(0, max_key_items=0)
    )
    assert (only.summary, only.key_items) == (None, ())


@pytest.mark.parametrize("text", ["", "   ", "12\n- 13 -\nPage 4 of 9", "1,204 3,508\n77 12%"])
def test_a_section_without_readable_text_has_no_summary(text: str) -> None:
    """Blank pages, page numbers and bare figures are nothing to quote."""
    result = describe(tree(section("Scan", 1)), document(text), OPEN)
    assert (result.sections[0].summary, result.sections[0].key_items, result.description) == (None, (), None)


def test_a_parent_without_text_is_summed_up_by_its_childrens_titles() -> None:
    """Titles come verbatim; sections that print no heading of their own are not listed."""
    pages = document("4 Upkeep\n4.1 Daily checks\nLook at the oil level daily.\n4.2 Yearly checks\nCall the service.")
    intro = section("4 Upkeep (intro)", 1, synthetic=True)
    children = section("4.1 Daily checks", 1, 1), section("4.2 Yearly checks", 1, 3)
    parent = described(pages, section("4 Upkeep", 1, 0, intro, *children))[0]
    assert parent.summary == "4.1 Daily checks; 4.2 Yearly checks"


def test_a_parent_with_text_of_its_own_is_summed_up_by_it() -> None:
    """What stands before the first child is the parent's."""
    pages = document("4 Upkeep\nUpkeep is the duty of the owner alone.\n4.1 Daily checks\nLook at the oil level daily.")
    parent, child = described(pages, section("4 Upkeep", 1, 0, section("4.1 Daily checks", 1, 2)))
    assert parent.summary == "Upkeep is the duty of the owner alone."
    assert child.summary == "Look at the oil level daily."


def test_titles_that_do_not_fit_are_left_out_whole() -> None:
    """The limit holds for lists of titles too."""
    children = [section(f"Chapter number {number}", 1, 0) for number in range(9)]
    parent = described(document(""), section("Part", 1, 0, *children), options=DescribeOptions(summary_chars=40))[0]
    assert parent.summary == "Chapter number 0; Chapter number 1"


def test_running_heads_numbers_and_leaders_are_not_quoted() -> None:
    """Furniture stays out even where it looks like a sentence, and no sentence is joined over it."""
    head = "Operating manual of the pump company."
    pages = [f"{head}\nThe valve number {word} opens slowly.\nIt closes by\n{head}" for word in ("one", "two", "ten")]
    contents = "Filters . . . . . . . . . 4\nSafety of all operators ......... 7"
    result = describe(tree(section("Valves", 1)), document(*pages, contents), DescribeOptions(summary_chars=900))
    summary = result.sections[0].summary
    assert (
        summary
        == "The valve number one opens slowly. The valve number two opens slowly. The valve number ten opens slowly."
    )
    assert head not in (result.description or "")


def test_chinese_sentences_end_at_their_own_marks() -> None:
    """Scripts without spaces are cut into sentences, and their lines joined without a space."""
    text = "第一章 总则\n本公司的注册资本为人民币五亿元整。股东大会是公司的最高权\n力机构。"
    options = DescribeOptions(summary_chars=18)
    (only,) = described(document(text), section("第一章 总则", 1), options=options)
    assert only.summary in ("本公司的注册资本为人民币五亿元整。", "股东大会是公司的最高权力机构。")
    (whole,) = described(document(text), section("第一章 总则", 1))
    assert whole.summary == "本公司的注册资本为人民币五亿元整。 股东大会是公司的最高权力机构。"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("See Fig. 2 and No. 5 of Dr. Meyer for the U.S. version of it. Done.", "See Fig. 2 and No. 5 of Dr. Meyer"),
        ("The tank holds 3.5 litres of oil at most. Done.", "The tank holds 3.5 litres of oil at most."),
        ("1. The owner pays the cost of repair. Done.", "1. The owner pays the cost of repair."),
    ],
)
def test_full_stops_inside_a_sentence_do_not_end_it(text: str, sentence: str) -> None:
    """Abbreviations, decimals and numbers of paragraphs are no ends."""
    (only,) = described(document(text), section("Notes", 1))
    assert (only.summary or "").startswith(sentence)


def test_code_of_a_markdown_text_is_not_quoted() -> None:
    """Fenced blocks are no prose."""
    text = "# Use\n```\nThis code prints the pump state now.\n```\nRun the program once a day."
    (only,) = described(document(text, media_type="text/markdown"), section("Use", 1))
    assert only.summary == "Run the program once a day."


TERMS = """5 Contracts
Under this Agreement the “Supplier” delivers every pump to Northern Water Works within a month.
Northern Water Works pays by earnings before interest and tax (EBIT) of the Supplier.
Table 4 Torque of the housing bolts
Table 5 shows no more than this.
The warranty covers the impeller; the impeller is inspected, and a worn impeller is replaced."""


def test_key_items_are_captions_defined_terms_names_and_frequent_words() -> None:
    """One of each kind is found as printed; a sentence about a table is no caption."""
    other = "6 Other\n" + "The rest of the document speaks of many other things in many other words. " * 8
    contracts = described(document(TERMS, other), section("5 Contracts", 1), section("6 Other", 2))[0]
    assert {"Table 4 Torque of the housing bolts", "Supplier", "EBIT", "Northern Water Works", "impeller"} <= set(
        contracts.key_items
    )
    assert not any(item.startswith("Table 5") for item in contracts.key_items)


def test_key_items_are_limited_distinct_and_do_not_repeat_the_title() -> None:
    """The limit holds, nothing comes twice, and the title is known already."""
    pages = document(TERMS)
    (only,) = described(pages, section("Northern Water Works", 1), options=DescribeOptions(max_key_items=2))
    assert len(set(only.key_items)) == 2
    assert "Northern Water Works" not in only.key_items


def test_what_a_tree_brings_along_is_kept() -> None:
    """Summaries and key items from elsewhere are not overwritten."""
    brought = Section("0000", "0" * 12, "5 Contracts", 1, 1, 1, summary="Kept.", key_items=("kept",))
    (only,) = described(document(TERMS), brought)
    assert only.summary == "Kept."
    assert only.key_items[0] == "kept"
    assert "Supplier" in only.key_items


def test_the_description_is_the_printed_title_and_the_first_telling_sentence() -> None:
    """The largest lines of the first page are the title."""
    lines = (
        Line("Model P7", font_size=9),
        Line("Circulation pump", font_size=24),
        Line("Owner's manual", font_size=24),
        Line("This manual tells the owner how to run the pump safely.", font_size=9),
    )
    pages = Pages("doc", "doc.pdf", "application/pdf", "0" * 64, (Page(1, lines),))
    assert describe(tree(section("Start", 1)), pages, OPEN).description == (
        "Circulation pump Owner's manual: This manual tells the owner how to run the pump safely."
    )


def test_the_tree_keeps_its_shape() -> None:
    """Only summaries, key items and the description are added."""
    nested = section("A", 1, 0, section("B", 1, 1, section("C", 1, 2)), section("D", 2))
    pages = document("A\nB\nC\nThe pump is red and very loud.", "D\nThe tank is blue and very quiet.")
    result = describe(tree(nested, section("E", 2, 1)), pages, OPEN)
    assert [(found.title, len(found.children)) for found in result.walk()] == [
        ("A", 2),
        ("B", 1),
        ("C", 0),
        ("D", 0),
        ("E", 0),
    ]


_WORDS = [
    "The",
    "pump",
    "Acme Pump Works",
    "(KPI)",
    "“Lender”",
    "opens",
    "5.3",
    "No. 4",
    "Table 2",
    "泵站。",
    "公司",
    "\n",
    ".",
    "!",
]
_TEXTS = st.lists(st.one_of(st.sampled_from(_WORDS), st.text(max_size=6)), max_size=60).map(" ".join)


@given(
    texts=st.lists(_TEXTS, min_size=1, max_size=4),
    starts=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    chars=st.integers(0, 120),
    most=st.integers(0, 8),
)
def test_nothing_is_invented(texts: Sequence[str], starts: Sequence[int], chars: int, most: int) -> None:
    """Whatever the text, each piece of a summary and each key item stands in the section's own text."""
    pages = document(*texts)
    sections = [section(f"S{at}", min(at + 1, len(texts)), line) for at, line in enumerate(sorted(starts))]
    results = described(pages, *sections, options=DescribeOptions(chars, most))
    extractor = Extractor(passages_of(tree(*sections), pages, furniture_of(pages.pages)))
    lines = [line.text for page in pages.pages for line in page.lines]
    first = [0, *itertools.accumulate(len(page.lines) for page in pages.pages)]
    begins = [min(len(lines), first[found.start_page - 1] + found.start_line) for found in sections]
    begins = [*itertools.accumulate(begins, max), len(lines)]
    for index, found in enumerate(results):
        own = folded("\n".join(lines[begins[index] : begins[index + 1]]))
        assert len(found.key_items) <= most
        assert all(item and folded(item) in own for item in found.key_items)
        left = found.summary or ""
        assert len(left) <= chars
        for sentence in extractor.telling_sentences(index, found.title, chars):
            assert folded(sentence.removesuffix("…")) in own
            assert sentence in left
            left = left.replace(sentence, "", 1)
        assert left.strip("; ") == ""


def test_describing_twice_gives_the_same() -> None:
    """The same bytes and options give the same tree."""
    pages, sections = document(FILTERS, TERMS), (section("2 Filters", 1), section("5 Contracts", 2))
    assert described(pages, *sections) == described(pages, *sections)
