"""Measures headings, pages and map on evaluation data, and fails where a figure falls below its pinned floor.

Usage: python tests/benchmarks/gate.py --data DIR [--only NAME,NAME] [--pin [--allow-regression]] [--keep DIR]
       python tests/benchmarks/gate.py --data DIR --hybrid [--vectors DIR] [--pin [--allow-regression]]

DIR holds pdfs/, outlines.jsonl, financebench.jsonl and mmlongbench.jsonl; the scorer is DIR/../bench/score.py, or
--scorer. Without --data, and without DATA in the environment, nothing is measured and the exit code is 0, since the
data is not part of this repository; what CI runs instead is ``test_light_floors.py``.

``floors.json`` beside this script holds the floors, and a hash over data and scorer: figures of other data mean
nothing here, so a changed set fails the gate until it is pinned on purpose. --pin raises floors to what is measured.
It lowers one, or accepts changed data, only with --allow-regression; such a change needs a line in CHANGELOG.md.

--hybrid measures words, chunk vectors and both together (``hybrid.py``) against ``hybrid_floors.json`` instead. It
needs the extra hybrid-bench, and about a tenth of a second for each chunk whose vector is not in --vectors yet.

Exit codes: 0 all floors hold, 1 one does not or the data changed, 2 the data or the scorer is missing or fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from floors import data_mark, load_floors, mark_changes, pinned_anew, save_floors, shortfalls  # beside this script

SCRIPTS = Path(__file__).resolve().parent
FLOORS = SCRIPTS / "floors.json"
HYBRID_FLOORS = SCRIPTS / "hybrid_floors.json"

SETS = ("financebench", "mmlongbench")
HEADING_FIGURES = ("cutF1", "F1", "recall", "nesting", "exactpage")
PAGE_FIGURES = ("recall@5", "recall@10", "within4000")
MAP_FIGURES = ("cost", "outside")

HEADINGS_MARGIN = 0.005
"""Source: the same code and data give the same figures on every run, so the only noise is another build of PDFium,
which reads a few spaces and sizes differently. One heading of an outline of eight moves a mean over 28 by 0.0045."""

FINANCEBENCH_MARGIN = 0.011
MMLONGBENCH_MARGIN = 0.004
"""Half a question of 48, and of some 130 with readable evidence: less than any question that is lost."""

COST_MARGIN = 0.03
"""One percent of the cost of a perfect reader: one section in a hundred cut one page longer."""

HYBRID_MARGIN = 0.0025
"""Half a question of 214: another build of torch changes the last digits of a vector, and so the order of near ties."""

HYBRID_WAYS = (
    "words",
    "vectors",
    "hybrid",
    "vectors inside sections",
    "words inside pages of vectors",
    "union of words and vectors",
)
"""The lines that ``hybrid.py`` prints."""

EVIDENCE = {"financebench": "evidence_pages", "mmlongbench": "readable_pages"}
"""Which line of the scorer counts: scans without text are for systems that read pictures."""

Run = Callable[[Sequence[str]], str]
"""Runs a command, gives what it prints."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure line of the scorer, and the commands that lead to it."""

    name: str
    write: tuple[str, ...]
    """The script that writes, with its arguments; ``{data}`` and ``{out}`` are filled in."""
    score: tuple[str, ...]
    """Arguments of the scorer; empty for hybrid search, where the script prints the figures itself."""
    line: str
    """What the line of figures starts with."""
    figures: tuple[str, ...]
    margin: float


def measurements() -> list[Measurement]:
    """Give everything that is pinned, in the order in which it is measured."""
    found = []
    for name, options in (
        ("headings, bookmarks ignored", ("--ignore-bookmarks",)),
        ("headings, with bookmarks", ()),
        ("headings, text alone", ("--text-alone",)),
    ):
        write = ("write_trees.py", "--pdfs", "{data}/pdfs", "--docs", "{data}/outlines.jsonl")
        write += (*options, "--out", "{out}")
        score = ("headings", "{data}/outlines.jsonl", "{out}")
        found.append(Measurement(name, write, score, "MACRO", HEADING_FIGURES, HEADINGS_MARGIN))
    for name in SETS:
        questions = f"{{data}}/{name}.jsonl"
        write = ("write_trees.py", "--pdfs", "{data}/pdfs", "--docs", questions, "--ignore-bookmarks")
        write += ("--optimize", "merge", "--out", "{out}")
        score = ("map", questions, "{out}")
        found.append(Measurement(f"map, {name}", write, score, "evidence", MAP_FIGURES, COST_MARGIN))
        margin = FINANCEBENCH_MARGIN if name == "financebench" else MMLONGBENCH_MARGIN
        for together in ((), ("--together",)):
            title = f"pages, {name}, together" if together else f"pages, {name}"
            write = ("write_ranks.py", "--pdfs", "{data}/pdfs", "--questions", questions, *together, "--out", "{out}")
            score = ("pages", questions, "{out}")
            found.append(Measurement(title, write, score, EVIDENCE[name], PAGE_FIGURES, margin))
    return found


