"""Connections to a SQLite library: opened when needed, never shared by two threads at once, never used after a fork."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pageindex_core import forks
from pageindex_core.errors import LibraryError, LibraryLockedError
from pageindex_core.library.schema import check_or_create

Mode = Literal["DEFERRED", "IMMEDIATE"]
"""How a transaction begins: for reading, or for writing, which waits for its turn at once."""

_RETRY_S = 0.02
"""Pause between attempts to switch to WAL, the one step for which SQLite does not wait by itself."""

_inherited: list[object] = []
"""Connections that came over a fork. They are kept and left alone: even closing one could harm the parent's files."""


class FileConnections:
    """The connections of this process to one library file."""

    def __init__(self, file: Path, *, read_only: bool, lock_timeout_s: float) -> None:
        """Open nothing yet."""
        self.file = file
        self.read_only = read_only
        self.lock_timeout_s = lock_timeout_s
        self._idle: deque[sqlite3.Connection] = deque()
        self._process = os.getpid()
        forks.watch(self)

    @contextmanager
    def transaction(self, mode: Mode) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside a transaction, which commits at the end or leaves no trace.

        Raises:
            LibraryLockedError: another process kept writing for longer than the timeout.
            LibraryError: the file cannot be read or written.
        """
        place = str(self.file)
        with translated(place):
            self.leave_parent()
            idle = self._idle
            try:
                connection = idle.pop()
            except IndexError:
                connection = _open_file(self.file, self.read_only, self.lock_timeout_s)
            try:
                with connection:
                    connection.execute(f"BEGIN {mode}")
                    yield connection
            finally:
                self._take_back(connection, idle)

    def _take_back(self, connection: sqlite3.Connection, idle: deque[sqlite3.Connection]) -> None:
        if self._process != os.getpid():
            _inherited.append(connection)
        elif idle is self._idle:
            idle.append(connection)
        else:
            connection.close()

    def leave_parent(self) -> None:
        """Put aside what came over a fork."""
        if self._process != os.getpid():
            _inherited.append(self._idle)
            self._idle = deque()
            self._process = os.getpid()

    def close(self) -> None:
        """Close idle connections now and lent ones when they come back."""
        self.leave_parent()
        idle, self._idle = self._idle, deque()
        while idle:
            idle.pop().close()


class MemoryConnection:
    """The one connection that an in-memory library lives in, used by one thread at a time."""

    def __init__(self, content: bytes | None = None) -> None:
        """Open nothing yet; ``content`` is what another one gave."""
        self._content = content
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()
        self._process = os.getpid()

    @contextmanager
    def transaction(self, mode: Mode) -> Iterator[sqlite3.Connection]:
        """Lend the connection inside a transaction, which commits at the end or leaves no trace.

        Raises:
            LibraryError: the library was filled before a fork and is used after it.
        """
        self._check_process()
        with self._lock, translated("the in-memory library"):
            connection = self._open()
            if connection.in_transaction:  # a metadata filter that reads the library it filters
                yield connection
                return
            with connection:
                connection.execute(f"BEGIN {mode}")
                yield connection

    def content(self) -> bytes:
        """Give the whole library as the bytes of a database file."""
        self._check_process()
        with self._lock, translated("the in-memory library"):
            return self._open().serialize()

    def close(self) -> None:
        """Give up the connection and keep the content, so that the next use reopens it."""
        self._check_process()
        with self._lock, translated("the in-memory library"):
            if self._connection is not None:
                self._content = self._connection.serialize()
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            if self._content is not None:
                connection.deserialize(self._content)
            _set_up(connection)
            check_or_create(connection, "the in-memory library", create=True)
            self._connection, self._content = connection, None
        return self._connection

    def _check_process(self) -> None:
        if self._process == os.getpid():
            return
        if self._connection is not None:
            raise LibraryError(
                "The in-memory library was opened before this process was forked.",
                "SQLite connections do not survive a fork.",
                "Pickle the library to the worker, start workers with 'spawn', or use a library in a folder.",
            )
        self._lock = threading.RLock()
        self._process = os.getpid()


def _open_file(file: Path, read_only: bool, lock_timeout_s: float) -> sqlite3.Connection:
    if read_only:
        if not file.is_file():
            raise LibraryError(
                f"There is no library at {file}.", "The file does not exist.", "Check the path, or index first."
            )
    else:
        _make_folder(file.parent)
    uri = file.absolute().as_uri() + _uri_mode(file, read_only)
    connection = sqlite3.connect(uri, uri=True, timeout=lock_timeout_s, isolation_level=None, check_same_thread=False)
    try:
        _set_up(connection)
        if not read_only:
            _use_wal(connection, lock_timeout_s)
        check_or_create(connection, str(file), create=not read_only)
    except (sqlite3.Error, LibraryError):
        connection.close()
        raise
    return connection


def _uri_mode(file: Path, read_only: bool) -> str:
    if not read_only:
        return "?mode=rwc"
    # In a folder that cannot be written SQLite cannot place the file that coordinates readers with a writer. Where
    # no write-ahead log lies beside the library nobody is writing, and it can be read without that file.
    log_file = file.with_name(file.name + "-wal")
    if not os.access(file.parent, os.W_OK) and not log_file.exists():
        return "?mode=ro&immutable=1"
    return "?mode=ro"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"The library folder {folder} cannot be made.", f"{error.strerror}.", "Choose another folder."
        ) from error


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # With a write-ahead log this survives a killed process; only a power cut may undo the last documents.
    connection.execute("PRAGMA synchronous = NORMAL")


def _use_wal(connection: sqlite3.Connection, lock_timeout_s: float) -> None:
    """Readers go on while one process writes. The mode stays in the file, so this acts once a library."""
    give_up = time.monotonic() + lock_timeout_s
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_S)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn SQLite's errors into ours.

    Raises:
        LibraryLockedError: another process kept writing for longer than the timeout.
        LibraryError: any other failure of the store.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, place) from error


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF  # the low byte is the primary code


def _translation(error: sqlite3.Error, place: str) -> LibraryError:
    code = _code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LibraryLockedError(
            f"The library {place} is being written.",
            "Another process kept the lock for longer than the timeout.",
            "Wait for it to finish, or stop it, and try again.",
        )
    why, remedy = {
        sqlite3.SQLITE_NOTADB: ("It is not a SQLite database.", "Choose another folder, or move that file away."),
        sqlite3.SQLITE_CORRUPT: ("The database is damaged.", "Restore a copy, or index the documents again."),
        sqlite3.SQLITE_READONLY: ("It cannot be written.", "Check the permissions, or open it with read_only=True."),
        sqlite3.SQLITE_CANTOPEN: ("The file cannot be opened.", "Check that the folder exists and can be written."),
        sqlite3.SQLITE_FULL: ("The disk is full.", "Free some space; what was stored before is intact."),
        sqlite3.SQLITE_IOERR: ("The disk failed to read or write.", "Check the disk, then try again."),
    }.get(code, (f"SQLite reports: {error}.", "Check the file with a copy, and report this if it happens again."))
    return LibraryError(f"The library {place} cannot be used.", why, remedy)
