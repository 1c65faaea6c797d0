"""Finding sections in a tree, and printing one for people."""

from __future__ import annotations

from collections.abc import Iterator

from pageindex_core.records import PageTree, Section


def get_node_map(tree: PageTree) -> dict[str, Section]:
    """Give every section by its ``node_id``, in pre-order."""
    return {section.node_id: section for section in tree.walk()}


def get_node(tree: PageTree, node_id: str) -> Section | None:
    """Give the section with this id; None when there is none."""
    return next((section for section in tree.walk() if section.node_id == node_id), None)


def get_node_path(tree: PageTree, node_id: str) -> tuple[Section, ...]:
    """Give the sections from the outermost down to this one; empty when there is no such id."""
    return next((path for path in _paths(tree.sections, ()) if path[-1].node_id == node_id), ())


def get_node_parent(tree: PageTree, node_id: str) -> Section | None:
    """Give the section that holds this one; None for outermost and unknown ones."""
    path = get_node_path(tree, node_id)
    return path[-2] if len(path) > 1 else None


def print_tree(tree: PageTree, *, depth: int | None = None, summaries: bool = False) -> str:
    """Give the tree as indented text with ids and pages, down to ``depth`` levels (None for all)."""
    lines = [f"{tree.doc_name}  ({tree.page_count} pages, structure from {tree.toc_source})"]
    for section in tree.walk():
        if depth is not None and section.level > depth:
            continue
        first, last = section.start_page, section.end_page
        pages = f"{first}" if first == last else f"{first}-{last}"
        indent = "  " * section.level
        lines.append(f"{indent}[{section.node_id}] {section.title}  · p. {pages}")
        if summaries and section.summary:
            lines.append(f"{indent}       {section.summary}")
    return "\n".join(lines)


def _paths(sections: tuple[Section, ...], above: tuple[Section, ...]) -> Iterator[tuple[Section, ...]]:
    for section in sections:
        path = (*above, section)
        yield path
        yield from _paths(section.children, path)
