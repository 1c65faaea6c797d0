"""Plain text: decoding, clean lines, and pages by form feeds or by size."""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

import pytest
from hypothesis import given, strategies as st

from pageindex_core.errors import EmptySourceError, UnsupportedFormatError
from pageindex_core.options import ReadOptions
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages, join_lines
from pageindex_core.tokens import count_tokens


def _read(text: str | bytes, **options: int) -> Pages:
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    return read_pages(open_source(data, name="x.txt"), ReadOptions(**options))  # type: ignore[arg-type]


def _page_lines(pages: Pages) -> list[list[str]]:
    return [[line.text for line in page.lines] for page in pages.pages]


def _codes(pages: Pages) -> list[str]:
    return [note.code for note in pages.notes]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "utf-32-le-bom"]
)
def test_marked_and_plain_encodings_read_alike(encoding: str) -> None:
    """UTF-8 and every marked encoding give the same text, with no mark left in it and nothing to note."""
    text = "Größe 第一章\nB"
    bare = encoding.removesuffix("-bom")
    data = text.encode(bare) if bare == encoding else "\ufeff".encode(bare) + text.encode(bare)
    pages = _read(data)
    assert _page_lines(pages) == [["Größe 第一章", "B"]]
    assert pages.notes == ()


def test_windows_text_is_read_and_noted() -> None:
    """Bytes that are no UTF-8 are read as Windows-1252, curly quotes and euro sign included, and the guess is noted."""
    pages = _read("Größe “5 €”".encode("cp1252"))
    assert _page_lines(pages) == [["Größe “5 €”"]]
    assert _codes(pages) == ["encoding_guessed"]


def test_bytes_outside_windows_1252_are_read_as_latin_1() -> None:
    """The five bytes that Windows-1252 leaves undefined do not stop the reading."""
    pages = _read(b"caf\xe9 \x81!")
    assert _page_lines(pages) == [["café !"]]
    assert "ISO 8859-1" in pages.notes[0].message


def test_damaged_utf8_stays_utf8() -> None:
    """One broken character in a text of good ones is replaced and noted; the others are not turned to nonsense."""
    pages = _read("第一章 总则 第二章 附则".encode()[:-1])
    assert _page_lines(pages) == [["第一章 总则 第二章 附\ufffd"]]
    assert _codes(pages) == ["bytes_undecodable"]


def test_half_a_character_at_the_end_of_utf16_is_noted() -> None:
    """UTF-16 cut in the middle of a unit keeps what came before."""
    pages = _read(b"\xff\xfeA\0B\0C")
    assert _page_lines(pages) == [["AB\ufffd"]]
    assert _codes(pages) == ["bytes_undecodable"]


def test_control_characters_go_and_words_stay_apart() -> None:
    """NULs and soft hyphens vanish, separators become spaces, tabs stay, a soft hyphen at a line end is printed."""
    text = "a\0b\tc\x0bd\u2028e exam\xadple\nhyphen\xad\nated\x7f"
    assert _page_lines(_read(text)) == [["ab\tc d e example", "hyphen-", "ated"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\fb\n", [["a"], ["b"]]),
        ("a\f\nb\n", [["a"], ["b"]]),
        ("a\n\f\fb\n", [["a"], [], ["b"]]),
        ("a\f\f\nb\n", [["a"], [], ["b"]]),
        ("a\n\f\n", [["a", ""]]),
        ("a\f\f", [["a"]]),
        ("\fa\n", [[], ["a"]]),
        ("a\fb\nc", [["a "], ["b", "c"]]),
        ("a\f\fb\fc", [["a  "], [], ["b "], ["c"]]),
    ],
    ids=[
        "before a line",
        "after a line",
        "empty page",
        "empty page, fed after the line",
        "at the end",
        "at the end of the last line",
        "at the start",
        "inside a line",
        "several inside a line",
    ],
)
def test_form_feeds_end_pages(text: str, expected: list[list[str]]) -> None:
    """A form feed starts a page wherever it stands, two make an empty one between, and nothing is lost."""
    assert _page_lines(_read(text)) == expected


def test_dense_pages_between_form_feeds_stay_whole() -> None:
    """Printed pages keep their numbers even where they are longer than ``page_tokens``; endless ones are cut."""
    dense = "word " * 8 + "\n"
    pages = _read(dense * 10 + "\f" + dense * 40, page_tokens=60)
    assert [len(page) for page in _page_lines(pages)] == [10, 21, 19]


