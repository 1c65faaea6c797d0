"""The road of a document, in order. Read this file first.

::

    file ── read ──> Pages ── outline ──> Outline ── tree ──> PageTree ── describe ──> PageTree ── library ──> stored
                                                                              └─ search.postings ─┘

Each arrow is one function of one folder; this module alone joins them. Questions take the other road:
``search`` reads what is stored here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pageindex_core.describe import describe
from pageindex_core.errors import InputError
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions
from pageindex_core.outline import find_headings
from pageindex_core.read import LoadedDocument, Source, find_sources, open_source, read_loaded, read_pages
from pageindex_core.records import DocumentInfo, IndexedDocument, Pages, PageTree
from pageindex_core.search.postings import build_postings
from pageindex_core.tree import build_tree

STAGES = ("read", "outline", "tree", "describe", "library", "search")
"""The folders, in the order in which a document passes through them."""

FORMAT = "1"
"""Part of every fingerprint: raised when the same bytes and options would give another stored document."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be indexed, and why."""

    source_id: str
    error: InputError


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of each source of one indexing run."""

    indexed: tuple[DocumentInfo, ...] = ()
    unchanged: tuple[DocumentInfo, ...] = ()
    failed: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """Told to the ``progress`` callback each time a source has been dealt with."""

    done: int
    total: int
    source_id: str
    outcome: str
    """``indexed``, ``unchanged`` or ``failed``."""


def tree_of(pages: Pages, options: IndexOptions | None = None) -> PageTree:
    """Give the described tree of a document that was read."""
    options = options or IndexOptions()
    outline = find_headings(pages, options.outline)
    tree = build_tree(pages, outline, options.tree)
    return describe(tree, pages, options.describe)


def make_tree(source: str | Path | bytes, options: IndexOptions | None = None) -> PageTree:
    """Give the described tree of a file or of bytes, storing nothing.

    Raises:
        InputError: the source cannot be read; the subclass says why.
    """
    options = options or IndexOptions()
    return tree_of(read_pages(open_source(source), options.read), options)


def index_pages(
    pages: Pages,
    library: Library,
    *,
    folder: str = "/",
    options: IndexOptions | None = None,
) -> tuple[DocumentInfo, bool]:
    """Index a document that was read; give its entry, and whether any work was needed.

    An earlier document of the same source is replaced, and left alone where nothing about it changed.
    """
    options = options or IndexOptions()
    entry = _entry(pages.source_id, pages.name, pages.fingerprint, folder, pages.metadata, options)
    stored = _unchanged(entry, library)
    return (stored, False) if stored else (_store(pages, entry, library, options), True)


def index_source(
    source: str | Path | bytes | Source,
    library: Library,
    *,
    source_id: str | None = None,
    name: str | None = None,
    folder: str = "/",
    metadata: Mapping[str, Any] | None = None,
    options: IndexOptions | None = None,
) -> tuple[DocumentInfo, bool]:
    """Index one file or byte string; give its entry, and whether any work was needed.

    A source whose bytes, options, folder and metadata are unchanged is not read again.

    Raises:
        InputError: the source cannot be read. The library then holds the status ``failed`` with the reason, and
            still serves what it had of that source.
    """
    options = options or IndexOptions()
    if not isinstance(source, Source):
        source = open_source(source, source_id=source_id, name=name, metadata=metadata)
    entry = _entry(source.source_id, source.name, source.fingerprint, folder, source.metadata, options)
    stored = _unchanged(entry, library)
    if stored is not None:
        return stored, False
    library.set_status(replace(entry, status="reading"))
    try:
        pages = read_pages(source, options.read)
    except InputError as error:
        library.set_status(replace(entry, status="failed", error=str(error), indexed_at=_now()))
        raise
    return _store(pages, entry, library, options), True


def index_paths(
    paths: str | Path | Iterable[str | Path],
    library: Library,
    *,
    folder: str = "/",
    metadata: Mapping[str, Any] | None = None,
    options: IndexOptions | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Index files, folders and globs. A source that fails is reported and the others go on.

    Args:
        paths: Files, folders (searched for known formats, sub-folders included) and glob patterns.
        library: Where the documents go.
        folder: Library folder of all of them.
        metadata: Attached to each document.
        options: How each stage works.
        progress: Called after each source.
    """
    indexed: list[DocumentInfo] = []
    unchanged: list[DocumentInfo] = []
    failed: list[Failure] = []
    sources = find_sources([paths] if isinstance(paths, (str, Path)) else paths)
    for done, path in enumerate(sources, start=1):
        try:
            info, worked = index_source(path, library, folder=folder, metadata=metadata, options=options)
        except InputError as error:
            failed.append(Failure(str(path), error))
            outcome = "failed"
        else:
            (indexed if worked else unchanged).append(info)
            outcome = "indexed" if worked else "unchanged"
        if progress is not None:
            progress(Progress(done, len(sources), str(path), outcome))
    return IndexReport(tuple(indexed), tuple(unchanged), tuple(failed))


def index_loaded(
    documents: Iterable[LoadedDocument],
    library: Library,
    *,
    folder: str = "/",
    options: IndexOptions | None = None,
) -> IndexReport:
    """Index documents that a framework has loaded, regrouped by source; unchanged sources are left alone."""
    indexed: list[DocumentInfo] = []
    unchanged: list[DocumentInfo] = []
    for pages in read_loaded(documents, (options or IndexOptions()).read):
        info, worked = index_pages(pages, library, folder=folder, options=options)
        (indexed if worked else unchanged).append(info)
    return IndexReport(tuple(indexed), tuple(unchanged))


def doc_id_of(source_id: str) -> str:
    """Give the document id of a source: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _entry(
    source_id: str, name: str, content: str, folder: str, metadata: Mapping[str, Any], options: IndexOptions
) -> DocumentInfo:
    """The entry of a document before any work, with the fingerprint of all that shapes what will be stored."""
    # The password opens the file and leaves no mark on the tree.
    shaping = replace(options, read=replace(options.read, password=None))
    given = sorted((str(key), repr(value)) for key, value in metadata.items())
    return DocumentInfo(
        doc_id=doc_id_of(source_id),
        source_id=source_id,
        name=name,
        fingerprint=hashlib.sha256(f"{FORMAT}|{content}|{shaping!r}|{given!r}".encode("utf-8", "replace")).hexdigest(),
        status="queued",
        folder="/" + folder.strip("/"),
        metadata=dict(metadata),
    )


def _unchanged(entry: DocumentInfo, library: Library) -> DocumentInfo | None:
    """The stored entry of the same source when neither it nor its place changed; else None."""
    if library.fingerprints().get(entry.source_id) != entry.fingerprint:
        return None
    stored = library.get(entry.doc_id)
    return stored if (stored.folder, stored.name) == (entry.folder, entry.name) else None


def _store(pages: Pages, entry: DocumentInfo, library: Library, options: IndexOptions) -> DocumentInfo:
    """Outline, nest, describe and store a document that was read."""
    library.set_status(replace(entry, status="describing"))
    tree = tree_of(pages, options)
    postings = build_postings(tree, pages)
    info = replace(
        entry,
        status="ready",
        media_type=pages.media_type,
        page_count=len(pages.pages),
        toc_source=tree.toc_source,
        description=tree.description,
        metadata=dict(pages.metadata),
        notes=pages.notes + tree.notes,
        indexed_at=_now(),
    )
    library.put(
        IndexedDocument(
            info=info,
            tree=tree,
            pages=pages.pages,
            postings=postings.data,
            terms=postings.terms,
            title_terms=postings.title_terms,
        )
    )
    return info


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
