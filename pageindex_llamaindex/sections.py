"""One indexed document as nodes: its units, the same as the retriever gives them, under the sections they make up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from llama_index.core.schema import NodeRelationship, TextNode

from pageindex_core.holdings.parts import Part, parts_of
from pageindex_core.library.protocol import Library
from pageindex_core.search.unit_tree import UnitNode, unit_tree
from pageindex_llamaindex.nodes import text_node


def section_nodes(library: Library, doc_id: str, parts: Sequence[Part], *, leaves_only: bool) -> list[TextNode]:
    """Give a document's sections as nodes in pre-order, each with its PARENT, CHILD, PREVIOUS and NEXT.

    The leaves are the units, chained in reading order; sections above them hold the text of all below, and are chained
    to their siblings. A section of a single unit is that unit.

    Args:
        library: Where the document is.
        doc_id: Which one.
        parts: The framework documents it consists of, for SOURCE.
        leaves_only: Leave out the sections above the units.
    """
    roots = unit_tree(library, doc_id)
    if leaves_only:
        roots = tuple(leaf for root in roots for leaf in root.leaves())
    nodes = [node for root in roots for node in _linked(root, parts)]
    _chain([node for node in nodes if NodeRelationship.CHILD not in node.relationships])
    return nodes


def _linked(root: UnitNode, parts: Sequence[Part]) -> list[TextNode]:
    """Give the nodes of a unit or section, linked to one another, the root before all below it."""
    node = text_node(root.hit, parts_of(root.hit, parts))
    if not root.below:
        return [node]
    below = [_linked(child, parts) for child in root.below]
    node.relationships[NodeRelationship.CHILD] = [nodes[0].as_related_node_info() for nodes in below]
    for nodes in below:
        nodes[0].relationships[NodeRelationship.PARENT] = node.as_related_node_info()
    _chain([nodes[0] for nodes in below if len(nodes) > 1])
    return [node, *(each for nodes in below for each in nodes)]


def _chain(nodes: Sequence[TextNode]) -> None:
    for before, after in pairwise(nodes):
        before.relationships[NodeRelationship.NEXT] = after.as_related_node_info()
        after.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()
