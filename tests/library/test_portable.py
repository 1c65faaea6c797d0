"""``Pages`` as texts, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pageindex_core.errors import LibraryError
from pageindex_core.library.portable import document_to_text, page_to_text, pages_from_texts
from pageindex_core.options import IndexOptions, OutlineOptions, ReadOptions, options_from_dict, options_to_dict
from pageindex_core.read import open_source, read_pages
from pdf_builder import build_pdf, page


@pytest.mark.parametrize("kind", ["pdf", "markdown"])
def test_everything_that_was_read_comes_back(tmp_path: Path, kind: str) -> None:
    """Lines with boxes and fonts, bookmarks, labels, declared headings, notes and metadata are equal."""
    path = tmp_path / ("manual.pdf" if kind == "pdf" else "manual.md")
    data = build_pdf([page("# Pumps", "Text."), page("More.")], bookmarks=[(1, "Pumps", 1)], labels={1: "i"})
    path.write_bytes(data if kind == "pdf" else b"---\nyear: 2021\n---\n# Pumps\n\nText.\n")
    pages = read_pages(open_source(path, metadata={"tags": ["a", "b"], "year": 2021}))
    texts = [page_to_text(each) for each in pages.pages]
    assert pages_from_texts(pages.source_id, document_to_text(pages), texts) == pages


def test_metadata_that_json_would_change_is_refused(tmp_path: Path) -> None:
    """A tuple would come back as a list."""
    (tmp_path / "a.txt").write_text("Text.")
    pages = read_pages(open_source(tmp_path / "a.txt", metadata={"tags": ("a",)}))
    with pytest.raises(LibraryError, match="tags"):
        document_to_text(pages)


def test_options_come_back_without_the_password() -> None:
    """What decides how trees are built is kept; nothing at all means the defaults."""
    options = IndexOptions(read=ReadOptions(max_pages=3, password="secret"), outline=OutlineOptions())
    stored = options_to_dict(options)
    assert "secret" not in repr(stored)
    assert options_from_dict(stored) == IndexOptions(read=ReadOptions(max_pages=3))
    assert options_from_dict({}) == IndexOptions()
