"""Switches each weight and rule of search off in turn, and tells how likely it is that it helps.

Usage: python tests/benchmarks/ablation.py --pdfs DIR --questions FILE.jsonl [--questions FILE.jsonl ...]
           [--library DIR] [--only RULE,RULE]

Each line of a FILE.jsonl names a question: {"id", "doc", "question", "evidence_pages"}, where DIR/doc.pdf is its
document. Every question is asked three times of every variant of search: of its own document, and of one library of
all the documents of its file. Its value is the mean of three shares of its evidence pages: among the first five pages
named, among the first ten, and within 4,000 tokens of hits.

A row tells, for one rule, what it gains: the mean difference with it and without it, in points, for each file and
together; how many questions it changes; and the probability of a gain, by paired bootstrap over the questions of all
files, each asked of its own document ("own") and of its file's library ("together"). 0.5 says that nothing is known.

With --library the documents are indexed into that folder, and left there for the next run; otherwise in memory.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from write_ranks import Asker, index_documents, rank  # beside this script

from pageindex_core import Scope, open_library
from pageindex_core.library.protocol import Library
from pageindex_core.search import question, rank as ranking, references, score, vocabulary

NEVER = re.compile(r"(?!)")
"""Matches nothing."""

RESAMPLES = 4_000
"""Enough for two digits of a probability."""

TOKENS = 4_000

Values = dict[str, list[float]]
"""For each file and way of asking ("financebench", "financebench, together"): the value of each question."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A weight or rule, and what switches it off."""

    name: str
    module: ModuleType
    off: dict[str, Any]
    """Constants of the module, and the values under which the rule does nothing."""


RULES = (
    Rule("evidence of the whole page", score, {"PAGE_WEIGHT": 0.0}),
    Rule("first lines of the page", score, {"HEAD_WEIGHT": 0.0}),
    Rule("evidence of the piece itself", score, {"PIECE_WEIGHT": 0.0}),
    Rule("titles of sections", score, {"TITLE_WEIGHT": 0.0}),
    Rule("titles of the sections above", score, {"ANCESTOR_SHARE": 0.0}),
    Rule("summaries and key items", score, {"DESCRIPTION_WEIGHT": 0.0}),
    Rule("neighbouring words close together", score, {"CLOSE_WEIGHT": 0.0}),
    Rule("quoted phrases", score, {"PHRASE_WEIGHT": 0.0}),
    Rule("first page of a long document", score, {"FIRST_PAGE_WEIGHT": 0.0}),
    Rule("which document is meant", score, {"DOCUMENT_WEIGHT": 0.0}),
    Rule("places that the question names", score, {"PLACE_WEIGHT": 0.0}),
    Rule("printed contents weigh less", score, {"LISTING_SHARE": 1.0}),
    Rule("a word's repetition counts", score, {"SATURATION": 0.0}),
    Rule("long pages weigh less", score, {"LENGTH_SHARE": 0.0}),
    Rule("a page's score goes to its best piece", ranking, {"SHARED_PAGE_SHARE": 1.0}),
    Rule("pages of a hit without evidence named last", ranking, {"EVIDENCE_SHARE": 0.0}),
    Rule("references followed", references, {"REFERENCE_SHARE": 0.0}),
    Rule("other names of a line item", vocabulary, {"EQUIVALENTS": vocabulary.build_equivalents(same_thing="")}),
    Rule("figures made of line items", vocabulary, {"EQUIVALENTS": vocabulary.build_equivalents(made_of="")}),
    Rule("function words left out", vocabulary, {"FUNCTION_TERMS": frozenset()}),
    Rule("asking words left out", vocabulary, {"ASKING_TERMS": frozenset()}),
    Rule("spellings of a fiscal year", question, {"FISCAL_YEAR": NEVER}),
    Rule("a way out left out", question, {"ESCAPE": NEVER}),
    Rule("samples of the answer left out", question, {"SAMPLE": NEVER}),
)


