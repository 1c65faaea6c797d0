"""The rows of table ``documents``: entries to rows and back, and finding one of them."""

from __future__ import annotations

import difflib
import sqlite3
from dataclasses import dataclass
from typing import Any

from pageindex_core.errors import DocumentNotFoundError, LibraryError
from pageindex_core.library.codec import (
    decode_metadata,
    decode_notes,
    encode_metadata,
    encode_notes,
    from_bytes,
    to_bytes,
)
from pageindex_core.library.scope import allows, select
from pageindex_core.records import DocumentInfo, Scope

_SUGGESTIONS = 3
"""Closest names offered in an error: enough to spot a slip, few enough to read."""

_COLUMNS = (
    "doc_id",
    "source_id",
    "name",
    "folder",
    "fingerprint",
    "status",
    "error",
    "media_type",
    "page_count",
    "toc_source",
    "description",
    "indexed_at",
    "metadata",
    "notes",
    "served",
)
SELECT_ENTRY = f"SELECT id, {', '.join(_COLUMNS)} FROM documents"
"""Selects what ``entry_of`` takes."""

_UPSERT = (
    f"INSERT INTO documents ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (source_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)} RETURNING id"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a document's entry, and what only this backend knows of it."""

    row_id: int
    info: DocumentInfo
    served: bool
    """Whether tree, pages and postings are stored."""


def entry_of(row: tuple[Any, ...]) -> Entry:
    """Give the entry that a row of ``SELECT_ENTRY`` holds."""
    (row_id, doc_id, source_id, name, folder, fingerprint, status, error, media_type) = row[:9]
    (page_count, toc_source, description, indexed_at, metadata, notes, served) = row[9:]
    info = DocumentInfo(
        doc_id=from_bytes(doc_id),
        source_id=from_bytes(source_id),
        name=from_bytes(name),
        fingerprint=from_bytes(fingerprint),
        status=status,
        media_type=from_bytes(media_type),
        page_count=page_count,
        toc_source=toc_source,
        folder=from_bytes(folder),
        metadata=decode_metadata(metadata),
        description=None if description is None else from_bytes(description),
        indexed_at=from_bytes(indexed_at),
        error=None if error is None else from_bytes(error),
        notes=decode_notes(notes),
    )
    return Entry(row_id, info, bool(served))


def write_entry(connection: sqlite3.Connection, info: DocumentInfo, *, served: bool) -> int:
    """Insert the entry of a source, or replace it in place; give its row.

    Raises:
        LibraryError: the ``doc_id`` belongs to another source, or the metadata cannot be stored.
    """
    doc_id, source_id = to_bytes(info.doc_id), to_bytes(info.source_id)
    other = connection.execute(
        "SELECT source_id FROM documents WHERE doc_id = ? AND source_id <> ?", (doc_id, source_id)
    ).fetchone()
    if other is not None:
        raise LibraryError(
            f"{info.source_id} cannot be stored as {info.doc_id}.",
            f"That doc_id belongs to {from_bytes(other[0])}.",
            "Give each source its own doc_id.",
        )
    values = (
        doc_id,
        source_id,
        to_bytes(info.name),
        to_bytes(info.folder),
        to_bytes(info.fingerprint),
        info.status,
        None if info.error is None else to_bytes(info.error),
        to_bytes(info.media_type),
        info.page_count,
        info.toc_source,
        None if info.description is None else to_bytes(info.description),
        to_bytes(info.indexed_at),
        encode_metadata(info.metadata, info.source_id),
        encode_notes(info.notes),
        served,
    )
    row_id: int = connection.execute(_UPSERT, values).fetchone()[0]
    return row_id


def find_entry(connection: sqlite3.Connection, document: str, scope: Scope) -> Entry:
    """Give the entry of a document, by ``doc_id``, else ``source_id``, else name.

    Raises:
        DocumentNotFoundError: none in the scope, or several of that name.
        FilterError: the scope's metadata filter cannot be meant.
    """
    key = to_bytes(document)
    rows = connection.execute(
        f"{SELECT_ENTRY} WHERE doc_id = ?1 OR source_id = ?1 OR name = ?1 ORDER BY source_id", (key,)
    )
    found = [entry for entry in map(entry_of, rows.fetchall()) if allows(scope, entry.info)]
    for field in ("doc_id", "source_id"):
        for entry in found:
            if getattr(entry.info, field) == document:
                return entry
    if not found:
        raise _unknown(connection, document, scope)
    if len(found) > 1:
        listed = "; ".join(f"{entry.info.doc_id} ({entry.info.source_id})" for entry in found)
        raise DocumentNotFoundError(
            f"The name {document!r} is ambiguous.", f"It belongs to {len(found)} documents: {listed}.", "Use a doc_id."
        )
    return found[0]


def find_served(connection: sqlite3.Connection, document: str, scope: Scope) -> Entry:
    """Give the entry of a document whose tree and pages are stored.

    Raises:
        DocumentNotFoundError: none in the scope, or it was never ready.
        FilterError: the scope's metadata filter cannot be meant.
    """
    entry = find_entry(connection, document, scope)
    if not entry.served:
        reason = f" ({entry.info.error})" if entry.info.error else ""
        raise DocumentNotFoundError(
            f"{entry.info.name} has no tree yet.",
            f"Its status is {entry.info.status}{reason}, and it was never ready.",
            "Wait until it is indexed, or index it again.",
        )
    return entry


def _unknown(connection: sqlite3.Connection, document: str, scope: Scope) -> DocumentNotFoundError:
    chosen = select(connection, scope)
    rows = connection.execute(f"SELECT DISTINCT name FROM documents WHERE {chosen.sql}", chosen.parameters)
    names = {name.casefold(): name for name in (from_bytes(stored) for (stored,) in rows)}
    if not names:
        return DocumentNotFoundError(
            f"There is no document {document!r}.", "The scope holds no documents.", "Index some, or widen the scope."
        )
    close = [names[name] for name in difflib.get_close_matches(document.casefold(), names, n=_SUGGESTIONS)]
    return DocumentNotFoundError(
        f"There is no document {document!r} in the scope.",
        f"The closest names are {', '.join(close)}." if close else f"None of its {len(names)} names is close.",
        "Use a doc_id, a source_id or a name, as the library lists them.",
    )
