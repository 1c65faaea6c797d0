"""Answers questions through the public search call and writes the pages and units found, for a scorer to read.

Usage: python tests/benchmarks/write_ranks.py --pdfs DIR --questions FILE.jsonl [--together] --out RANKS.jsonl

Each line of FILE.jsonl names a question: {"id", "doc", "question"}, where DIR/doc.pdf is its document. Each is asked
of its own document, or with --together of one library of all the documents of the file. Each line written is
{"id", "pages", "units"}: the pages of the hits in order, and the hits as a caller receives them, with their tokens.
With --together pages are [doc, page] and units name their "doc".
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pageindex_core import PageIndexError, Scope, SearchResult, index_source, open_library, search
from pageindex_core.library.protocol import Library

LEAST_PAGES = 10
"""Pages to name for each question, where the document has as many."""

HITS = 20
"""Hits to ask for at first; doubled until they name enough pages."""


def main() -> int:
    """Index, ask, write; give the exit code: 1 where a document could not be indexed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--questions", type=Path, required=True, metavar="FILE.jsonl")
    parser.add_argument("--together", action="store_true", help="ask one library of all the documents")
    parser.add_argument("--out", type=Path, required=True, metavar="RANKS.jsonl")
    arguments = parser.parse_args()
    with arguments.questions.open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines if line.strip()]
    library = open_library(None)
    ids = index_documents(arguments.pdfs, sorted({question["doc"] for question in questions}), library)
    names = {doc_id: name for name, doc_id in ids.items()}
    with arguments.out.open("w", encoding="utf-8") as out:
        for question in questions:
            own = ids.get(question["doc"])
            if own is None:
                row: dict[str, Any] = {"pages": [], "units": []}
            else:
                scope = Scope() if arguments.together else Scope(documents=(own,))
                row = rank(library, question["question"], scope, names, together=arguments.together)
            out.write(json.dumps({"id": question["id"], **row}) + "\n")
    return int(len(ids) < len({question["doc"] for question in questions}))


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


def rank(library: Library, question: str, scope: Scope, names: dict[str, str], *, together: bool) -> dict[str, Any]:
    """Ask one question for enough hits to name ten pages."""
    k = HITS
    while True:
        result = search(library, question, k=k, scope=scope)
        pages = found_pages(result)
        if len(pages) >= LEAST_PAGES or len(result.hits) < k:
            break
        k *= 2
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
