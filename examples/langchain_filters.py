"""Metadata filters in LangChain: attached when documents are added, applied before anything is read."""

from __future__ import annotations

from offline import MANUAL, SAMPLE
from pageindex_langchain import PageIndex

QUESTION = "How often is it replaced?"


def main() -> None:
    """Index two manuals with metadata, and ask the same question of each selection."""
    index = PageIndex.from_files(MANUAL, metadata={"author": "operator", "year": 2025})
    index.add_files(SAMPLE / "pump.md", metadata={"author": "supplier", "year": 2021})

    selections = {
        "everything": None,
        "equal": {"author": "supplier"},
        "operators": {"$or": [{"year": {"$gte": 2024}}, {"author": {"$in": ["authority"]}}]},
        "a function": lambda metadata: metadata["year"] < 2024,
        "nothing": {"author": "nobody"},
    }
    for name, selection in selections.items():
        retriever = index.as_retriever(search_kwargs={"k": 4, "filter": selection})
        files = {document.metadata["file_name"] for document in retriever.invoke(QUESTION)}
        print(f"{name}: {', '.join(sorted(files))}")

    # A filter may come with the question as well: each user of one retriever sees documents of their own.
    best = index.as_retriever().invoke(QUESTION, filter={"author": "supplier"})[0]
    print("supplier says:", best.metadata["section_path"], "|", best.metadata["quote"])


if __name__ == "__main__":
    main()
