"""Opens a source and says what it is, before anything is parsed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pageindex_core.errors import EmptySourceError, OptionError, SourceNotFoundError, UnsupportedFormatError
from pageindex_core.read.formats import guess_format, refuse_unreadable

MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
}
"""File endings we read, lower case."""

_ENDING_OF = {media_type: ending for ending, media_type in reversed(MEDIA_TYPES.items())}
"""An ending for each media type."""

_PDF_HEADER_WITHIN = 1024
"""ISO 32000-1, annex H.3.4, note 13: readers accept the header anywhere in the first 1,024 bytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one document and what is known of it before reading."""

    data: bytes = field(repr=False)
    source_id: str
    name: str
    media_type: str
    fingerprint: str
    """SHA-256 of the bytes, hex."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def open_source(
    source: str | Path | bytes,
    *,
    source_id: str | None = None,
    name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    media_type: str | None = None,
) -> Source:
    """Load a file or take bytes, and tell the format by content first and by name second.

    Args:
        source: Path of a file, or the bytes of one.
        source_id: Identity of the document; the absolute path, or a hash of the bytes, when not given.
        name: Name for people; the file name when not given.
        metadata: Attached to the document.
        media_type: ``text/markdown`` or ``text/plain`` where name and content do not tell, as for bytes;
            a PDF is known by its content.

    Raises:
        SourceNotFoundError: no such file, or it cannot be opened.
        EmptySourceError: no bytes in it.
        UnsupportedFormatError: not a PDF, Markdown or text file, or not what its name or ``media_type`` says.
        OptionError: another ``media_type``.
    """
    if media_type is not None and media_type not in MEDIA_TYPES.values():
        known = ", ".join(dict.fromkeys(MEDIA_TYPES.values()))
        raise OptionError(f"media_type={media_type!r} is unknown.", f"It is one of {known}.", "Pass one, or none.")
    data = source if isinstance(source, bytes) else _load(source)
    source_id, name = identify(source, source_id, name)
    if not data:
        raise EmptySourceError(f"{name} is empty.", "It has no bytes.", "Check how the file was copied or downloaded.")
    found = _media_type(data, f"{name}{_ENDING_OF[media_type]}" if media_type else name)
    if media_type == "application/pdf" != found:
        raise UnsupportedFormatError(f"{name} is not a PDF.", "Its content is another.", "Leave media_type out.")
    return Source(data, source_id, name, found, hashlib.sha256(data).hexdigest(), dict(metadata or {}))


def identify(source: str | Path | bytes, source_id: str | None = None, name: str | None = None) -> tuple[str, str]:
    """Give identity and name of a source: what the caller says, else its path and file name, or a hash of the bytes."""
    if isinstance(source, bytes):
        source_id = source_id or f"bytes:{hashlib.sha256(source).hexdigest()[:32]}"
        return source_id, name or source_id
    return source_id or os.path.abspath(source), name or Path(source).name


def refuse_empty_path(path: str | Path) -> None:
    """Stop at a path without characters, which Python would take for the current folder.

    Raises:
        SourceNotFoundError: it is empty.
    """
    if not str(path).strip():
        raise SourceNotFoundError(
            "An empty path was given.", "It names no file; often a variable was not set.", "Name a file or folder."
        )


def _load(source: str | Path) -> bytes:
    refuse_empty_path(source)
    path = Path(source)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.listdir(path)  # a folder that may not be listed is told as that
        elif not stat.S_ISREG(mode):
            # Opening a named pipe would wait for whoever writes to it.
            raise UnsupportedFormatError(
                f"{path} is not a regular file.", "It is a pipe, socket or device.", "Save its content to a file first."
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        what = f"{path} is a link to nothing." if path.is_symlink() else f"{path} does not exist."
        raise SourceNotFoundError(what, "There is nothing to read.", "Check the path.") from error
    except IsADirectoryError as error:
        raise SourceNotFoundError(
            f"{path} is a folder.", "One file was expected.", "Use index_paths to index a folder."
        ) from error
    except OSError as error:
        raise SourceNotFoundError(
            f"{path} cannot be opened.", f"{error.strerror}.", "Check the permissions."
        ) from error


def _media_type(data: bytes, name: str) -> str:
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN]:
        return "application/pdf"
    ending = Path(name).suffix.lower()
    expected = MEDIA_TYPES.get(ending)
    if expected == "application/pdf":
        raise UnsupportedFormatError(
            f"{name} is not a PDF.",
            f"No PDF header in its first {_PDF_HEADER_WITHIN:,} bytes; it looks like {guess_format(data)}.",
            "Fetch the real file, or give it the ending of its real format.",
        )
    refuse_unreadable(data, name)
    return expected or "text/plain"