def hybrid_measurements() -> list[Measurement]:
    """Give the ways of hybrid search that are pinned, all of which one run measures."""
    return [Measurement(way, ("hybrid.py",), (), way, ("recall@5", "recall@10"), HYBRID_MARGIN) for way in HYBRID_WAYS]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, compare, tell or pin; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("DATA") or None, metavar="DIR")
    parser.add_argument("--scorer", type=Path, metavar="FILE")
    parser.add_argument("--floors", type=Path, metavar="FILE")
    parser.add_argument("--hybrid", action="store_true", help="hybrid search, with the real embedding model")
    parser.add_argument("--vectors", type=Path, metavar="DIR", help="with --hybrid: where vectors stay; else nowhere")
    parser.add_argument("--only", metavar="NAME,NAME", help="measurements whose name holds one of these")
    parser.add_argument("--pin", action="store_true", help="raise the floors to what is measured")
    parser.add_argument("--allow-regression", action="store_true", help="with --pin: lower floors, accept other data")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where trees and ranks stay; else nowhere")
    arguments = parser.parse_args(argv)
    if arguments.data is None:
        print("skipped: floors are measured on evaluation data that is not in this repository; name it in DATA.")
        return 0
    data = Path(arguments.data)
    scorer = arguments.scorer or data / ".." / "bench" / "score.py"
    arguments.floors = arguments.floors or (HYBRID_FLOORS if arguments.hybrid else FLOORS)
    questions = [data / f"{name}.jsonl" for name in SETS]
    inputs = [*data.glob("pdfs/*.pdf"), *questions, *([] if arguments.hybrid else [data / "outlines.jsonl", scorer])]
    missing = [str(path) for path in (data / "pdfs", *inputs) if not path.exists()]
    if missing:
        print(f"missing: {', '.join(missing)}\nName the evaluation data: make floors DATA=DIR", file=sys.stderr)
        return 2
    wanted = [name.strip() for name in (arguments.only or "").split(",") if name.strip()]
    known = hybrid_measurements() if arguments.hybrid else measurements()
    chosen = [one for one in known if not wanted or any(name in one.name for name in wanted)]
    if not chosen:
        print(f"--only {arguments.only}: none of {', '.join(one.name for one in known)}", file=sys.stderr)
        return 2
    command = f"python tests/benchmarks/gate.py --data {data}{' --hybrid' if arguments.hybrid else ''}"
    mark = data_mark(data, inputs)
    stored = load_floors(arguments.floors)
    changed = mark_changes(mark, stored["data"]) if stored["data"] else []
    if changed and not (arguments.pin and arguments.allow_regression):
        _tell("The evaluation data is not what the floors were measured on:", changed)
        print(f"If that is meant, measure it and pin: {command} --pin --allow-regression", file=sys.stderr)
        return 1
    try:
        if arguments.hybrid:
            measured = measure_hybrid(chosen, data, arguments.vectors, run)
        else:
            with tempfile.TemporaryDirectory() as temporary:
                measured = measure(chosen, data, scorer, arguments.keep or Path(temporary), run)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} failed: {error.stderr or error}", file=sys.stderr)
        return 2
    if arguments.pin:
        return _pin(arguments, mark, measured, stored["floors"], command)
    return _judge(chosen, measured, stored["floors"], command)


