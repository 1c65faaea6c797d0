"""Takes documents that a framework has loaded, gives ``Pages``: regrouped by source, in page order."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pageindex_core.options import ReadOptions
from pageindex_core.read.batches import Earlier, dropped_note, goes_on, join_pages
from pageindex_core.read.breaking import break_lines
from pageindex_core.read.decode import clean_line, split_lines
from pageindex_core.read.page_numbers import PAGE_KEYS, Numbering, missing_note, number_pages, source_is_page
from pageindex_core.read.paging import Body, keep_first_pages
from pageindex_core.read.source import MEDIA_TYPES
from pageindex_core.read.text import text_body
from pageindex_core.records import Line, Note, Page, Pages

_SOURCE_KEYS = ("source", "file_path", "file_name")
"""Where LangChain's loaders and LlamaIndex's readers say which file a document comes from, the surest first."""

_HASH_COMMENTS = (
    *(".bash", ".cfg", ".cmake", ".conf", ".csv", ".env", ".ini", ".ipynb", ".jl", ".json", ".jsonl", ".mk"),
    *(".pl", ".ps1", ".py", ".r", ".rb", ".sh", ".sql", ".toml", ".tsv", ".yaml", ".yml"),
)
"""Endings of files in which a line that starts with ``#`` is a comment or data, never a Markdown heading."""

_DEEPEST_VALUE = 6
"""Metadata nested deeper than this is kept as its text; nothing real is, and a value may contain itself."""


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A framework's document, in plain terms: a whole file, one page of it, or a piece of a page."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    """The framework's id; the document's source where its metadata names none."""


def read_loaded(
    documents: Iterable[LoadedDocument],
    options: ReadOptions,
    earlier_of: Callable[[str], Earlier | None] | None = None,
) -> list[Pages]:
    """Give one ``Pages`` for each source among the documents, in order of first appearance.

    Where metadata names pages, each becomes a page of its physical number; several documents of one page are joined
    in order of arrival and pages not given stay empty. Documents without pages are joined and read as Markdown, when
    the source's name or headings say so, or as plain text. Metadata that all documents of a source share is kept.

    Args:
        documents: What the loaders gave, in any order.
        options: Page size for texts without pages, and the most pages to read.
        earlier_of: Gives what is stored of a source, so that pages given in batches are joined: see ``batches``.
            None reads what is given alone.
    """
    groups: dict[str, list[LoadedDocument]] = {}
    for document in documents:
        groups.setdefault(source_of_loaded(document), []).append(document)
    return [
        _read_group(source_id, group, options, earlier_of(source_id) if earlier_of else None)
        for source_id, group in groups.items()
    ]


def _read_group(
    source_id: str, group: Sequence[LoadedDocument], options: ReadOptions, earlier: Earlier | None
) -> Pages:
    name = _name_of(source_id)
    plain = [_document_metadata(document) for document in group]
    numbering = number_pages([document.metadata for document in group], earlier)
    if numbering is not None:
        media_type = "application/pdf"
        body, is_joined = _paged_body(group, numbering, earlier)
        if earlier and is_joined:
            plain.append(earlier.metadata)
        fingerprint = _fingerprint((f"{page.page_number}|{page.page_label or ''}", page.text) for page in body.pages)
        body = keep_first_pages(body, options.max_pages)
    else:
        media_type, body = _unpaged_body(group, name, options)
        fingerprint = _fingerprint(("", document.text) for document in group)
    shared, notes = _shared_metadata(plain)
    return Pages(
        source_id=source_id,
        name=name,
        media_type=media_type,
        fingerprint=fingerprint,
        pages=body.pages,
        metadata={**body.metadata, **shared},
        headings=body.headings,
        notes=(*body.notes, *notes),
    )


