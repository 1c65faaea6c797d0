"""What the index keeps in the framework's stores: nodes with the whole text of documents, as the core's pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from llama_index.core.schema import BaseNode, Document, NodeRelationship, RelatedNodeInfo, TextNode, TransformComponent
from llama_index.core.storage.storage_context import StorageContext

from pageindex_core import holdings  # its classes are loaded by the first index, not with the package
from pageindex_core.holdings.parts import PartMap
from pageindex_llamaindex.struct import PageIndexStruct


class WholeDocuments(TransformComponent):
    """Makes one node of each framework document, with its whole text: chunks would hide the sections."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Give a stored node for each ``Document``, several of one id told apart; other nodes stay as they are."""
        seen: Counter[str] = Counter()
        whole: list[BaseNode] = []
        for node in nodes:
            seen[node.node_id] += 1
            whole.append(_whole(node, seen[node.node_id]) if isinstance(node, Document) else node)
        return whole


class NodeStore:
    """Docstore and index store, as the core's ``PieceStore``."""

    def __init__(self, storage: StorageContext, struct: PageIndexStruct) -> None:
        self._storage = storage
        self._struct = struct

    def load(self, piece_ids: Iterable[str]) -> list[holdings.Piece]:
        """Give nodes of the docstore."""
        return [as_piece(node) for node in self._storage.docstore.get_nodes(list(piece_ids))]

    def put(self, pieces: Sequence[holdings.Piece]) -> None:
        """Add nodes to the docstore."""
        nodes = [piece.payload or _page_node(piece) for piece in pieces]
        self._storage.docstore.add_documents(nodes, allow_update=True)

    def drop(self, piece_id: str) -> None:
        """Remove a node from the docstore."""
        self._storage.docstore.delete_document(piece_id, raise_error=False)

    def hash_of(self, ref_id: str) -> str | None:
        """Give the hash of a framework document or file."""
        return self._storage.docstore.get_document_hash(ref_id)

    def set_hashes(self, hashes: Mapping[str, str]) -> None:
        """Keep the hashes of framework documents and files."""
        self._storage.docstore.set_document_hashes(dict(hashes))

    def record(self, parts: PartMap) -> None:
        """Write which nodes are held into the struct, and the struct into the index store."""
        self._struct.nodes = parts.to_text()
        self._storage.index_store.add_index_struct(self._struct)


def as_piece(node: BaseNode) -> holdings.Piece:
    """Give a node as the core takes it; one without a framework document belongs to itself."""
    return holdings.Piece(node.node_id, node.ref_doc_id or node.node_id, node.get_content(), node.metadata, node)


def _whole(document: Document, occurrence: int) -> TextNode:
    return TextNode(
        id_=f"{document.id_}:text" + (f"-{occurrence}" if occurrence > 1 else ""),
        text=document.text,
        metadata=dict(document.metadata),
        excluded_llm_metadata_keys=list(document.excluded_llm_metadata_keys),
        excluded_embed_metadata_keys=list(document.excluded_embed_metadata_keys),
        relationships={NodeRelationship.SOURCE: document.as_related_node_info()},
    )


def _page_node(piece: holdings.Piece) -> TextNode:
    hidden = [*holdings.LAYOUT_KEYS, "file_path"]
    return TextNode(
        id_=piece.piece_id,
        text=piece.text,
        metadata=dict(piece.metadata),
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=piece.ref_id)},
    )
