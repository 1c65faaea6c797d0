"""Stored records come back equal, whatever they hold."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given, settings, strategies as st

from library_documents import make_document
from pageindex_core.errors import LibraryError
from pageindex_core.library import codec, open_library
from pageindex_core.records import (
    Box,
    DocumentInfo,
    Evidence,
    IndexedDocument,
    Line,
    Link,
    Note,
    Page,
    PageTree,
    Section,
    Status,
    TocSource,
)

TEXT = st.text(st.characters(exclude_categories=()), max_size=8)  # lone surrogates and NUL included
LABEL = st.none() | TEXT
FLOAT = st.floats(allow_nan=False) | st.integers(-(10**9), 10**9).map(lambda hundredths: hundredths / 100)
COUNT = st.integers(0, 2**40)
BOX = st.builds(Box, FLOAT, FLOAT, FLOAT, FLOAT)
LINE = st.builds(Line, TEXT, st.none() | BOX, FLOAT, st.booleans(), st.booleans(), TEXT, st.booleans(), st.booleans())
NOTE = st.builds(Note, TEXT, TEXT, st.none() | COUNT)
LINK = st.builds(Link, BOX, COUNT, st.none() | FLOAT)


def tuples(values: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, max_size=most).map(tuple)


PAGE = st.builds(
    Page,
    COUNT,
    tuples(LINE),
    LABEL,
    st.none() | FLOAT,
    st.none() | FLOAT,
    tuples(LINK, 2),
    st.none() | COUNT,
    st.lists(st.tuples(COUNT, COUNT), max_size=3).map(tuple),
)


def section(children: st.SearchStrategy[tuple[Any, ...]]) -> st.SearchStrategy[Section]:
    return st.builds(
        Section,
        node_id=TEXT,
        section_key=TEXT,
        title=TEXT,
        level=COUNT,
        start_page=COUNT,
        end_page=COUNT,
        start_line=COUNT,
        children=children,
        summary=LABEL,
        key_items=tuples(TEXT),
        start_y=st.none() | FLOAT,
        evidence=st.none() | st.sampled_from(get_args(Evidence)),
        page_label=LABEL,
        synthetic=st.booleans(),
        line_range=st.none() | st.tuples(COUNT, COUNT),
        summary_model=LABEL,
    )


SECTION = st.recursive(section(st.just(())), lambda inner: section(tuples(inner, 3)), max_leaves=8)
TREE = st.builds(
    PageTree,
    doc_name=TEXT,
    sections=tuples(SECTION, 3),
    toc_source=st.sampled_from(get_args(TocSource)),
    page_count=COUNT,
    shares=st.dictionaries(TEXT, FLOAT, max_size=3),
    notes=tuples(NOTE, 2),
    description=LABEL,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
INFO = st.builds(
    DocumentInfo,
    doc_id=TEXT,
    source_id=TEXT,
    name=TEXT,
    fingerprint=TEXT,
    status=st.sampled_from(get_args(Status)),
    media_type=TEXT,
    page_count=COUNT,
    toc_source=st.none() | st.sampled_from(get_args(TocSource)),
    folder=TEXT.map(lambda name: "/" + name.strip("/")),
    metadata=st.dictionaries(TEXT, JSON, max_size=3),
    description=LABEL,
    indexed_at=TEXT,
    error=LABEL,
    notes=tuples(NOTE, 2),
)
DOCUMENT = st.builds(
    IndexedDocument,
    info=INFO,
    tree=TREE,
    pages=st.lists(PAGE, max_size=3, unique_by=lambda page: page.page_number).map(
        lambda pages: tuple(sorted(pages, key=lambda page: page.page_number))
    ),
    postings=st.binary(max_size=20),
    terms=tuples(TEXT),
    title_terms=tuples(TEXT),
)


@given(PAGE)
def test_pages_come_back_equal(page: Page) -> None:
    """Every float to its last bit, every character, every missing box in its place."""
    again = codec.decode_page(codec.encode_page(page))
    assert again == page
    assert all(type(line) is Line and (line.box is None or type(line.box) is Box) for line in again.lines)


@given(TREE)
def test_trees_come_back_equal(tree: PageTree) -> None:
    """Nesting, order and each field, with tuples where the records have tuples."""
    again = codec.decode_tree(codec.encode_tree(tree))
    assert again == tree
    for node in again.walk():
        assert isinstance(node.key_items, tuple)
        assert isinstance(node.children, tuple)
        hash(node)


@settings(max_examples=50)
@given(
    st.lists(DOCUMENT, min_size=1, max_size=3, unique_by=(lambda one: one.info.doc_id, lambda one: one.info.source_id))
)
def test_documents_come_back_equal_from_a_library(documents: list[IndexedDocument]) -> None:
    """Put, replaced by each other's content, and read again, each document is what was put last."""
    library = open_library()
    for one in documents:
        library.put(IndexedDocument(one.info, documents[0].tree, documents[0].pages, b"old", ("old",), ()))
    for one in documents:
        library.put(one)
    for one in documents:
        assert one.info in library.list()
        key = one.info.doc_id
        assert library.get(key) == one.info
        assert library.tree(key) == one.tree
        assert library.pages(key) == one.pages
        assert library.postings(key) == one.postings
    assert library.count() == len(documents)


def test_every_field_of_the_records_is_stored() -> None:
    """A field added to a record and forgotten here would silently be lost; the strategies above name them all."""
    assert {field.name for field in fields(Page)} == {
        "page_number", "lines", "page_label", "width_pt", "height_pt", "links", "first_line_number", "heading_tags",
    }  # fmt: skip
    assert Line._fields == ("text", "box", "font_size", "bold", "italic", "font", "continues", "letterspaced", "lead")
    assert [field.name for field in fields(Link)] == ["box", "page_number", "y"]
    assert {field.name for field in fields(PageTree)} == {
        "doc_name", "sections", "toc_source", "page_count", "shares", "notes", "description",
    }  # fmt: skip
    assert len(fields(Section)) == 16
    assert len(fields(DocumentInfo)) == 14
    assert len(fields(IndexedDocument)) == 6


def test_depth_is_no_limit() -> None:
    """A tree far deeper than Python's recursion limit is stored and restored."""
    node = Section("0", "k", "leaf", 5000, 1, 1)
    for level in range(4999, 0, -1):
        node = Section("0", "k", f"at {level}", level, 1, 1, children=(node,))
    again = codec.decode_tree(codec.encode_tree(PageTree("deep", (node,), "bookmarks", 1)))
    levels = []
    (current,) = again.sections
    while True:
        levels.append(current.level)
        if not current.children:
            break
        (current,) = current.children
    assert levels == list(range(1, 5001))


def test_damaged_bytes_are_named() -> None:
    """A flipped byte in a stored page is an error with a remedy, never a wrong page."""
    data = bytearray(codec.encode_page(make_document().pages[0]))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(LibraryError, match="index it again"):
        codec.decode_page(bytes(data))
