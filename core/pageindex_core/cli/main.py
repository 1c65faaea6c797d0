"""The command line ``pageindex-rag``: index, tree, search, ask, evaluate, show, list, remove.

Everything heavy is imported inside the command that needs it, so that ``--help`` and usage errors are immediate.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from pageindex_core import __version__
from pageindex_core.cli.ask import ask_library
from pageindex_core.cli.commands import (
    complain,
    index_documents,
    list_documents,
    remove_documents,
    search_library,
    show_pages,
    show_tree,
)
from pageindex_core.cli.evaluating import evaluate_library
from pageindex_core.cli.given import DEFAULT_LIBRARY
from pageindex_core.cli.tables import error_block
from pageindex_core.errors import PageIndexError

EXIT_UNEXPECTED = 1
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""
EXIT_BROKEN_PIPE = 141
"""128 + SIGPIPE: the reader of our output went away."""

_EPILOG = """\
Results go to standard output, messages to standard error.
Exit codes: 0 success, 1 unexpected, 2 a wrong option or argument, 3 a file that cannot be read,
4 the library or a document in it, 5 a language model, 130 interrupted, 141 the reader of the output went away.
"""

_JSON_KEYS = {
    "index": "indexed and unchanged (documents as in list), failed (source_id, error, kind), left_out (files\n"
    "  of other formats by ending), and with --model model (calls, cached, failed, input_tokens, cost_usd, ...)",
    "tree": "doc_name, structure (title, node_id, start_index, end_index, summary, key_items, nodes, ...), toc_source",
    "search": "question, hits (doc_id, doc_name, section_path, page_start, page_end, score, quotes, boxes, text,\n"
    "  ...), notes, and trace with --trace",
    "ask": "question, answer, found, answered_by (model or lexical), citations (doc_id, doc_name, page_number, quote,\n"
    "  verified, reason, ...), hits (as in search), notes, and trace with --trace",
    "evaluate": "questions (how many), figures (by navigator and k: page_recall, document_recall, tokens),\n"
    "  differences (retriever, than, k, mean, low, high), spent (by navigator: model_calls, failures, ...)",
    "show": "doc_id, doc_name, page_count, pages (page_number, page_label, text)",
    "list": "documents (doc_id, source_id, name, status, page_count, toc_source, folder, metadata, notes, ...)",
    "remove": "removed (documents as in list), failed (messages)",
}
"""Keys of each command's JSON object. They stay; others may join them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; argparse itself exits after ``--help`` and on usage errors."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal of few characters, or a file name of no encoding, must not end the work.
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except PageIndexError as error:
        complain(error_block(error))
        return error.exit_code
    except BrokenPipeError:
        # Python flushes standard output once more at exit, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except KeyboardInterrupt:
        complain("interrupted; documents that were finished are kept")
        return EXIT_INTERRUPTED
    except OSError as error:
        complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        return EXIT_UNEXPECTED
    return code


