"""Finds sources and says what they are, before anything is parsed."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pageindex_core.errors import EmptySourceError, SourceNotFoundError, UnsupportedFormatError

MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
}
"""File endings we read, lower case."""

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
) -> Source:
    """Load a file or take bytes, and tell the format by content first and by name second.

    Args:
        source: Path of a file, or the bytes of one.
        source_id: Identity of the document; the absolute path, or a hash of the bytes, when not given.
        name: Name for people; the file name when not given.
        metadata: Attached to the document.

    Raises:
        SourceNotFoundError: no such file, or it cannot be opened.
        EmptySourceError: no bytes in it.
        UnsupportedFormatError: not a PDF, Markdown or text file, or not what its name says.
    """
    if isinstance(source, bytes):
        data = source
        fingerprint = hashlib.sha256(data).hexdigest()
        source_id = source_id or f"bytes:{fingerprint[:32]}"
        name = name or source_id
    else:
        path = Path(source)
        data = _load(path)
        fingerprint = hashlib.sha256(data).hexdigest()
        source_id = source_id or os.path.abspath(path)
        name = name or path.name
    if not data:
        raise EmptySourceError(f"{name} is empty.", "It has no bytes.", "Check how the file was copied or downloaded.")
    return Source(data, source_id, name, _media_type(data, name), fingerprint, dict(metadata or {}))


def find_sources(paths: Iterable[str | Path]) -> list[Path]:
    """Give the files meant by files, folders and glob patterns, each once, in a stable order.

    Folders give the known formats in them and below. A file named outright is given whatever its ending; one that
    is missing is given too, so that opening it names the error.

    Raises:
        SourceNotFoundError: a glob pattern matches nothing.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            for below in sorted(path.rglob("*")):
                if below.suffix.lower() in MEDIA_TYPES and below.is_file():
                    found[below] = None
        elif not path.exists() and glob.has_magic(str(given)):
            matches = sorted(glob.glob(str(given), recursive=True))
            if not matches:
                raise SourceNotFoundError(
                    f"{given} matches no file.",
                    "The pattern was expanded from the current folder.",
                    "Check the pattern.",
                )
            found.update(dict.fromkeys(Path(match) for match in matches if Path(match).is_file()))
        else:
            found[path] = None
    return list(found)


def _load(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise SourceNotFoundError(f"{path} does not exist.", "There is nothing to read.", "Check the path.") from error
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
    expected = MEDIA_TYPES.get(Path(name).suffix.lower())
    if expected == "application/pdf":
        raise UnsupportedFormatError(
            f"{name} is not a PDF.",
            f"No PDF header in its first {_PDF_HEADER_WITHIN:,} bytes; it looks like {_guess(data)}.",
            "Fetch the real file, or give it the ending of its real format.",
        )
    if expected is None and b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnsupportedFormatError(
            f"{name} is not a format we read.", "It is binary and not a PDF.", "Convert it to PDF, Markdown or text."
        )
    return expected or "text/plain"


def _guess(data: bytes) -> str:
    head = data[:512].lstrip().lower()
    if head.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer"
    if head.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if head.startswith(b"pk\x03\x04"):
        return "a ZIP archive or office document"
    return "binary data" if b"\0" in head else "text"
