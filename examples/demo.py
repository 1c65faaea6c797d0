"""Index the sample manual, show its tree, and ask it three questions: no key, no model, no network."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from pageindex_core import Hit, index_paths, open_library, search
from pageindex_core.tree import print_tree

SAMPLE = Path(__file__).resolve().parent / "sample"


def show(hit: Hit, rank: int, is_expected: bool) -> None:
    """Print one hit: document, section path, pages, score and the lines that answer."""
    pages = f"page {hit.page_start}" if hit.page_start == hit.page_end else f"pages {hit.page_start}-{hit.page_end}"
    mark = "   <- the section that answers" if is_expected else ""
    print(f"  {rank}. {hit.doc_name}: {' > '.join(hit.section_path)}{mark}")
    print(f"     {pages} (printed {hit.page_label}), score {hit.score:.2f}")
    for line in hit.quotes:
        print(f"     | {line}")


def main() -> None:
    """Run the whole road once: file, tree, library, question, hits."""
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(folder)
        (manual,) = index_paths(SAMPLE / "manual.pdf", library).indexed
        print(print_tree(library.tree(manual.doc_id), depth=2))

        questions = json.loads((SAMPLE / "questions.json").read_text("utf-8"))
        first = 0
        for asked in questions:
            print(f"\n? {asked['question']}")
            hits = search(library, asked["question"], k=3).hits
            for rank, hit in enumerate(hits, start=1):
                show(hit, rank, is_expected=hit.title == asked["section"])
            first += hits[0].title == asked["section"]
        print(f"\nThe section that answers came first for {first} of {len(questions)} questions.")
        library.close()


if __name__ == "__main__":
    main()
