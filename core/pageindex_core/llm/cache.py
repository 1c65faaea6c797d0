"""Replies on disk, so that a run that broke off goes on without paying twice.

A reply is found again by the name of the model, the version of the prompt and the full content of the request; only the
random marks of fences are left out, since they differ between calls that are alike. Many processes may share a file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pageindex_core.errors import LibraryError, SchemaVersionError
from pageindex_core.llm.prompts.fence import without_marks
from pageindex_core.llm.protocol import ModelReply, ModelRequest, ToolCall, Usage

CACHE_VERSION = 1
"""Written into the file; a file of another version is refused, not misread."""

BUSY_S = 30.0
"""Longest wait for another process; a reply is written in a millisecond."""

_TABLE = """
CREATE TABLE IF NOT EXISTS reply (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, purpose TEXT NOT NULL, prompt_version TEXT NOT NULL,
    reply TEXT NOT NULL, stored_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""

_inherited: list[sqlite3.Connection] = []
"""Connections that came over a fork. They are kept and left alone: even closing one could harm the parent's file."""


class ReplyCache:
    """Replies in one SQLite file. Safe for threads and processes; what was put survives a kill.

    One connection stays open as long as the object is in use: the last one to close moves all that was written into
    place and waits for the disk, which for each reply anew takes longer than many a call.

    Args:
        path: the file; it is made where there is none, with its folders.

    Raises:
        LibraryError: the file cannot be used, with its cause.
    """

    def __init__(self, path: str | Path) -> None:
        self._set_up(Path(path))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from error
        with self._open() as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version not in (0, CACHE_VERSION):
                    raise SchemaVersionError(
                        f"The cache {self.path} has version {version}.",
                        f"This program writes version {CACHE_VERSION}.",
                        "Delete the file, or name another one.",
                    )
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version={CACHE_VERSION}")

    def _set_up(self, path: Path) -> None:
        self.path = path
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def __getstate__(self) -> Path:
        return self.path

    def __setstate__(self, path: Path) -> None:
        self._set_up(path)

    def get(self, model: str, request: ModelRequest) -> ModelReply | None:
        """Give the stored reply, marked as cached and free of cost; None where there is none."""
        key = cache_key(model, request)
        with self._open() as connection:
            row = connection.execute("SELECT reply FROM reply WHERE key = ?", (key,)).fetchone()
        return None if row is None else _decode(row[0])

    def put(self, model: str, request: ModelRequest, reply: ModelReply) -> None:
        """Store a reply; an older one to the same request is replaced."""
        row = (cache_key(model, request), model, request.purpose, request.prompt_version, _encode(reply))
        with self._open() as connection, connection:
            connection.execute(
                "INSERT OR REPLACE INTO reply (key, model, purpose, prompt_version, reply) VALUES (?, ?, ?, ?, ?)", row
            )

    def __len__(self) -> int:
        with self._open() as connection:
            return int(connection.execute("SELECT count(*) FROM reply").fetchone()[0])

    def clear(self) -> None:
        """Remove every reply."""
        with self._open() as connection, connection:
            connection.execute("DELETE FROM reply")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection, to one thread at a time."""
        if self._process != os.getpid():
            _inherited.extend([self._connection] if self._connection else [])
            self._set_up(self.path)
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = sqlite3.connect(
                        self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
                    )
                    weakref.finalize(self, _close, self._connection, self._process)
                    self._connection.execute("PRAGMA synchronous=NORMAL")
                yield self._connection
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> LibraryError:
        return LibraryError(
            f"The cache {self.path} cannot be used.", f"{error}.", "Name another file, delete this one, or run without."
        )


def _close(connection: sqlite3.Connection, process: int) -> None:
    if process == os.getpid():
        connection.close()
    else:
        _inherited.append(connection)


def cache_key(model: str, request: ModelRequest) -> str:
    """Give the key of a request: a hash over the model, the prompt's version and all content."""
    content = json.dumps(
        {
            "model": model,
            "messages": [dataclasses.asdict(message) for message in request.messages],
            "purpose": request.purpose,
            "prompt_version": request.prompt_version,
            "schema": request.schema,
            "tools": [(tool.name, tool.description, dict(tool.parameters)) for tool in request.tools],
            "max_output_tokens": request.max_output_tokens,
            "choices": request.choices,
        },
        ensure_ascii=True,
        sort_keys=True,
        default=dict,
    )
    return hashlib.sha256(without_marks(content).encode()).hexdigest()


def _encode(reply: ModelReply) -> str:
    return json.dumps(dataclasses.asdict(reply), ensure_ascii=True, default=dict)


def _decode(text: str) -> ModelReply:
    held = json.loads(text)
    usage = Usage(**{**held["usage"], "cost_usd": 0.0})
    calls = tuple(ToolCall(**call) for call in held["tool_calls"])
    changes = {"usage": usage, "tool_calls": calls, "notes": tuple(held["notes"]), "cached": True, "seconds": 0.0}
    return ModelReply(**{**held, **changes})
