"""Says where the time of indexing goes: each stage beside a bare PDFium text pass, and the dearest functions.

Usage: python tests/benchmarks/stages.py --pdfs DIR --docs a,b,c [--runs N] [--functions N]

Processor time of this one process, the least of the runs, in parts of the bare pass (open, load each page, get its
text). ``tree time`` is read, outline, tree and describe: what ``make_tree`` does. ``postings`` is the search index,
``store`` the library's own work, both of which indexing adds. With --functions each document is run once more under
cProfile, whose own cost falls on short functions: trust its order, not its shares.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pypdfium2

from pageindex_core import PageIndexError, index_source, open_library
from pageindex_core.describe import describe
from pageindex_core.outline import find_headings
from pageindex_core.pipeline import make_tree
from pageindex_core.read import open_source, read_pages
from pageindex_core.search.postings import build_postings
from pageindex_core.tree import build_tree

STAGES = ("read", "outline", "tree", "describe", "postings", "store")
TREE_STAGES = 4
"""The first so many are the tree time."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; give the exit code: 1 where a document could not be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--docs", required=True, metavar="a,b,c")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="print the N dearest functions")
    arguments = parser.parse_args(argv)
    files = [arguments.pdfs / f"{name.strip()}.pdf" for name in arguments.docs.split(",") if name.strip()]
    width = max(8, *(len(file.stem) for file in files))
    print(
        f"{'document':{width}} {'pages':>5} {'bare s':>7} " + " ".join(f"{name:>8}" for name in (*STAGES, "tree time"))
    )
    totals = []
    failed = False
    for file in files:
        try:
            pages, bare, parts = shares(file, arguments.runs)
        except PageIndexError as error:
            print(f"{file.stem}: {error}", file=sys.stderr)
            failed = True
            continue
        totals.append(sum(parts[:TREE_STAGES]))
        figures = " ".join(f"{part:8.2f}" for part in (*parts, totals[-1]))
        print(f"{file.stem:{width}} {pages:5} {bare:7.3f} {figures}", flush=True)
        if arguments.functions:
            tell_functions(file, arguments.functions)
    if totals:
        print(f"tree time: median {statistics.median(totals):.2f}, worst {max(totals):.2f} times the bare pass")
    return int(failed)


def shares(file: Path, runs: int) -> tuple[int, float, list[float]]:
    """Give pages, seconds of the bare pass, and each stage as a multiple of it."""
    best: list[float] = []
    pages = 0
    for _ in range(runs):
        times = [time.process_time()]
        pages = bare_pass(file)
        times.append(time.process_time())
        read = read_pages(open_source(file))
        times.append(time.process_time())
        outline = find_headings(read)
        times.append(time.process_time())
        tree = build_tree(read, outline)
        times.append(time.process_time())
        tree = describe(tree, read)
        times.append(time.process_time())
        build_postings(tree, read)
        times.append(time.process_time())
        spent = [*(after - before for before, after in pairwise(times)), whole_road(file)]
        best = spent if not best else [min(pair) for pair in zip(best, spent, strict=True)]
    *stages, road = best[1:]
    return pages, best[0], [part / best[0] for part in (*stages, max(0.0, road - sum(stages)))]


def bare_pass(file: Path) -> int:
    """Get the text of every page and nothing else; give how many pages there are."""
    with pypdfium2.PdfDocument(file) as document:
        for page in document:
            text_page = page.get_textpage()
            text_page.get_text_range()
            text_page.close()
            page.close()
        return len(document)


def whole_road(file: Path) -> float:
    """Give the seconds that indexing a file takes from end to end."""
    library = open_library(None)
    started = time.process_time()
    index_source(file, library)
    spent = time.process_time() - started
    library.close()
    return spent


def tell_functions(file: Path, count: int) -> None:
    """Print the functions in which making the tree spends most time of their own."""
    profile = cProfile.Profile()
    profile.runcall(make_tree, file)
    rows = pstats.Stats(profile).get_stats_profile().func_profiles
    total = sum(row.tottime for row in rows.values())
    for name, row in sorted(rows.items(), key=lambda item: -item[1].tottime)[:count]:
        where = "/".join(Path(row.file_name).parts[-2:])
        print(f"    {100 * row.tottime / total:4.1f} %  {row.ncalls:>9} calls  {name}  {where}")


if __name__ == "__main__":
    sys.exit(main())