def main() -> int:
    """Index, ask with and without each rule, tell; give the exit code: 2 where nothing can be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--questions", type=Path, action="append", required=True, metavar="FILE.jsonl")
    parser.add_argument("--library", type=Path, metavar="DIR", help="where the documents are, or will be, indexed")
    parser.add_argument("--only", help="names of rules, separated by commas")
    arguments = parser.parse_args()
    names = [name.strip() for name in arguments.only.split(",")] if arguments.only else [rule.name for rule in RULES]
    unknown = sorted(set(names) - {rule.name for rule in RULES})
    if unknown:
        print(f"No rule is called {', '.join(unknown)}. There are: {', '.join(r.name for r in RULES)}", file=sys.stderr)
        return 2
    sets = {path.stem: read_questions(path) for path in arguments.questions}
    library = open_library(arguments.library)
    documents = sorted({row["doc"] for rows in sets.values() for row in rows})
    ids = index_documents(arguments.pdfs, documents, library)
    if not ids:
        print("No document could be indexed.", file=sys.stderr)
        return 2
    full = ask_all(library, sets, ids)
    print("with everything: " + "  ".join(f"{name} {mean(values):.4f}" for name, values in full.items()), flush=True)
    print("| rule | " + " | ".join(full) + " | changed | own | together |\n|---" + "|---" * (len(full) + 3) + "|")
    for rule in RULES:
        if rule.name in names:
            with switched_off(rule):
                without = ask_all(library, sets, ids)
            print(row_of(rule.name, full, without), flush=True)
    return 0


def read_questions(path: Path) -> list[dict[str, Any]]:
    """Give the questions of a file, those of one document next to each other."""
    with path.open(encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
    return sorted((row for row in rows if row["evidence_pages"]), key=lambda row: str(row["doc"]))


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """Search without a rule as long as this lasts."""
    before = {name: getattr(rule.module, name) for name in rule.off}
    try:
        for name, value in rule.off.items():
            setattr(rule.module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(rule.module, name, value)


def ask_all(library: Library, sets: dict[str, list[dict[str, Any]]], ids: dict[str, str]) -> Values:
    """Ask every question of its own document, and of all documents of its file; give what was found of each."""
    names = {doc_id: name for name, doc_id in ids.items()}
    found: Values = {}
    for name, rows in sets.items():
        everything = Scope(documents=tuple(sorted({ids[row["doc"]] for row in rows if row["doc"] in ids})))
        own = found[name] = []
        together = found[f"{name}, together"] = []
        for row in rows:
            if row["doc"] not in ids:
                continue
            scope = Scope(documents=(ids[row["doc"]],))
            own.append(value_of(row, rank(library, row, scope, names, Asker(), together=False)))
            together.append(value_of(row, rank(library, row, everything, names, Asker(), together=True)))
    return found


def value_of(row: dict[str, Any], ranks: dict[str, Any]) -> float:
    """Give the mean share of a question's evidence pages within five pages, ten pages and 4,000 tokens."""
    wanted = set(row["evidence_pages"])
    pages = [page if isinstance(page, int) else page[1] if page[0] == row["doc"] else None for page in ranks["pages"]]
    within: set[int] = set()
    used = 0
    for unit in ranks["units"]:
        if used and used + unit["tokens"] > TOKENS:
            break
        used += unit["tokens"]
        if unit.get("doc", row["doc"]) == row["doc"]:
            within |= set(range(unit["page_start"], unit["page_end"] + 1))
    return sum(len(wanted & set(found)) for found in (pages[:5], pages[:10], within)) / len(wanted) / 3


def row_of(name: str, full: Values, without: Values) -> str:
    """Give a rule's row of the table."""
    gains = {kind: [a - b for a, b in zip(full[kind], without[kind], strict=True)] for kind in full}
    own = [gain for kind, values in gains.items() if not kind.endswith("together") for gain in values]
    together = [gain for kind, values in gains.items() if kind.endswith("together") for gain in values]
    cells = [f"{100 * mean(values):+.2f}" for values in gains.values()]
    changed = sum(1 for gain in (*own, *together) if gain)
    return f"| {name} | {' | '.join(cells)} | {changed} | {probability(own):.2f} | {probability(together):.2f} |"


def probability(gains: Sequence[float]) -> float:
    """Give the share of resamples of the questions in which the gains add up to more than nothing; ties count half."""
    chance = random.Random(0)
    won = 0.0
    for _ in range(RESAMPLES):
        total = sum(chance.choices(gains, k=len(gains))) if any(gains) else 0.0
        won += 0.5 if abs(total) < 1e-9 else float(total > 0)
    return won / RESAMPLES


def mean(values: Sequence[float]) -> float:
    """Give the mean, 0 of nothing."""
    return sum(values) / max(1, len(values))


if __name__ == "__main__":
    sys.exit(main())
