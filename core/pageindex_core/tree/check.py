"""The invariants of a page tree, checked: for trees from elsewhere, and for the property tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pageindex_core.records import PageTree, Section


def check_tree(tree: PageTree) -> list[str]:
    """Give every broken promise of a tree in words; an empty list for a sound one.

    Checked: every page is covered; children lie inside their parent and in order; levels start at one and grow by
    one; ids and keys are unique, ids in pre-order. What is shared at a page break depends on the lines of the page,
    which a tree does not hold.
    """
    problems: list[str] = []
    covered: set[int] = set()
    for section in tree.walk():
        covered.update(range(section.start_page, section.end_page + 1))
        if not 1 <= section.start_page <= section.end_page <= tree.page_count:
            span = f"{section.start_page}-{section.end_page}"
            problems.append(f"{_name(section)} covers {span} of {tree.page_count} pages")
        problems.extend(_check_children(section))
    problems.extend(f"{_name(root)} has level {root.level}, outermost" for root in tree.sections if root.level != 1)
    problems.extend(_check_order(tree.sections, "the document"))
    problems.extend(f"page {page} is in no section" for page in range(1, tree.page_count + 1) if page not in covered)
    problems.extend(_check_names(list(tree.walk())))
    return problems


def _check_children(section: Section) -> list[str]:
    problems = []
    for child in section.children:
        if child.level != section.level + 1:
            problems.append(f"{_name(child)} has level {child.level} below level {section.level}")
        if _start(child) < _start(section) or child.end_page > section.end_page:
            problems.append(f"{_name(child)} leaves its parent {_name(section)}")
    return problems + _check_order(section.children, _name(section))


def _check_order(sections: Sequence[Section], where: str) -> list[str]:
    return [
        f"{_name(later)} starts before the end of {_name(earlier)} in {where}"
        for earlier, later in pairwise(sections)
        if _start(later) < _start(earlier) or later.start_page < earlier.end_page
    ]


def _check_names(sections: Sequence[Section]) -> list[str]:
    problems = []
    ids = [section.node_id for section in sections]
    if not all(node_id.isdecimal() for node_id in ids):
        problems.append("node ids are not all numbers")
    elif any(int(later) <= int(earlier) for earlier, later in pairwise(ids)):
        problems.append("node ids are not unique and in pre-order")
    keys = [section.section_key for section in sections]
    if not all(keys) or len(set(keys)) != len(keys):
        problems.append("section keys are missing or not unique")
    return problems


def _start(section: Section) -> tuple[int, int]:
    return section.start_page, section.start_line


def _name(section: Section) -> str:
    return f"[{section.node_id}] {section.title!r}"
