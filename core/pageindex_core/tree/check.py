"""The invariants of a page tree, checked: for trees from elsewhere, and for the property tests."""

from __future__ import annotations

from pageindex_core.records import PageTree, Section


def check_tree(tree: PageTree) -> list[str]:
    """Give every broken promise of a tree in words; an empty list for a sound one.

    Checked: every page is covered by a leaf or by a section's own pages; children lie inside their parent and in
    order; levels grow by one; ids and keys are unique, ids in pre-order.
    """
    problems: list[str] = []
    covered: set[int] = set()
    for section in tree.walk():
        covered.update(range(section.start_page, section.end_page + 1))
        if not 1 <= section.start_page <= section.end_page <= tree.page_count:
            problems.append(f"{_name(section)} covers {section.start_page}-{section.end_page} of {tree.page_count} pages")
        problems.extend(_check_children(section))
    problems.extend(_check_order(tree.sections, "the document"))
    problems.extend(f"page {page} is in no section" for page in range(1, tree.page_count + 1) if page not in covered)
    ids = [section.node_id for section in tree.walk()]
    if ids != sorted(ids, key=int) or len(set(ids)) != len(ids):
        problems.append("node ids are not unique and in pre-order")
    keys = [section.section_key for section in tree.walk()]
    if len(set(keys)) != len(keys):
        problems.append("section keys are not unique")
    return problems


def _check_children(section: Section) -> list[str]:
    problems = []
    for child in section.children:
        if child.level != section.level + 1:
            problems.append(f"{_name(child)} has level {child.level} below level {section.level}")
        if child.start_page < section.start_page or child.end_page > section.end_page:
            problems.append(f"{_name(child)} leaves its parent {_name(section)}")
    return problems + _check_order(section.children, _name(section))


def _check_order(sections: tuple[Section, ...], where: str) -> list[str]:
    return [
        f"{_name(later)} starts before {_name(earlier)} in {where}"
        for earlier, later in zip(sections, sections[1:], strict=False)
        if (later.start_page, later.start_line) < (earlier.start_page, earlier.start_line)
        or later.start_page < earlier.end_page
    ]


def _name(section: Section) -> str:
    return f"[{section.node_id}] {section.title!r}"
