"""How headings and pages become sections: preface, intro, skipped levels, documents without headings."""

from __future__ import annotations

import pytest

from pageindex_core.options import TreeOptions
from pageindex_core.outline import find_headings
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Outline, Pages, PageTree
from pageindex_core.tree import build_tree
from pageindex_core.tree.check import check_tree
from pdf_builder import image_only
from random_outlines import outline_of, pages_of, rows, tree_of

PUMPS = "Pumps move water through pipes.\nEvery pump needs a seal.\nPump seals wear with water."
TAXES = "Income taxes depend on revenue.\nDeferred taxes follow income.\nRevenue is taxed yearly."


def test_text_before_the_first_heading_becomes_the_preface() -> None:
    """Lines above the first heading are a synthetic section named Preface that ends on the heading's page."""
    tree = tree_of(pages_of("A letter to the reader", "more\n1 Start\ntext"), (1, "1 Start", 2, 1))

    assert rows(tree) == [(1, "Preface", 1, 2), (1, "1 Start", 2, 2)]
    assert [section.synthetic for section in tree.walk()] == [True, False]
    assert tree.sections[0].evidence is None


def test_preface_ends_before_a_page_that_the_first_heading_opens() -> None:
    """A first heading at the top of page 3 leaves pages 1 and 2 to the preface."""
    assert rows(tree_of(pages_of("cover", "notice", "1 Start"), (1, "1 Start", 3, 0))) == [
        (1, "Preface", 1, 2),
        (1, "1 Start", 3, 3),
    ]


def test_blank_pages_before_the_first_heading_are_covered_too() -> None:
    """Leading pages without a word still belong to a section, so that no page is lost."""
    assert rows(tree_of(pages_of("", "", "1 Start"), (1, "1 Start", 3, 0)))[0] == (1, "Preface", 1, 2)


def test_blank_lines_above_the_first_heading_make_no_preface() -> None:
    """Nothing readable stands above the heading: its section starts with the page, down to its first descendant."""
    tree = tree_of(pages_of(" \n1 Start\ntext", "1.1 Sub"), (1, "1 Start", 1, 1), (2, "1.1 Sub", 2, 0))

    assert rows(tree) == [(1, "1 Start", 1, 2), (2, "1 Start (intro)", 1, 1), (2, "1.1 Sub", 2, 2)]
    assert [section.start_line for section in tree.walk()] == [0, 0, 0]


def test_a_parents_pages_before_its_first_child_become_its_intro() -> None:
    """Text of a chapter that fills pages before its first section is a synthetic child, first in order."""
    pages = pages_of("1 Start\nopening words", "more opening", "still more\n1.1 Sub\ntext")
    tree = tree_of(pages, (1, "1 Start", 1, 0), (2, "1.1 Sub", 3, 1))

    assert rows(tree) == [(1, "1 Start", 1, 3), (2, "1 Start (intro)", 1, 3), (2, "1.1 Sub", 3, 3)]
    assert tree.sections[0].children[0].synthetic


def test_no_intro_where_the_first_child_starts_on_the_same_page() -> None:
    """A page is the unit of reading: opening words on the child's page stay the parent's own text."""
    tree = tree_of(pages_of("1 Start\nopening words\n1.1 Sub"), (1, "1 Start", 1, 0), (2, "1.1 Sub", 1, 2))

    assert rows(tree) == [(1, "1 Start", 1, 1), (2, "1.1 Sub", 1, 1)]


def test_no_intro_for_a_heading_alone_on_its_page() -> None:
    """A divider page that holds the title and nothing else is not an introduction; the parent still covers it."""
    tree = tree_of(pages_of("PART I", "1 Start\ntext"), (1, "PART I", 1, 0), (2, "1 Start", 2, 0))

    assert rows(tree) == [(1, "PART I", 1, 2), (2, "1 Start", 2, 2)]


def test_skipped_levels_close_up() -> None:
    """Levels 2, 5, 3, 1 nest as they stand under each other, each child one level below its parent."""
    pages = pages_of("a\nb\nc\nd\ne")
    tree = tree_of(pages, (2, "a", 1, 0), (5, "b", 1, 1), (3, "c", 1, 2), (1, "d", 1, 3), (4, "e", 1, 4))

    assert [(level, title) for level, title, _, _ in rows(tree)] == [(1, "a"), (2, "b"), (2, "c"), (1, "d"), (2, "e")]


def test_sections_carry_label_place_and_evidence_of_their_heading() -> None:
    """What outline found travels on: page label, height, line and the signal."""
    pages = pages_of("Preamble", "x\n1 Start", labels=("iv", "A-1"))
    section = tree_of(pages, (1, "1 Start", 2, 1)).sections[1]

    assert (section.page_label, section.start_line, section.evidence) == ("A-1", 1, "detected")