# The parser


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pageindex-rag",
        description="Retrieval from long documents by their own headings: no vectors, no model, no key.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pageindex-rag {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    index = _command(
        commands, "index", index_documents, "Index files, folders and glob patterns; unchanged ones are left alone."
    )
    index.add_argument("paths", nargs="+", metavar="PATH", help="PDF, Markdown or text file, folder or glob pattern")
    index.add_argument("--folder", default="/", help="library folder of these documents (default: /)")
    index.add_argument("--meta", action="append", default=[], metavar="KEY=VALUE", help="metadata; may be repeated")
    index.add_argument("--model", metavar="NAME", help="LiteLLM name; the model writes summaries and finds headings")
    index.add_argument("--api-base", metavar="URL", help="address of a gateway or local server")
    index.add_argument("--max-calls", type=int, metavar="N", help="most model calls; the next run completes the rest")
    index.add_argument(
        "--optimize",
        choices=("full", "merge", "off"),
        default="auto",
        help="full divides long sections where that makes reading cheaper (default: full with --model, else off); "
        "merging is a view and stores the same as off",
    )
    _add_reading(index)

    tree = _command(
        commands, "tree", show_tree, "Print the page tree of a stored document, or of a file read on the spot."
    )
    tree.add_argument("document", metavar="DOC|FILE", help="a file; else, or with --library, a stored document")
    tree.set_defaults(library=None)
    tree.add_argument("--depth", type=_positive, metavar="N", help="levels to show (default: all)")
    tree.add_argument("--summaries", action="store_true", help="show the summary of each section")
    tree.add_argument(
        "--optimize",
        choices=("off", "merge", "full"),
        default="off",
        help="merge what is read whole anyway; full divides long sections before, by weaker evidence of layout",
    )
    tree.add_argument("--decisions", action="store_true", help="with --optimize: each decision with its costs")
    _add_reading(tree)

    search = _command(commands, "search", search_library, "Find the sections that answer a question, best first.")
    search.add_argument("question", nargs="+", metavar="QUESTION", help='words, places ("table 3"), "quoted phrases"')
    search.add_argument("-k", type=int, default=5, metavar="N", help="how many hits (default: 5)")
    _add_scope(search)
    search.add_argument("--unit", choices=("auto", "section", "window", "page"), default="auto", help="what a hit is")
    search.add_argument("--max-tokens", type=int, metavar="N", help="cut the text of each hit around its best lines")
    mode = search.add_mutually_exclusive_group()
    mode.add_argument("--phrase", dest="mode", action="store_const", const="phrase", help="find the exact phrase")
    mode.add_argument("--regex", dest="mode", action="store_const", const="regex", help="find a regular expression")
    search.set_defaults(mode="words")
    search.add_argument("--trace", action="store_true", help="show how the answer came about")

    ask = _command(
        commands, "ask", ask_library, "Answer a question, with citations that are checked against the pages."
    )
    ask.add_argument("question", nargs="+", metavar="QUESTION", help="in plain words")
    ask.add_argument("--model", metavar="NAME", help="LiteLLM name; without one the best lines are quoted")
    ask.add_argument("--api-base", metavar="URL", help="address of a gateway or local server")
    ask.add_argument(
        "--navigator",
        choices=("lexical", "tree", "agent"),
        default="tree",
        help="how pages are found: by words, by the model's choice from a map (default), or by the model with tools",
    )
    ask.add_argument("-k", type=int, default=5, metavar="N", help="how many hits to read from (default: 5)")
    _add_scope(ask)
    ask.add_argument("--background", metavar="TEXT", help="what helps to understand the question")
    ask.add_argument("--max-calls", type=int, metavar="N", help="most model calls")
    ask.add_argument("--stream", action="store_true", help="print the answer as it is written")
    ask.add_argument("--trace", action="store_true", help="show how the answer came about, and what it cost")
    ask.add_argument("--trace-file", metavar="FILE", help="add the trace to this file, as JSON lines")

    evaluate = _command(
        commands, "evaluate", evaluate_library, "Tell how much of the evidence of your own questions is found."
    )
    evaluate.add_argument(
        "questions", metavar="FILE.jsonl", help='lines of {"question": "…", "document": "manual.pdf", "pages": [12]}'
    )
    evaluate.add_argument(
        "--navigator",
        action="append",
        choices=("lexical", "tree", "agent"),
        help="how pages are found (default: lexical); repeatable, and the others are compared with the first",
    )
    evaluate.add_argument("--model", metavar="NAME", help="LiteLLM name, for tree and agent")
    evaluate.add_argument("--api-base", metavar="URL", help="address of a gateway or local server")
    evaluate.add_argument(
        "-k",
        type=_positive,
        action="append",
        metavar="N",
        help="so many pages and hits count (default: 5 and 10); repeatable",
    )
    evaluate.add_argument("--unit", choices=("auto", "section", "window", "page"), default="auto", help="what a hit is")
    _add_scope(evaluate)

    show = _command(commands, "show", show_pages, "Print pages of a stored document.")
    show.add_argument("document", metavar="DOC", help="id, source or name")
    show.add_argument("pages", metavar="PAGES", help='"5", "3,7,10", "5-10", "1-3,7"; "label:iv" for a printed number')

    documents = _command(commands, "list", list_documents, "List the stored documents.")
    documents.add_argument("--folder", help="only this library folder and what is below")
    documents.add_argument("--sort", choices=("name", "indexed_at", "page_count"), default="name")
    documents.add_argument("--descending", action="store_true", help="the last one first")

    remove = _command(commands, "remove", remove_documents, "Remove documents from the library; the files stay.")
    remove.add_argument("documents", nargs="+", metavar="DOC", help="id, source or name")
    return parser


def _command(commands: Any, name: str, run: Any, description: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description,
        description=description,
        epilog=f"--json gives: {_JSON_KEYS[name]}\n\n{_EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--library", default=DEFAULT_LIBRARY, metavar="DIR", help=f"folder of the library (default: {DEFAULT_LIBRARY})"
    )
    parser.add_argument("--json", action="store_true", help="JSON for programs instead of text for people")
    return parser


def _add_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--doc", action="append", default=[], metavar="DOC", help="only this document; may be repeated")
    parser.add_argument("--folder", help="only this library folder and what is below")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="metadata condition (= != > >= < <=); repeatable",
    )


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--password", help="user password of encrypted PDF files")
    parser.add_argument("--no-bookmarks", action="store_true", help="find the headings without the PDF's own outline")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("has to be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
