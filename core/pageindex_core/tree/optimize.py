"""Merging a tree into a map that is cheaper to read. A view: the stored tree keeps every heading.

Costs are in pages. S(v) is what a reader of section v reads whole, R what one more routing step costs, S_res(v) the
pages of v that no child holds. Children are worth keeping only where R plus the dearest way below them is less than
reading v whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pageindex_core.records import PageTree, Section

ROUTING_COST = 1.0
"""R: reading one list of children costs about as many tokens as one page."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """A tree before and after: how many leaves, how dear the worst and the average way to text, how deep."""

    leaves: tuple[int, int]
    worst_cost: tuple[float, float]
    average_cost: tuple[float, float]
    depth: tuple[int, int]
    decisions: tuple[str, ...] = ()
    """One line for each leaf that was offered for division, divided or kept; one for each section with children, kept
    or merged; both with both costs; and one for each joined sibling."""


def merge_tree(tree: PageTree, *, descriptions: bool = False) -> tuple[PageTree, MergeReport]:
    """Give the merged view of a tree and the report; the given tree is unchanged, so this is its own dry run.

    Args:
        tree: The stored tree.
        descriptions: Keep summaries and described key items too. Without them the map holds titles alone, those merged
            away as key items: summaries make it four times as dear to read (3,345 tokens instead of 819 on the way
            to a page of an annual report; FinanceBench, 60 pages, 2026-11-30).
    """
    decisions: list[str] = []
    given = tree.sections if descriptions else tuple(_titles_alone(section) for section in tree.sections)
    sections = _join_siblings([_merge(section, decisions)[0] for section in given], decisions)
    return replace(tree, sections=sections), report_on(tree.sections, sections, decisions)


def report_on(before: Sequence[Section], after: Sequence[Section], decisions: Iterable[str]) -> MergeReport:
    """Give the measures of two trees side by side."""
    old, new = _measure(before), _measure(after)
    return MergeReport(
        leaves=(old.leaves, new.leaves),
        worst_cost=(old.worst_cost, new.worst_cost),
        average_cost=(old.average_cost, new.average_cost),
        depth=(old.depth, new.depth),
        decisions=tuple(decisions),
    )


def _titles_alone(section: Section) -> Section:
    return replace(section, summary=None, key_items=(), children=tuple(map(_titles_alone, section.children)))


def _merge(section: Section, decisions: list[str]) -> tuple[Section, float]:
    """Give a section merged bottom-up, and what finding a page in it costs at worst."""
    size = float(section.end_page - section.start_page + 1)
    if not section.children:
        return section, size
    merged = [_merge(child, decisions) for child in section.children]
    below = ROUTING_COST + max([float(own_page_count(section)), *(cost for _, cost in merged)])
    if size <= below:
        decisions.append(f"{section.node_id} {section.title}: whole {size:g} <= below {below:g}, merged")
        names = _names(child for child, _ in merged)
        return replace(section, children=(), key_items=_unique(section.key_items, names)), size
    decisions.append(f"{section.node_id} {section.title}: whole {size:g} > below {below:g}, kept")
    return replace(section, children=_join_siblings([child for child, _ in merged], decisions)), below


def _join_siblings(sections: Sequence[Section], decisions: list[str]) -> tuple[Section, ...]:
    """Join neighbouring leaves of one and the same page: the page is read anyway."""
    joined: list[Section] = []
    for section in sections:
        last = joined[-1] if joined else None
        if (
            last is not None
            and _is_on_one_page(last)
            and _is_on_one_page(section)
            and last.end_page == section.end_page
        ):
            decisions.append(f"{section.node_id} {section.title}: on page {last.end_page} as {last.node_id}, joined")
            names = _names([section])
            joined[-1] = replace(
                last, summary=last.summary or section.summary, key_items=_unique(last.key_items, names)
            )
        else:
            joined.append(section)
    return tuple(joined)


def _is_on_one_page(section: Section) -> bool:
    return not section.children and section.start_page == section.end_page


def _names(sections: Iterable[Section]) -> list[str]:
    """The titles that stand in sections about to vanish, those that they took over from others included."""
    names: list[str] = []
    for section in sections:
        names += [] if section.synthetic else [section.title]
        names += section.key_items
        names += _names(section.children)
    return names


def _unique(items: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*items, *more]))


def own_page_count(section: Section) -> int:
    """S_res: pages that no child holds."""
    own = set(range(section.start_page, section.end_page + 1))
    for child in section.children:
        own -= set(range(child.start_page, child.end_page + 1))
    return len(own)


@dataclass(frozen=True, slots=True)
class _Measures:
    leaves: int
    worst_cost: float
    average_cost: float
    depth: int


def _measure(sections: Sequence[Section]) -> _Measures:
    """Measure the ways from the outermost sections to each leaf and to each parent's own pages."""
    costs: list[float] = []
    leaves = depth = 0
    pending = [(section, 1) for section in sections]
    while pending:
        section, level = pending.pop()
        depth = max(depth, level)
        if section.children:
            pending.extend((child, level + 1) for child in section.children)
        else:
            leaves += 1
        own = own_page_count(section)
        if own:
            steps = level if section.children else level - 1
            costs.append(ROUTING_COST * steps + own)
    return _Measures(leaves, max(costs, default=0.0), round(sum(costs) / max(len(costs), 1), 2), depth)
