"""Which pages or lines of a source each loaded document holds."""

from __future__ import annotations

import pytest

from pageindex_core.options import ReadOptions
from pageindex_core.read import LoadedDocument, read_loaded, source_of_loaded, spans_of_loaded
from pageindex_core.records import Span


def test_documents_with_pages_hold_their_physical_page() -> None:
    """Two pieces of one page hold the same page, in whatever order they come."""
    loaded = [LoadedDocument("x", {"source": "a.pdf", "page": number}) for number in (1, 0, 1)]
    assert spans_of_loaded(loaded) == [Span(2, 2), Span(1, 1), Span(2, 2)]


def test_documents_without_pages_hold_the_lines_that_reading_gives_them() -> None:
    """Every text is found again at the lines of its span, blank lines at its end and empty texts included."""
    texts = ["# One\n\nFirst.", "Second.\n\n", "", "Third\r\nand fourth."]
    loaded = [LoadedDocument(text, {"source": "a.md"}) for text in texts]
    (pages,) = read_loaded(loaded, ReadOptions())
    lines = [line.text for page in pages.pages for line in page.lines]
    spans = spans_of_loaded(loaded)
    assert all(span.by_line for span in spans)
    for text, span in zip(texts, spans, strict=True):
        assert [line for line in lines[span.first - 1 : span.last] if line] == [
            line for line in text.splitlines() if line
        ]


@pytest.mark.parametrize(
    ("metadata", "ident", "source"),
    [
        ({"source": "a.pdf", "file_path": "b.pdf"}, "id", "a.pdf"),
        ({"source": "3", "file_path": "b.pdf"}, "id", "b.pdf"),
        ({"file_name": " "}, "id", "id"),
    ],
)
def test_the_source_is_named_by_metadata_before_the_id(metadata: dict[str, str], ident: str, source: str) -> None:
    """A page number is no source, and neither is a blank."""
    assert source_of_loaded(LoadedDocument("x", metadata, ident)) == source
    assert source_of_loaded(LoadedDocument("x")) == source_of_loaded(LoadedDocument("x")) != ""
