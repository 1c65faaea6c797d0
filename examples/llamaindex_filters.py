"""Metadata filters in LlamaIndex, nested ones too: applied before anything is read."""

from __future__ import annotations

from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from offline import MANUAL, SAMPLE
from pageindex_llamaindex import PageIndex

QUESTION = "How often is it replaced?"

SUPPLIER = MetadataFilters(filters=[MetadataFilter(key="author", value="supplier")])
RECENT = MetadataFilter(key="year", value=2024, operator=FilterOperator.GTE)
AUTHORITY = MetadataFilter(key="author", value=["authority"], operator=FilterOperator.IN)
SELECTIONS = {
    "everything": None,
    "equal": SUPPLIER,
    "operators": MetadataFilters(filters=[RECENT, AUTHORITY], condition=FilterCondition.OR),
    "nested": MetadataFilters(
        filters=[SUPPLIER, MetadataFilters(filters=[RECENT], condition=FilterCondition.NOT)],
    ),
    "a section": MetadataFilters(filters=[MetadataFilter(key="title", value="Valves")]),
}


def main() -> None:
    """Index two manuals with metadata, and ask the same question of each selection."""
    index = PageIndex.from_files(MANUAL, metadata={"author": "operator", "year": 2025})
    index.insert_files(SAMPLE / "pump.md", metadata={"author": "supplier", "year": 2021})

    for name, selection in SELECTIONS.items():
        retriever = index.as_retriever(similarity_top_k=4, filters=selection)
        files = {found.node.metadata["file_name"] for found in retriever.retrieve(QUESTION)}
        print(f"{name}: {', '.join(sorted(files))}")


if __name__ == "__main__":
    main()
