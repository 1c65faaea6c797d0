"""Documents for tests of the library: small, and marked with a version in every part."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from pageindex_core.records import Box, DocumentInfo, IndexedDocument, Line, Page, PageTree, Section


def doc_id(source_id: str) -> str:
    """Give an id such as the pipeline gives."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def make_document(
    source_id: str = "/data/manual.pdf",
    *,
    name: str | None = None,
    version: int = 1,
    page_count: int = 2,
    folder: str = "/",
    metadata: Mapping[str, Any] | None = None,
    terms: tuple[str, ...] = (),
    title_terms: tuple[str, ...] = (),
    indexed_at: str = "2026-01-01T00:00:00+00:00",
) -> IndexedDocument:
    """Give a document whose entry, tree, pages and postings all name their version."""
    mark = f"v{version}"
    pages = tuple(
        Page(
            number,
            (
                Line(
                    f"{mark} page {number}",
                    Box(72.0, 72.01, 200.5, 84.0),
                    10.5,
                    number == 1,
                    False,
                    "Times",
                    False,
                    number == 2,
                ),
            ),
        )
        for number in range(1, page_count + 1)
    )
    sections = tuple(
        Section(f"{number - 1:04}", f"{number:012x}", f"{mark} section {number}", 1, number, number)
        for number in range(1, page_count + 1)
    )
    info = DocumentInfo(
        doc_id=doc_id(source_id),
        source_id=source_id,
        name=name or source_id.rsplit("/", 1)[-1],
        fingerprint=f"fingerprint-{mark}",
        status="ready",
        media_type="application/pdf",
        page_count=page_count,
        toc_source="bookmarks",
        folder=folder,
        metadata={} if metadata is None else metadata,
        description=f"{mark} of a manual",
        indexed_at=indexed_at,
    )
    tree = PageTree(mark, sections, "bookmarks", page_count, {"bookmarks": 1.0})
    return IndexedDocument(info, tree, pages, mark.encode(), terms, title_terms)


def version_of(text: str) -> int:
    """Give the version that a marked text begins with."""
    return int(text.split()[0].removeprefix("v"))
