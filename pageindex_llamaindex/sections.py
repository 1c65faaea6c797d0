"""One indexed document as nodes: its units, the same as the retriever gives them, under the sections they make up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

from llama_index.core.schema import NodeRelationship, TextNode

from pageindex_core.library.protocol import Library
from pageindex_core.records import Hit, Scope, Section
from pageindex_core.search.inventory import units_of
from pageindex_core.tokens import count_tokens
from pageindex_llamaindex.nodes import Part, to_node

WHOLE = "whole"
"""Last part of the id of a section with all that is below it; units have names of their own."""


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
    units = list(units_of(library, scope=Scope(documents=(doc_id,))))
    if leaves_only:
        leaves = [_node(hit, parts) for hit in units]
        _chain(leaves)
        return leaves
    laid_out = _Layout(units, parts)
    roots = laid_out.lay_out(library.tree(doc_id).sections, ())
    if not roots:
        roots = [laid_out.leaf(hit) for hit in units]
    _chain(laid_out.leaves)
    return laid_out.in_preorder(roots)


class _Layout:
    """The nodes of one document while its sections are put above its units."""

    def __init__(self, units: Sequence[Hit], parts: Sequence[Part]) -> None:
        self.leaves: list[TextNode] = []
        self._parts = parts
        self._units: dict[str, list[Hit]] = {}
        for hit in units:
            self._units.setdefault(hit.section_key, []).append(hit)
        self._hits: dict[str, Hit] = {}
        self._children: dict[str, list[TextNode]] = {}

    def lay_out(self, sections: Sequence[Section], above: tuple[str, ...]) -> list[TextNode]:
        """Give a node for each section that has text, with those below it."""
        made: list[TextNode] = []
        for section in sections:
            path = (*above, section.title)
            below = [self.leaf(hit) for hit in self._units.get(section.section_key, ())]
            below += self.lay_out(section.children, path)
            made += below if len(below) < 2 else [self._section(section, path, below)]
        return made

    def leaf(self, hit: Hit) -> TextNode:
        """Give the node of a unit."""
        node = _node(hit, self._parts)
        self._hits[node.node_id] = hit
        self.leaves.append(node)
        return node

    def in_preorder(self, nodes: Sequence[TextNode]) -> list[TextNode]:
        """Give nodes with all below them, each before its children."""
        return [each for node in nodes for each in (node, *self.in_preorder(self._children.get(node.node_id, ())))]

    def _section(self, section: Section, path: tuple[str, ...], below: list[TextNode]) -> TextNode:
        hits = [self._hits[node.node_id] for node in below]
        text = "\n".join(hit.text for hit in hits)
        hit = replace(
            hits[0],
            unit_id="-".join((hits[0].doc_id, section.section_key, WHOLE)),
            node_id=section.node_id,
            section_key=section.section_key,
            section_path=path,
            page_end=max(hit.page_end for hit in hits),
            text=text,
            tokens=count_tokens(text),
        )
        node = _node(hit, self._parts)
        self._hits[node.node_id], self._children[node.node_id] = hit, below
        node.relationships[NodeRelationship.CHILD] = [child.as_related_node_info() for child in below]
        for child in below:
            child.relationships[NodeRelationship.PARENT] = node.as_related_node_info()
        _chain([child for child in below if child.node_id in self._children])
        return node


def _node(hit: Hit, parts: Sequence[Part]) -> TextNode:
    touched = sorted((part for part in parts if part.touches(hit)), key=lambda part: part.first)
    return cast("TextNode", to_node(hit, touched).node)


def _chain(nodes: Sequence[TextNode]) -> None:
    for before, after in pairwise(nodes):
        before.relationships[NodeRelationship.NEXT] = after.as_related_node_info()
        after.relationships[NodeRelationship.PREVIOUS] = before.as_related_node_info()
