"""Measures time and memory of files far longer than usual: does the time a page takes grow, and how much is held?

Usage: python tests/benchmarks/long_files.py --pdf FILE [--pages 1000,3000,10000] [--limit-mb 600]
       python tests/benchmarks/long_files.py --pdf FILE --as-is [--limit-mb 350]

The long files are made of FILE, repeated until there are so many pages; objects are shared between the copies, as in
a file that one program wrote, and bookmarks are dropped. Each is indexed into a library in a temporary folder, by a
process of its own that tells its peak of resident memory (10^6 bytes) and the seconds of processor time for each
stage of the road. Exit code 1 where the peak of a file of up to 3,000 pages passes the limit, or where a page of the
longest takes over 1.5 times as long as one of the shortest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pikepdf
from memory import peak_mb  # beside this script

from pageindex_core import index_source, open_library, search

GROWTH = 1.5
"""Noise of the machine included; work that grows with the square of the pages would show as 10."""

LIMITED_PAGES = 3_000
"""The limit is for files of up to so many pages; longer ones are told, and hold more."""


def main(argv: Sequence[str] | None = None) -> int:
    """Make, measure, print; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdf", type=Path, metavar="FILE")
    parser.add_argument("--pages", default="1000,3000,10000", help="lengths of the files to make")
    parser.add_argument("--as-is", action="store_true", help="measure the file itself, not repeated")
    parser.add_argument("--limit-mb", type=float, default=600, help="most memory (600)")
    parser.add_argument("--measure", type=Path, nargs=2, metavar=("FILE", "DIR"), help="used by the script itself")
    arguments = parser.parse_args(argv)
    if arguments.measure:
        return measure(*arguments.measure)
    if arguments.pdf is None:
        parser.error("--pdf is needed")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for pages in [0] if arguments.as_is else [int(number) for number in arguments.pages.split(",")]:
            file = arguments.pdf if arguments.as_is else repeated(arguments.pdf, pages, folder / f"{pages}.pdf")
            rows.append(measured(file, folder / f"library-{pages}"))
            print(told(rows[-1]), flush=True)
    per_page = [row["seconds"] / row["pages"] for row in rows]
    grows = per_page[-1] > GROWTH * per_page[0]
    if grows:
        print(f"A page of the longest file takes {per_page[-1] / per_page[0]:.1f} times as long.", file=sys.stderr)
    over = [row for row in rows if row["pages"] <= LIMITED_PAGES and row["peak_mb"] > arguments.limit_mb]
    for row in over:
        print(f"{row['pages']} pages took {row['peak_mb']:.0f} MB, over {arguments.limit_mb:.0f}.", file=sys.stderr)
    return int(grows or bool(over))


def repeated(source: Path, pages: int, target: Path) -> Path:
    """Write a file of the pages of another, over and over, without its bookmarks."""
    with pikepdf.open(source) as one, pikepdf.new() as long:
        while len(long.pages) < pages:
            long.pages.extend(list(one.pages)[: pages - len(long.pages)])
        long.save(target)
    return target


def measured(file: Path, library: Path) -> dict[str, float]:
    """Measure one file in a process of its own."""
    command = [sys.executable, __file__, "--measure", str(file), str(library)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def measure(file: Path, folder: Path) -> int:
    """Index one file in this process, ask a question, and print what it took as JSON."""
    library = open_library(folder)
    before = peak_mb()
    started = time.process_time()
    info, _ = index_source(file, library)
    seconds = time.process_time() - started
    indexed = peak_mb()
    search(library, "What were the total revenues of the year?", k=5)
    row = {"pages": info.page_count, "seconds": seconds, "before_mb": before, "peak_mb": indexed}
    print(json.dumps({**row, "searched_mb": peak_mb(), "file_mb": file.stat().st_size / 1e6}))
    return 0


def told(row: dict[str, float]) -> str:
    """Give one line of the table."""
    return (
        f"{row['pages']:6.0f} pages, file {row['file_mb']:6.1f} MB: {row['seconds']:7.1f} s, "
        f"{1000 * row['seconds'] / row['pages']:6.2f} ms a page, peak {row['peak_mb']:5.0f} MB "
        f"(before {row['before_mb']:.0f}, {1000 * (row['peak_mb'] - row['before_mb']) / row['pages']:.0f} KB a page, "
        f"after a question {row['searched_mb']:.0f})"
    )


if __name__ == "__main__":
    sys.exit(main())
