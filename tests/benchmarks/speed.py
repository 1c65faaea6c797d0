"""Times making a tree, beside a bare PDFium text pass and beside ``pageindex`` flash without a model, in one run.

Usage: python tests/benchmarks/speed.py --pdfs DIR --docs a,b,c [--runs N] [--rival-runs N] [--rival-python PATH]
                                        [--clock wall|processor] [--most-median X] [--most-worst X]

* ours: the public ``make_tree``, the whole road from the file to the described tree;
* bare: PDFium alone opens the file, loads each page and gets its text;
* rival: ``page_index_flash(file, summary=False, optimize=False)`` of the package ``pageindex``, as its own help names
  the call that uses no model. It is timed where that package can be imported by --rival-python, by default the Python
  that runs this script; else its columns stay empty.

Each document and system gets a process of its own. Imports are not counted; the first of the runs in a process finds
cold caches, the others warm ones, and the median of them is what is printed. --clock processor counts the time that a
process computes, all its threads together, which other work on the machine changes less than the clock on the wall.
Exit code 1 where a document could not be measured, or where ours/bare passes --most-median or --most-worst.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ANSWER = "measured: "
"""Starts the line that a measuring process prints; whatever else the measured package prints is passed over."""

NOT_INSTALLED = 3
"""Exit code of a measuring process whose package cannot be imported."""

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}

Row = tuple[str, int, float, float, "float | None"]
"""Document, pages, and seconds of ours, bare and rival."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each document and print the table; give the exit code: 1 where a document could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, metavar="DIR")
    parser.add_argument("--docs", metavar="a,b,c")
    parser.add_argument("--runs", type=int, default=3, help="runs of ours and of the bare pass (3)")
    parser.add_argument("--rival-runs", type=int, default=1, help="runs of the rival, which takes far longer (1)")
    parser.add_argument("--rival-python", default=sys.executable, metavar="PATH", help="a Python that has pageindex")
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall")
    parser.add_argument("--most-median", type=float, metavar="X", help="most that the median of ours/bare may be")
    parser.add_argument("--most-worst", type=float, metavar="X", help="most that ours/bare of any document may be")
    parser.add_argument("--measure", nargs=3, metavar=("SYSTEM", "FILE", "RUNS"), help="used by the script itself")
    arguments = parser.parse_args(argv)
    if arguments.measure:
        system, file, runs = arguments.measure
        return measure(system, file, int(runs), CLOCKS[arguments.clock])
    if not arguments.pdfs or not arguments.docs or min(arguments.runs, arguments.rival_runs) < 1:
        parser.error("--pdfs and --docs are needed, and at least one run of each")
    rival = rival_version(arguments.rival_python)
    print_caveats(arguments.runs, arguments.rival_runs if rival else 0, rival, arguments.clock)
    rows: list[Row] = []
    names = [name.strip() for name in arguments.docs.split(",") if name.strip()]
    width = max(8, *(len(name) for name in names))
    columns = f"{'pages':>5} {'ours s':>8} {'bare s':>8} {'rival s':>8} {'ours/bare':>9} {'rival/ours':>10}"
    print(f"{'document':{width}} {columns}")
    for name in names:
        row = measured_row(name, arguments, with_rival=rival is not None)
        if row is not None:
            rows.append(row)
            print(formatted(row, width), flush=True)
    if rows:
        print(medians(rows, width))
    return int(len(rows) < len(names) or passes_limits(rows, arguments.most_median, arguments.most_worst))


def passes_limits(rows: Sequence[Row], most_median: float | None, most_worst: float | None) -> bool:
    """Tell whether ours/bare is more than it may be, and say so."""
    ratios = [ours / bare for _, _, ours, bare, _ in rows]
    found = [
        f"ours/bare {name} {value:.2f}, over {most:.2f}"
        for name, value, most in (
            ("median", statistics.median(ratios), most_median),
            ("worst", max(ratios), most_worst),
        )
        if most is not None and value > most
    ]
    for line in found:
        print(line, file=sys.stderr)
    return bool(found)


def print_caveats(runs: int, rival_runs: int, rival: str | None, clock: str) -> None:
    """Say what the figures are worth, and what was measured, before any figure."""
    pdfium = importlib.metadata.version("pypdfium2")
    print(f"Seconds ({clock} time), median of {runs} runs in a fresh process for each document; imports not counted.")
    print("Caveats: other work on the machine shows in the seconds and less in the ratios, which are of one run;")
    print("the trees differ: ours comes with summaries and key items made by rules, the rival's without any;")
    print(f"the rival's runs are {rival_runs}." if rival else "the rival is not installed: its columns are empty.")
    print(
        f"Versions: pageindex-rag {importlib.metadata.version('pageindex-rag')}, pypdfium2 {pdfium}, "
        f"pageindex {rival or 'none'}, Python {platform.python_version()} on {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} CPUs{load()}\n"
    )


