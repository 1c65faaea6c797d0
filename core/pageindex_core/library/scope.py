"""Takes a scope, gives what SQL and Python need to keep a read within it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pageindex_core.library.codec import from_bytes, peek_metadata, to_bytes
from pageindex_core.library.filters import compile_filter, seen_metadata
from pageindex_core.records import DocumentInfo, Scope

_CHUNK = 5_000
"""Names looked up in one statement. Source: SQLite's default limit of 32,766 parameters, since version 3.32."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on table ``documents``, for a WHERE clause."""

    sql: str = "1"
    parameters: tuple[object, ...] = ()

    def also(self, sql: str, *parameters: object) -> Condition:
        """Give the condition with a further one that must hold."""
        return replace(self, sql=f"{self.sql} AND {sql}", parameters=self.parameters + parameters)

    def also_ids(self, ids: Iterable[int]) -> Condition:
        """Give the condition with the rows narrowed to these."""
        return self.also("id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))


SERVED = Condition().also("served")
"""What ``select`` gives for the scope that sees everything: every document with a stored tree."""


def select(connection: sqlite3.Connection, scope: Scope, *, served: bool = False) -> Condition:
    """Give the condition that holds for the documents of a scope.

    Ids, names and folders are left to SQLite's indexes; the metadata filter runs here, over what they leave.

    Args:
        connection: Inside the transaction in which the condition will be used.
        scope: Which documents may be seen.
        served: Whether to keep only documents with a stored tree.

    Raises:
        FilterError: the metadata filter cannot be meant.
    """
    passes = None if scope.where is None else compile_filter(scope.where)
    condition = Condition()
    if served:
        condition = condition.also("served")
    if scope.documents is not None:
        condition = condition.also_ids(_ids_named(connection, scope.documents))
    folder = _normal(scope.folder)
    if folder != "/":
        # "0" follows "/" in ASCII: everything that starts with the folder and a slash, with no wildcards to escape.
        below = to_bytes(folder)
        condition = condition.also("(folder = ? OR (folder >= ? AND folder < ?))", below, below + b"/", below + b"0")
    if passes is None:
        return condition
    columns = "id, metadata, doc_id, source_id, name"
    rows = connection.execute(f"SELECT {columns} FROM documents WHERE {condition.sql}", condition.parameters)
    return condition.also_ids(
        row_id
        for row_id, metadata, *names in rows.fetchall()
        if passes(seen_metadata(peek_metadata(metadata), *map(from_bytes, names)))
    )


def allows(scope: Scope, info: DocumentInfo) -> bool:
    """Give whether a scope holds one document.

    Raises:
        FilterError: the metadata filter cannot be meant.
    """
    passes = None if scope.where is None else compile_filter(scope.where)
    if scope.documents is not None and not {info.doc_id, info.source_id, info.name}.intersection(scope.documents):
        return False
    folder = _normal(scope.folder)
    if folder != "/" and info.folder != folder and not info.folder.startswith(folder + "/"):
        return False
    return passes is None or bool(passes(seen_metadata(info.metadata, info.doc_id, info.source_id, info.name)))


def _normal(folder: str | None) -> str:
    return "/" + (folder or "").strip("/")


def _ids_named(connection: sqlite3.Connection, documents: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for start in range(0, len(documents), _CHUNK):
        keys = [to_bytes(document) for document in documents[start : start + _CHUNK]]
        numbered = ", ".join(f"?{number}" for number in range(1, len(keys) + 1))
        named = " OR ".join(f"{column} IN ({numbered})" for column in ("doc_id", "source_id", "name"))
        found.update(row_id for (row_id,) in connection.execute(f"SELECT id FROM documents WHERE {named}", keys))
    return found
