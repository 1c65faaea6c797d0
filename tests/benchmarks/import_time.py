"""Measures what importing costs: the core, and each plugin on top of its framework.

Usage: python tests/benchmarks/import_time.py [--runs N] [--clock wall|processor]

Each run is a fresh process that imports the framework, then the package, then the names that a swap uses, then all
public names, each timed alone. The limits are those of the design: 100 ms for importing the core, 100 ms for what a
plugin adds, the names of a swap included. Exit code 1 where one is passed. What all public names of a plugin cost
together is told beside it: no program uses them all. --clock processor counts what the process computes, which other
work on the machine changes less than the clock on the wall.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys

LIMIT_MS = 100

MEASURED = {
    "pageindex_core": [],
    "pageindex_langchain": ["langchain_core.retrievers"],
    "pageindex_llamaindex": ["llama_index.core"],
}
"""Package of ours -> what its user's program has imported before it: the framework's own cost, not ours."""

SWAP = ["PageIndex", "PageIndexRetriever"]
"""The names of a plugin that stand where a vector store and its retriever stood."""

CODE = """
import importlib, json, sys, time
package, first, swap, clock = sys.argv[1], *map(json.loads, sys.argv[2:4]), getattr(time, sys.argv[4])
times = [clock()]
for name in first:
    importlib.import_module(name)
times.append(clock())
module = importlib.import_module(package)
times.append(clock())
if package != "pageindex_core":  # the plugins' classes load on use, and a user uses them; the core's are its stages
    for names in (swap, module.__all__):
        for name in names:
            getattr(module, name)
        times.append(clock())
framework, *ours = times[1:]
print(json.dumps([framework - times[0], *(one - framework for one in ours)]))
"""

CLOCKS = {"wall": "perf_counter", "processor": "process_time"}


def main() -> int:
    """Measure and print; give the exit code: 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each package (5)")
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall")
    arguments = parser.parse_args()
    slow = False
    print(f"Milliseconds ({arguments.clock} time), median of {arguments.runs} fresh processes.")
    for package, first in MEASURED.items():
        missing = [name for name in first if importlib.util.find_spec(name.partition(".")[0]) is None]
        if missing:
            print(f"{package:22} not measured: {missing[0]} is not installed")
            continue
        samples = [_sample(package, first, arguments.clock) for _ in range(arguments.runs)]
        framework, imported, *used = (statistics.median(column) * 1000 for column in zip(*samples, strict=True))
        slow = slow or max([imported, *used[:1]]) > LIMIT_MS
        names = f", {used[0]:.0f} with {' and '.join(SWAP)}, {used[1]:.0f} with all its names" if used else ""
        before = f", after {framework:.0f} for {', '.join(first)}" if first else ""
        print(f"{package:22} {imported:.0f}{names}{before}  (limit {LIMIT_MS})")
    return int(slow)


def _sample(package: str, first: list[str], clock: str) -> list[float]:
    command = [sys.executable, "-c", CODE, package, json.dumps(first), json.dumps(SWAP), CLOCKS[clock]]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds: list[float] = json.loads(run.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
