"""Pages that are given in batches: one document in the end, whatever the batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from pageindex_core import LoadedDocument, index_loaded, index_source, open_library
from pageindex_core.library.protocol import Library
from pageindex_core.records import DocumentInfo
from pdf_builder import build_pdf, page

Style = Callable[[int], dict[str, object]]

STYLES: dict[str, Style] = {
    "page from 0": lambda number: {"page": number - 1},
    "page of a total": lambda number: {"page": number - 1, "total_pages": 6},
    "page_number": lambda number: {"page_number": number},
    "label": lambda number: {"page_label": str(number)},
}


def _documents(numbers: Sequence[int], style: Style, word: str = "pump", **more: object) -> list[LoadedDocument]:
    return [
        LoadedDocument(f"The {word} of page {number}.", {"source": "a.pdf", **style(number), **more})
        for number in numbers
    ]


def _texts(library: Library) -> dict[int, str]:
    return {one.page_number: one.text for one in library.pages(library.get("a.pdf").doc_id) if one.text}


def _add(library: Library, documents: list[LoadedDocument]) -> DocumentInfo:
    report = index_loaded(documents, library)
    return (*report.indexed, *report.unchanged)[0]


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@settings(max_examples=12)
@given(cuts=st.sets(st.integers(1, 5)))
def test_any_batches_give_the_same_document(style: Style, cuts: set[int]) -> None:
    """Page by page, in pieces or at once: text, numbers and fingerprint are the same, and no page is lost."""
    whole, library = open_library(), open_library()
    info = _add(whole, _documents(range(1, 7), style))
    edges = [0, *sorted(cuts), 6]
    for start, stop in pairwise(edges):
        last = _add(library, _documents(range(start + 1, stop + 1), style))
    assert _texts(library) == _texts(whole) == {number: f"The pump of page {number}." for number in range(1, 7)}
    assert (last.fingerprint, last.metadata) == (info.fingerprint, info.metadata)


def test_pages_counted_from_one_go_on_being_counted_so() -> None:
    """What the first batch told of the counting holds for the later ones, which alone could not tell."""
    library = open_library()
    for numbers in ((1, 2), (3,), (4, 5)):
        _add(library, _documents(numbers, lambda number: {"page": number}))
    assert sorted(_texts(library)) == [1, 2, 3, 4, 5]


def test_a_page_given_again_replaces_the_stored_one() -> None:
    """Later pages are changed one by one, and giving the same again changes nothing."""
    library = open_library()
    style = STYLES["page_number"]
    _add(library, _documents((1, 2, 3), style))
    _add(library, _documents((2,), style, "valve"))
    assert [text.split()[1] for text in _texts(library).values()] == ["pump", "valve", "pump"]
    assert index_loaded(_documents((2,), style, "valve"), library).indexed == ()


def test_a_first_page_that_comes_late_joins_the_others() -> None:
    """Batches in any order: the gap before the pages that were given first is filled."""
    library = open_library()
    for number in (3, 1, 2):
        info = _add(library, _documents((number,), STYLES["page_number"]))
    assert sorted(_texts(library)) == [1, 2, 3]
    assert info.notes == ()


def test_a_shorter_new_version_replaces_all_and_says_so() -> None:
    """With the first page given and no total, the document is new, and what is gone is noted."""
    library = open_library()
    style = STYLES["page_number"]
    _add(library, _documents(range(1, 6), style))
    info = _add(library, _documents((1, 2), style, "valve"))
    assert sorted(_texts(library)) == [1, 2]
    (note,) = [note for note in info.notes if note.code == "pages_dropped"]
    assert note.message.startswith("3 pages")


def test_a_total_tells_a_batch_from_a_version() -> None:
    """The first page alone of a longer document replaces that page; a document that shrank loses its last pages."""
    library = open_library()
    _add(library, _documents(range(1, 7), STYLES["page of a total"]))
    _add(library, _documents((1,), STYLES["page of a total"], "valve"))
    assert len(_texts(library)) == 6
    assert _texts(library)[1] == "The valve of page 1."
    _add(library, _documents((2, 3), lambda number: {"page": number - 1, "total_pages": 4}))
    assert sorted(_texts(library)) == [1, 2, 3, 4]


def test_metadata_of_single_pages_is_left_out_with_a_note() -> None:
    """What the batches do not share is no metadata of the document."""
    library = open_library()
    style = STYLES["page_number"]
    _add(library, _documents((1,), style, team="A", chunk=1))
    info = _add(library, _documents((2,), style, team="A", chunk=2))
    assert info.metadata == {"source": "a.pdf", "team": "A"}
    assert next(note.message for note in info.notes if note.code == "metadata_differs").endswith("left out: chunk.")


def test_pages_can_be_stored_alone() -> None:
    """``keep_pages=False`` forgets what was stored of the source."""
    library = open_library()
    _add(library, _documents((1, 2), STYLES["page_number"]))
    index_loaded(_documents((3,), STYLES["page_number"]), library, keep_pages=False)
    assert sorted(_texts(library)) == [3]


def test_a_file_read_here_is_no_earlier_batch(tmp_path: Path) -> None:
    """Pages with boxes and pages of a loader are never mixed in one document."""
    library = open_library()
    index_source(build_pdf([page("# One", "Text of one."), page("Text of two.")]), library, source_id="a.pdf")
    _add(library, _documents((2,), STYLES["page_number"]))
    assert _texts(library) == {2: "The pump of page 2."}


def test_far_numbers_are_labels_and_said_so() -> None:
    """A page number out of all proportion makes no thousands of pages, and stays what was given, as label."""
    library = open_library()
    info = _add(library, _documents((100_001,), STYLES["page from 0"]))
    (only,) = library.pages(info.doc_id)
    assert (only.page_number, only.page_label) == (1, "100000")
    assert [note.code for note in info.notes] == ["pages_renumbered"]
    _add(library, _documents((200_001,), STYLES["page from 0"]))
    assert [one.page_label for one in library.pages(info.doc_id)] == ["100000", "200000"]
