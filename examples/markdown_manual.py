"""A manual in Markdown: its headings are the tree, and hits name the section and quote the lines that answer."""

from __future__ import annotations

from offline import SAMPLE
from pageindex_core.tree import print_tree
from pageindex_langchain import PageIndex

QUESTIONS = ("When must the diaphragm be replaced?", "What dose is right for a water flow of 10 m³/h?")


def main() -> None:
    """Index the file, show its tree, and ask."""
    index = PageIndex.from_files(SAMPLE / "pump.md")
    (pump,) = index.library.list()
    print(print_tree(index.library.tree(pump.doc_id)))

    retriever = index.as_retriever(search_kwargs={"k": 1})
    for question in QUESTIONS:
        (best,) = retriever.invoke(question)
        print("?", question)
        print("  ", best.metadata["section_path"])
        print("  |", best.metadata["quote"])


if __name__ == "__main__":
    main()
