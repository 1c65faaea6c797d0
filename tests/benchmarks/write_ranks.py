"""Answers questions through the public search call and writes the pages and units found, for a scorer to read.

Usage: python tests/benchmarks/write_ranks.py --pdfs DIR --questions FILE.jsonl [--together] --out RANKS.jsonl
           [--navigator lexical|tree|agent] [--chooser perfect|lexical]

Each line of FILE.jsonl names a question: {"id", "doc", "question"}, where DIR/doc.pdf is its document. Each is asked
of its own document, or with --together of one library of all the documents of the file. Each line written is
{"id", "pages", "units"}: the pages of the hits in order, and the hits as a caller receives them, with their tokens.
With --together pages are [doc, page] and units name their "doc".

With --navigator tree or agent a stand-in for the model answers over real HTTP, through LiteLLM. --chooser perfect picks
the smallest place that holds each page of "readable_pages", if it is shown: it measures whether the map is enough.
--chooser lexical picks the one place that shares most words with the question. The median and the maximum of calls,
prompt tokens, map tokens and pages read a question are printed, all taken from an ask for five hits.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

from pageindex_core import PageIndexError, Scope, SearchResult, index_source, open_library, search
from pageindex_core.library.protocol import Library
from pageindex_core.llm import ChatModel, open_model
from pageindex_core.search import NavigatorName
from pageindex_core.testing import ModelServer

LEAST_PAGES = 10
"""Pages to name for each question, where the document has as many."""

HITS = 20
"""Hits to ask for at first; doubled until they name enough pages."""

READ_HITS = 5
"""Hits whose pages count as read: what an answer is written from by default."""


@dataclass
class Asker:
    """How questions are asked, and what they took."""

    navigator: NavigatorName = "lexical"
    model: ChatModel | None = None
    chooser: Any = None
    """Stands in for the model; None without one."""
    figures: dict[str, list[int]] = field(default_factory=dict)

    def ask(self, library: Library, question: dict[str, Any], scope: Scope, k: int) -> SearchResult:
        """Ask once."""
        if self.chooser is not None:
            self.chooser.point_at(question)
        return search(library, question["question"], k=k, scope=scope, navigator=self.navigator, model=self.model)

    def count(self, result: SearchResult) -> None:
        """Note what one question took."""
        trace = result.trace
        covered = {
            (hit.doc_id, page) for hit in result.hits[:READ_HITS] for page in range(hit.page_start, hit.page_end + 1)
        }
        figures = {
            "calls": trace.model_calls,
            "prompt tokens": trace.input_tokens,
            "map tokens": trace.map_tokens,
            "pages read": len(trace.pages_read or covered),
        }
        for name, value in figures.items():
            self.figures.setdefault(name, []).append(value)

    def report(self) -> str:
        """Give median, mean and maximum of each figure."""
        lines = [f"{self.navigator}: {len(self.figures.get('calls', ()))} questions"]
        lines += [
            f"  {name:13}  median {median(values):8g}  mean {mean(values):8.1f}  maximum {max(values):8g}"
            for name, values in self.figures.items()
        ]
        return "\n".join(lines)


def main() -> int:
    """Index, ask, write; give the exit code: 1 where a document could not be indexed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE.jsonl")
    parser.add_argument("--together", action="store_true", help="ask one library of all the documents")
    parser.add_argument("--out", type=Path, required=True, metavar="RANKS.jsonl")
    parser.add_argument("--navigator", choices=("lexical", "tree", "agent"), default="lexical")
    parser.add_argument("--chooser", choices=("perfect", "lexical"), default="lexical", help="stands in for the model")
    arguments = parser.parse_args()
    with arguments.questions.open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines if line.strip()]
    library = open_library(None)
    ids = index_documents(arguments.pdfs, sorted({question["doc"] for question in questions}), library)
    names = {doc_id: name for name, doc_id in ids.items()}
    with ExitStack() as stack, arguments.out.open("w", encoding="utf-8") as out:
        asker = Asker() if arguments.navigator == "lexical" else stand_in(arguments, stack)
        for question in questions:
            own = ids.get(question["doc"])
            if own is None:
                row: dict[str, Any] = {"pages": [], "units": []}
            else:
                scope = Scope() if arguments.together else Scope(documents=(own,))
                row = rank(library, question, scope, names, asker, together=arguments.together)
            out.write(json.dumps({"id": question["id"], **row}) + "\n")
    if asker.chooser is not None:
        print(asker.report())
    return int(len(ids) < len({question["doc"] for question in questions}))


def stand_in(arguments: argparse.Namespace, stack: ExitStack) -> Asker:
    """Start a server that stands in for the model, and a model that talks to it."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the test doubles
    from benchmarks.choosers import Chooser

    chooser = Chooser(is_perfect=arguments.chooser == "perfect")
    server = stack.enter_context(ModelServer(chooser.answer))
    model = open_model("openai/stand-in", api_base=server.base_url, api_key="none")
    return Asker(arguments.navigator, model, chooser)


def index_documents(folder: Path, names: list[str], library: Library) -> dict[str, str]:
    """Index DIR/NAME.pdf of each name; give the document ids, and tell the failures on the error stream."""
    ids: dict[str, str] = {}
    for name in names:
        try:
            info, _ = index_source(folder / f"{name}.pdf", library)
        except PageIndexError as error:
            print(f"{name}: {error}", file=sys.stderr)
        else:
            ids[name] = info.doc_id
    return ids


def rank(
    library: Library,
    question: dict[str, Any],
    scope: Scope,
    names: dict[str, str],
    asker: Asker,
    *,
    together: bool,
) -> dict[str, Any]:
    """Ask one question for enough hits to name ten pages."""
    k = HITS
    while True:
        result = asker.ask(library, question, scope, k)
        pages = found_pages(result)
        if len(pages) >= LEAST_PAGES or len(result.hits) < k:
            break
        k *= 2
    asker.count(result)
    units: list[dict[str, Any]] = [
        {"page_start": hit.page_start, "page_end": hit.page_end, "tokens": hit.tokens} for hit in result.hits
    ]
    if not together:
        return {"pages": [page for _, page in pages], "units": units}
    for unit, hit in zip(units, result.hits, strict=True):
        unit["doc"] = names[hit.doc_id]
    return {"pages": [[names[doc_id], page] for doc_id, page in pages], "units": units}


def found_pages(result: SearchResult) -> list[tuple[str, int]]:
    """Give (document id, page) of the hits in order: first those named as evidence, then the others they cover."""
    evidence = [(hit.doc_id, page) for hit in result.hits for page in hit.evidence_pages]
    covered = [(hit.doc_id, page) for hit in result.hits for page in range(hit.page_start, hit.page_end + 1)]
    return list(dict.fromkeys([*evidence, *covered]))


if __name__ == "__main__":
    sys.exit(main())
