"""Measures the most memory that one process takes to index a PDF and to search it.

Usage: python tests/benchmarks/memory.py --pdf FILE [--question TEXT] [--library DIR]

This process is the one that is measured: it imports, indexes into a library (a folder, or memory by default), answers
the question and prints the peak of its resident memory, in megabytes of 10^6 bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pageindex_core import PageIndexError, index_source, open_library, search

PROC_STATUS = Path("/proc/self/status")


def main() -> int:
    """Index, search, print the peak; give the exit code: 1 where the file could not be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdf", type=Path, required=True, metavar="FILE")
    parser.add_argument("--question", default="What were the total revenues of the year?", metavar="TEXT")
    parser.add_argument("--library", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    started_mb = peak_mb()
    library = open_library(arguments.library)
    try:
        info, _ = index_source(arguments.pdf, library)
    except PageIndexError as error:
        print(f"{arguments.pdf.stem}: {error}", file=sys.stderr)
        return 1
    indexed_mb = peak_mb()
    hits = search(library, arguments.question, k=5).hits
    library.close()
    print(
        f"{arguments.pdf.stem}: {info.page_count} pages, {len(hits)} hits, peak {peak_mb():.0f} MB "
        f"(before {started_mb:.0f} MB, after indexing {indexed_mb:.0f} MB)"
    )
    return 0


def peak_mb() -> float:
    """Give the most resident memory of this process so far, in MB.

    Linux tells it exactly; elsewhere ``getrusage`` does, in which a small process may inherit its parent's peak.
    """
    if PROC_STATUS.exists():
        line = next(line for line in PROC_STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / 1e6
    import resource  # not on Windows, where there is nothing to measure with

    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, the other systems KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    sys.exit(main())
