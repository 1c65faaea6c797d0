"""Makes page trees through the public call and writes them as JSON, for a scorer to read.

Usage: python tests/benchmarks/write_trees.py --pdfs DIR [--docs FILE.jsonl] [--ignore-bookmarks | --text-alone]
                                              [--optimize off|merge] --out DIR

The documents are those that the lines of FILE.jsonl name as "doc", each once, or all PDFs of the folder. For each,
OUT/NAME.json holds the tree in its JSON form (``structure``, ``toc_source``, …) and ``seconds``, what make_tree took.
--text-alone gives the text of each page as a framework's loader does, without places, fonts and bookmarks.
With --optimize off it is the tree as the library stores it; with merge, the shorter view for readers of the map.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2

from pageindex_core import IndexOptions, LoadedDocument, OutlineOptions, PageIndexError, make_tree
from pageindex_core.pipeline import tree_of
from pageindex_core.read import read_loaded
from pageindex_core.records import PageTree
from pageindex_core.tree import merge_tree, tree_to_json


def main() -> int:
    """Make and write each tree; give the exit code: 1 where a document could not be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--docs", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--ignore-bookmarks", action="store_true", help="find headings without the file's own outline")
    parser.add_argument("--text-alone", action="store_true", help="find headings in what a loader gives")
    parser.add_argument("--optimize", choices=["off", "merge"], default="off")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    arguments = parser.parse_args()
    names = named_documents(arguments.docs) if arguments.docs else sorted(p.stem for p in arguments.pdfs.glob("*.pdf"))
    options = IndexOptions(outline=OutlineOptions(use_bookmarks=not arguments.ignore_bookmarks))
    arguments.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names:
        target = arguments.out / f"{name}.json"
        target.unlink(missing_ok=True)  # a tree of an earlier run must not be scored for a document that fails now
        try:
            make = tree_of_text if arguments.text_alone else make_tree
            tree = timed_tree(make, arguments.pdfs / f"{name}.pdf", options, merge=arguments.optimize == "merge")
        except PageIndexError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
        else:
            target.write_text(json.dumps(tree, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(names) - failed} of {len(names)} trees written to {arguments.out}")
    return int(failed > 0)


def named_documents(path: Path) -> list[str]:
    """Give the ``doc`` of each line, each once, in the order of the file."""
    with path.open(encoding="utf-8") as lines:
        return list(dict.fromkeys(json.loads(line)["doc"] for line in lines if line.strip()))


def tree_of_text(pdf: Path, options: IndexOptions) -> PageTree:
    """Make the tree of a document of which a loader gave the text of each page, and nothing else."""
    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    metadata = [{"source": pdf.name, "page": index} for index in range(len(texts))]
    (pages,) = read_loaded(map(LoadedDocument, texts, metadata), options.read)
    return tree_of(pages, options)


def timed_tree(
    make: Callable[[Path, IndexOptions], PageTree], pdf: Path, options: IndexOptions, *, merge: bool
) -> dict[str, Any]:
    """Give the JSON form of a document's tree, and the seconds that making it took."""
    started = time.perf_counter()
    tree = make(pdf, options)
    seconds = time.perf_counter() - started
    if merge:
        tree, _ = merge_tree(tree)
    return {**tree_to_json(tree), "seconds": round(seconds, 4)}


if __name__ == "__main__":
    sys.exit(main())
