"""What each command of ``pageindex-rag`` does with its parsed arguments. Package-private.

Each gives its exit code. Everything heavy is imported inside the command that needs it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pageindex_core.cli.given import (
    conditions,
    find_files,
    get_document,
    index_options,
    load_tree,
    metadata_of,
    open_to_read,
)
from pageindex_core.cli.tables import (
    ProgressBar,
    document_table,
    error_block,
    hit_json,
    hit_lines,
    left_out_line,
    line_width,
    note_lines,
    page_lines,
    plain,
    print_json,
    spent_line,
    trace_lines,
)
from pageindex_core.errors import (
    DocumentNotFoundError,
    OptionError,
)

if TYPE_CHECKING:
    from pageindex_core.library.protocol import Library
    from pageindex_core.pipeline.model import ModelRun
    from pageindex_core.records import DocumentInfo, Note, Section
    from pageindex_core.tree.optimize import MergeReport


# Commands


def index_documents(arguments: argparse.Namespace) -> int:
    """Index files, and report what became of each."""
    from pageindex_core.library import open_library
    from pageindex_core.pipeline import index_paths

    options, metadata = index_options(arguments), metadata_of(arguments.meta)
    options = replace(options, tree=replace(options.tree, optimize=arguments.optimize))
    found, failed, left_out = find_files(arguments.paths)
    # Where nothing exists, nothing is stored, and a mistyped path leaves no library behind.
    library = open_library(arguments.library if any(path.exists() for path in found) else None)
    report = index_paths(
        found,
        library,
        folder=arguments.folder,
        metadata=metadata,
        options=options,
        model=_model_run(arguments, library),
        progress=ProgressBar(sys.stderr),
    )
    library.close()
    failed += report.failed
    if arguments.json:
        failures = [
            {"source_id": one.source_id, "error": str(one.error), "kind": type(one.error).__name__} for one in failed
        ]
        shown: dict[str, Any] = {"indexed": report.indexed, "unchanged": report.unchanged, "failed": failures}
        shown["left_out"] = left_out
        print_json(shown if report.spent is None else {**shown, "model": report.spent})
    else:
        if left_out:
            print(plain(left_out_line(left_out)))
        _print_report(report.indexed, report.unchanged, len(failed), arguments.library)
        if report.spent is not None:
            print(spent_line(report.spent))
    sys.stdout.flush()
    for failure in failed:
        complain(f"failed: {error_block(failure.error, failure.source_id)}")
    codes = [failure.error.exit_code for failure in failed]
    return min(codes, default=0)  # 1, for a fault of ours, before 3, for a file that cannot be read


def _model_run(arguments: argparse.Namespace, library: Library) -> ModelRun | None:
    """The run of the model that is named; None without one."""
    if arguments.model is None:
        unused = [name for name in ("api_base", "max_calls") if getattr(arguments, name) is not None]
        if unused:
            flag = "--" + unused[0].replace("_", "-")
            raise OptionError(f"{flag} goes with --model.", "No model is named.", "Name one, or leave it out.")
        return None
    from pageindex_core.options import ModelOptions
    from pageindex_core.pipeline.model import open_run

    options = ModelOptions(max_calls=arguments.max_calls)
    folder = getattr(library, "folder", None)
    return open_run(arguments.model, options, folder=folder, api_base=arguments.api_base)


def _print_report(
    indexed: Sequence[DocumentInfo], unchanged: Sequence[DocumentInfo], failed: int, library: str
) -> None:
    for outcome, infos in (("indexed", indexed), ("unchanged", unchanged)):
        for info in infos:
            found = "unreadable" if info.toc_source == "unreadable" else f"structure from {info.toc_source}"
            text = f"{outcome}  {info.name}  ({info.page_count} pages, {found})"
            print(plain(text))
            _print_lines(f"  {line}" for line in note_lines(info.notes))
    where = f"; library {library}" if indexed or unchanged else ""
    print(f"{len(indexed)} indexed, {len(unchanged)} unchanged, {failed} failed{where}")


def show_tree(arguments: argparse.Namespace) -> int:
    """Print the tree of a file or of a stored document."""
    from pageindex_core.tree import print_tree, tree_to_json

    tree, pages = load_tree(arguments)
    measures: list[str] = []
    if arguments.optimize != "off":
        from pageindex_core.pipeline.optimize import optimized

        tree, report = optimized(tree, pages, arguments.optimize, descriptions=arguments.summaries)
        measures = [f"  {line}" for line in report.decisions] if arguments.decisions else []
        measures.append(_measures(report, "merged" if arguments.optimize == "merge" else "optimised"))
    if arguments.json:
        if arguments.depth is not None:
            tree = replace(tree, sections=_pruned(tree.sections, arguments.depth))
        print_json(tree_to_json(tree))
        return 0
    text = print_tree(tree, depth=arguments.depth, summaries=arguments.summaries)
    _print_lines(plain(line) for line in text.splitlines())
    _print_lines(map(plain, measures))
    _print_notes(tree.notes)
    return 0


def _measures(report: MergeReport, done: str) -> str:
    (leaves, fewer), (depth, flatter) = report.leaves, report.depth
    (worst, best), (average, lower) = report.worst_cost, report.average_cost
    return (
        f"{done}: leaves {leaves} -> {fewer}, depth {depth} -> {flatter}, "
        f"pages read at worst {worst:.0f} -> {best:.0f}, on average {average:.1f} -> {lower:.1f}"
    )


def search_library(arguments: argparse.Namespace) -> int:
    """Print the hits of a question."""
    from pageindex_core.records import Scope
    from pageindex_core.search import search

    where = conditions(arguments.where)
    library = open_to_read(arguments)
    scope = Scope(folder=arguments.folder, where=where)
    if arguments.doc:
        within = Scope(folder=arguments.folder)
        scope = replace(scope, documents=tuple(get_document(library, name, within).doc_id for name in arguments.doc))
    result = search(
        library,
        " ".join(arguments.question),
        k=arguments.k,
        scope=scope,
        unit=arguments.unit,
        max_tokens=arguments.max_tokens,
        mode=arguments.mode,
    )
    library.close()
    if arguments.json:
        found: dict[str, Any] = {
            "question": result.question,
            "hits": [hit_json(hit) for hit in result.hits],
            "notes": result.notes,
        }
        print_json({**found, "trace": result.trace} if arguments.trace else found)
        return 0
    _print_lines(hit_lines(result))
    if not result.hits:
        is_cut = any(note.code == "search_cut" for note in result.notes)
        complain("nothing found so far: see below" if is_cut else "nothing found: no document in the scope has it")
    if arguments.trace:
        _print_lines(trace_lines(result))
    _print_notes(result.notes)
    return 0


def show_pages(arguments: argparse.Namespace) -> int:
    """Print pages of a stored document."""
    from pageindex_core.page_ranges import FORMS, select_pages

    library = open_to_read(arguments)
    info = get_document(library, arguments.document)
    everything = library.pages(info.doc_id)
    library.close()
    numbers, missing = select_pages(arguments.pages, [page.page_label for page in everything])
    if not numbers:
        raise OptionError(
            f"{info.name} has no page {', '.join(missing)}.", f"It has {info.page_count} pages, counted from 1.", FORMS
        )
    pages = [everything[number - 1] for number in numbers]
    if arguments.json:
        shown = [{"page_number": page.page_number, "page_label": page.page_label, "text": page.text} for page in pages]
        print_json({"doc_id": info.doc_id, "doc_name": info.name, "page_count": info.page_count, "pages": shown})
    else:
        _print_lines(page_lines(info, pages))
    if missing:
        sys.stdout.flush()
        complain(f"{info.name} has {info.page_count} pages; not all of {', '.join(missing)} are there")
    return 0


def list_documents(arguments: argparse.Namespace) -> int:
    """Print the entries of the library."""
    from pageindex_core.records import Scope

    library = open_to_read(arguments)
    infos = library.list(Scope(folder=arguments.folder), sort=arguments.sort, descending=arguments.descending)
    library.close()
    if arguments.json:
        print_json({"documents": infos})
    elif infos:
        _print_lines(document_table(infos, line_width(sys.stdout)))
    else:
        complain("no documents")
    return 0


def remove_documents(arguments: argparse.Namespace) -> int:
    """Remove documents, and report which were not there."""
    from pageindex_core.library import open_library

    open_to_read(arguments).close()  # names a missing library; opening one to write would make it
    library = open_library(arguments.library)
    removed: list[DocumentInfo] = []
    unknown: list[DocumentNotFoundError] = []
    for name in arguments.documents:
        try:
            removed.append(library.remove(get_document(library, name).doc_id))
        except DocumentNotFoundError as missing:
            unknown.append(missing)
    library.close()
    if arguments.json:
        print_json({"removed": removed, "failed": [str(error) for error in unknown]})
    else:
        _print_lines(plain(f"removed  {info.name}  ({info.doc_id})") for info in removed)
    sys.stdout.flush()
    for error in unknown:
        complain(error_block(error))
    return unknown[0].exit_code if unknown else 0


def _pruned(sections: Sequence[Section], depth: int) -> tuple[Section, ...]:
    if depth < 1:
        return ()
    return tuple(replace(section, children=_pruned(section.children, depth - 1)) for section in sections)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _print_notes(notes: Sequence[Note]) -> None:
    sys.stdout.flush()
    for line in note_lines(notes):
        print(line, file=sys.stderr)


def complain(text: str) -> None:
    """Say what is wrong, on standard error."""
    print(f"pageindex-rag: {text}", file=sys.stderr)
