"""Measures what importing costs: the core, and each plugin on top of its framework.

Usage: python tests/benchmarks/import_time.py [--runs N]

Each run is a fresh process that imports the framework, then the plugin with its public names, each timed alone. The
limits are those of the design: 100 ms for importing the core, 100 ms for what importing a plugin adds. Exit code 1
where one is passed. What all public names of a plugin cost together is told beside it: a program uses a few of them.
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
    "pageindex_langchain": ["langchain_core.documents", "langchain_core.retrievers", "langchain_core.runnables"],
    "pageindex_llamaindex": ["llama_index.core"],
}
"""Package of ours -> what its user's program has imported before it: the framework's own cost, not ours."""

CODE = """
import importlib, json, sys, time
package, first = sys.argv[1], json.loads(sys.argv[2])
started = time.perf_counter()
for name in first:
    importlib.import_module(name)
framework = time.perf_counter()
module = importlib.import_module(package)
imported = time.perf_counter()
if package != "pageindex_core":  # the plugins' classes load on use, and a user uses them; the core's are its stages
    for name in module.__all__:
        getattr(module, name)
used = time.perf_counter()
print(json.dumps([framework - started, imported - framework, used - framework]))
"""


def main() -> int:
    """Measure and print; give the exit code: 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each package (5)")
    runs = parser.parse_args().runs
    slow = False
    print(f"Milliseconds, median of {runs} fresh processes; other work on the machine shows in them.")
    for package, first in MEASURED.items():
        missing = [name for name in first if importlib.util.find_spec(name.partition(".")[0]) is None]
        if missing:
            print(f"{package:22} not measured: {missing[0]} is not installed")
            continue
        samples = [_sample(package, first) for _ in range(runs)]
        framework, imported, used = (statistics.median(column) * 1000 for column in zip(*samples, strict=True))
        slow = slow or imported > LIMIT_MS
        before = f", after {framework:.0f} for {', '.join(first)}" if first else ""
        names = f", {used:.0f} with its public names" if first else ""
        print(f"{package:22} {imported:.0f}{names}{before}  (limit {LIMIT_MS})")
    return int(slow)


def _sample(package: str, first: list[str]) -> list[float]:
    run = subprocess.run(
        [sys.executable, "-c", CODE, package, json.dumps(first)], capture_output=True, text=True, check=True
    )
    seconds: list[float] = json.loads(run.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
