"""The road of a document, in order. Read this file first.

::

    file ── read ──> Pages ── outline ──> Outline ── tree ──> PageTree ── describe ──> PageTree ── library ──> stored
                                                                              └─ search.postings ─┘

Each arrow is one function of one folder; this module alone joins them, and ``pipeline.model`` where a model helps.
Questions take the other road: ``search`` reads what is stored here.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pageindex_core.describe import describe
from pageindex_core.errors import InputError, ModelError, PageIndexError, UnexpectedError
from pageindex_core.library import folder_of
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.outline import find_headings
from pageindex_core.pipeline.report import Failure as Failure, IndexReport as IndexReport, Progress as Progress
from pageindex_core.pipeline.stored import (
    FINISHED,
    UNFINISHED,
    doc_id_of as doc_id_of,
    earlier_pages,
    kept_summaries,
    unchanged,
)
from pageindex_core.read import LoadedDocument, Source, identify, open_source, read_loaded, read_pages, survey
from pageindex_core.records import DocumentInfo, IndexedDocument, Pages, PageTree, Paths
from pageindex_core.search.postings import build_postings
from pageindex_core.tree import build_tree

if TYPE_CHECKING:
    from pageindex_core.llm.protocol import ChatModel
    from pageindex_core.pipeline.model import ModelRun

STAGES = ("read", "outline", "tree", "describe", "library", "search")
"""The folders, in the order in which a document passes through them."""

logger = logging.getLogger(__name__)

FORMAT = "4"
"""Part of every fingerprint: raised when the same bytes and options would give another stored document."""


def tree_of(pages: Pages, options: IndexOptions | None = None) -> PageTree:
    """Give the described tree of a document that was read, made without a model."""
    options = options or IndexOptions()
    outline = find_headings(pages, options.outline)
    tree = build_tree(pages, outline, options.tree)
    if options.tree.optimize == "full" and pages.has_text:
        from pageindex_core.pipeline.optimize import divided

        tree = divided(tree, pages.pages)
    return describe(tree, pages, options.describe)


def make_tree(
    source: str | Path | bytes,
    options: IndexOptions | None = None,
    *,
    name: str | None = None,
    media_type: str | None = None,
    model: str | ChatModel | ModelRun | None = None,
    model_options: ModelOptions | None = None,
) -> PageTree:
    """Give the described tree of a file or of bytes, storing nothing.

    Args:
        source: Path of a file, or the bytes of one.
        options: How each stage works.
        name: Name for people; its ending tells Markdown from text, as for bytes.
        media_type: ``text/markdown`` or ``text/plain`` where the name does not tell.
        model: Name or object of the model that finds structure and writes summaries; None works without one.
        model_options: What it does and may cost.

    Raises:
        InputError: the source cannot be read; the subclass says why.
        ModelAccessError: the model's provider refuses the key, or the quota is used up.
    """
    options = options or IndexOptions()
    run = _run_of(model, model_options)
    pages = read_pages(open_source(source, name=name, media_type=media_type), options.reading)
    if run is None:
        return tree_of(pages, options)
    from pageindex_core.pipeline.model import tree_with_model

    return tree_with_model(pages, options, run)[0]


def index_pages(
    pages: Pages,
    library: Library,
    *,
    folder: str = "/",
    options: IndexOptions | None = None,
    model: str | ChatModel | ModelRun | None = None,
    model_options: ModelOptions | None = None,
) -> tuple[DocumentInfo, bool]:
    """Index a document that was read; give its entry, and whether any work was needed.

    An earlier document of the same source is replaced, and left alone where nothing about it changed. See
    ``index_source`` for what a model does.
    """
    options = options or IndexOptions()
    run = _run_of(model, model_options, library)
    entry = _entry(pages.source_id, pages.name, pages.fingerprint, folder, pages.metadata, options, run)
    stored = unchanged(entry, library)
    return (stored, False) if stored else (_store(pages, entry, library, options, run), True)


def index_source(
    source: str | Path | bytes | Source,
    library: Library,
    *,
    source_id: str | None = None,
    name: str | None = None,
    folder: str = "/",
    metadata: Mapping[str, Any] | None = None,
    media_type: str | None = None,
    options: IndexOptions | None = None,
    model: str | ChatModel | ModelRun | None = None,
    model_options: ModelOptions | None = None,
) -> tuple[DocumentInfo, bool]:
    """Index one file or byte string; give its entry, and whether any work was needed.

    A source whose bytes, options, folder and metadata are unchanged is not read again. With a model, sections that are
    unchanged keep what the same model wrote for them, and a document that a budget left unfinished is completed. A
    document that a model described is left alone by a run without one.

    Args:
        source: Path of a file, its bytes, or what ``open_source`` gave.
        library: Where the document goes.
        source_id: Its identity; the path or a hash of the bytes when not given.
        name: Name for people; its ending tells Markdown from text, as for bytes.
        folder: Library folder.
        metadata: Attached to the document.
        media_type: ``text/markdown`` or ``text/plain`` where the name does not tell.
        options: How each stage works.
        model: Name or object of the model that finds structure and writes summaries; None works without one.
        model_options: What it does and may cost.

    Raises:
        InputError: the source cannot be read. The library then holds the status ``failed`` with the reason, and
            still serves what it had of that source. A path where there is no file leaves no entry.
        UnexpectedError: an ``InputError`` as well: a fault that nobody foresaw, kept as ``__cause__`` and logged.
        ModelAccessError: the model's provider refuses the key, or the quota is used up; the same holds.
    """
    options = options or IndexOptions()
    run = _run_of(model, model_options, library)
    if not isinstance(source, Source):
        given = source
        source_id, name = identify(given, source_id, name)
        try:
            source = open_source(given, source_id=source_id, name=name, metadata=metadata, media_type=media_type)
        except InputError as error:
            if isinstance(given, bytes) or Path(given).is_file():
                _fail(_entry(source_id, name, "", folder, metadata or {}, options, run), error, library)
            raise
    entry = _entry(source.source_id, source.name, source.fingerprint, folder, source.metadata, options, run)
    stored = unchanged(entry, library)
    if stored is not None:
        return stored, False
    library.set_status(replace(entry, status="reading"))
    try:
        pages = read_pages(source, options.reading)
        return _store(pages, entry, library, options, run), True
    except InputError as error:
        _fail(entry, error, library)
        raise
    except PageIndexError:
        raise  # of the library or the model: no fault of this document
    except Exception as error:  # one strange document must not end a run over thousands
        logger.exception("%s met an unexpected error", source.name, extra={"document": source.source_id})
        unexpected = UnexpectedError(
            f"{source.name} could not be indexed.",
            f"An unexpected {type(error).__name__} came up: {error}",
            "Please report it, with the traceback that was logged and, if you may, the file.",
        )
        _fail(entry, unexpected, library)
        raise unexpected from error


def index_paths(
    paths: Paths,
    library: Library,
    *,
    folder: str = "/",
    metadata: Mapping[str, Any] | None = None,
    options: IndexOptions | None = None,
    model: str | ChatModel | ModelRun | None = None,
    model_options: ModelOptions | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Index files, folders and globs. A source that fails is reported and the others go on.

    Args:
        paths: Files, folders (searched for known formats, sub-folders included, hidden ones not) and glob patterns.
        library: Where the documents go.
        folder: Library folder of all of them.
        metadata: Attached to each document.
        options: How each stage works.
        model: Name or object of the model that finds structure and writes summaries; None works without one.
        model_options: What it does and may cost; the limits hold for all the documents together.
        progress: Called after each source.

    Raises:
        ModelAccessError: the model's provider refuses the key, or the quota is used up. What was indexed is kept.
    """
    indexed: list[DocumentInfo] = []
    unchanged: list[DocumentInfo] = []
    failed: list[Failure] = []
    run = _run_of(model, model_options, library)
    found = survey(paths)
    for done, path in enumerate(found.files, start=1):
        try:
            info, worked = index_source(path, library, folder=folder, metadata=metadata, options=options, model=run)
        except InputError as error:
            failed.append(Failure(str(path), error))
            outcome = "failed"
        else:
            (indexed if worked else unchanged).append(info)
            outcome = "indexed" if worked else "unchanged"
        if progress is not None:
            progress(Progress(done, len(found.files), str(path), outcome))
    spent = run.model.meter.spent if run else None
    return IndexReport(tuple(indexed), tuple(unchanged), tuple(failed), spent, found.left_out)


