"""Documents that LangChain or LlamaIndex loaded: regrouped by source, in physical page order."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pageindex_core.options import ReadOptions
from pageindex_core.read import LoadedDocument, read_loaded
from pageindex_core.records import Pages


def _one(metadata: list[dict[str, Any]], texts: list[str] | None = None, **options: int) -> Pages:
    # The pages of documents of one source.
    texts = texts or [f"text {index}" for index in range(len(metadata))]
    documents = [
        LoadedDocument(text, {"source": "a.pdf", **entry}) for text, entry in zip(texts, metadata, strict=True)
    ]
    (pages,) = read_loaded(documents, ReadOptions(**options))  # type: ignore[arg-type]
    return pages


def _texts(pages: Pages) -> dict[int, str]:
    # The pages that have text.
    return {page.page_number: page.text for page in pages.pages if page.lines}


def _labels(pages: Pages) -> dict[int, str | None]:
    return {page.page_number: page.page_label for page in pages.pages}


def _codes(pages: Pages) -> list[str]:
    return [note.code for note in pages.notes]


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ([{"page": 0}, {"page": 2}], [1, 3]),
        ([{"page": 5, "total_pages": 7}, {"page": 7, "total_pages": 7}], [5, 7]),
        ([{"page": 3, "total_pages": 8}, {"page": 7, "total_pages": 8}], [4, 8]),
        ([{"page": 1, "total_pages": 6}, {"page": 2, "total_pages": 6}], [2, 3]),
        ([{"page": 3, "page_label": "4"}, {"page": 5, "page_label": "6"}], [4, 6]),
        ([{"page": 3, "page_label": "3"}, {"page": 5, "page_label": "5"}], [3, 5]),
        ([{"page": 3}, {"page": 5}], [4, 6]),
        ([{"page": 1}, {"page": 2}, {"page": 3}], [1, 2, 3]),
        ([{"page": 1}], [2]),
        ([{"page": "0"}, {"page": 1.0}], [1, 2]),
        ([{"page_number": 1}, {"page_number": 3}], [1, 3]),
        ([{"page_number": 0}, {"page_number": 1}], [1, 2]),
        ([{"page_number": 4, "page": 3}], [4]),
        ([{"page_label": "2"}, {"page_label": "4"}], [2, 4]),
        ([{"page_label": "i"}, {"page_label": "ii"}, {"page_label": "1"}], [1, 2, 3]),
        ([{"page_label": "103"}, {"page_label": "104"}], [1, 2]),
        ([{"page_label": 1}, {"page_label": 2}], [1, 2]),
    ],
    ids=[
        "a zero counts from zero",
        "the last of total counts from one",
        "one below total counts from zero",
        "total that is not reached leaves the default",
        "labels one above",
        "labels alike",
        "page counts from zero by default",
        "the whole run from one",
        "a single page by default",
        "numbers as text and float",
        "page_number counts from one",
        "page_number with a zero",
        "page_number beside page",
        "labels as numbers",
        "roman labels in order of arrival",
        "printed labels that start far on",
        "labels as integers",
    ],
)
def test_page_numbers_are_physical(metadata: list[dict[str, Any]], expected: list[int]) -> None:
    """The group as a whole tells what its page metadata counts from."""
    pages = _one(metadata)
    assert _texts(pages) == {number: f"text {index}" for index, number in enumerate(expected)}
    assert [page.page_number for page in pages.pages] == list(range(1, expected[-1] + 1))


@given(first=st.integers(0, 9), count=st.integers(1, 9), rest=st.integers(0, 9), data=st.data())
def test_any_slice_of_a_langchain_file_keeps_its_pages(first: int, count: int, rest: int, data: st.DataObject) -> None:
    """Pages as PyPDFLoader gives them, in any order and any slice, land on their physical numbers."""
    total = first + count + rest
    order = data.draw(st.permutations(range(first, first + count)))
    metadata = [{"page": page, "page_label": str(page + 1), "total_pages": total} for page in order]
    pages = _one(metadata, [f"p{page + 1}" for page in order])
    assert _texts(pages) == {page + 1: f"p{page + 1}" for page in range(first, first + count)}
    assert all(label == str(number) for number, label in _labels(pages).items() if number > first)


def test_labels_stay_with_their_pages() -> None:
    """The printed label is kept beside the physical number."""
    pages = _one([{"page": 1, "page_label": "1"}, {"page": 0, "page_label": "i"}])
    assert _labels(pages) == {1: "i", 2: "1"}


def test_pieces_of_a_page_join_in_order_of_arrival() -> None:
    """Chunks of one page become that page again; pages are put in order."""
    pages = _one([{"page": 1}, {"page": 0}, {"page": 1}], ["b1\nb2", "a", "b3"])
    assert _texts(pages) == {1: "a", 2: "b1\nb2\nb3"}


def test_gaps_stay_empty_and_are_noted() -> None:
    """A page that was not given keeps its number: the next one does not move up."""
    pages = _one([{"page": 0}, {"page": 3}])
    assert [len(page.lines) for page in pages.pages] == [1, 0, 0, 1]
    assert [note.message for note in pages.notes] == ["2 of 4 pages were not given and are left empty."]


@pytest.mark.parametrize("key", ["page", "page_number", "page_label"])
def test_absurd_page_numbers_do_not_fill_memory(key: str) -> None:
    """Far too large a gap is not filled: pages are counted, and their given numbers become labels."""
    pages = _one([{key: 10**9}, {key: 1}], ["far", "near"])
    assert _texts(pages) == {1: "near", 2: "far"}
    assert _labels(pages)[2] == str(10**9)
    assert _codes(pages) == ["pages_renumbered"]


@pytest.mark.parametrize("value", [-1, True, 2.5, "3-4", None, "9" * 5000, float("inf"), float("nan"), [1]])
def test_what_is_no_page_number_joins_the_page_before(value: Any) -> None:
    """A document of an unknown page is kept beside its neighbour, and that is noted."""
    pages = _one([{"page": 0}, {"page": 1}, {"page": value}], ["a", "b", "c"])
    assert _texts(pages) == {1: "a", 2: "b\nc"}
    assert "page_unknown" in _codes(pages)


def test_blank_pages_stay_blank_pages() -> None:
    """A scan without text keeps its page count; nothing fails."""
    pages = _one([{"page": 0}, {"page": 1}], ["", ""])
    assert [page.lines for page in pages.pages] == [(), ()]
    assert not pages.has_text


def test_sources_come_in_order_of_first_appearance() -> None:
    """Documents are grouped by source, file_path, file_name, id or text, the first that is there."""
    documents = [
        LoadedDocument("1", {"source": "s.pdf", "file_path": "other", "page": 1}),
        LoadedDocument("2", {"file_path": Path("dir/f.txt"), "file_name": "f.txt"}),
        LoadedDocument("3", {"file_name": "n.txt"}),
        LoadedDocument("4", {"source": ""}, "the-id"),
        LoadedDocument("5", {}),
        LoadedDocument("0", {"source": "s.pdf", "page": 0}),
        LoadedDocument("5", {}),
    ]
    found = read_loaded(documents, ReadOptions())
    assert [pages.source_id for pages in found[:4]] == ["s.pdf", "dir/f.txt", "n.txt", "the-id"]
    assert [pages.name for pages in found[:4]] == ["s.pdf", "f.txt", "n.txt", "the-id"]
    assert found[4].source_id.startswith("text:")
    assert len(found) == 5
    assert _texts(found[0]) == {1: "0", 2: "1"}


def test_equal_texts_of_two_sources_are_two_documents() -> None:
    """Identity is the source, never the text: boilerplate in two files is kept in both."""
    found = read_loaded([LoadedDocument("same", {"source": name, "page": 0}) for name in ("a", "b")], ReadOptions())
    assert [pages.source_id for pages in found] == ["a", "b"]
    assert found[0].fingerprint == found[1].fingerprint


def test_a_page_number_in_source_is_not_the_source() -> None:
    """LlamaIndex's PyMuPDF reader puts the page into ``source`` and the file into ``file_path``."""
    documents = [
        LoadedDocument(f"p{page}", {"file_path": "dir/a.pdf", "source": str(page), "total_pages": 3})
        for page in (2, 3, 1)
    ]
    (pages,) = read_loaded(documents, ReadOptions())
    assert (pages.source_id, _texts(pages)) == ("dir/a.pdf", {1: "p1", 2: "p2", 3: "p3"})
    assert pages.metadata == {"file_path": "dir/a.pdf"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/data/a.pdf", "a.pdf"),
        ("C:\\data\\a.pdf", "a.pdf"),
        ("https://example.org/x/a%20b.pdf?v=1#p", "a b.pdf"),
        ("https://example.org/", "example.org"),
        ("https://[broken/a.pdf", "https://[broken/a.pdf"),
        ("/", "/"),
    ],
)
def test_names_are_the_last_part_of_the_source(source: str, name: str) -> None:
    """Paths of either system and addresses give a name that people know."""
    (pages,) = read_loaded([LoadedDocument("x", {"source": source})], ReadOptions())
    assert pages.name == name


