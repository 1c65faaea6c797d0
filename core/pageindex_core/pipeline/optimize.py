"""The tree that is cheapest to read, without a model: weaker evidence of ``outline`` under the rules of ``tree``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pageindex_core.outline.layout import Layout
from pageindex_core.outline.weak import weak_headings
from pageindex_core.records import Heading, Page, PageTree, Section
from pageindex_core.tree.expand import divide_tree, optimize_tree
from pageindex_core.tree.optimize import MergeReport
from pageindex_core.tree.spans import Place


class _ByLayout:
    """Proposes what layout shows within a leaf; the document is measured when the first leaf is offered."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._layout: Layout | None = None

    def __call__(self, leaf: Section, stop: Place) -> Sequence[Heading]:
        if self._layout is None:
            self._layout = Layout.measure(self._pages)
        return weak_headings(self._layout, (leaf.start_page, leaf.start_line), stop)


def divided(tree: PageTree, pages: Sequence[Page]) -> PageTree:
    """Give the tree with its long leaves divided where layout shows parts and dividing pays; nothing is merged."""
    return divide_tree(tree, pages, _ByLayout(pages))[0]


def optimized(
    tree: PageTree,
    pages: Sequence[Page],
    mode: Literal["full", "merge", "off"] = "full",
    *,
    descriptions: bool = False,
) -> tuple[PageTree, MergeReport]:
    """Give the view of a tree that is cheapest to read, and every decision with its costs; see ``optimize_tree``."""
    return optimize_tree(tree, pages, mode, _ByLayout(pages), descriptions=descriptions)