def test_pages_are_cut_at_blank_lines_near_the_limit() -> None:
    """A nearly full page ends after a paragraph; without one it ends at the last line that fits."""
    line = "word " * 8  # 11 tokens
    broken = _read("\n".join([line] * 7 + [""] + [line] * 7), page_tokens=100)
    solid = _read("\n".join([line] * 15), page_tokens=100)
    assert [len(page) for page in _page_lines(broken)] == [8, 7]
    assert [len(page) for page in _page_lines(solid)] == [9, 6]


@given(
    text=st.lists(
        st.text(max_size=9) | st.sampled_from([*"\n\r\f\0\t \x85\u2028\xad", "words of some length ", "\n\n"]),
        min_size=1,
        max_size=200,
    ).map("".join),
    page_tokens=st.integers(50, 60),
)
def test_any_text_keeps_its_lines(text: str, page_tokens: int) -> None:
    """Every line of any text stands on one page, in order, under its number, unchanged but for invisible characters."""
    source = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    source = source if source[-1] else source[:-1]
    try:
        pages = _read(text, page_tokens=page_tokens)
    except EmptySourceError:
        assert not _visible("".join(source))
        return
    except UnsupportedFormatError:
        assert sum(unicodedata.category(char) == "Cc" for char in text) > 3
        return
    found = join_lines(line for page in pages.pages for line in page.lines).split("\n")
    assert [_visible(line) for line in found] == [_visible(line) for line in source]
    assert not any(unicodedata.category(char) == "Cc" and char != "\t" for line in found for char in line)
    numbers = [page.line_number(index) for page in pages.pages for index in range(len(page.lines))]
    lines = [line for page in pages.pages for line in page.lines]
    assert numbers == list(accumulate(0 if line.continues else 1 for line in lines))


def _visible(text: str) -> str:
    # Without white space, control characters and soft hyphens, and without the hyphens that those are printed as.
    return "".join(
        char for char in text if unicodedata.category(char) != "Cc" and not char.isspace() and char not in "\xad-"
    )


@given(lines=st.lists(st.text("ab 第", max_size=80), min_size=1, max_size=60), page_tokens=st.integers(50, 90))
def test_pages_keep_to_their_size(lines: list[str], page_tokens: int) -> None:
    """No page holds more than ``page_tokens``, and only the last is under six tenths of it."""
    pages = _read("\n".join([*lines, "end"]), page_tokens=page_tokens).pages
    assert all(count_tokens(page.text) <= page_tokens for page in pages)
    longest_line = max(count_tokens(line) + 1 for line in lines)
    least = min(0.6 * page_tokens, page_tokens - longest_line)
    assert all(sum(count_tokens(f"{line.text}\n") for line in page.lines) >= least for page in pages[:-1])


def test_a_line_longer_than_a_page_is_a_page() -> None:
    """A line of up to 1,000 characters is not cut: one that exceeds the size stands alone on its page."""
    pages = _read("short\n" + "x" * 1000 + "\nshort", page_tokens=50)
    assert [len(page) for page in _page_lines(pages)] == [1, 1, 1]


def test_text_declares_no_headings_and_keeps_its_identity() -> None:
    """A hash in plain text is no heading; source, name, fingerprint and metadata pass through."""
    source = open_source(b"# not declared\n", source_id="s", name="n.txt", metadata={"a": 1})
    pages = read_pages(source)
    assert pages.headings is None
    assert (pages.source_id, pages.name, pages.media_type) == ("s", "n.txt", "text/plain")
    assert (pages.fingerprint, pages.metadata) == (source.fingerprint, {"a": 1})


def test_max_pages_keeps_the_first_and_says_so() -> None:
    """The note tells how many pages there were."""
    pages = _read("a\n\fb\n\fc\n", max_pages=2)
    assert _page_lines(pages) == [["a"], ["b"]]
    assert "first 2 of 3" in pages.notes[0].message


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\n \n", b"\f\f", b"\0"])
def test_text_without_a_visible_character_is_refused(data: bytes) -> None:
    """A byte order mark, blank lines and form feeds alone are nothing to index."""
    with pytest.raises(EmptySourceError, match=r"x\.txt has no text"):
        _read(data)
