"""The stored search index: what goes in comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from pageindex_core.errors import SchemaVersionError
from pageindex_core.pipeline import tree_of
from pageindex_core.records import Outline, Pages
from pageindex_core.search.opened import OpenDocument, OpenDocuments, run_positions
from pageindex_core.search.postings import build_postings, load_postings
from pageindex_core.search.terms import line_terms
from pageindex_core.tree import build_tree
from random_outlines import documents
from written_documents import write_pages


@given(documents())
def test_positions_give_the_text_back(drawn: tuple[Pages, Outline]) -> None:
    """The positions of all terms together are the document's terms in reading order."""
    pages, outline = drawn
    index = load_postings(build_postings(build_tree(pages, outline), pages).data)
    terms = {position: term for term in index.text.vocabulary() for position in index.text.positions(term)}
    expected = [term for page in pages.pages for line in page.lines for term in line_terms(line.text)]
    assert [terms[position] for position in sorted(terms)] == expected


def test_terms_for_the_library_tell_titles_from_text() -> None:
    """Names and headings are title terms; all words are terms, single CJK characters included."""
    pages = write_pages("annual_report.pdf", ["# Harvest\nwheat and 税金"])
    postings = build_postings(tree_of(pages), pages)
    assert {"harvest", "annual", "report"} <= set(postings.title_terms)
    assert "wheat" not in postings.title_terms
    assert {"wheat", "harvest", "annual", "税金", "税", "金"} <= set(postings.terms)


def test_a_run_of_terms_is_found_across_line_ends() -> None:
    """A phrase may begin on one line and end on the next."""
    pages = write_pages("a.pdf", ["# T\nthe soil moisture\nindex is low"])
    index = load_postings(build_postings(tree_of(pages), pages).data)
    start = index.text.starts[1]
    assert list(run_positions(index.text, ("soil", "moistur", "index"))) == [start + 1]
    assert list(run_positions(index.text, ("soil", "index"))) == []


@pytest.mark.parametrize("data", [b"", b"not an index at all", b"pips\xff\xff\0\0\0\0"])
def test_bytes_of_another_version_are_refused(data: bytes) -> None:
    """What this version did not write it does not guess at."""
    with pytest.raises(SchemaVersionError, match="Index again"):
        load_postings(data)


def test_lone_surrogates_do_not_break_the_index() -> None:
    """Damaged text is stored like any other."""
    pages = write_pages("a.pdf", ["# T\nbroken \ud800 text"])
    index = load_postings(build_postings(tree_of(pages), pages).data)
    assert "text" in index.text


def test_loaded_indexes_are_kept_within_their_bytes() -> None:
    """The least recently used index goes when there is no room; the newest always stays."""
    pages = write_pages("a.pdf", ["# T\n" + "words " * 50])
    data = build_postings(tree_of(pages), pages).data
    size = OpenDocument(load_postings(data)).size_bytes
    kept = OpenDocuments(limit_bytes=2 * size)
    infos = [info_of(number) for number in range(3)]
    for info in infos[:2]:
        kept.load(info, data)
    assert kept.find(infos[0]) is not None
    kept.load(infos[2], data)
    assert [kept.find(info) is not None for info in infos] == [True, False, True]
    assert kept.find(replace(infos[0], indexed_at="later")) is None


def info_of(number: int):  # type: ignore[no-untyped-def]
    """An entry of a document."""
    from pageindex_core.records import DocumentInfo

    return DocumentInfo(f"{number:016x}", f"/{number}", f"{number}.pdf", "f", "ready", indexed_at="now")
