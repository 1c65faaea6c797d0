"""What the core finds, as LlamaIndex nodes: ids, metadata and relationships that stay the same for every question.

Fusion retrievers recognise a node by the hash of its text and metadata, so nothing that depends on the question
(score, reason, quotes) goes into either; those are in ``PageIndexRetriever.search``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from pageindex_core.holdings.parts import Part
from pageindex_core.library.filters import seen_metadata
from pageindex_core.records import DocumentInfo, Hit, Metadata

PATH_SEPARATOR = " > "
"""Between the titles of ``section_path``."""

UNIT_KEYS = frozenset({"node_id", "title", "section_path", "header_path", "page_label", "page_start", "page_end"})
"""Metadata that says where in its document a node stands."""

RENAMED = "document_"
"""Put before a key of the caller's that has another meaning in nodes: "title" becomes "document_title"."""

NOT_FOR_MODELS = (
    "doc_id", "node_id", "source", "file_path", "title", "header_path", "page_start", "page_end",
    "file_type", "file_size", "creation_date", "last_modified_date", "last_accessed_date",
)  # fmt: skip
"""Ids, ranges and what ``section_path`` says already; the second line is what SimpleDirectoryReader excludes too."""

NOT_FOR_EMBEDDING = (*NOT_FOR_MODELS, "file_name", "page_label")
"""An embedding gains from the section path alone."""


def as_in_nodes(metadata: Metadata) -> dict[str, Any]:
    """Give metadata of a document with the keys that it has in nodes, where some mean another thing."""
    renamed = {RENAMED + key: metadata[key] for key in metadata if key in UNIT_KEYS or key == "doc_id"}
    return {**{key: value for key, value in metadata.items() if key not in UNIT_KEYS}, **renamed}


def document_metadata(document: DocumentInfo | Hit) -> dict[str, Any]:
    """Give what a node says of its document: the caller's metadata, and what the document is called."""
    name = document.name if isinstance(document, DocumentInfo) else document.doc_name
    seen = seen_metadata(as_in_nodes(document.metadata), document.doc_id, document.source_id, name)
    return {**seen, "doc_id": document.doc_id}


def unit_metadata(hit: Hit) -> dict[str, Any]:
    """Give the flat metadata of a node: constant keys, and the same for every question."""
    parents = "/".join(hit.section_path[:-1])
    return {
        **document_metadata(hit),
        "section_path": PATH_SEPARATOR.join(hit.section_path),
        "header_path": f"/{parents}/" if parents else "/",
        "title": hit.title,
        "page_label": hit.page_label,
        "page_start": hit.page_start,
        "page_end": hit.page_end,
        "node_id": hit.node_id,
    }


def text_node(hit: Hit, parts: Sequence[Part] = ()) -> TextNode:
    """Make a new node of a hit; its SOURCE is the framework document it starts in, else the document's source."""
    source = parts[0].ref_id if parts else hit.source_id
    return TextNode(
        id_=hit.unit_id,
        text=hit.text,
        metadata=unit_metadata(hit),
        excluded_llm_metadata_keys=list(NOT_FOR_MODELS),
        excluded_embed_metadata_keys=list(NOT_FOR_EMBEDDING),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)},
    )


def to_node(hit: Hit, parts: Sequence[Part] = ()) -> NodeWithScore:
    """Make a new node of a hit with its score; see ``text_node``."""
    return NodeWithScore(node=text_node(hit, parts), score=float(hit.score))
