"""Checks what an answer cites: the page was read, and the quoted words stand on it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pageindex_core.records import Citation, DocumentInfo, Page, PageBox
from pageindex_core.search.agent.final_answer import NamedEvidence

LEAST_QUOTE_CHARACTERS = 2
"""A shorter quote stands on nearly every page and shows nothing."""

_HYPHENS = re.compile("[\u002d\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_QUOTE_MARKS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'})
_INSIDE_NUMBER = re.compile(r"\d[.,]\d")
_ELLIPSIS = re.compile(r"\s*(?:\u2026|\.{3,}|\[\u2026\]|\[\.\.\.\])\s*")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page whose text a model was given."""

    info: DocumentInfo
    page: Page
    label: str = ""
    """Under which it was shown, ``s1``; empty where pages are cited by document and number."""
    section_path: tuple[str, ...] = ()


def check_citations(evidence: Iterable[NamedEvidence], read: Sequence[ReadPage]) -> tuple[Citation, ...]:
    """Give each piece of evidence as a citation, marked unverified with the reason where it cannot be held to a page.

    A quote without a page is looked for on all pages read. A quote that stands on another page that was read than the
    one named is cited with the page it stands on.
    """
    folded = [_folded(line.text for line in one.page.lines) for one in read]
    return tuple(_checked(piece, read, folded) for piece in evidence)


def stands_in(quote: str, text: str) -> bool:
    """Whether quoted words stand in a text, with Unicode form (NFKC), case, spaces and hyphens disregarded."""
    return _find(quote, _folded(text.splitlines())) is not None


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text with all that is disregarded taken out, where each line starts in it, and where words could begin."""

    text: str
    starts: tuple[int, ...]
    breaks: frozenset[int]
    """Positions before which a space, a hyphen or a line end was taken out."""


def _folded(lines: Iterable[str]) -> _Folded:
    pieces: list[str] = []
    starts: list[int] = []
    breaks: set[int] = {0}
    at = 0
    for line in lines:
        starts.append(at)
        breaks.add(at)
        for word in _fold(line):
            breaks.add(at)
            pieces.append(word)
            at += len(word)
    breaks.add(at)
    return _Folded("".join(pieces), tuple(starts), frozenset(breaks))


def _fold(text: str) -> list[str]:
    """Give the words of a text in one form, split at spaces and hyphens."""
    return _HYPHENS.sub(" ", unicodedata.normalize("NFKC", text).translate(_QUOTE_MARKS).casefold()).split()


def _find(quote: str, folded: _Folded) -> tuple[int, int] | None:
    """Give where a quote starts and ends; its parts, where it is shortened by an ellipsis, stand in order."""
    parts = [part for part in ("".join(_fold(part.strip("\"' "))) for part in _ELLIPSIS.split(quote)) if part]
    if sum(map(len, parts)) < LEAST_QUOTE_CHARACTERS:
        return None
    start, at = -1, 0
    for part in parts:
        found = _find_whole(part, folded, at)
        if found < 0:
            return None
        start = found if start < 0 else start
        at = found + len(part)
    return start, at


def _find_whole(part: str, folded: _Folded, at: int) -> int:
    """Find a part from a position on, but not within a word or a number: "15 million" is not in "115 million"."""
    found = folded.text.find(part, at)
    while found >= 0 and not (_is_edge(folded, found) and _is_edge(folded, found + len(part))):
        found = folded.text.find(part, found + 1)
    return found


def _is_edge(folded: _Folded, at: int) -> bool:
    if at in folded.breaks:
        return True
    if _INSIDE_NUMBER.match(folded.text, max(0, at - 2)) or _INSIDE_NUMBER.match(folded.text, max(0, at - 1)):
        return False
    before, after = folded.text[at - 1 : at], folded.text[at : at + 1]
    both_digits = before.isdigit() and after.isdigit()
    both_letters = before.isascii() and after.isascii() and before.isalpha() and after.isalpha()
    return not (both_digits or both_letters)


def _checked(piece: NamedEvidence, read: Sequence[ReadPage], folded: Sequence[_Folded]) -> Citation:
    named = [place for place, one in enumerate(read) if _is_meant(piece, one)]
    names_place = piece.page_id is not None or piece.page is not None
    for places in (named, range(len(read))):
        for place in places:
            span = _find(piece.quote, folded[place])
            if span is not None:
                return _citation(piece, read[place], verified=True, boxes=_boxes(read[place].page, folded[place], span))
    if named and names_place:
        reason = "The quoted words are not on that page." if piece.quote else "No words are quoted."
        return _citation(piece, read[named[0]], reason=reason)
    reason = "That page was not read." if names_place else "The quoted words are on no page that was read."
    return Citation("", "", piece.document or "", None, None, piece.quote, False, reason)


def _is_meant(piece: NamedEvidence, one: ReadPage) -> bool:
    if piece.page_id is not None:
        return bool(one.label) and piece.page_id.casefold() == one.label.casefold()
    if piece.page is None or piece.page != one.page.page_number:
        return False
    names = (one.info.name, one.info.doc_id, one.info.source_id, one.info.name.rpartition(".")[0])
    return not piece.document or piece.document.casefold() in {name.casefold() for name in names if name}


def _citation(
    piece: NamedEvidence, one: ReadPage, *, verified: bool = False, reason: str = "", boxes: tuple[PageBox, ...] = ()
) -> Citation:
    return Citation(
        doc_id=one.info.doc_id,
        source_id=one.info.source_id,
        doc_name=one.info.name,
        page_number=one.page.page_number,
        page_label=one.page.page_label,
        quote=piece.quote,
        verified=verified,
        reason=reason,
        section_path=one.section_path,
        boxes=boxes,
    )


def _boxes(page: Page, folded: _Folded, span: tuple[int, int]) -> tuple[PageBox, ...]:
    """The boxes of the lines that a span of the folded text touches."""
    ends = [*folded.starts[1:], len(folded.text)]
    touched = [at for at, start in enumerate(folded.starts) if start < span[1] and ends[at] > span[0]]
    boxes = [page.lines[at].box for at in touched]
    return tuple(PageBox(page.page_number, box) for box in boxes if box is not None)
