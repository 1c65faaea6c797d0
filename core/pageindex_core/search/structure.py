"""Places that a question names, found in a document: by labels, titles and captions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from pageindex_core.search.opened import OpenDocument, run_positions
from pageindex_core.search.places import Place
from pageindex_core.search.terms import question_terms

_TITLED = {"section", "item", "part", "chapter", "article", "appendix", "note", "step"}
"""Kinds whose number opens a title."""

_BARE_NUMBER = {"section", "chapter", "article", "note", "appendix"}
"""Kinds whose titles often print the number alone: "2.1 Method", "12. Leases", "B Proofs"."""

_CAPTIONED = {
    "table": ("table", "tab", "表", "표"),
    "figure": ("figure", "fig", "chart", "図", "图", "圖", "그림"),
    "equation": ("equation", "eq"),
    "step": ("step",),
}
"""Kinds that a line opens with: their captions."""

CAPTIONED_KINDS = frozenset({"table", "figure", "equation"})
"""Kinds that captions alone number: no heading does."""

_OPENERS = {
    "section": ("section {}", "§ {}", "第{}節", "第{}节", "제{}절"),
    "item": ("item {}",),
    "part": ("part {}", "第{}編", "第{}编", "第{}部", "제{}편"),
    "chapter": ("chapter {}", "第{}章", "제{}장"),
    "article": ("article {}", "第{}条", "第{}條", "제{}조"),
    "appendix": ("appendix {}", "annex {}", "exhibit {}", "schedule {}"),
    "note": ("note {}",),
}
"""How a line opens such a part where the tree has no section for it."""

_HAN = "零一二三四五六七八九"

EXACT, WITHIN, LINE, MENTION = 1.0, 0.95, 0.9, 0.6
"""Strength of a target: the place itself; text under its title; a line that opens with it; one that only names it."""


def find_targets(document: OpenDocument, places: Sequence[Place]) -> dict[int, float]:
    """Give the pieces that the places mean, each with the strength of its best reading, 0..1."""
    targets: dict[int, float] = {}
    for place in places:
        found = list(_pieces_of(document, place))
        # Printed contents and lists of tables open lines with the same words as the place itself.
        listed = document.listings if place.kind != "page" else frozenset()
        is_elsewhere = any(strength >= LINE and piece not in listed for piece, strength in found)
        for piece, strength in found:
            own = min(strength, MENTION) if is_elsewhere and piece in listed else strength
            targets[piece] = max(own, targets.get(piece, 0.0))
    return targets


def _pieces_of(document: OpenDocument, place: Place) -> Iterable[tuple[int, float]]:
    if place.kind == "page":
        return _pages(document, place)
    if place.kind in _TITLED:
        found = list(_titled(document, place)) or list(_opened_lines(document, place))
        if found or place.kind not in _CAPTIONED:
            return found
    return _captions(document, place)


def _pages(document: OpenDocument, place: Place) -> Iterable[tuple[int, float]]:
    """Pages by stored label and by printed number; by physical number where neither knows it, or weaker."""
    index = document.index
    labelled = {
        page for page, label in enumerate(index.page_labels) if label is not None and label.casefold() in place.numbers
    }
    printed = {page for page, number in enumerate(index.page_printed) if str(number) in place.numbers}
    physical = {page for page, number in enumerate(index.page_numbers) if str(number) in place.numbers}
    meant = printed or labelled
    for piece_number, piece in enumerate(index.pieces):
        if piece.page in meant or (not meant and piece.page in physical):
            yield piece_number, EXACT
        elif piece.page in labelled or piece.page in physical:
            yield piece_number, MENTION


def _titled(document: OpenDocument, place: Place) -> Iterable[tuple[int, float]]:
    sections: list[int] = []
    if not document.index.pieces:  # headings of another's tree, over pages without text
        return
    for number in place.numbers:
        sections = document.numbered_sections.get((place.kind, number), [])
        if not sections and place.kind in _BARE_NUMBER and (place.kind != "appendix" or number.isalpha()):
            sections = document.numbered_sections.get(("", number), [])
        if sections:
            break
    for section in sections:
        end = document.subtree_ends[section]
        pieces = [number for below in range(section, end) for number in document.pieces_of_section.get(below, ())]
        # A heading with no text of its own stands in the piece of the section that follows it.
        pieces = pieces or [document.piece_at(document.index.sections[section])]
        yield pieces[0], EXACT
        yield from ((number, WITHIN) for number in pieces[1:])


def _opened_lines(document: OpenDocument, place: Place) -> Iterable[tuple[int, float]]:
    openers = [opener.format(number) for opener in _OPENERS.get(place.kind, ()) for number in _written(place)]
    openers += [number for number in place.numbers if "." in number]
    return _lines_that_open(document, openers, or_mention=False)


def _captions(document: OpenDocument, place: Place) -> Iterable[tuple[int, float]]:
    openers = [f"{word} {number}" for word in _CAPTIONED.get(place.kind, ()) for number in place.numbers]
    return _lines_that_open(document, openers, or_mention=True)


def _lines_that_open(
    document: OpenDocument, openers: Iterable[str], *, or_mention: bool
) -> Iterable[tuple[int, float]]:
    line_starts = document.index.text.starts
    opened: set[int] = set()
    mentioned: set[int] = set()
    for opener in openers:
        run = tuple(question_terms(opener))
        for position in run_positions(document.index.text, run) if run else ():
            opens = line_starts[bisect_right(line_starts, position) - 1] == position
            (opened if opens else mentioned).add(document.piece_of[position])
    strength = LINE if opened else MENTION
    return [(piece, strength) for piece in sorted(opened or (mentioned if or_mention else ()))]


def _written(place: Place) -> Iterable[str]:
    """The number as it may be printed: as read, and in Han numerals."""
    yield from place.numbers
    if place.numbers[0].isdigit() and 0 < int(place.numbers[0]) < 100:
        tens, ones = divmod(int(place.numbers[0]), 10)
        yield ("" if tens == 0 else "十" if tens == 1 else _HAN[tens] + "十") + (_HAN[ones] if ones else "")