def index_loaded(
    documents: Iterable[LoadedDocument],
    library: Library,
    *,
    folder: str = "/",
    keep_pages: bool = True,
    options: IndexOptions | None = None,
    model: str | ChatModel | ModelRun | None = None,
    model_options: ModelOptions | None = None,
) -> IndexReport:
    """Index documents that a framework has loaded, regrouped by source; unchanged sources are left alone.

    Pages may come in batches: those of a source in the library that are given without its first page, or whose
    ``total_pages`` says that there are more, are joined with the stored ones, and replace those of the same number.
    Given with the first page they are a new version; a note ``pages_dropped`` tells when it is shorter. Documents
    that name no page always replace what was stored of their source.

    Args:
        documents: What the framework's loaders gave, in any order.
        library: Where the documents go.
        folder: Library folder of all of them.
        keep_pages: False stores just the pages given, whatever was stored before.
        options: How each stage works.
        model: Name or object of the model that finds structure and writes summaries; None works without one.
        model_options: What it does and may cost.
    """
    indexed: list[DocumentInfo] = []
    unchanged: list[DocumentInfo] = []
    run = _run_of(model, model_options, library)
    earlier_of = partial(earlier_pages, library) if keep_pages else None
    for pages in read_loaded(documents, (options or IndexOptions()).read, earlier_of):
        info, worked = index_pages(pages, library, folder=folder, options=options, model=run)
        (indexed if worked else unchanged).append(info)
    return IndexReport(tuple(indexed), tuple(unchanged), spent=run.model.meter.spent if run else None)


