"""A library in one SQLite file, or in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import index
from pathlib import Path
from sqlite3 import Connection
from types import TracebackType
from typing import Literal

from pageindex_core.errors import LibraryError, OptionError
from pageindex_core.library import FILE_NAME
from pageindex_core.library.catalogue import SELECT_ENTRY, Entry, entry_of, find_entry, find_served, write_entry
from pageindex_core.library.codec import decode_page, decode_tree, encode_page, encode_tree, from_bytes, to_bytes
from pageindex_core.library.connections import FileConnections, MemoryConnection
from pageindex_core.library.protocol import ALL
from pageindex_core.library.scope import select
from pageindex_core.library.term_index import add_terms, drop_terms, rank
from pageindex_core.records import DocumentInfo, IndexedDocument, Page, PageTree, Scope

LOCK_TIMEOUT_S = 30.0
"""How long a writer waits for its turn. Storing a document takes well under a second, so that many can queue."""

_SORTS = ("name", "indexed_at", "page_count")


class SqliteLibrary:
    """Many documents with their trees, page texts and metadata, in one file that can be copied.

    Safe to share between threads, and between processes when pickled or forked: a library in a file travels as its
    path, one in memory as a copy of its content. Nothing is opened before it is needed.

    An entry describes what is served. While a stored document is indexed again, ``status`` and ``error`` tell of that
    attempt and the rest stays as it was, until ``put`` replaces all of it.
    """

    def __init__(
        self, file: str | Path | None = None, *, read_only: bool = False, lock_timeout_s: float = LOCK_TIMEOUT_S
    ) -> None:
        """Make a library.

        Args:
            file: The database file, made with its folder when first needed; None for one in memory.
            read_only: Refuse to write, and make nothing.
            lock_timeout_s: How long to wait for another process that is writing.
        """
        self._file = None if file is None else Path(file).absolute()
        self._read_only = read_only
        self._lock_timeout_s = lock_timeout_s
        self._connections: FileConnections | MemoryConnection = (
            MemoryConnection()
            if self._file is None
            else FileConnections(self._file, read_only=read_only, lock_timeout_s=lock_timeout_s)
        )

    def __repr__(self) -> str:
        """Name the place."""
        return f"SqliteLibrary({'in memory' if self._file is None else str(self._file)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Travel as the path, or as a copy of the content; ``copy.deepcopy`` uses this too."""
        if isinstance(self._connections, MemoryConnection):
            return _from_content, (self._connections.content(), self._read_only)
        return _from_file, (self._file, self._read_only, self._lock_timeout_s)

    def __enter__(self) -> SqliteLibrary:
        """Use the library as a context that closes it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    @property
    def folder(self) -> Path | None:
        """The folder that ``open_library`` opens again; None for a library in memory or in a file of another name."""
        return self._file.parent if self._file is not None and self._file.name == FILE_NAME else None

    def check(self) -> None:
        """Open the store now, so that a wrong path shows at once.

        Raises:
            SchemaVersionError: written by another version.
            LibraryError: it cannot be opened.
        """
        with self._reading():
            pass

    def close(self) -> None:
        """Give up connections. The library reopens when used again; one in memory keeps its content."""
        self._connections.close()

    # Writing

    def put(self, document: IndexedDocument) -> None:
        """Store a document, replacing the one of the same ``source_id``, in one transaction.

        Raises:
            LibraryError: two pages have the same number, or the metadata cannot be stored, or the store fails.
        """
        numbers = [page.page_number for page in document.pages]
        if len(set(numbers)) < len(numbers):
            raise LibraryError(
                f"{document.info.source_id} cannot be stored.",
                "Two of its pages have the same page_number.",
                "Number physical pages from 1, each once.",
            )
        # Encoding comes first, since the lock keeps other writers waiting.
        tree = encode_tree(document.tree)
        pages = [encode_page(page) for page in document.pages]
        with self._writing() as connection:
            row_id = write_entry(connection, document.info, served=True)
            _drop_content(connection, row_id)
            connection.execute("INSERT INTO trees (document, tree) VALUES (?, ?)", (row_id, tree))
            connection.execute("INSERT INTO postings (document, postings) VALUES (?, ?)", (row_id, document.postings))
            connection.executemany(
                "INSERT INTO pages (document, page_number, page) VALUES (?, ?, ?)",
                [(row_id, number, page) for number, page in zip(numbers, pages, strict=True)],
            )
            add_terms(connection, row_id, document.terms, document.title_terms)

    def set_status(self, info: DocumentInfo) -> None:
        """Record how far a document has come. Of one that is served, only ``status`` and ``error`` change.

        Raises:
            LibraryError: the status is ``ready``, which only ``put`` can bring about.
        """
        if info.status == "ready":
            raise LibraryError(
                f"{info.source_id} cannot be marked ready.", "A document is ready once its tree is stored.", "Use put."
            )
        with self._writing() as connection:
            row = connection.execute(f"{SELECT_ENTRY} WHERE source_id = ?", (to_bytes(info.source_id),)).fetchone()
            if row is not None and (stored := entry_of(row)).served:
                info = replace(stored.info, status=info.status, error=info.error)
                write_entry(connection, info, served=True)
            else:
                write_entry(connection, info, served=False)

    def remove(self, document: str, scope: Scope = ALL) -> DocumentInfo:
        """Remove one document, by ``doc_id``, ``source_id`` or unambiguous name; give its last entry.

        Raises:
            DocumentNotFoundError: no such document in the scope; the message suggests the closest names.
        """
        with self._writing() as connection:
            entry = find_entry(connection, document, scope)
            _drop_content(connection, entry.row_id)
            connection.execute("DELETE FROM documents WHERE id = ?", (entry.row_id,))
            return entry.info

    # Reading

    def get(self, document: str, scope: Scope = ALL) -> DocumentInfo:
        """Give the entry of one document, by ``doc_id``, ``source_id`` or unambiguous name.

        Raises:
            DocumentNotFoundError: no such document in the scope; the message suggests the closest names.
        """
        with self._reading() as connection:
            return find_entry(connection, document, scope).info

    def list(
        self,
        scope: Scope = ALL,
        *,
        sort: Literal["name", "indexed_at", "page_count"] = "name",
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> Sequence[DocumentInfo]:
        """Give the entries in the scope, sorted by code points (ties by ``source_id``), one page of them."""
        if sort not in _SORTS:
            raise OptionError(f"sort={sort!r} is unknown.", f"Entries sort by {', '.join(_SORTS)}.")
        _not_negative("offset", offset)
        _not_negative("limit", limit)
        with self._reading() as connection:
            chosen = select(connection, scope)
            rows = connection.execute(
                f"{SELECT_ENTRY} WHERE {chosen.sql} ORDER BY {sort}{' DESC' * descending}, source_id LIMIT ? OFFSET ?",
                (*chosen.parameters, -1 if limit is None else limit, offset),
            )
            return tuple(entry_of(row).info for row in rows)

    def count(self, scope: Scope = ALL) -> int:
        """Give how many documents the scope holds."""
        with self._reading() as connection:
            chosen = select(connection, scope)
            return _count(connection, chosen.sql, chosen.parameters)

    def fingerprints(self) -> dict[str, str]:
        """Give ``source_id`` to fingerprint of every document that is ready."""
        with self._reading() as connection:
            rows = connection.execute("SELECT source_id, fingerprint FROM documents WHERE status = 'ready'")
            return {from_bytes(source_id): from_bytes(fingerprint) for source_id, fingerprint in rows}

    def tree(self, doc_id: str, scope: Scope = ALL) -> PageTree:
        """Give the stored tree.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        with self._reading() as connection:
            entry = find_served(connection, doc_id, scope)
            (data,) = connection.execute("SELECT tree FROM trees WHERE document = ?", (entry.row_id,)).fetchone()
        return decode_tree(data)

    def pages(self, doc_id: str, page_numbers: Iterable[int] | None = None, scope: Scope = ALL) -> Sequence[Page]:
        """Give pages in ascending order, all of them for None; numbers outside the document are left out.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        wanted = None if page_numbers is None else json.dumps(sorted(map(index, set(page_numbers))))
        with self._reading() as connection:
            entry = find_served(connection, doc_id, scope)
            rows = connection.execute(
                "SELECT page FROM pages WHERE document = ?1 "
                "AND (?2 IS NULL OR page_number IN (SELECT value FROM json_each(?2))) ORDER BY page_number",
                (entry.row_id, wanted),
            ).fetchall()
        return tuple(decode_page(data) for (data,) in rows)

    def postings(self, doc_id: str, scope: Scope = ALL) -> bytes:
        """Give the search index stored with the document.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        with self._reading() as connection:
            entry = find_served(connection, doc_id, scope)
            data: bytes
            (data,) = connection.execute("SELECT postings FROM postings WHERE document = ?", (entry.row_id,)).fetchone()
            return data

    def shortlist(self, terms: Sequence[str], scope: Scope = ALL, *, limit: int) -> Sequence[DocumentInfo]:
        """Give the served documents in the scope that hold any of the terms, the most promising first.

        Rare terms and terms of titles count for more. A scope of at most ``limit`` documents is returned whole, those
        without a term last, by name. A document that is being indexed again is among them, as it was.
        """
        _not_negative("limit", limit)
        with self._reading() as connection:
            chosen = select(connection, scope, served=True)
            best = rank(connection, terms, chosen, limit) if terms else []
            if len(best) < limit and _count(connection, chosen.sql, chosen.parameters) <= limit:
                order = {row_id: place for place, row_id in enumerate(best)}
                rows = connection.execute(
                    f"{SELECT_ENTRY} WHERE {chosen.sql} ORDER BY name, source_id", chosen.parameters
                )
                entries = sorted(map(entry_of, rows), key=lambda entry: order.get(entry.row_id, len(order)))
            else:
                entries = [_entry(connection, row_id) for row_id in best]
        return tuple(entry.info for entry in entries)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._connections.transaction("DEFERRED") as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._read_only:
            raise LibraryError(f"{self!r} cannot be changed.", "It was opened read-only.", "Open it without read_only.")
        with self._connections.transaction("IMMEDIATE") as connection:
            yield connection


def _from_content(content: bytes, read_only: bool) -> SqliteLibrary:
    library = SqliteLibrary(read_only=read_only)
    library._connections = MemoryConnection(content)
    return library


def _from_file(file: Path, read_only: bool, lock_timeout_s: float) -> SqliteLibrary:
    return SqliteLibrary(file, read_only=read_only, lock_timeout_s=lock_timeout_s)


def _drop_content(connection: Connection, row_id: int) -> None:
    drop_terms(connection, row_id)
    for table in ("trees", "postings", "pages"):
        connection.execute(f"DELETE FROM {table} WHERE document = ?", (row_id,))


def _count(connection: Connection, condition: str, parameters: tuple[object, ...]) -> int:
    count: int
    (count,) = connection.execute(f"SELECT count(*) FROM documents WHERE {condition}", parameters).fetchone()
    return count


def _entry(connection: Connection, row_id: int) -> Entry:
    return entry_of(connection.execute(f"{SELECT_ENTRY} WHERE id = ?", (row_id,)).fetchone())


def _not_negative(name: str, value: int | None) -> None:
    if value is not None and value < 0:
        raise OptionError(f"{name}={value} cannot be used.", "It counts from 0.", "Pass 0 or more.")
