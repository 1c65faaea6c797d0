"""Long lines of a source text: broken so that they can be paged, and put together again exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pageindex_core.library import open_library
from pageindex_core.library.codec import decode_page, encode_page
from pageindex_core.options import ReadOptions
from pageindex_core.pipeline import index_source
from pageindex_core.read import LoadedDocument, open_source, read_loaded, read_pages
from pageindex_core.read.breaking import LONGEST_LINE_CHARS, break_line, break_lines
from pageindex_core.records import Pages, join_lines
from pageindex_core.search import search
from pageindex_core.tokens import count_tokens

_SENTENCE = "The pump moves forty litres a minute through the red pipe. "
_LONG = _SENTENCE * 500

_LINES = st.lists(
    st.text(max_size=30)
    | st.builds(
        lambda piece, count: piece * count,
        st.sampled_from(["word ", "A sentence. ", "第一章总则。", "x", " ", "**bold** ", "# "]),
        st.integers(1, 900),
    ),
    min_size=1,
    max_size=12,
)


def _read(text: str, name: str) -> Pages:
    return read_pages(open_source(text.encode(), name=name))


@given(_LINES)
def test_pieces_make_the_line_again(texts: list[str]) -> None:
    """No character is lost or added, no piece is too long, and none is so short as to look like a heading."""
    line = "".join(texts)
    pieces = break_line(line)
    assert "".join(pieces) == line
    assert all(len(piece) <= LONGEST_LINE_CHARS for piece in pieces)
    assert len(pieces) == 1 or all(len(piece) >= LONGEST_LINE_CHARS / 4 for piece in pieces)
    assert join_lines(break_lines(texts)) == "\n".join(texts)


@given(_LINES, st.sampled_from(["x.md", "x.txt"]))
def test_any_pages_make_the_text_again(texts: list[str], name: str) -> None:
    """Joined, the lines of all pages are the source, and each line has the number it has there."""
    clean = ["".join(char for char in text if char == "\t" or char.isprintable()) for text in texts]
    source = "\n".join([*clean, "end"])
    pages = _read(source, name).pages
    assert join_lines(line for page in pages for line in page.lines) == source
    by_number: dict[int, str] = {}
    for page in pages:
        for index, line in enumerate(page.lines):
            number = page.line_number(index)
            assert number is not None
            by_number[number] = by_number.get(number, "") + line.text
    assert by_number == dict(enumerate(source.split("\n"), start=1))
    assert [decode_page(encode_page(page)) for page in pages] == list(pages)


def test_pieces_end_at_sentences_or_else_at_spaces() -> None:
    """A sentence stays whole where it can, a word where it cannot, and the rest is cut at the longest piece."""
    assert all(piece.endswith("pipe. ") for piece in break_line(_LONG))
    assert all(piece.endswith("word ") for piece in break_line("word " * 900))
    assert all(piece.endswith("。") for piece in break_line("泵的密封件每年更换一次。" * 300))
    assert [len(piece) for piece in break_line("x" * 2100)] == [1000, 850, 250]


@pytest.mark.parametrize("name", ["page.txt", "page.md"])
def test_text_without_line_ends_is_paged_and_found_in_parts(name: str) -> None:
    """Pages keep to their size, and a hit is a part of the text, quoted by a piece and without added line ends."""
    text = _LONG + "Grease the zeppelin valve in May. " + _LONG
    library = open_library()
    index_source(text.encode(), library, source_id="s", name=name)
    pages = library.pages(library.get("s").doc_id)
    assert len(pages) > 20
    assert all(count_tokens(page.text) <= ReadOptions().page_tokens for page in pages)
    (hit,) = search(library, "zeppelin valve grease", k=1).hits
    assert hit.tokens < 1500
    assert "zeppelin" in hit.text
    assert hit.text in text
    assert len(hit.quotes[0]) <= LONGEST_LINE_CHARS
    assert hit.line_range == (1, 1)
    (short,) = search(library, "zeppelin valve grease", k=1, max_tokens=400).hits
    assert short.text in text


def test_headings_behind_long_lines_keep_place_and_line_number() -> None:
    """A Markdown heading is where it stands, however many pieces the lines before it make."""
    library = open_library()
    text = f"# One\n{_LONG}\n# Two\nThe zeppelin.\n{_LONG}\n\nThe last line.\n"
    pages = _read(text, "x.md")
    assert pages.headings is not None
    for heading in pages.headings:
        assert pages.pages[heading.page_number - 1].lines[heading.line_index].text == f"# {heading.title}"
    index_source(text.encode(), library, source_id="s", name="x.md")
    tree = library.tree(library.get("s").doc_id)
    assert [(section.title, section.line_range) for section in tree.sections] == [("One", (1, 2)), ("Two", (3, 7))]


def test_loaded_pages_are_broken_too() -> None:
    """A page that a loader gives on one line is several lines and the same text."""
    (pages,) = read_loaded([LoadedDocument(_LONG, {"source": "a.pdf", "page": 0})], ReadOptions())
    assert len(pages.pages[0].lines) > 20
    assert pages.pages[0].text == _LONG
