"""``PageIndexNodeParser``: documents as the nodes of their page tree, for the framework's other indexes and stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, TextNode
from llama_index.core.utils import get_tqdm_iterable
from pydantic import Field

from pageindex_core.holdings.pieces import Piece, index_pieces
from pageindex_core.library import open_library
from pageindex_core.options import IndexOptions
from pageindex_core.pipeline import doc_id_of
from pageindex_core.threads import in_thread
from pageindex_llamaindex.sections import section_nodes
from pageindex_llamaindex.stored import as_piece


class PageIndexNodeParser(NodeParser):
    """Gives the sections of documents instead of blind chunks, with the section path in the text that is embedded.

    ::

        nodes = PageIndexNodeParser().get_nodes_from_documents(documents)
        storage_context.docstore.add_documents(nodes)
        index = VectorStoreIndex(get_leaf_nodes(nodes), storage_context=storage_context)
        retriever = AutoMergingRetriever(index.as_retriever(), storage_context)

    The leaves are what ``PageIndexRetriever`` finds by default, with the same ids and hashes, so that fusion counts a
    section once. Above them stand the sections they belong to, with all their text: for the docstore, and to be left
    out of a vector index. Documents of one file are put together in page order.
    """

    leaves_only: bool = Field(default=False, description="Leave out the sections above the leaves.")
    options: IndexOptions = Field(default_factory=IndexOptions, description="How trees are built.")

    @classmethod
    def class_name(cls) -> str:
        """Give the name that pipelines store."""
        return "PageIndexNodeParser"

    def _parse_nodes(self, /, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        by_source: dict[str, list[Piece]] = {}
        for piece in map(as_piece, nodes):
            by_source.setdefault(piece.source_id, []).append(piece)
        library = open_library()
        parsed: list[BaseNode] = []
        for source_id, members in get_tqdm_iterable(list(by_source.items()), show_progress, "Parsing documents"):
            parts = index_pieces(members, library, self.options)
            doc_id = doc_id_of(source_id)
            made = section_nodes(library, doc_id, parts, leaves_only=self.leaves_only)
            given = {piece.piece_id: piece.payload for piece in members}
            parsed += [self._finished(node, given) for node in made]
            library.remove(doc_id)
        return parsed

    _aparse_nodes = in_thread(_parse_nodes)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """Add where each node stands in its document; all else is there, and the same as the retriever's."""
        reached: dict[str, int] = {}
        for node in nodes:
            document = parent_doc_map.get(node.ref_doc_id or "")
            if document is None or not isinstance(node, TextNode) or NodeRelationship.CHILD in node.relationships:
                continue
            text = node.get_content(metadata_mode=MetadataMode.NONE)
            start = document.get_content(metadata_mode=MetadataMode.NONE).find(text, reached.get(document.node_id, 0))
            if start >= 0:
                node.start_char_idx, node.end_char_idx = start, start + len(text)
                reached[document.node_id] = start + 1
        return nodes

    def _finished(self, node: TextNode, given: Mapping[str, BaseNode]) -> TextNode:
        """Give a node with what its document says of itself, and without what the caller wants left out."""
        source = given.get(node.ref_doc_id or "")
        if source is not None:
            node.relationships[NodeRelationship.SOURCE] = source.as_related_node_info()
            for own, left_out in (
                (node.excluded_llm_metadata_keys, source.excluded_llm_metadata_keys),
                (node.excluded_embed_metadata_keys, source.excluded_embed_metadata_keys),
            ):
                own += [key for key in left_out if key not in own]
        if not self.include_prev_next_rel:
            for relation in (NodeRelationship.PREVIOUS, NodeRelationship.NEXT):
                node.relationships.pop(relation, None)
        if not self.include_metadata:
            node.metadata = {}
        return node
