"""Pages cut into parts for prompts: nothing lost, nothing twice unless asked, none too long."""

from __future__ import annotations

from hypothesis import given, strategies as st

from pageindex_core.outline.model.parts import parts_of
from pageindex_core.tokens import count_tokens
from random_outlines import pages_of


def test_parts_mark_their_pages_and_fit() -> None:
    """Each page's lines follow its mark; pages that fit together share a part."""
    pages = pages_of("one\ntwo", "three", "four " * 30).pages
    parts = parts_of(pages, (1, 0), (4, 0), 20)

    assert [(part.first_page, part.last_page) for part in parts] == [(1, 2), (3, 3)]
    assert parts[0].text == "[page 1]\none\ntwo\n[page 2]\nthree"


def test_a_part_starts_and_stops_at_the_given_lines() -> None:
    """The leaf's first page begins at its heading, its last page ends before the next one."""
    pages = pages_of("before\nown\ntext", "more\nnext").pages

    assert parts_of(pages, (1, 1), (2, 1), 100)[0].text == "[page 1]\nown\ntext\n[page 2]\nmore"


def test_pages_can_be_left_out() -> None:
    """Contents pages are no text to look for headings in."""
    pages = pages_of("a", "contents", "b").pages

    assert parts_of(pages, (1, 0), (4, 0), 100, skip=[2])[0].text == "[page 1]\na\n[page 3]\nb"


def test_overlapping_parts_repeat_the_last_page() -> None:
    """What stands at a border is seen with what surrounds it."""
    pages = pages_of(*(f"page {letter} " * 4 for letter in "abcde")).pages
    parts = parts_of(pages, (1, 0), (6, 0), 30, overlap=True)

    assert [(part.first_page, part.last_page) for part in parts] == [(1, 2), (2, 3), (3, 4), (4, 5)]


LINES = st.lists(st.lists(st.sampled_from(["", "word", "two words", "a longer line of text"]), max_size=8), max_size=6)


@given(LINES, st.integers(10, 60), st.booleans())
def test_every_line_is_in_some_part_in_order(texts: list[list[str]], tokens: int, overlap: bool) -> None:
    """Whatever the size, all readable lines are there in order, each once where parts do not overlap."""
    marked = [
        [f"{line}{page}.{row}" if line else "" for row, line in enumerate(lines)] for page, lines in enumerate(texts)
    ]
    pages = pages_of(*("\n".join(lines) for lines in marked)).pages
    parts = parts_of(pages, (1, 0), (len(pages) + 1, 0), tokens, overlap=overlap)
    shown = [line for part in parts for line in part.text.splitlines() if line and not line.startswith("[page")]
    written = [line for lines in marked for line in lines if line]

    assert list(dict.fromkeys(shown)) == written
    assert overlap or shown == written
    assert all(count_tokens(part.text) <= tokens + 2 for part in parts if len(part.text.splitlines()) > 2)


def test_a_part_can_be_cut_again_where_it_starts_and_stops() -> None:
    """What a part says about its place gives its text back, and smaller parts of nothing else."""
    pages = pages_of("before\nown\ntext", "more\nwords\nnext").pages
    (whole,) = parts_of(pages, (1, 1), (2, 2), 100)
    smaller = parts_of(pages, whole.start, whole.stop, 8)

    assert (whole.start, whole.stop) == ((1, 1), (2, 2))
    assert parts_of(pages, whole.start, whole.stop, 100) == [whole]
    assert [part.text for part in smaller] == ["[page 1]\nown\ntext", "[page 2]\nmore", "[page 2]\nwords"]
