"""Dividing leaves that are too long, where dividing pays, and finishing each section once its children are finished.

Who proposes headings and who finishes a section are arguments, so that this file knows neither models nor layout. All
leaves are offered at once, and a section is finished while others are still being divided.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from pageindex_core.llm.schedule import Job, Together, run_without_calls
from pageindex_core.records import Heading, Page, PageTree, Section
from pageindex_core.tree.groups import divide_long_leaves, is_page_group, without_page_groups
from pageindex_core.tree.keys import KeyMaker, page_number_lines
from pageindex_core.tree.nest import Branch, nest
from pageindex_core.tree.optimize import ROUTING_COST, MergeReport, merge_tree, own_page_count, report_on
from pageindex_core.tree.spans import (
    Place,
    has_text,
    last_page,
    lay_out_below,
    number_sections,
    section_of,
    start_of,
    starting_at_zero,
    texts_between,
)

Proposals: TypeAlias = Generator[Any, Any, Sequence[Heading]]
Propose: TypeAlias = Callable[[Section, Place, int], Proposals]
"""A leaf, where its text stops and how often it was divided before -> headings printed in it, in order."""

Finish: TypeAlias = Callable[[Section, Place, Place], Job[Section]]
"""A section whose children are finished, and where its own text and its whole text stop -> the section finished."""

TooLong: TypeAlias = Callable[[Section, Place], bool]
"""Whether a leaf, and where its text stops, is to be offered for division."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How a tree is to grow."""

    pages: Sequence[Page]
    too_long: TooLong
    propose: Propose
    finish: Finish | None = None
    rounds: int = 3
    """How often one place may be divided: into its sections, their sections, and so on."""
    group_pages: int = 5
    """Leaves that stay longer are cut into page groups of at most so many pages (see ``TreeOptions``)."""
    decisions: list[str] = field(default_factory=list)
    """One line for each leaf that was offered: divided or kept, with both costs."""
    numbering: frozenset[tuple[int, int]] = frozenset()
    """Lines that number the pages, which section keys leave out (see ``tree.keys``)."""

    @classmethod
    def of(
        cls,
        pages: Sequence[Page],
        too_long: TooLong,
        propose: Propose,
        finish: Finish | None = None,
        *,
        rounds: int = 3,
        group_pages: int = 5,
    ) -> Growth:
        """Give the plan, with what it needs to know of the pages measured once."""
        numbering = page_number_lines(pages)
        return cls(pages, too_long, propose, finish, rounds, group_pages, numbering=numbering)


def grow(sections: Sequence[Section], growth: Growth) -> Job[tuple[Section, ...]]:
    """Divide and finish the sections of a document; they have to be numbered anew (``spans.number_sections``).

    Page groups below a heading give way to the sections that are found there. Single pages are not finished: their
    group speaks for them.
    """
    bare = without_page_groups(sections)
    grown = yield from _grow_siblings(bare, (len(growth.pages) + 1, 0), (), growth, 0)
    return tuple(grown)


def _grow_siblings(
    sections: Sequence[Section], stop: Place, path: tuple[str, ...], growth: Growth, divided: int
) -> Job[list[Section]]:
    stops = [*(start_of(section) for section in sections), stop][1:]
    jobs = [_grow_section(section, end, path, growth, divided) for section, end in zip(sections, stops, strict=True)]
    grown: list[list[Section]] = yield Together(jobs)
    return [section for group in grown for section in group]


def _grow_section(
    section: Section, stop: Place, path: tuple[str, ...], growth: Growth, divided: int
) -> Job[list[Section]]:
    """Give the section divided and finished; a synthetic one may give way to several in its place."""
    # What a division left over (an intro) was offered just now, and is not offered again.
    may_divide = divided < growth.rounds and not (section.synthetic and divided > 0)
    if not section.children and may_divide and growth.too_long(section, stop):
        headings = yield from growth.propose(section, stop, divided)
        parts = split_leaf(section, headings, stop, growth.pages) if headings else (section,)
        if not headings:
            growth.decisions.append(_line(section, f"whole {_size(section):g}, no heading in it, kept"))
        elif _pays(section, parts, growth.decisions):
            if section.synthetic:
                return (yield from _grow_siblings(parts, stop, path, growth, divided + 1))
            section = parts[0]
            divided += 1
    if not section.children and not is_page_group(section):
        section = divide_long_leaves((section,), growth.pages, growth.group_pages)[0]
    if section.children and not is_page_group(section):
        children = yield from _grow_siblings(section.children, stop, (*path, section.title), growth, divided)
        section = replace(section, children=tuple(children))
    return [(yield from _finished(section, stop, path, growth))]


