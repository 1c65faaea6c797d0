"""From what is typed to what the core takes: files, documents, options, metadata and filters. Package-private.

Everything heavy is imported inside the function that needs it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pageindex_core.errors import (
    DocumentNotFoundError,
    EmptySourceError,
    InputError,
    OptionError,
    SourceNotFoundError,
)

if TYPE_CHECKING:
    from pageindex_core.library.protocol import Library
    from pageindex_core.options import IndexOptions
    from pageindex_core.pipeline import Failure
    from pageindex_core.records import DocumentInfo, Page, PageTree, Scope

DEFAULT_LIBRARY = ".pageindex"
"""The library's folder, in the current one, as tools such as Git keep theirs."""

_CONDITION = re.compile(r"(?P<key>[^=!<>]+)(?P<operator>!=|>=|<=|=|>|<)(?P<value>.*)", re.DOTALL)
_OPERATORS = {"=": "$in", "!=": "$nin", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}


def find_files(paths: Sequence[str]) -> tuple[list[Path], list[Failure], dict[str, int]]:
    """Give the files that are meant, and what is left out; a pattern or folder that gives none is a failure."""
    from pageindex_core.pipeline import Failure
    from pageindex_core.read import survey

    found: dict[Path, None] = {}
    failed: list[Failure] = []
    left_out: Counter[str] = Counter()
    for path in paths:
        try:
            below = survey([path])
        except InputError as error:
            failed.append(Failure(path, error))
            continue
        found.update(dict.fromkeys(below.files))
        left_out.update(below.left_out)
        if not below.files:
            nothing = EmptySourceError(
                f"{path} holds no document.",
                "PDF, Markdown and text files are looked for, by their ending, in it and below.",
                "Name a file outright to have it read whatever its ending.",
            )
            failed.append(Failure(path, nothing))
    return list(found), failed, dict(left_out.most_common())


def load_tree(arguments: argparse.Namespace) -> tuple[PageTree, Sequence[Page]]:
    """Give the tree and pages of a file, read on the spot, or else of a stored document."""
    given: str = arguments.document
    if arguments.library is None and Path(given).exists():
        from pageindex_core.pipeline import tree_of
        from pageindex_core.read import open_source, read_pages

        options = index_options(arguments)
        pages = read_pages(open_source(given), options.reading)
        tree = tree_of(pages, options)
        return replace(tree, notes=pages.notes + tree.notes), pages.pages
    arguments.library = arguments.library or DEFAULT_LIBRARY
    if not Path(arguments.library).exists():
        raise SourceNotFoundError(
            f"{given} is not a file.",
            f"It cannot be a stored document either: there is no library in {arguments.library}.",
            "Check the path, or name the library with --library.",
        )
    library = open_to_read(arguments)
    doc_id = get_document(library, given).doc_id
    tree = library.tree(doc_id)
    stored = library.pages(doc_id) if arguments.optimize == "full" else ()
    library.close()
    return tree, stored


def open_to_read(arguments: argparse.Namespace) -> Library:
    """Give the library that is named, for reading alone."""
    from pageindex_core.library import open_library

    return open_library(arguments.library, read_only=True)


def get_document(library: Library, document: str, scope: Scope | None = None) -> DocumentInfo:
    """Give the entry of a document named by id, source, name, or a path relative to the current folder."""
    from pageindex_core.records import Scope

    scope = scope or Scope()
    try:
        return library.get(document, scope)
    except DocumentNotFoundError as unknown:
        try:
            return library.get(os.path.abspath(document), scope)
        except DocumentNotFoundError:
            raise unknown from None


def index_options(arguments: argparse.Namespace) -> IndexOptions:
    """Give the options for reading files and building trees."""
    from pageindex_core.options import IndexOptions, OutlineOptions, ReadOptions

    return IndexOptions(
        read=ReadOptions(password=arguments.password),
        outline=OutlineOptions(use_bookmarks=not arguments.no_bookmarks),
    )


def metadata_of(entries: Sequence[str]) -> dict[str, Any]:
    """Give the metadata that all entries make, each ``key=value``."""
    metadata: dict[str, Any] = {}
    for entry in entries:
        key, equals, value = entry.partition("=")
        if not key.strip() or not equals:
            raise OptionError(
                f"--meta {entry!r} cannot be read.", "It takes key=value.", "Write --meta year=2024, say."
            )
        metadata[key.strip()] = _value(value)
    return metadata


def conditions(entries: Sequence[str]) -> dict[str, Any] | None:
    """Give the filter that all conditions make; equality finds a value stored as number and one stored as text."""
    conditions = []
    for entry in entries:
        match = _CONDITION.fullmatch(entry)
        if match is None or not match["key"].strip():
            raise OptionError(
                f"--where {entry!r} cannot be read.",
                "It takes key=value, with =, !=, >, >=, < or <=.",
                "Write --where year=2024, say.",
            )
        operand = value = _value(match["value"])
        if match["operator"] in ("=", "!="):
            operand = [value] if value == match["value"] else [value, match["value"]]
        conditions.append({match["key"].strip(): {_OPERATORS[match["operator"]]: operand}})
    return {"$and": conditions} if conditions else None


def _value(text: str) -> Any:
    """Give a number, true, false, null or quoted text as JSON has it, and all else as the text it is."""
    if text.lstrip()[:1] in ("[", "{"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, float) and not math.isfinite(value) else value
