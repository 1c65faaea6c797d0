"""Takes the ``Outline``, gives the ``PageTree``: nested sections that cover every page."""

from __future__ import annotations

from pageindex_core.options import TreeOptions
from pageindex_core.records import Note, Outline, Pages, PageTree
from pageindex_core.tree.groups import divide_long_leaves, group_pages
from pageindex_core.tree.lookup import get_node, get_node_map, get_node_parent, get_node_path, print_tree
from pageindex_core.tree.nest import MAX_DEPTH, nest
from pageindex_core.tree.optimize import merge_tree
from pageindex_core.tree.schema import tree_from_json, tree_to_json
from pageindex_core.tree.spans import lay_out, number_sections

__all__ = [
    "build_tree",
    "get_node",
    "get_node_map",
    "get_node_parent",
    "get_node_path",
    "merge_tree",
    "print_tree",
    "tree_from_json",
    "tree_to_json",
]


def build_tree(pages: Pages, outline: Outline, options: TreeOptions | None = None) -> PageTree:
    """Build the page tree of a document; without headings it is cut into page groups, never refused."""
    options = options or TreeOptions()
    branches, raised = nest(outline.headings)
    sections = lay_out(branches, pages.pages)
    notes = outline.notes
    if raised:
        message = f"{raised} headings nest deeper than {MAX_DEPTH} levels; they were kept at that level."
        notes = (*notes, Note("levels_cut", message))
    toc_source = outline.toc_source
    if sections:
        sections = divide_long_leaves(sections, pages.pages, options.group_pages)
    else:
        sections = tuple(group_pages(pages.pages, options.group_pages))
        toc_source = "unreadable" if outline.toc_source == "unreadable" else "pages"
    return PageTree(
        doc_name=pages.name,
        sections=number_sections(sections, pages.pages),
        toc_source=toc_source,
        page_count=len(pages.pages),
        shares=outline.shares,
        notes=notes,
    )