def test_shared_metadata_is_kept_in_plain_types() -> None:
    """What all documents of a source agree on belongs to the document; page keys and differences do not."""
    day = datetime.date(2024, 5, 1)
    common = {"author": "A", "day": day, "tags": ("x", "y"), "more": {1: None}, "total_pages": 2}
    pages = _one([{**common, "page": 0, "chunk": 1}, {**common, "page": 1, "chunk": 2, "only": 1}])
    assert pages.metadata == {
        "source": "a.pdf",
        "author": "A",
        "day": "2024-05-01",
        "tags": ["x", "y"],
        "more": {"1": None},
    }
    assert [note.message for note in pages.notes] == [
        "Metadata that differs between the documents of this source was left out: chunk, only."
    ]


def test_metadata_that_contains_itself_is_cut() -> None:
    """A value without end becomes text at some depth; reading goes on."""
    endless: list[Any] = []
    endless.append(endless)
    assert "endless" in _one([{"page": 0, "endless": endless}]).metadata


@pytest.mark.parametrize(
    ("source", "text", "media_type", "titles"),
    [
        ("a.md", "A\n=\n", "text/markdown", ["A"]),
        ("a.md", "no headings", "text/markdown", None),
        ("a.txt", "# A\ntext", "text/markdown", ["A"]),
        ("a.txt", "A\n=\n", "text/plain", None),
        ("a.txt", "```\n# comment\n```", "text/plain", None),
        ("a.txt", "#NoSpace", "text/plain", None),
        ("a.py", "# comment\nx = 1", "text/plain", None),
    ],
)
def test_texts_without_pages_are_markdown_where_they_look_like_it(
    source: str, text: str, media_type: str, titles: list[str] | None
) -> None:
    """The ending or a hash heading says Markdown; code and its comments do not."""
    (pages,) = read_loaded([LoadedDocument(text, {"source": source})], ReadOptions())
    assert pages.media_type == media_type
    assert (None if pages.headings is None else [heading.title for heading in pages.headings]) == titles
    assert pages.pages[0].first_line_number == 1