def measure(
    chosen: Sequence[Measurement], data: Path, scorer: Path, out: Path, run: Run
) -> dict[str, dict[str, float]]:
    """Write and score each measurement, telling the figures as they come."""
    measured = {}
    for one in chosen:
        folder = out / re.sub(r"\W+", "-", one.name)
        folder.mkdir(parents=True, exist_ok=True)
        target = folder if one.write[0] == "write_trees.py" else folder / "ranks.jsonl"
        places = {"data": str(data), "out": str(target)}
        run([sys.executable, str(SCRIPTS / one.write[0]), *(part.format(**places) for part in one.write[1:])])
        told = run([sys.executable, str(scorer), *(part.format(**places) for part in one.score)])
        measured[one.name] = figures_of(told, one.line, one.figures)
        print(f"{one.name:30} " + "  ".join(f"{name} {value:.3f}" for name, value in measured[one.name].items()))
    return measured


def measure_hybrid(
    chosen: Sequence[Measurement], data: Path, vectors: Path | None, run: Run
) -> dict[str, dict[str, float]]:
    """Run the benchmark of hybrid search once, and give the figures over all questions of each way."""
    questions = ",".join(str(data / f"{name}.jsonl") for name in SETS)
    command = [sys.executable, str(SCRIPTS / "hybrid.py"), "--pdfs", str(data / "pdfs"), "--questions", questions]
    told = run([*command, *(("--cache", str(vectors)) if vectors is not None else ())])
    measured = {one.name: hybrid_figures(told, one.line) for one in chosen}
    for name, figures in measured.items():
        print(f"{name:30} " + "  ".join(f"{figure} {value:.3f}" for figure, value in figures.items()))
    return measured


def hybrid_figures(told: str, way: str) -> dict[str, float]:
    """Give recall at 5 and 10 over all questions from the line of a way; empty where there is none."""
    found = re.search(rf"^{re.escape(way)} +recall@5/10 .* all \(\d+\) ([\d.]+)/([\d.]+)$", told, re.MULTILINE)
    return {"recall@5": float(found[1]), "recall@10": float(found[2])} if found else {}


def figures_of(told: str, line: str, figures: Sequence[str]) -> dict[str, float]:
    """Give the figures that a line of the scorer names: each name is followed by its number."""
    found = next((row for row in told.splitlines() if row.startswith(line)), "")
    words = found.split()
    return {name: float(words[words.index(name) + 1]) for name in figures if name in words}


def run(command: Sequence[str]) -> str:
    """Run a command and give what it prints. The writers' exit code 1 names documents that cannot be read: one may.

    Raises:
        subprocess.CalledProcessError: it failed otherwise.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise subprocess.CalledProcessError(done.returncode, list(command), done.stdout, done.stderr)
    return done.stdout


def _judge(
    chosen: Sequence[Measurement],
    measured: Mapping[str, Mapping[str, float]],
    pinned: Mapping[str, Mapping[str, float]],
    command: str,
) -> int:
    named = {one.name for one in chosen}
    unpinned = sorted(named - pinned.keys())
    if unpinned:
        print(f"No floors yet for {', '.join(unpinned)}. Pin them: {command} --pin", file=sys.stderr)
        return 1
    floors = {name: figures for name, figures in pinned.items() if name in named}
    short = shortfalls(measured, floors, {one.name: one.margin for one in chosen})
    if not short:
        print("All floors hold.")
        return 0
    _tell("Figures fell below their floors:", map(str, short))
    name = short[0].measurement
    if chosen[0].score:
        print(f'See which documents and questions: {command} --only "{name}" --keep bench-out/gate', file=sys.stderr)
    print(f"If the loss is meant, add a line to CHANGELOG.md and: {command} --pin --allow-regression", file=sys.stderr)
    return 1


def _pin(
    arguments: argparse.Namespace,
    mark: Mapping[str, object],
    measured: Mapping[str, Mapping[str, float]],
    pinned: Mapping[str, Mapping[str, float]],
    command: str,
) -> int:
    floors, changes = pinned_anew(measured, pinned, allow_regression=arguments.allow_regression)
    save_floors(arguments.floors, mark, floors)
    _tell(f"{arguments.floors.name}: {len(changes)} floors changed.", changes)
    kept = shortfalls(measured, {name: floors[name] for name in measured}, {})
    if kept:
        _tell("Floors that were kept, since what was measured is lower:", map(str, kept))
        print(f"If the loss is meant: {command} --pin --allow-regression", file=sys.stderr)
    return 0


def _tell(first: str, rows: Sequence[str] | map[str]) -> None:
    print("\n  ".join([first, *rows]), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
