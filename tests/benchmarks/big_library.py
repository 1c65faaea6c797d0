"""Times questions against a large library: all PDFs of a folder, or a library of generated documents.

Usage: python tests/benchmarks/big_library.py --pdfs DIR --questions FILE.jsonl [FILE.jsonl …] [--library DIR]
       python tests/benchmarks/big_library.py --generate 10000 [--pages 75000] [--asked 200] [--library DIR]

A library in --library is kept, and used again without indexing where it holds the documents already; else it is made
in a temporary folder. Each question is asked of the whole library, once, in a fresh process that has asked ten others
to warm up; what is timed is the public search call, on the wall clock, beside the processor time of the process, which
other work on the machine changes less. Of generated documents the share whose first hit is of the right
document is told as well: a fast wrong answer is worth nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from generated import documents  # beside this script

from pageindex_core import PageIndexError, index_source, open_library, search
from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages

WARM_UP = 10
"""Questions before the clock counts: connections, imports and word tables are set up once a process."""

QUESTIONS_NAME = "questions.jsonl"
"""Beside the library: what was generated to be asked of it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Index where needed, ask, print; give the exit code: 1 where nothing could be asked, or a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, metavar="DIR")
    parser.add_argument("--questions", type=Path, nargs="+", metavar="FILE.jsonl")
    parser.add_argument("--generate", type=int, metavar="N", help="number of documents to generate")
    parser.add_argument("--pages", type=int, help="pages of all generated documents together (7.5 for each)")
    parser.add_argument("--asked", type=int, default=200, help="questions on generated documents (200)")
    parser.add_argument("--library", type=Path, metavar="DIR")
    parser.add_argument("--most-median", type=float, metavar="MS", help="most processor time that the median may take")
    parser.add_argument("--most-high", type=float, metavar="MS", help="and the 95th percentile")
    parser.add_argument("--ask", type=Path, metavar="FILE", help="used by the script itself")
    arguments = parser.parse_args(argv)
    if arguments.ask:
        return ask(arguments.library, arguments.ask, arguments.most_median, arguments.most_high)
    if (arguments.pdfs is None) == (arguments.generate is None) or (arguments.pdfs and not arguments.questions):
        parser.error("either --pdfs and --questions, or --generate")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.library or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        asked = folder / QUESTIONS_NAME
        if arguments.generate:
            if not asked.exists():
                generate(folder, arguments.generate, arguments.pages or round(7.5 * arguments.generate))
        else:
            index_folder(folder, arguments.pdfs)
            rows = [json.loads(line) for path in arguments.questions for line in path.open(encoding="utf-8")]
            write_questions(asked, [{"question": row["question"], "source_id": None} for row in rows])
        sample = folder / "asked.jsonl"
        rows = [json.loads(line) for line in asked.open(encoding="utf-8")]
        random.Random(0).shuffle(rows)
        write_questions(sample, rows[: arguments.asked + WARM_UP] if arguments.generate else rows)
        command = [sys.executable, __file__, "--library", str(folder), "--ask", str(sample)]
        for name, limit in (("--most-median", arguments.most_median), ("--most-high", arguments.most_high)):
            command += [] if limit is None else [name, str(limit)]
        return subprocess.run(command, check=False).returncode


def index_folder(folder: Path, pdfs: Path) -> None:
    """Index every PDF of a folder; those that cannot be read are named and left out."""
    library = open_library(folder)
    for file in sorted(pdfs.glob("*.pdf")):
        try:
            index_source(file, library)
        except PageIndexError as error:
            print(f"{file.name}: {error}", file=sys.stderr)
    library.close()


def generate(folder: Path, count: int, page_total: int) -> None:
    """Generate documents, index them, and write the questions on them when all is done."""
    library = open_library(folder)
    started = time.perf_counter()
    questions = []
    pages = 0
    for number, (document, question) in enumerate(documents(count, page_total), start=1):
        index_pages(document, library)
        pages += len(document.pages)
        questions.append({"question": question.text, "source_id": question.source_id, "page": question.page_number})
        if number % 1_000 == 0:
            print(f"{number:6} documents, {pages:6} pages, {time.perf_counter() - started:6.0f} s", flush=True)
    library.close()
    write_questions(folder / QUESTIONS_NAME, questions)


def write_questions(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write one question a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def ask(folder: Path, questions: Path, most_median: float | None = None, most_high: float | None = None) -> int:
    """Ask each question of the whole library and print the times; give 1 where they pass a limit."""
    rows = [json.loads(line) for line in questions.open(encoding="utf-8")]
    library: Library = open_library(folder)
    if not rows or not library.count():
        print("There is nothing to ask, or nobody to ask it of.", file=sys.stderr)
        return 1
    for row in rows[:WARM_UP]:
        search(library, row["question"], k=5)
    milliseconds: list[float] = []
    computing: list[float] = []
    right = told = 0
    for row in rows[WARM_UP:] or rows:
        started = (time.perf_counter(), time.process_time())
        result = search(library, row["question"], k=5)
        milliseconds.append((time.perf_counter() - started[0]) * 1000)
        computing.append((time.process_time() - started[1]) * 1000)
        if row["source_id"]:
            told += 1
            right += bool(result.hits) and result.hits[0].source_id == row["source_id"]
    documents_held = library.list()
    pages = sum(info.page_count for info in documents_held)
    print(
        f"{len(documents_held)} documents, {pages} pages, {len(milliseconds)} questions: {told_times(milliseconds)}; "
        f"of processor time {told_times(computing)}"
        + (f"; first hit of the right document {right / told:.2f}" if told else "")
    )
    library.close()
    passed = [
        f"The {name} took {value:.1f} ms of processor time, over {limit:g}."
        for name, value, limit in zip(
            ("median", "95th percentile"), median_and_high(computing), (most_median, most_high), strict=True
        )
        if limit is not None and value > limit
    ]
    print("\n".join(passed), file=sys.stderr)
    return int(bool(passed))


def told_times(milliseconds: Sequence[float]) -> str:
    """Give median and 95th percentile for people."""
    return "median {:.1f} ms, 95th percentile {:.1f} ms".format(*median_and_high(milliseconds))


def median_and_high(milliseconds: Sequence[float]) -> tuple[float, float]:
    """Give the median and the 95th percentile."""
    return statistics.median(milliseconds), sorted(milliseconds)[int(0.95 * (len(milliseconds) - 1))]


if __name__ == "__main__":
    sys.exit(main())
