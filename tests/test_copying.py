"""A library made to hold what another one does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pageindex_core import Scope, open_library, search
from pageindex_core.copying import mirror_library
from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages
from written_documents import write_pages


def filled(*names: str) -> Library:
    library = open_library()
    for name in names:
        index_pages(write_pages(name, [f"# About {name}\nThe seal of {name} is renewed yearly."]), library, folder="/m")
    return library


def test_a_mirror_answers_as_its_source_does(tmp_path: Path) -> None:
    """Entries, trees, pages and hits are equal, also after the copy has been closed and opened."""
    source = filled("pump.pdf", "saw.pdf")
    target = open_library(tmp_path)
    assert mirror_library(source, target) == 2
    target.close()
    copied = open_library(tmp_path)
    assert copied.list() == source.list()
    for info in source.list():
        assert copied.tree(info.doc_id) == source.tree(info.doc_id)
        assert copied.pages(info.doc_id) == source.pages(info.doc_id)
    assert search(copied, "seal of the saw").hits == search(source, "seal of the saw").hits


def test_a_mirror_keeps_nothing_else_within_its_scope() -> None:
    """What the source has not is removed, what lies outside the scope is left alone."""
    target = filled("old.pdf", "pump.pdf")
    index_pages(write_pages("other.pdf", ["# Other\nText."]), target, folder="/n")
    mirror_library(filled("pump.pdf", "saw.pdf"), target, Scope(folder="/m"))
    assert [info.name for info in target.list()] == ["other.pdf", "pump.pdf", "saw.pdf"]


def test_entries_without_content_are_copied_as_such() -> None:
    """A document that failed is told of in the copy, with its reason; one that failed again is still served."""
    source, target = filled("pump.pdf"), open_library()
    (info,) = source.list()
    source.set_status(replace(info, status="failed", error="It could not be read."))
    source.set_status(replace(info, doc_id="f" * 16, source_id="/data/new.pdf", name="new.pdf", status="queued"))
    mirror_library(source, target)
    assert {one.name: (one.status, one.error) for one in target.list()} == {
        one.name: (one.status, one.error) for one in source.list()
    }
    assert target.pages(info.doc_id) == source.pages(info.doc_id)
