"""What is true of every tree, whatever the document: each promise is computed here anew, not by the tree's own code."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise, takewhile

from hypothesis import assume, given, settings, strategies as st

from pageindex_core.options import TreeOptions
from pageindex_core.records import Heading, Outline, Page, Pages, Section
from pageindex_core.tree import build_tree, tree_from_json, tree_to_json
from pageindex_core.tree.check import check_tree
from random_outlines import documents, start

Document = tuple[Pages, Outline]


def span(section: Section) -> set[int]:
    return set(range(section.start_page, section.end_page + 1))


def owner_of(sections: list[Section], place: tuple[int, int]) -> Section:
    return [section for section in sections if start(section) <= place][-1]


@given(documents())
def test_every_tree_passes_the_check(document: Document) -> None:
    """No document, however its headings lie, gives a tree that breaks a promise."""
    assert check_tree(build_tree(*document)) == []


@given(documents())
def test_every_page_is_in_a_leaf_or_is_a_parents_own(document: Document) -> None:
    """Leaves and the pages that parents share with no child add up to the whole document."""
    pages, outline = document
    reached: set[int] = set()
    for section in build_tree(pages, outline).walk():
        reached |= span(section) - set().union(*map(span, section.children))
    assert reached == set(range(1, len(pages.pages) + 1))


@given(documents())
def test_children_lie_inside_their_parent_and_in_order(document: Document) -> None:
    """A child covers no page that its parent does not, and siblings start one after the other."""
    tree = build_tree(*document)
    for section in tree.walk():
        assert all(span(child) <= span(section) and child.level == section.level + 1 for child in section.children)
    for siblings in (tree.sections, *(section.children for section in tree.walk())):
        for earlier, later in pairwise(siblings):
            assert start(earlier) <= start(later)
            assert earlier.end_page <= max(later.start_page, earlier.start_page)


@given(documents())
def test_a_shared_page_belongs_to_both_unless_the_later_heading_opens_it(document: Document) -> None:
    """Each heading's section ends on the page of the next heading of its level or above, or on the one before."""
    pages, outline = document
    found = [section for section in build_tree(pages, outline).walk() if not section.synthetic]
    headings = outline.headings
    assume(headings)
    for index, (section, heading) in enumerate(zip(found, headings, strict=True)):
        below = list(takewhile(partial(_is_below, heading), headings[index + 1 :]))
        following = next(iter(headings[index + 1 + len(below) :]), None)
        if following is None:
            expected = len(pages.pages)
        elif following.line_index > 0 or following.page_number == heading.page_number:
            expected = following.page_number
        else:
            expected = following.page_number - 1
        expected = max([expected, *(later.page_number for later in below)])
        assert (section.start_page, section.end_page) == (heading.page_number, expected)


@given(documents())
def test_headings_keep_order_title_evidence_and_nesting(document: Document) -> None:
    """The printed sections are the headings, one for one, each under the nearest earlier heading of a smaller level."""
    pages, outline = document
    tree = build_tree(pages, outline)
    found = [section for section in tree.walk() if not section.synthetic]
    headings = outline.headings
    assert [(s.title, s.evidence) for s in found] == [(h.title, h.evidence) for h in headings]
    parent_of = {child.node_id: section.node_id for section in tree.walk() for child in section.children}
    for index, (section, heading) in enumerate(zip(found, headings, strict=True)):
        above = next((found[i] for i in range(index - 1, -1, -1) if headings[i].level < heading.level), None)
        assert parent_of.get(section.node_id) == (above.node_id if above else None)


@given(documents())
def test_every_line_belongs_to_one_section_that_covers_its_page(document: Document) -> None:
    """In pre-order each section's own text runs to the start of the next: together they hold every line once."""
    pages, outline = document
    sections = list(build_tree(pages, outline).walk())
    assert start(sections[0]) == (1, 0)
    assert all(start(earlier) <= start(later) for earlier, later in pairwise(sections))
    for page in pages.pages:
        for line_index in range(len(page.lines)):
            owner = owner_of(sections, (page.page_number, line_index))
            assert page.page_number in span(owner)


