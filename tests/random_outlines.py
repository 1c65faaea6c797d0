"""Documents and headings for the tests of stage ``tree``: written out in short, or drawn at random."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from pageindex_core.records import Heading, Line, Outline, Page, Pages, PageTree, Section, TocSource
from pageindex_core.tree import build_tree

Place = tuple[int, int]


def pages_of(*texts: str, name: str = "doc.pdf", labels: Sequence[str | None] = ()) -> Pages:
    """Give a document with one page a text, one line a row; an empty text is a blank page."""
    pages = tuple(
        Page(number, tuple(map(Line, text.splitlines())), labels[number - 1] if labels else None)
        for number, text in enumerate(texts, start=1)
    )
    return Pages(name, name, "application/pdf", "0" * 64, pages)


def outline_of(*headings: tuple[int, str, int, int], source: TocSource = "detected") -> Outline:
    """Give an outline of (level, title, page number, line index)."""
    return Outline(tuple(Heading(title, level, page, line) for level, title, page, line in headings), source)


def tree_of(pages: Pages, *headings: tuple[int, str, int, int]) -> PageTree:
    """Build the tree of a document with the given headings."""
    return build_tree(pages, outline_of(*headings))


def rows(tree: PageTree) -> list[tuple[int, str, int, int]]:
    """Give (level, title, first page, last page) of each section in pre-order."""
    return [(section.level, section.title, section.start_page, section.end_page) for section in tree.walk()]


def start(section: Section) -> Place:
    """Give the place where a section's text starts."""
    return section.start_page, section.start_line


@st.composite
def documents(draw: st.DrawFn, *, alike: bool = True) -> tuple[Pages, Outline]:
    """Draw up to eight pages of up to six lines, and up to twelve headings anywhere in them, in reading order.

    Args:
        draw: Given by hypothesis.
        alike: Allow blank lines, equal titles and several headings at one place.
    """
    words = st.sampled_from(["", " ", "alpha", "beta gamma"]) if alike else st.just("word")
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=8))
    texts = [draw(st.lists(words, min_size=size, max_size=size)) for size in sizes]
    if not alike:
        texts = [
            [f"{word} {'abcdefgh'[page]}{'uvwxyz'[row]}" for row, word in enumerate(text)]
            for page, text in enumerate(texts)
        ]
    places = [(page, row) for page, size in enumerate(sizes, start=1) for row in range(max(size, 1))]
    chosen = sorted(draw(st.lists(st.sampled_from(places), max_size=12, unique=not alike)))
    headings = [
        (draw(st.integers(1, 6)), draw(st.sampled_from(["A", "B"])) if alike else f"Title {index}", page, row)
        for index, (page, row) in enumerate(chosen)
    ]
    pages = Pages(
        "drawn.pdf",
        "drawn.pdf",
        "application/pdf",
        "0" * 64,
        tuple(Page(number, tuple(map(Line, text))) for number, text in enumerate(texts, start=1)),
    )
    return pages, outline_of(*headings)
