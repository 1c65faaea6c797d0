"""Code as a user of the core writes it: it has to type-check, it is never run."""

from __future__ import annotations

from pathlib import Path

from pageindex_core import (
    Hit,
    IndexOptions,
    IndexReport,
    ModelOptions,
    OutlineOptions,
    PageTree,
    Scope,
    SearchResult,
    Section,
    asearch,
    index_paths,
    make_tree,
    open_library,
    search,
)


def titles_of(path: Path) -> list[str]:
    tree: PageTree = make_tree(path, IndexOptions(outline=OutlineOptions(use_bookmarks=False)))
    sections: list[Section] = list(tree.walk())
    return [section.title for section in sections]


def answer(folder: str, question: str) -> list[tuple[str, int, float]]:
    library = open_library(folder)
    report: IndexReport = index_paths([folder, Path("more.pdf")], library)
    names: list[str] = [info.name for info in report.indexed]
    result: SearchResult = search(library, question, k=3, scope=Scope(documents=tuple(names)))
    hits: tuple[Hit, ...] = result.hits
    return [(hit.title, hit.page_start, hit.score) for hit in hits]


def index_with_a_model(folder: str) -> str:
    options = ModelOptions(summary_words=80, max_cost_usd=2.0, prompts={"summary": Path("mine.txt")})
    report = index_paths(folder, open_library(folder), model="gpt-4o-mini", model_options=options)
    tree: PageTree = make_tree(folder, model="gpt-4o-mini")
    return f"{tree.description}: {report.spent.tokens if report.spent else 0}"


async def answer_async(folder: str, question: str) -> str:
    result: SearchResult = await asearch(open_library(folder), question)
    return result.hits[0].page_label