def test_outline_facts_reach_the_tree() -> None:
    """Source, shares and notes of the outline are the tree's."""
    outline = Outline(outline_of((1, "a", 1, 0)).headings, "hybrid", {"links": 0.5, "detected": 0.5})
    tree = build_tree(pages_of("a"), outline)

    assert (tree.toc_source, tree.shares, tree.page_count, tree.doc_name) == (
        "hybrid",
        {"links": 0.5, "detected": 0.5},
        1,
        "doc.pdf",
    )


def titles_at(level: int, tree: PageTree) -> list[str]:
    """Give the titles of one level in reading order."""
    return [section.title for section in tree.walk() if section.level == level]


def test_document_without_headings_is_grouped_where_the_subject_changes() -> None:
    """Pages about pumps and pages about taxes fall into two groups, marked as pages and synthetic."""
    tree = tree_of(pages_of(PUMPS, PUMPS, TAXES, TAXES, TAXES))

    assert tree.toc_source == "pages"
    assert rows(tree) == [
        (1, "Pages 1-2", 1, 2),
        (2, "Page 1", 1, 1),
        (2, "Page 2", 2, 2),
        (1, "Pages 3-5", 3, 5),
        (2, "Page 3", 3, 3),
        (2, "Page 4", 4, 4),
        (2, "Page 5", 5, 5),
    ]
    assert all(section.synthetic for section in tree.walk())


def test_a_group_that_gets_too_long_is_cut_where_the_subject_changes() -> None:
    """Seven pages need two groups of at most five: the cut falls between the subjects, not in the middle."""
    assert titles_at(1, tree_of(pages_of(*[PUMPS] * 5, TAXES, TAXES))) == ["Pages 1-5", "Pages 6-7"]


@pytest.mark.parametrize("sign", ["\u2019", "\u201d", "\u2014", "\xe9", "\u6c34", "\xb2"])
def test_signs_and_letters_beyond_ascii_leave_the_subject_as_it_is(sign: str) -> None:
    """Pages whose words are told apart with and without typographic signs and foreign letters are cut alike."""
    assert titles_at(1, tree_of(pages_of(PUMPS, f"{PUMPS} {sign}", f"{sign} {TAXES}", TAXES))) == [
        "Pages 1-2",
        "Pages 3-4",
    ]


def test_a_long_section_without_headings_is_divided_into_page_groups() -> None:
    """A reader of a leaf of seven pages is led to one of them; the groups claim no heading and start with the leaf."""
    tree = tree_of(pages_of("x", "long\ntext", *[PUMPS] * 4, TAXES, TAXES), (1, "long", 2, 0))
    long = tree.sections[-1]

    assert (long.title, long.start_page, long.end_page) == ("long", 2, 8)
    assert titles_at(2, tree)[-1] == "Pages 7-8"
    assert max(child.end_page - child.start_page + 1 for child in long.children) <= 5
    assert (long.children[0].start_page, long.children[0].start_line) == (2, 0)
    assert all(section.synthetic for child in long.children for section in child.walk())
    assert check_tree(tree) == []


def test_the_length_of_a_page_does_not_make_it_like_its_neighbour() -> None:
    """Likeness is a matter of words, not of how many: short pages of one subject stay together beside long ones."""
    pages = pages_of(PUMPS, PUMPS, "\n".join([TAXES] * 5), "\n".join([TAXES] * 5))

    assert titles_at(1, tree_of(pages)) == ["Pages 1-2", "Pages 3-4"]


@pytest.mark.parametrize(("longest", "groups"), [(1, 7), (2, 4), (3, 3), (5, 2), (10, 1)])
def test_page_groups_are_no_longer_than_asked_and_no_more_than_needed(longest: int, groups: int) -> None:
    """Pages about one subject are grouped by size alone, and every page is in a group."""
    tree = build_tree(pages_of(*[PUMPS] * 7), Outline((), "pages"), TreeOptions(group_pages=longest))

    assert len(tree.sections) == groups
    assert max(section.end_page - section.start_page + 1 for section in tree.sections) <= longest
    assert check_tree(tree) == []


def test_a_group_of_one_page_is_named_in_the_singular() -> None:
    """One page is Page 1, not Pages 1-1."""
    assert rows(tree_of(pages_of(PUMPS))) == [(1, "Page 1", 1, 1)]


def test_chinese_pages_are_grouped_by_subject_too() -> None:
    """Text without spaces shifts its subject as any other."""
    pumps, taxes = "水泵输送水。每台水泵需要密封。", "所得税取决于收入。递延税款随收入变化。"

    assert titles_at(1, tree_of(pages_of(pumps, pumps, taxes, taxes))) == ["Pages 1-2", "Pages 3-4"]


def test_scan_is_unreadable_and_still_has_a_tree_of_its_pages() -> None:
    """A file of images says that it needs OCR, and its pages stay reachable."""
    pages = read_pages(open_source(image_only(3)))
    tree = build_tree(pages, find_headings(pages))

    assert tree.toc_source == "unreadable"
    assert titles_at(1, tree) == ["Pages 1-3"]
    assert titles_at(2, tree) == ["Page 1", "Page 2", "Page 3"]
    assert ["OCR" in note.message for note in tree.notes] == [True]