def _run_of(
    model: str | ChatModel | ModelRun | None, options: ModelOptions | None, library: Library | None = None
) -> ModelRun | None:
    """The run that a model is part of: a new one, or the one that several documents share; None without a model."""
    if model is None:
        return None
    from pageindex_core.pipeline.model import ModelRun, open_run

    return model if isinstance(model, ModelRun) else open_run(model, options, folder=folder_of(library))


def _entry(
    source_id: str,
    name: str,
    content: str,
    folder: str,
    metadata: Mapping[str, Any],
    options: IndexOptions,
    run: ModelRun | None,
) -> DocumentInfo:
    """The entry of a document before any work, with the fingerprint of all that shapes what will be stored."""
    # The password opens the file and leaves no mark on the tree; neither does the number of processes.
    shaping = replace(options, read=replace(options.read, password=None, processes=None))
    given = sorted((str(key), repr(value)) for key, value in metadata.items())
    fingerprint = hashlib.sha256(f"{FORMAT}|{content}|{shaping!r}|{given!r}".encode("utf-8", "replace")).hexdigest()
    return DocumentInfo(
        doc_id=doc_id_of(source_id),
        source_id=source_id,
        name=name,
        fingerprint=f"{fingerprint}{FINISHED}{run.mark}" if run else fingerprint,
        status="queued",
        folder="/" + folder.strip("/"),
        metadata=dict(metadata),
    )


def _tree_for(
    pages: Pages, entry: DocumentInfo, library: Library, options: IndexOptions, run: ModelRun | None
) -> tuple[PageTree, DocumentInfo]:
    """The described tree, and the entry with the fingerprint of what was done."""
    if run is None:
        return tree_of(pages, options), entry
    from pageindex_core.pipeline.model import tree_with_model

    try:
        tree, is_complete = tree_with_model(pages, options, run, kept_summaries(entry, library, run))
    except ModelError as error:
        _fail(entry, error, library)
        raise
    if is_complete:
        return tree, entry
    return tree, replace(entry, fingerprint=entry.fingerprint.replace(FINISHED, UNFINISHED))


def _fail(entry: DocumentInfo, error: PageIndexError, library: Library) -> None:
    """Record why a document could not be indexed; what the library served of it, it still serves."""
    library.set_status(replace(entry, status="failed", error=str(error), indexed_at=_now()))


def _store(
    pages: Pages, entry: DocumentInfo, library: Library, options: IndexOptions, run: ModelRun | None
) -> DocumentInfo:
    """Outline, nest, describe and store a document that was read."""
    library.set_status(replace(entry, status="describing"))
    tree, entry = _tree_for(pages, entry, library, options, run)
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
