"""Merging a tree into a map that is cheaper to read. A view: the stored tree keeps every heading.

Costs are in pages. S(v) is what a reader of section v reads whole, R what one more routing step costs, S_res(v) the
pages of v that no child holds. Children are worth keeping only where R plus the dearest way below them is less than
reading v whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pageindex_core.records import PageTree, Section

ROUTING_COST = 1.0
"""R: reading one list of children costs about as many tokens as one page."""

MAX_MERGED_TITLES = 12
"""Titles that a merged section keeps in its key items."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """A tree before and after: how many leaves, how dear the worst and the average way to a page, how deep."""

    leaves: tuple[int, int]
    worst_cost: tuple[float, float]
    average_cost: tuple[float, float]
    depth: tuple[int, int]
    decisions: tuple[str, ...] = ()
    """One line for each section that lost its children, with both costs."""


def merge_tree(tree: PageTree) -> tuple[PageTree, MergeReport]:
    """Give the merged view of a tree and the report; the given tree is unchanged, so this is its own dry run."""
    decisions: list[str] = []
    sections = _merge_siblings([_merge(section, decisions)[0] for section in tree.sections])
    merged = replace(tree, sections=tuple(sections))
    before, after = _measure(tree.sections), _measure(sections)
    report = MergeReport(
        leaves=(before[0], after[0]),
        worst_cost=(before[1], after[1]),
        average_cost=(before[2], after[2]),
        depth=(before[3], after[3]),
        decisions=tuple(decisions),
    )
    return merged, report


def _merge(section: Section, decisions: list[str]) -> tuple[Section, float]:
    size = float(_size(section))
    if not section.children:
        return section, size
    pairs = [_merge(child, decisions) for child in section.children]
    rest = len(_own_pages(section))
    below = ROUTING_COST + max([float(rest), *(cost for _, cost in pairs)])
    if size <= below:
        decisions.append(f"{section.node_id} {section.title}: whole {size:.0f} <= below {below:.0f}, merged")
        titles = [title for child in section.children for title in _titles(child)]
        return replace(section, children=(), key_items=_key_items(section.key_items, titles)), size
    return replace(section, children=tuple(_merge_siblings([child for child, _ in pairs]))), below


def _merge_siblings(sections: Sequence[Section]) -> list[Section]:
    """Join neighbouring leaves of one and the same page: the page is read anyway."""
    merged: list[Section] = []
    for section in sections:
        last = merged[-1] if merged else None
        if (
            last is not None
            and not last.children
            and not section.children
            and last.start_page == last.end_page == section.start_page == section.end_page
        ):
            summary = last.summary or section.summary
            titles = [*_titles(section)]
            merged[-1] = replace(last, summary=summary, key_items=_key_items(last.key_items, titles))
        else:
            merged.append(section)
    return merged


def _titles(section: Section) -> list[str]:
    return [item.title for item in section.walk() if not item.synthetic]


def _key_items(items: tuple[str, ...], titles: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*items, *titles[:MAX_MERGED_TITLES]]))


def _size(section: Section) -> int:
    return section.end_page - section.start_page + 1


def _own_pages(section: Section) -> set[int]:
    own = set(range(section.start_page, section.end_page + 1))
    for child in section.children:
        own -= set(range(child.start_page, child.end_page + 1))
    return own


def _measure(sections: Sequence[Section]) -> tuple[int, float, float, int]:
    """Leaves, worst and average cost of reaching a leaf, and depth."""
    costs: list[float] = []
    depth = 0
    pending = [(section, 1) for section in sections]
    while pending:
        section, level = pending.pop()
        depth = max(depth, level)
        if section.children:
            pending.extend((child, level + 1) for child in section.children)
        else:
            costs.append(ROUTING_COST * (level - 1) + _size(section))
    return len(costs), max(costs, default=0.0), round(sum(costs) / max(len(costs), 1), 2), depth