def _finished(section: Section, stop: Place, path: tuple[str, ...], growth: Growth) -> Job[Section]:
    if growth.finish is None:
        return section
    is_group = is_page_group(section)
    own_stop = start_of(section.children[0]) if section.children and not is_group else stop
    texts = texts_between(growth.pages, start_of(section), own_stop, growth.numbering)
    # As ``number_sections`` will give it, but for the few that are alike in path and text.
    key = KeyMaker().key_of((*path, "" if is_group else section.title), texts)
    section = replace(section, section_key=key)
    return (yield from growth.finish(section, own_stop, stop))


def split_leaf(leaf: Section, headings: Sequence[Heading], stop: Place, pages: Sequence[Page]) -> tuple[Section, ...]:
    """Give what takes the place of a leaf with these headings in it, whose levels count from 1 below the leaf.

    A section that a heading opens stays and gets children. A synthetic one (preface, intro) ends where the first
    heading stands, and the new sections follow it on its own level.
    """
    branches, _ = nest(headings)
    if not leaf.synthetic:
        opening = Heading(leaf.title, 1, leaf.start_page, leaf.start_line, leaf.start_y)
        divided = section_of(Branch(opening, branches), stop, leaf.level, pages)
        return (replace(leaf, children=divided.children, end_page=max(leaf.end_page, divided.end_page)),)
    parts = lay_out_below(branches, stop, leaf.level, pages)
    start, first = start_of(leaf), start_of(parts[0])
    if first[0] > start[0] or has_text(pages, start, first):
        parts.insert(0, replace(leaf, end_page=last_page(start, first)))
    elif start == (1, 0):
        parts[0] = starting_at_zero(parts[0])
    return tuple(parts)


def _pays(leaf: Section, parts: Sequence[Section], decisions: list[str]) -> bool:
    """The cost rule: one routing step and the longest part have to be less than the whole leaf."""
    if leaf.synthetic:
        longest = max(map(_size, parts))
    else:
        longest = max([float(own_page_count(parts[0])), *map(_size, parts[0].children)])
    whole, below = _size(leaf), ROUTING_COST + longest
    pays = below < whole
    sign, word = (">", "divided") if pays else ("<=", "kept")
    decisions.append(_line(leaf, f"whole {whole:g} {sign} below {below:g}, {word}"))
    return pays


def _size(section: Section) -> float:
    return float(section.end_page - section.start_page + 1)


def _line(section: Section, text: str) -> str:
    return f"p. {section.start_page}-{section.end_page} {section.title}: {text}"


def optimize_tree(
    tree: PageTree,
    pages: Sequence[Page],
    mode: Literal["full", "merge", "off"] = "full",
    propose: Callable[[Section, Place], Sequence[Heading]] | None = None,
    *,
    longest: int = 5,
    descriptions: bool = False,
) -> tuple[PageTree, MergeReport]:
    """Give the view of a tree that is cheapest to read, and the report of every decision with its costs.

    The given tree is unchanged, so this is its own dry run. Needs no model: what divides a leaf is the caller's answer.

    Args:
        tree: The stored tree.
        pages: Its document's pages.
        mode: ``full`` divides long leaves, then merges; ``merge`` merges; ``off`` gives the tree as it is.
        propose: Headings in a leaf that stops at a place, in order, levels from 1; None divides nothing.
        longest: Leaves of more pages are offered.
        descriptions: See ``merge_tree``.
    """
    if mode == "off":
        return tree, report_on(tree.sections, tree.sections, ())
    divided, decisions = tree, tuple[str, ...]()
    if mode == "full" and propose is not None:
        divided, decisions = divide_tree(tree, pages, propose, longest=longest)
    merged, report = merge_tree(divided, descriptions=descriptions)
    return merged, report_on(tree.sections, merged.sections, (*decisions, *report.decisions))


def divide_tree(
    tree: PageTree, pages: Sequence[Page], propose: Callable[[Section, Place], Sequence[Heading]], *, longest: int = 5
) -> tuple[PageTree, tuple[str, ...]]:
    """Give the tree with its long leaves divided where that pays, and one line for each decision."""

    def proposals(leaf: Section, stop: Place, divided: int) -> Proposals:
        return propose(leaf, stop)
        yield  # a generator that waits for nothing

    growth = Growth.of(pages, lambda leaf, stop: _size(leaf) > longest, proposals, group_pages=longest)
    sections = run_without_calls(grow(tree.sections, growth))
    return replace(tree, sections=number_sections(sections, pages)), tuple(growth.decisions)