def test_document_of_no_pages_gives_an_empty_tree() -> None:
    """Nothing to cover, nothing made up."""
    tree = build_tree(Pages("x", "x", "text/plain", "0", ()), Outline((), "pages"))

    assert (tree.sections, tree.page_count) == ((), 0)


def test_keys_survive_a_page_inserted_into_a_document_with_printed_page_numbers() -> None:
    """The number printed on each later page changes with the insertion; no section's identity does."""
    texts = [f"{letter} heading\ntext of {letter}\nManual, issue 4 - page {n}" for n, letter in enumerate("abcd", 1)]
    moved = [text.replace(f"page {n}", f"page {n + 1}") for n, text in enumerate(texts, 1)]
    before = tree_of(pages_of(*texts), *((1, text.split("\n")[0], n, 0) for n, text in enumerate(texts, 1)))
    after = tree_of(pages_of("new", *moved), *((1, text.split("\n")[0], n + 1, 0) for n, text in enumerate(texts, 1)))

    assert [s.section_key for s in after.sections[1:]] == [s.section_key for s in before.sections]


def test_keys_of_page_groups_survive_a_page_inserted_before_them() -> None:
    """The numbers in a group's name move with the pages; its identity is what its pages say."""
    texts = ["long", *(f"{PUMPS}\nstation {letter}" for letter in "abcdefg")]
    before = tree_of(pages_of("first", *texts), (1, "first", 1, 0), (1, "long", 2, 0)).sections[1]
    after = tree_of(pages_of("first", "new page", *texts), (1, "first", 1, 0), (1, "long", 3, 0)).sections[1]

    assert [s.title for s in before.walk()] != [s.title for s in after.walk()]
    assert [s.section_key for s in before.walk()] == [s.section_key for s in after.walk()]


def test_key_of_a_page_group_changes_with_each_of_its_pages() -> None:
    """A group whose last page is edited is another group, so that no stale summary stays with it."""
    texts = [f"{PUMPS}\nstation {letter}" for letter in "abcde"]
    before = tree_of(pages_of(*texts)).sections
    after = tree_of(pages_of(*texts[:-1], texts[-1] + "\nedited")).sections

    assert [section.title for section in before] == [section.title for section in after] == ["Pages 1-5"]
    assert before[0].section_key != after[0].section_key
    assert [old.section_key == new.section_key for old, new in zip(before[0].walk(), after[0].walk(), strict=True)] == [
        False, True, True, True, True, False,
    ]  # fmt: skip


def test_a_changed_figure_at_a_page_edge_changes_the_key() -> None:
    """Only lines that count the pages are left out of keys: other numbers are content, wherever they stand."""
    texts = ["a\nMax 7 bar", "b\nMax 7 bar", "c\nMax 7 bar"]
    headings = [(1, letter, n, 0) for n, letter in enumerate("abc", 1)]
    before = tree_of(pages_of(*texts), *headings).sections
    after = tree_of(pages_of(*texts[:2], "c\nMax 8 bar"), *headings).sections

    assert [old.section_key == new.section_key for old, new in zip(before, after, strict=True)] == [True, True, False]


def test_sections_alike_in_path_and_text_have_different_keys() -> None:
    """Two chapters that both say only "Summary / None." are two sections."""
    tree = tree_of(pages_of("Summary\nNone.", "Summary\nNone."), (1, "Summary", 1, 0), (1, "Summary", 2, 0))

    assert len({section.section_key for section in tree.walk()}) == 2


MARKDOWN = "---\ntitle: x\n---\nlead\n\n# One\ntext\n\n## One one\n\nmore\n# Two\nlast\n"


def test_markdown_sections_know_their_lines_in_the_source() -> None:
    """Line ranges cover whole subtrees, follow each other without gap, and count from the first line of the file."""
    pages = read_pages(open_source(MARKDOWN.encode(), name="x.md"))
    tree = build_tree(pages, find_headings(pages))

    assert [(section.title, section.line_range) for section in tree.walk()] == [
        ("Preface", (1, 5)),
        ("One", (6, 11)),
        ("One one", (9, 11)),
        ("Two", (12, 13)),
    ]


def test_line_ranges_hold_over_page_breaks() -> None:
    """A Markdown section that runs over several pages ends on the line before the next heading."""
    text = "# One\n" + "A sentence of some words in a row.\n\n" * 200 + "# Two\nlast\n"
    pages = read_pages(open_source(text.encode(), name="x.md"))
    tree = build_tree(pages, find_headings(pages))

    assert len(pages.pages) > 1
    assert [section.line_range for section in tree.walk()] == [(1, 401), (402, 403)]


def test_a_line_of_thousands_of_digits_is_text() -> None:
    """No number at the edge of a page is too long to be looked at, and none makes the work grow with its square."""
    tree = tree_of(pages_of(*(f"{'9' * 5000}\ntext {n}\n{'12 ' * 9000}" for n in range(4))))

    assert tree.page_count == 4
    assert check_tree(tree) == []
