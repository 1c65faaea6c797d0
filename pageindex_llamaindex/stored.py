"""What the index keeps in the docstore: framework documents and file pages as nodes, and those nodes back to ``Pages``.

Nothing is lost on the way: a file's pages carry their lines' boxes, fonts and links in metadata that no model sees, so
an index that was loaded again finds the same sections, ids, pages and boxes as the one that was saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, Document, NodeRelationship, RelatedNodeInfo, TextNode, TransformComponent

from pageindex_core.library.portable import document_to_text, page_to_text, pages_from_texts
from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import ChatModel
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.pipeline import index_loaded, index_pages
from pageindex_core.read import LoadedDocument, source_of_loaded, spans_of_loaded
from pageindex_core.records import Pages, Span
from pageindex_llamaindex.nodes import DOCUMENT_KEY, LAYOUT_KEYS, PAGE_KEY, Part


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


def _whole(document: Document, occurrence: int) -> TextNode:
    return TextNode(
        id_=f"{document.id_}:text" + (f"-{occurrence}" if occurrence > 1 else ""),
        text=document.text,
        metadata=dict(document.metadata),
        excluded_llm_metadata_keys=list(document.excluded_llm_metadata_keys),
        excluded_embed_metadata_keys=list(document.excluded_embed_metadata_keys),
        relationships={NodeRelationship.SOURCE: document.as_related_node_info()},
    )


def is_file_page(node: BaseNode) -> bool:
    """Whether a stored node is a page of a file, and not a document that a reader loaded."""
    return PAGE_KEY in node.metadata


def source_of(node: BaseNode) -> str:
    """Give the source that a stored node belongs to: by its metadata, else its framework document."""
    if is_file_page(node):
        return ref_doc_id_of(node)
    return source_of_loaded(LoadedDocument("", node.metadata, ref_doc_id_of(node)))


def ref_doc_id_of(node: BaseNode) -> str:
    """Give the framework document a node belongs to; the node itself where it has none."""
    return node.ref_doc_id or node.node_id


def index_stored(
    nodes: Sequence[BaseNode],
    library: Library,
    options: IndexOptions,
    model: ChatModel | None = None,
    model_options: ModelOptions | None = None,
    *,
    keep_pages: bool = False,
) -> tuple[Part, ...]:
    """Index one document from its stored nodes, in the order in which they were added; give what each node holds.

    With ``keep_pages``, pages that the library has of it from elsewhere stay: see ``index_loaded``.
    """
    if is_file_page(nodes[0]):
        pages = _file_pages(nodes)
        index_pages(pages, library, options=options, model=model, model_options=model_options)
        spans = [Span(page.page_number, page.page_number) for page in pages.pages]
    else:
        loaded = [LoadedDocument(node.get_content(), node.metadata, ref_doc_id_of(node)) for node in nodes]
        index_loaded(loaded, library, keep_pages=keep_pages, options=options, model=model, model_options=model_options)
        spans = spans_of_loaded(loaded)
    source_id = source_of(nodes[0])
    return tuple(
        Part(node.node_id, ref_doc_id_of(node), source_id, span) for node, span in zip(nodes, spans, strict=True)
    )


def file_nodes(pages: Pages) -> list[TextNode]:
    """Give a file's pages as nodes, one each, of which ``index_stored`` makes the same ``Pages`` again."""
    own = {**pages.metadata, "file_name": pages.name, "file_path": pages.source_id}
    hidden = [*LAYOUT_KEYS, "file_path"]
    nodes: list[TextNode] = []
    for page in pages.pages:
        metadata = {**own, "page_label": page.page_label or str(page.page_number)}
        metadata[PAGE_KEY] = page_to_text(page)
        if not nodes:
            metadata[DOCUMENT_KEY] = document_to_text(pages)
        nodes.append(
            TextNode(
                id_=f"{pages.source_id}:page-{page.page_number}",
                text=page.text,
                metadata=metadata,
                excluded_llm_metadata_keys=hidden,
                excluded_embed_metadata_keys=hidden,
                relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=pages.source_id)},
            )
        )
    return nodes


def _file_pages(nodes: Sequence[BaseNode]) -> Pages:
    document = next(node.metadata[DOCUMENT_KEY] for node in nodes if DOCUMENT_KEY in node.metadata)
    return pages_from_texts(ref_doc_id_of(nodes[0]), document, [node.metadata[PAGE_KEY] for node in nodes])
