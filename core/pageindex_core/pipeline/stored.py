"""What the library has of a document already: what need not be done again, and what later pages join."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pageindex_core.errors import DocumentNotFoundError
from pageindex_core.library.protocol import Library
from pageindex_core.read import Earlier
from pageindex_core.records import DocumentInfo, Scope

if TYPE_CHECKING:
    from pageindex_core.describe.model import Kept
    from pageindex_core.pipeline.model import ModelRun

FINISHED = "+"
"""Stands in a fingerprint between what shapes the document and what shapes its model's work; see ``UNFINISHED``."""

UNFINISHED = "~"
"""Stands there instead where a budget or an absent server ended the model's work, so that the next run completes it."""


def doc_id_of(source_id: str) -> str:
    """Give the document id of a source: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def unchanged(entry: DocumentInfo, library: Library) -> DocumentInfo | None:
    """The stored entry of the same source when neither it nor its place changed; else None."""
    # One entry is looked up, not the fingerprints of all: each of many thousand documents is indexed in the same time.
    found = library.list(Scope(documents=(entry.doc_id,)))
    stored = next((info for info in found if info.source_id == entry.source_id and info.status == "ready"), None)
    if stored is None:
        return None
    same = stored.fingerprint == entry.fingerprint
    if not same and FINISHED not in entry.fingerprint:
        # What a model wrote is not thrown away by a run without one.
        same = stored.fingerprint.startswith((entry.fingerprint + FINISHED, entry.fingerprint + UNFINISHED))
    return stored if same and (stored.folder, stored.name) == (entry.folder, entry.name) else None


def kept_summaries(entry: DocumentInfo, library: Library, run: ModelRun) -> Kept | None:
    """What the same model wrote, with the same options and prompts, for the stored version of a document."""
    from pageindex_core.describe.model import Kept

    try:
        # Of a document that is served, the entry keeps the fingerprint of what is served, whatever its status.
        if not library.get(entry.doc_id).fingerprint.endswith(run.mark):
            return None
        return Kept.of(library.tree(entry.doc_id))
    except DocumentNotFoundError:
        return None  # new, never finished, or removed by someone else since


def earlier_pages(library: Library, source_id: str) -> Earlier | None:
    """What is stored of a source whose pages were loaded; None for files read here and texts without pages."""
    stored = library.list(Scope(documents=(doc_id_of(source_id),)))
    info = next((info for info in stored if info.source_id == source_id and info.page_count), None)
    if info is None or info.media_type != "application/pdf":
        return None
    try:
        pages = library.pages(info.doc_id)
    except DocumentNotFoundError:
        return None  # removed by someone else since
    is_loaded = all(page.width_pt is None for page in pages)
    return Earlier(tuple(pages), info.metadata, info.notes) if is_loaded else None
