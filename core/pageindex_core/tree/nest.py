"""Headings with any levels -> a proper nesting, each level one below its parent's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pageindex_core.records import Heading


@dataclass(slots=True)
class Branch:
    """A heading with those below it, while the tree is being built."""

    heading: Heading
    children: list[Branch] = field(default_factory=list)


def nest(headings: Sequence[Heading]) -> list[Branch]:
    """Give the roots. A heading goes under the nearest earlier one of a smaller level; skipped levels close up."""
    roots: list[Branch] = []
    open_branches: list[Branch] = []
    for heading in headings:
        while open_branches and open_branches[-1].heading.level >= heading.level:
            open_branches.pop()
        branch = Branch(heading)
        (open_branches[-1].children if open_branches else roots).append(branch)
        open_branches.append(branch)
    return roots
