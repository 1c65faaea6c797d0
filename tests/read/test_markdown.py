"""Markdown: headings as CommonMark sees them, lines as they are in the source."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from pageindex_core.errors import EmptySourceError
from pageindex_core.options import ReadOptions
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages

_CASES = (Path(__file__).parent / "markdown_cases.txt").read_text("utf-8")


def _cases() -> list[object]:
    cases: list[object] = []
    for case in re.split(r"^=== ", _CASES, flags=re.MULTILINE)[1:]:
        name, _, rest = case.partition("\n")
        written, _, expected = rest.partition("--- headings\n")
        text = written.replace("·", " ").replace("→", "\t").replace("¤", "\ufeff")
        headings = [line.split(" ", 2) for line in expected.splitlines() if line]
        wanted = [(int(level), int(number), title) for level, number, title in headings]
        cases.append(pytest.param(text, wanted, id=name))
    return cases


def _read(text: str | bytes, **options: int) -> Pages:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return read_pages(open_source(data, name="x.md"), ReadOptions(**options))  # type: ignore[arg-type]


def _headings(pages: Pages) -> list[tuple[int, int, str]]:
    # Level, line number in the source, title.
    starts = {page.page_number: page.first_line_number or 0 for page in pages.pages}
    return [(h.level, starts[h.page_number] + h.line_index, h.title) for h in pages.headings or ()]


def _lines(pages: Pages) -> list[str]:
    return [line.text for page in pages.pages for line in page.lines]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "expected"), _cases())
def test_headings_are_those_of_the_case_file(text: str, expected: list[tuple[int, int, str]], line_end: str) -> None:
    """Each case of ``markdown_cases.txt`` gives its headings, levels and line numbers, with either line end."""
    pages = _read(text.replace("\n", line_end))
    assert _headings(pages) == expected
    assert (pages.headings is None) == (not expected)
    assert _lines(pages) == text.removeprefix("\ufeff").splitlines()


_PIECES = st.sampled_from(
    [
        *(
            "# A",
            "## B #",
            "A\n===",
            "B\n---",
            "text",
            "",
            "```",
            "~~~",
            "````sh",
            "> # q",
            "- # l",
            "  # i",
            "    # c",
        ),
        *("***", "<!--", "-->", "\t# t", "**b**", "+++", "[r]: /u", "a b\u00e9 \u7b2c", "\r", "# [r]", "...", "1. x"),
        *("   y", "<div>"),
    ]
)


@given(text=st.lists(_PIECES, min_size=1, max_size=60).map("\n".join), page_tokens=st.integers(50, 80))
def test_headings_equal_those_of_the_parser(text: str, page_tokens: int) -> None:
    """Without front matter, headings are the parser's own outermost ones, and point at the lines that open them."""
    text = f"# Start\n{text}"
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (int(token.tag[1:]), token.map[0] + 1)
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map and inline.content
    ]
    assert [found[:2] for found in _headings(_read(text, page_tokens=page_tokens))] == expected


@given(text=st.lists(_PIECES, min_size=1, max_size=80).map("\n".join), page_tokens=st.integers(50, 80))
def test_pages_hold_every_line_once_and_in_order(text: str, page_tokens: int) -> None:
    """The pages' lines joined in order are the source's lines, and each page knows the number of its first line."""
    text += "\nend"
    expected = re.split(r"\r\n|\r|\n", text)
    pages = _read(text, page_tokens=page_tokens)
    assert _lines(pages) == expected
    assert [page.page_number for page in pages.pages] == list(range(1, len(pages.pages) + 1))
    for page in pages.pages:
        assert page.first_line_number is not None
        first = page.first_line_number - 1
        assert [line.text for line in page.lines] == expected[first : first + len(page.lines)]


def test_lines_keep_blank_runs_tabs_and_trailing_spaces() -> None:
    """Nothing inside a line, and no blank line, is lost: a section's text can be quoted exactly."""
    text = "# A\r\n\r\n\r\n| a |\tb  \r\n```\r\n  # c  \r\n```\r\n\r\n"
    assert _lines(_read(text)) == ["# A", "", "", "| a |\tb  ", "```", "  # c  ", "```", ""]


def test_pages_end_before_a_heading_near_the_limit() -> None:
    """A page that is nearly full ends before the next heading, so that a short section is not torn."""
    body = ["word " * 8] * 7  # 11 tokens a line
    pages = _read("\n".join(["# A", *body, "# B", *body]), page_tokens=100)
    assert [page.lines[0].text for page in pages.pages] == ["# A", "# B"]
    assert [(h.page_number, h.line_index) for h in pages.headings or ()] == [(1, 0), (2, 0)]