def test_pieces_of_a_markdown_file_are_put_together() -> None:
    """Documents of one source without pages follow each other, kept apart by a blank line."""
    documents = [LoadedDocument(text, {"source": "a.md"}) for text in ("\ufeff# A\nx", "# B\ny")]
    (pages,) = read_loaded(documents, ReadOptions())
    assert pages.pages[0].text == "# A\nx\n\n# B\ny"
    assert [(h.title, h.line_index) for h in pages.headings or ()] == [("A", 0), ("B", 3)]


def test_a_document_without_text_is_noted_and_stops_no_other() -> None:
    """An empty file among the loaded ones gives a page without lines."""
    found = read_loaded([LoadedDocument(" \n", {"source": "e"}), LoadedDocument("x", {"source": "f"})], ReadOptions())
    assert [pages.has_text for pages in found] == [False, True]
    assert _codes(found[0]) == ["text_missing"]
    assert len(found[0].pages) == 1


def test_lone_surrogates_and_controls_are_repaired() -> None:
    """Text that cannot be encoded is mended, so that it can be stored."""
    pages = _one([{"page": 0}], ["a\ud800b\0c\x0bd"])
    assert _texts(pages) == {1: "a\ufffdbc\nd"}


def test_fingerprints_tell_texts_and_page_numbers() -> None:
    """Equal input gives equal fingerprints; another text, page or border between documents gives another."""
    prints = [
        _one(metadata, texts).fingerprint
        for metadata, texts in [
            ([{"page": 0}, {"page": 1}], ["ab", "c"]),
            ([{"page": 0}, {"page": 1}], ["a", "bc"]),
            ([{"page": 0}, {"page": 2}], ["ab", "c"]),
            ([{"page": 0}, {"page": 1}], ["ab", "d"]),
        ]
    ]
    assert len(set(prints)) == 4
    assert prints[0] == _one([{"page": 0}, {"page": 1}], ["ab", "c"]).fingerprint


def test_paged_documents_are_pdf_pages_cut_by_max_pages() -> None:
    """Page metadata makes a paged document, whose first pages can be asked for."""
    pages = _one([{"page": 0}, {"page": 1}, {"page": 2}], max_pages=2)
    assert (pages.media_type, pages.headings, len(pages.pages)) == ("application/pdf", None, 2)
    assert pages.pages[0].first_line_number is None
    assert _codes(pages) == ["pages_cut"]


def test_no_documents_give_nothing() -> None:
    """An empty list is an empty library, as with a vector store."""
    assert read_loaded([], ReadOptions()) == []
