"""Headings with any levels -> a proper nesting, each level one below its parent's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pageindex_core.records import Heading

MAX_DEPTH = 100
"""Deepest nesting built: ten times that of any real document, and a bound on files whose bookmarks nest without end.
Trees are walked by recursion, which Python limits to 1,000 calls."""


@dataclass(slots=True)
class Branch:
    """A heading with those below it, while the tree is being built."""

    heading: Heading
    children: list[Branch] = field(default_factory=list)


def nest(headings: Sequence[Heading]) -> tuple[list[Branch], int]:
    """Give the roots, and how many headings stand too deep and were kept at the deepest level instead.

    A heading goes under the nearest earlier one of a smaller level; skipped levels close up.
    """
    roots: list[Branch] = []
    open_branches: list[Branch] = []
    raised = 0
    for heading in headings:
        while open_branches and open_branches[-1].heading.level >= heading.level:
            open_branches.pop()
        if len(open_branches) == MAX_DEPTH:
            open_branches.pop()
            raised += 1
        branch = Branch(heading)
        (open_branches[-1].children if open_branches else roots).append(branch)
        open_branches.append(branch)
    return roots, raised
