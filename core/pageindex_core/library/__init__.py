"""Takes trees with their pages, gives them back: many documents in one store that can be searched."""

from __future__ import annotations

from pathlib import Path

from pageindex_core.errors import DocumentNotFoundError, OptionError
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.records import Scope

__all__ = ["FILE_NAME", "AnyLibrary", "as_library", "discard", "folder_of", "open_library", "refuse_path"]

FILE_NAME = "library.sqlite3"
"""The one file that a library folder holds while nobody writes."""

_IN_MEMORY = ":memory:"


AnyLibrary = Library | str | Path
"""An open library, or the path of one, which ``as_library`` opens."""


def open_library(path: str | Path | None = None, *, read_only: bool = False) -> Library:
    """Give the library in a folder, or a new one in memory.

    Args:
        path: The folder; made when it is missing, unless ``read_only``. None, and SQLite's name ":memory:", keep the
            library in memory.
        read_only: Refuse to change anything. Works in a folder that cannot be written.

    Raises:
        SchemaVersionError: the library was written by another version.
        LibraryLockedError: another process kept it locked.
        LibraryError: there is none and it is to be read only, the file is not a library, or it cannot be opened.
    """
    # The contract is imported by everyone, SQLite only by those who open a library.
    from pageindex_core.library.sqlite import SqliteLibrary

    file = None if path is None or path == _IN_MEMORY else Path(path) / FILE_NAME
    library = SqliteLibrary(file, read_only=read_only)
    library.check()
    return library


def as_library(library: AnyLibrary | None) -> Library:
    """Give the library that a caller means: an open one, the one in a folder, made when missing, or one in memory."""
    return open_library(library) if library is None or isinstance(library, (str, Path)) else library


def folder_of(library: Library | None) -> Path | None:
    """Give the folder that ``open_library`` opens a library from again; None where there is none."""
    folder = getattr(library, "folder", None)
    return None if folder is None else Path(folder)


def discard(library: Library, document: str, scope: Scope = ALL) -> bool:
    """Remove a document by its ``doc_id``, source or name; give whether it was there."""
    try:
        library.remove(document, scope)
    except DocumentNotFoundError:
        return False
    return True


def refuse_path(library: object, owner: str) -> None:
    """Refuse a path where a constructor takes an open library.

    Args:
        library: What was given.
        owner: The class, whose ``from_library`` takes paths.

    Raises:
        OptionError: it is a path.
    """
    if isinstance(library, (str, Path)):
        raise OptionError(
            "library= takes an open library, not a path.",
            "A constructor opens nothing.",
            f"Use {owner}.from_library({str(library)!r}).",
        )