def load() -> str:
    """Say how busy the machine is before measuring, where the system tells."""
    return f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def measured_row(name: str, arguments: argparse.Namespace, *, with_rival: bool) -> Row | None:
    """Give one document's figures; None, with the reason on the error stream, where ours or bare cannot be measured.

    A document that only the rival cannot read keeps its row.
    """
    file = arguments.pdfs / f"{name}.pdf"
    bare = ask("bare", file, arguments.runs, sys.executable, arguments.clock)
    ours = ask("ours", file, arguments.runs, sys.executable, arguments.clock)
    if "error" in ours or "error" in bare:
        print(f"{name}: {ours.get('error') or bare.get('error')}", file=sys.stderr)
        return None
    rival: dict[str, Any] = {"seconds": None}
    if with_rival:
        rival = ask("rival", file, arguments.rival_runs, arguments.rival_python, arguments.clock)
        if "error" in rival:
            print(f"{name}: pageindex: {rival['error']}", file=sys.stderr)
    return name, bare["pages"], ours["seconds"], bare["seconds"], rival.get("seconds")


def formatted(row: Row, width: int) -> str:
    """Give one line of the table."""
    name, pages, ours, bare, rival = row
    seconds = f"{rival:8.3f}" if rival is not None else f"{'-':>8}"
    ratio = f"{rival / ours:10.1f}" if rival is not None else f"{'-':>10}"
    return f"{name:{width}} {pages:5} {ours:8.3f} {bare:8.3f} {seconds} {ours / bare:9.2f} {ratio}"


def medians(rows: Sequence[Row], width: int) -> str:
    """Give the line of medians: of the seconds, and of the documents' ratios (not the ratio of the medians)."""
    rivals = [(rival, rival / ours) for _, _, ours, _, rival in rows if rival is not None]
    seconds = f"{statistics.median(rival for rival, _ in rivals):8.3f}" if rivals else f"{'-':>8}"
    ratio = f"{statistics.median(ratio for _, ratio in rivals):10.1f}" if rivals else f"{'-':>10}"
    return (
        f"{'median':{width}} {statistics.median(row[1] for row in rows):5.0f} "
        f"{statistics.median(row[2] for row in rows):8.3f} {statistics.median(row[3] for row in rows):8.3f} {seconds} "
        f"{statistics.median(row[2] / row[3] for row in rows):9.2f} {ratio}"
    )


def ask(system: str, file: Path, runs: int, python: str, clock: str = "wall") -> dict[str, Any]:
    """Measure one system on one file in a process of its own; give its answer, or the ``error`` that ended it."""
    answer = subprocess.run(
        [python, os.path.abspath(__file__), "--clock", clock, "--measure", system, str(file), str(runs)],
        capture_output=True,
        text=True,
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},  # keeps the rival's imports off the network
    )
    for line in reversed(answer.stdout.splitlines()):
        if line.startswith(ANSWER):
            found: dict[str, Any] = json.loads(line.removeprefix(ANSWER))
            return found
    last = (answer.stderr.strip().splitlines() or ["no output"])[-1]  # of a traceback: the exception and its message
    return {"error": f"{last} (exit code {answer.returncode})"}


def rival_version(python: str) -> str | None:
    """Give the version of ``pageindex`` that a Python can import, None for none."""
    found = ask("version", Path(), 1, python)
    return found.get("version")


def measure(system: str, file: str, runs: int, clock: Callable[[], float]) -> int:
    """Time one system on one file in this process, and print the answer as one line of JSON."""
    if system == "version":
        if importlib.util.find_spec("pageindex") is None:
            return NOT_INSTALLED
        print(ANSWER + json.dumps({"version": importlib.metadata.version("pageindex")}))
        return 0
    run = {"ours": prepare_ours, "bare": prepare_bare, "rival": prepare_rival}[system](file)
    seconds = []
    pages = None
    for _ in range(runs):
        started = clock()
        pages = run()
        seconds.append(clock() - started)
    print(ANSWER + json.dumps({"seconds": statistics.median(seconds), "pages": pages}))
    return 0


def prepare_ours(file: str) -> Callable[[], int]:
    """Import, and give the call to time."""
    import pageindex_core.read.pdf.document  # noqa: F401  (imported on use, which is not what is timed)
    from pageindex_core import make_tree

    return lambda: make_tree(file).page_count


def prepare_bare(file: str) -> Callable[[], int]:
    """Import, and give the call to time."""
    import pypdfium2

    def run() -> int:
        with pypdfium2.PdfDocument(file) as document:
            for page in document:
                text_page = page.get_textpage()
                text_page.get_text_range()
                text_page.close()
                page.close()
            return len(document)

    return run


def prepare_rival(file: str) -> Callable[[], None]:
    """Import, and give the call to time."""
    from pageindex import page_index_flash

    def run() -> None:
        page_index_flash(file, summary=False, optimize=False)

    return run


if __name__ == "__main__":
    sys.exit(main())