@given(documents())
def test_ids_are_positions_and_the_same_for_the_same_input(document: Document) -> None:
    """Building twice gives equal trees; ids count in pre-order; keys of 12 hex digits are unique."""
    tree = build_tree(*document)
    assert tree == build_tree(*document)
    sections = list(tree.walk())
    assert [section.node_id for section in sections] == [f"{index:04d}" for index in range(len(sections))]
    keys = {section.section_key for section in sections}
    assert len(keys) == len(sections)
    assert all(len(key) == 12 and int(key, 16) >= 0 for key in keys)


@given(documents())
def test_saving_then_loading_is_the_identity(document: Document) -> None:
    """A tree survives its JSON form to the last field."""
    tree = build_tree(*document)
    assert tree_from_json(json.dumps(tree_to_json(tree))) == tree


@given(documents(alike=False), st.data())
@settings(max_examples=200)
def test_a_key_changes_with_the_sections_own_text_only(document: Document, data: st.DataObject) -> None:
    """Editing one line changes the key of the section that holds it and of no other."""
    pages, outline = document
    places = [(p.page_number, i) for p in pages.pages for i in range(len(p.lines))]
    assume(places and outline.headings)
    place = data.draw(st.sampled_from(places))
    undivided = TreeOptions(group_pages=len(pages.pages))  # page groups follow the words, an edit may move them
    before = list(build_tree(pages, outline, undivided).walk())
    after = list(build_tree(_edited(pages, place), outline, undivided).walk())
    changed = [old.section_key for old, new in zip(before, after, strict=True) if old.section_key != new.section_key]
    assert changed == [owner_of(before, place).section_key]


@given(documents(alike=False))
def test_a_page_inserted_in_front_keeps_all_keys(document: Document) -> None:
    """New pages before the first heading move every later section and change the key of none."""
    pages, outline = document
    before = [section.section_key for section in build_tree(pages, outline).walk() if not section.synthetic]
    shifted = (pages.pages[0], *pages.pages)
    moved = replace(pages, pages=tuple(replace(page, page_number=i) for i, page in enumerate(shifted, start=1)))
    headings = tuple(replace(h, page_number=h.page_number + 1) for h in outline.headings)
    after = [s.section_key for s in build_tree(moved, replace(outline, headings=headings)).walk() if not s.synthetic]
    assert before == after


@given(st.integers(101, 1200))
@settings(max_examples=5)
def test_endless_nesting_is_cut_to_a_depth_that_every_walk_bears(depth: int) -> None:
    """Headings that nest deeper than a hundred levels are all kept, at the deepest level, and a note counts them."""
    pages = Pages("x", "x", "application/pdf", "0", (Page(1, ()),))
    outline = Outline(tuple(Heading(f"H{level}", level, 1, 0) for level in range(1, depth + 1)), "bookmarks")
    tree = build_tree(pages, outline)
    sections = list(tree.walk())
    assert [section.title for section in sections] == [f"H{level}" for level in range(1, depth + 1)]
    assert max(section.level for section in sections) == 100
    assert check_tree(tree) == []
    assert [note.code for note in tree.notes] == ["levels_cut"]
    assert str(depth - 100) in tree.notes[0].message


def _is_below(heading: Heading, later: Heading) -> bool:
    return later.level > heading.level


def _edited(pages: Pages, place: tuple[int, int]) -> Pages:
    page = pages.pages[place[0] - 1]
    lines = list(page.lines)
    lines[place[1]] = lines[place[1]]._replace(text="edited")
    changed = list(pages.pages)
    changed[place[0] - 1] = replace(page, lines=tuple(lines))
    return replace(pages, pages=tuple(changed))
