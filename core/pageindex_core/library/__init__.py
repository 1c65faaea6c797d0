"""Takes trees with their pages, gives them back: many documents in one store that can be searched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pageindex_core.library.protocol import Library

__all__ = ["FILE_NAME", "open_library"]

FILE_NAME = "library.sqlite3"
"""The one file that a library folder holds while nobody writes."""


def open_library(path: str | Path | None = None, *, read_only: bool = False) -> Library:
    """Give the library in a folder, or a new one in memory.

    Args:
        path: The folder; made when it is missing, unless ``read_only``. None keeps the library in memory.
        read_only: Refuse to change anything. Works in a folder that cannot be written.

    Raises:
        SchemaVersionError: the library was written by another version.
        LibraryLockedError: another process kept it locked.
        LibraryError: there is none and it is to be read only, the file is not a library, or it cannot be opened.
    """
    # The contract is imported by everyone, SQLite only by those who open a library.
    from pageindex_core.library.sqlite import SqliteLibrary

    library = SqliteLibrary(None if path is None else Path(path) / FILE_NAME, read_only=read_only)
    library.check()
    return library