def test_front_matter_becomes_metadata_under_the_callers() -> None:
    """Plain pairs are offered with their types; the caller's values win; lists and empty values are left out."""
    text = (
        "---\ntitle: 'It''s: a manual'  # note\nyear: 2024\nratio: 0.5\ndraft: false\nzip: 01234\ndate: 2024-05-01\n"
        'author: "A \\"B\\" C"\ntags: [a, b]\nempty:\nnested:\n  inner: 1\nowner: file\n---\n# A\n'
    )
    pages = read_pages(open_source(text.encode(), name="x.md", metadata={"owner": "caller"}))
    assert pages.metadata == {
        "title": "It's: a manual",
        "year": 2024,
        "ratio": 0.5,
        "draft": False,
        "zip": "01234",
        "date": "2024-05-01",
        "author": 'A "B" C',
        "owner": "caller",
    }


def test_toml_front_matter_ends_at_its_tables() -> None:
    """Only outermost TOML pairs are the document's; those of a table belong to the table."""
    pages = _read('+++\ntitle = "Manual"\npages = 3\n[extra]\nowner = "x"\n+++\n# A\n')
    assert pages.metadata == {"title": "Manual", "pages": 3}


_LONG = "word " * 100  # 125 tokens


def test_tiny_sections_join_their_parent() -> None:
    """Thinning drops the headings of tiny sections from the inside out, counts them, and keeps every line."""
    text = f"# A\n{_LONG}\n## Tiny\nx\n### Tinier\ny\n## Big\n{_LONG}\n"
    pages = _read(text, thin_below_tokens=50)
    assert [title for _, _, title in _headings(pages)] == ["A", "Big"]
    assert [note.code for note in pages.notes] == ["sections_thinned"]
    assert pages.notes[0].message.startswith("2 sections")
    assert _lines(pages) == text.splitlines()


def test_tiny_sections_stay_where_their_text_would_change_hands() -> None:
    """After a sibling that stays, a tiny section stays too; so do outermost sections and those with subsections."""
    text = f"# A\n## Big\n{_LONG}\n## Tiny after it\nx\n# Tiny alone\n# B\n## Holder\n### Big\n{_LONG}\n"
    titles = [title for _, _, title in _headings(_read(text, thin_below_tokens=50))]
    assert titles == ["A", "Big", "Tiny after it", "Tiny alone", "B", "Holder", "Big"]


def test_small_sections_add_up_before_they_are_judged() -> None:
    """A section is as large as its own text and what joined it: two halves keep their parent's heading."""
    half = "word " * 30  # 38 tokens
    text = f"# A\n{_LONG}\n## Pair\n### One\n{half}\n### Two\n{half}\n"
    assert [title for _, _, title in _headings(_read(text, thin_below_tokens=50))] == ["A", "Pair"]


def test_headings_without_words_are_counted() -> None:
    """A heading of no words is left out, with a note that says how many there were."""
    pages = _read("# A\n#\n## ![](x.png)\n")
    assert [title for _, _, title in _headings(pages)] == ["A"]
    assert [note.code for note in pages.notes] == ["heading_untitled"]


def test_bold_titles_are_less_sure_than_declared_ones() -> None:
    """A bold line is a guess and says so; a declared heading is certain."""
    bold, declared = _read("**A**\n\ntext").headings, _read("# A\n\ntext").headings
    assert bold is not None
    assert declared is not None
    assert bold[0].confidence < declared[0].confidence == 1.0
    assert bold[0].evidence == declared[0].evidence == "markup"


def test_max_pages_cuts_pages_and_their_headings() -> None:
    """The first pages are kept, with the headings on them, and the cut is noted."""
    pages = _read("\n".join(f"# H{number}\n{_LONG}" for number in range(6)), page_tokens=130, max_pages=2)
    assert [page.page_number for page in pages.pages] == [1, 2]
    assert [title for _, _, title in _headings(pages)] == ["H0", "H1"]
    assert [note.code for note in pages.notes] == ["pages_cut"]


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b"\n\r\n \t\n", b"\0\0"])
def test_text_without_a_visible_character_is_refused(data: bytes) -> None:
    """A file of a byte order mark or of blank lines has nothing to index, and the error names it."""
    with pytest.raises(EmptySourceError, match=r"x\.md"):
        _read(data)