def _paged_body(group: Sequence[LoadedDocument], numbering: Numbering, earlier: Earlier | None) -> tuple[Body, bool]:
    # The pages, and whether earlier ones are among them.
    lines: dict[int, list[Line]] = {}
    for document, number in zip(group, numbering.numbers, strict=True):
        lines.setdefault(number, []).extend(break_lines(map(clean_line, document.text.splitlines())))
    given = {number: Page(number, tuple(lines[number]), numbering.labels.get(number)) for number in lines}
    if earlier is not None and goes_on(frozenset(given), earlier, numbering.total):
        pages = join_pages(given, earlier, numbering.total)
        return Body(pages, notes=(*numbering.notes, *missing_note(pages, given))), True
    pages = join_pages(given, Earlier(()), None)
    dropped = dropped_note(pages, earlier) if earlier else None
    return Body(pages, notes=(*numbering.notes, *missing_note(pages, given), *([dropped] if dropped else ()))), False


def _unpaged_body(group: Sequence[LoadedDocument], name: str, options: ReadOptions) -> tuple[str, Body]:
    # Several documents of one source, in order, with a blank line between them so that no two paragraphs run together.
    lines = split_lines("\n\n".join(document.text.removeprefix("\ufeff") for document in group))
    if not any(line.strip() for line in lines):
        note = Note("text_missing", "The loaded documents of this source hold no text.")
        return "text/plain", Body((Page(1, (), first_line_number=1),), notes=(note,))
    ending = Path(name).suffix.lower()
    if MEDIA_TYPES.get(ending) == "text/markdown" or (ending not in _HASH_COMMENTS and _has_hash_headings(lines)):
        from pageindex_core.read.markdown import markdown_body  # the parser is loaded when Markdown is met

        return "text/markdown", markdown_body(lines, options)
    return "text/plain", text_body(lines, options)


def _has_hash_headings(lines: Sequence[str]) -> bool:
    # The parser tells whether a line is a heading; it is asked only where one looks like it.
    if not any(re.match(r" {0,3}#{1,6}(?:[ \t]|$)", line) for line in lines):
        return False
    from pageindex_core.read.markdown import find_openings

    openings, _ = find_openings([clean_line(line) for line in lines])
    return any(opening.markup.startswith("#") for opening in openings)


def source_of_loaded(document: LoadedDocument) -> str:
    """Give the source of a document: as its metadata names it, else its id, else a name made of its text."""
    for key in _SOURCE_KEYS:
        value = document.metadata.get(key)
        if key == "source" and source_is_page(document.metadata):
            continue
        if isinstance(value, (str, os.PathLike)) and str(value).strip():
            return str(value)
    if document.id:
        return document.id
    return f"text:{hashlib.sha256(_bytes(document.text)).hexdigest()[:32]}"


def _name_of(source_id: str) -> str:
    # The file name of a path, Windows or other, or of a URL; all of it where it has none.
    if "://" in source_id:
        try:
            parts = urlsplit(source_id)
        except ValueError:  # such as a host with an unclosed bracket
            return source_id
        return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc or source_id
    return re.split(r"[/\\]", source_id.rstrip("/\\"))[-1] or source_id


def _document_metadata(document: LoadedDocument) -> Mapping[str, Any]:
    # What may be said of the whole document, in JSON's types.
    skipped = PAGE_KEYS | {"source"} if source_is_page(document.metadata) else PAGE_KEYS
    return {str(key): _plain(value) for key, value in document.metadata.items() if key not in skipped}


def _shared_metadata(plain: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[Note]]:
    first = plain[0]
    shared = {
        key: value for key, value in first.items() if all(key in entry and entry[key] == value for entry in plain)
    }
    differing = sorted({key for entry in plain for key in entry} - set(shared))
    if not differing:
        return shared, []
    message = f"Metadata that differs between the documents of this source was left out: {', '.join(differing)}."
    return shared, [Note("metadata_differs", message)]


def _plain(value: Any, depth: int = 0) -> Any:
    # The value in JSON's types; dates, paths and the like as their text.
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if depth < _DEEPEST_VALUE and isinstance(value, Mapping):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    if depth < _DEEPEST_VALUE and isinstance(value, (list, tuple, set, frozenset)):
        entries = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        return [_plain(entry, depth + 1) for entry in entries]
    return str(value)


def _fingerprint(parts: Iterable[tuple[str, str]]) -> str:
    # Of a mark and a text each. Pages have the same one whether they came at once or in batches.
    digest = hashlib.sha256()
    for mark, text in parts:
        data = _bytes(text)
        digest.update(_bytes(f"{mark}|{len(data)}|") + data)
    return digest.hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
