"""Headings of printed pages that came as Markdown, page by page: of LlamaParse, PyMuPDF4LLM and services for OCR."""

from __future__ import annotations

from itertools import count

import pytest

from outline_cases import prose
from pageindex_core import index_loaded, open_library
from pageindex_core.options import ReadOptions
from pageindex_core.outline import find_headings
from pageindex_core.pipeline import tree_of
from pageindex_core.read import LoadedDocument, read_loaded
from pageindex_core.records import Pages


def loaded(*pages: str, **metadata: object) -> Pages:
    """The pages as a loader gives them. ``¶`` stands for a paragraph of its own, on a line of its own."""
    said = count(0, 53)
    texts = ["".join(prose(50, next(said)) if char == "¶" else char for char in page) for page in pages]
    documents = [
        LoadedDocument(text, {"source": "manual.pdf", "page": at, **metadata}) for at, text in enumerate(texts)
    ]
    return read_loaded(documents, ReadOptions())[0]


def found(pages: Pages) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.title, heading.page_number) for heading in find_headings(pages).headings]


def test_hashes_give_titles_without_their_markup_on_their_pages() -> None:
    """Emphasis, links and code are words to a reader; closing hashes are none."""
    pages = loaded(
        "# **Pumps** of the *river*\n\n¶\n\n## [Seals](#seals) and `rings` ##\n\n¶",
        "¶\n\n### Rings\n\n¶\n\n## Shafts\n\n¶",
    )
    assert found(pages) == [
        (1, "Pumps of the river", 1),
        (2, "Seals and rings", 1),
        (3, "Rings", 2),
        (2, "Shafts", 2),
    ]
    assert tree_of(pages).toc_source == "markup"


def test_numbers_outweigh_hashes_that_contradict_them() -> None:
    """Pages converted one by one know nothing of each other: here each begins at the first level."""
    pages = loaded("# 1 Pumps\n\n¶\n\n## 1.1 Seals\n\n¶", "# 1.2 Rings\n\n¶", "# 2 Wells\n\n¶\n\n# 2.1 Depth\n\n¶")
    assert found(pages) == [
        (1, "1 Pumps", 1),
        (2, "1.1 Seals", 1),
        (2, "1.2 Rings", 2),
        (1, "2 Wells", 3),
        (2, "2.1 Depth", 3),
    ]


def test_bold_lines_are_read_as_print() -> None:
    """Converters that see no larger letters mark titles as bold text, number and title apart, and captions too."""
    pages = loaded(
        "**1** **Pumps**\n\n¶\n\n**1.1** **Seals of the pumps**\n\n¶\n\n**Table 1: Seals in use.**\n\n¶",
        "**1.2** **Rings**\n\n¶\n\n**2** **Wells**\n\n¶",
    )
    assert found(pages) == [
        (1, "1 Pumps", 1),
        (2, "1.1 Seals of the pumps", 1),
        (2, "1.2 Rings", 2),
        (1, "2 Wells", 2),
    ]


def test_running_heads_count_where_they_come_first() -> None:
    """Every page repeats the title of the document, or of its chapter."""
    titles = ("Pumps", "Seals", "Wells", "Shafts")
    pages = loaded(*(f"# Annual report\n\n## {title}\n\n¶\n\n¶" for title in titles))
    assert found(pages) == [(1, "Annual report", 1), *((2, title, at) for at, title in enumerate(titles, start=1))]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_hashes_in_code_are_none(fence: str) -> None:
    """In fences they are comments."""
    code = f"{fence}sh\n# Install\n\n# Start\n\nmake start\n{fence}"
    pages = loaded(f"# Setting up\n\n¶\n\n{code}", f"# Running\n\n¶\n\n# Stopping\n\n¶\n\n{code}")
    assert [title for _, title, _ in found(pages)] == ["Setting up", "Running", "Stopping"]


def test_comments_of_printed_programs_are_none() -> None:
    """Print knows no fences: comments stand on their statements, and some loaders put blank lines between all lines."""
    listing = ("# Open the valve", "valve = Valve(3)", "valve.open()", "# Close it again", "valve.close()")
    text = prose(60).replace(". ", ".\n")
    for end in ("\n", "\n\n"):
        pages = loaded(*(f"{text}\n{chr(10).join(listing)}\n{text}".replace("\n", end) for _ in range(4)))
        assert not [title for _, title, _ in found(pages) if "Open" in title or "Close" in title]


def test_underlined_titles_stand_above_those_behind_hashes() -> None:
    """Some converters write the two outermost levels so; rows in code draw something else."""
    pages = loaded(
        "Pumps\n=====\n\n¶\n\nSeals\n-----\n\n¶\n\n### Rings\n\n¶",
        "```\nTable\n=====\n```\n\n¶\n\n**Shafts**\n----------\n\n¶\n\n### Bearings\n\n¶\n\n-----",
    )
    assert found(pages) == [
        (1, "Pumps", 1),
        (2, "Seals", 1),
        (3, "Rings", 1),
        (2, "Shafts", 2),
        (3, "Bearings", 2),
    ]


def test_lists_and_tables_may_follow_a_title_at_once() -> None:
    """Models write them so; comments of one hash stand on the lists of configurations too."""
    pages = loaded("# Pumps\n\n¶\n\n## Tools\n- a wrench\n- a lamp\n\n¶", "## Parts\n| no | name |\n|---|---|\n\n¶")
    assert found(pages) == [(1, "Pumps", 1), (2, "Tools", 1), (2, "Parts", 2)]
    play = "# Open the valve\n- name: open\n\n# Close it again\n- name: close"
    assert found(loaded(f"¶\n\n{play}\n\n¶", f"¶\n\n{play}\n\n¶")) == []


def test_marks_in_long_lines_cost_no_time() -> None:
    """They are text, whatever is marked in them."""
    line = "**seal** of *the* [pump](#pump) and `ring` " * 20
    assert found(loaded(f"# Pumps\n\n{line}\n\n# Seals\n\n{line}", f"# Wells\n\n{line}")) == [
        (1, "Pumps", 1),
        (1, "Seals", 1),
        (1, "Wells", 2),
    ]


def test_many_pieces_of_bold_text_are_read_at_once() -> None:
    """The time grows with the line, however underscores and asterisks alternate in it."""
    assert found(loaded("**Fill in**_" * 60 + "here\n\n# Pumps\n\n¶", "# Seals\n\n¶")) == [
        (1, "Pumps", 1),
        (1, "Seals", 2),
    ]


def test_hashes_on_the_last_pages_alone_take_no_numbered_title_away() -> None:
    """Some converters mark only what is set in larger letters."""
    pages = loaded(
        "**1 Pumps**\n\n¶", "**2 Seals**\n\n¶", "**3 Wells**\n\n¶", "# Words of thanks\n\n¶\n\n# Imprint\n\n¶"
    )
    assert found(pages) == [
        (1, "1 Pumps", 1),
        (1, "2 Seals", 2),
        (1, "3 Wells", 3),
        (1, "Words of thanks", 4),
        (1, "Imprint", 4),
    ]


def test_pages_given_in_batches_are_read_together() -> None:
    """What is stored are the lines as they came, so that later pages and earlier ones are Markdown together."""
    library = open_library()
    for at, text in enumerate(("# Pumps\n\nOpened in spring.", "# Seals\n\nLooked at first.")):
        index_loaded([LoadedDocument(text, {"source": "manual.pdf", "page": at, "total_pages": 2})], library)
    [info] = library.list()
    sections = [(section.title, section.start_page) for section in library.tree(info.doc_id).walk()]
    assert sections == [("Pumps", 1), ("Seals", 2)]
