"""The tables of a SQLite library, and the version they carry."""

from __future__ import annotations

import sqlite3

from pageindex_core.errors import LibraryError, SchemaVersionError

VERSION = 1
"""Stored as ``user_version``; raised whenever older code could not read what newer code writes."""

APPLICATION_ID = 0x50474958
"""Stored as ``application_id``: "PGIX". Tells our files from other SQLite databases."""

# Text is kept as BLOB in UTF-8: file names may hold bytes, and extracted text surrogates, that TEXT refuses.
# ``served`` says that tree, pages and postings are stored. It is independent of ``status``, so that a failed
# re-index goes on serving what there was. ``terms`` keeps what went into the full-text index, since an index without
# content forgets a row only when it is told the row's words again (SQLite 3.43 would lift this).
_TABLES = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    doc_id BLOB NOT NULL UNIQUE,
    source_id BLOB NOT NULL UNIQUE,
    name BLOB NOT NULL,
    folder BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    status TEXT NOT NULL,
    error BLOB,
    media_type BLOB NOT NULL,
    page_count INTEGER NOT NULL,
    toc_source TEXT,
    description BLOB,
    indexed_at BLOB NOT NULL,
    metadata BLOB NOT NULL,
    notes BLOB NOT NULL,
    served INTEGER NOT NULL
);
CREATE INDEX documents_name ON documents (name, source_id);
CREATE INDEX documents_folder ON documents (folder);
CREATE TABLE trees (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    tree BLOB NOT NULL
);
CREATE TABLE postings (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    postings BLOB NOT NULL
);
CREATE TABLE terms (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    terms BLOB NOT NULL,
    title_terms BLOB NOT NULL
);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    page_number INTEGER NOT NULL,
    page BLOB NOT NULL,
    UNIQUE (document, page_number)
);
CREATE VIRTUAL TABLE term_index USING fts5 (
    terms, title_terms, content = '', columnsize = 0, detail = column, tokenize = 'ascii'
);
"""


def check_or_create(connection: sqlite3.Connection, place: str, *, create: bool) -> None:
    """Make sure that a connection leads to a library of this version.

    Args:
        connection: A fresh connection, in autocommit mode.
        place: The file, for messages.
        create: Whether to lay out an empty file.

    Raises:
        SchemaVersionError: a library of another version.
        LibraryError: a database of something else, or an empty file that may not be laid out.
    """
    if _is_current(connection, place):
        return
    if not create:
        raise LibraryError(
            f"There is no library in {place}.", "The file is empty and was opened read-only.", "Index something first."
        )
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have laid it out while this one waited for the lock.
        if not _is_current(connection, place):
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _is_current(connection: sqlite3.Connection, place: str) -> bool:
    """Give whether the tables are there; False for a file with nothing in it."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (version, application, tables) == (0, 0, 0):
        return False
    if application != APPLICATION_ID:
        raise LibraryError(
            f"{place} is not a library.", "It is a SQLite database of another program.", "Choose another folder."
        )
    if version != VERSION:
        newer = version > VERSION
        raise SchemaVersionError(
            f"The library {place} has schema version {version}; this program reads version {VERSION}.",
            f"It was written by a{' newer' if newer else 'n older'} pageindex-rag.",
            "Upgrade pageindex-rag." if newer else "Index the documents again into a new folder.",
        )
    return True
