"""Checks what an answer cites: the page was read, and the quoted words stand on it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pageindex_core.records import Citation, DocumentInfo, Page, PageBox
from pageindex_core.search.agent.final_answer import NamedEvidence

LEAST_FOUND_CHARACTERS = 2
"""Fewer are not looked for."""

LEAST_QUOTE_WORDS = 3
"""A quote of fewer words stands on page after page and shows nothing. The signs of a script without spaces count as
words."""

LEAST_QUOTE_CHARACTERS = 12
"""The same in characters, with one space between words; a sign of a script without spaces counts as three."""

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")

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


def check_citations(
    evidence: Iterable[NamedEvidence], read: Sequence[ReadPage], *, allows_short: bool = False
) -> tuple[Citation, ...]:
    """Give each piece of evidence as a citation, marked unverified with the reason where it cannot be held to a page.

    It is verified where the quoted words stand on the page that it names. A quote alone names no page and is looked for
    on all that were read, or on those of its document. Where the words stand elsewhere than it says, it stays
    unverified, and the reason tells where they stand.

    Args:
        evidence: As the model named it.
        read: Pages that the model was given.
        allows_short: Whether a few words do. They do where they were taken from the page, not written by a model.
    """
    folded = [_folded(line.text for line in one.page.lines) for one in read]
    return tuple(_checked(piece, read, folded, allows_short) for piece in evidence)


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
    if sum(map(len, parts)) < LEAST_FOUND_CHARACTERS:
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


def _checked(piece: NamedEvidence, read: Sequence[ReadPage], folded: Sequence[_Folded], allows_short: bool) -> Citation:
    meant = _places_meant(piece, read)
    standing = [(place, span) for place in range(len(read)) if (span := _find(piece.quote, folded[place])) is not None]
    found = [(place, span) for place, span in standing if place in meant]
    names_page = piece.page_id is not None or piece.page is not None
    is_ambiguous = names_page and len({read[place].info.doc_id for place, _ in found}) > 1
    is_short = not allows_short and _is_short(piece.quote)
    if found and not is_ambiguous and not is_short:
        place, span = found[0]
        return _citation(piece, read[place], verified=True, boxes=_boxes(read[place].page, folded[place], span))
    reason = _reason(piece, bool(meant), bool(found), is_ambiguous)
    if standing and not found and not is_short:
        other = read[standing[0][0]]
        reason += f" The quoted words stand on page {other.page.page_number} of {other.info.name}."
    if names_page and len({read[place].info.doc_id for place in meant}) == 1:
        return _citation(piece, read[meant[0]], reason=reason)
    return Citation("", "", piece.document or "", None, None, piece.quote, False, reason)


def _reason(piece: NamedEvidence, is_meant: bool, is_found: bool, is_ambiguous: bool) -> str:
    """Give why a citation is not verified."""
    names_page = piece.page_id is not None or piece.page is not None
    if not piece.quote:
        return "No words are quoted."
    if not is_meant and (names_page or piece.document):
        return "That page was not read." if names_page else "That document was not read."
    if is_ambiguous:
        return "Several documents of that name were read, and the quoted words are on that page of each."
    if is_found:
        return "Too few words are quoted to show anything."
    if names_page:
        return "The quoted words are not on that page."
    return f"The quoted words are on no page{' of it' if piece.document else ''} that was read."


def _is_short(quote: str) -> bool:
    """Whether a quote has too few words or characters to show that its page was read."""
    words = [word for part in _ELLIPSIS.split(quote) for word in _fold(part.strip("\"' "))]
    signs = len(_UNSPACED.findall("".join(words)))
    characters = sum(map(len, words)) + len(words) - 1 + 2 * signs
    return len(words) + signs < LEAST_QUOTE_WORDS or characters < LEAST_QUOTE_CHARACTERS


def _places_meant(piece: NamedEvidence, read: Sequence[ReadPage]) -> list[int]:
    """Give the positions of the pages that a piece of evidence may mean: by label, else by document and page."""
    if piece.page_id is not None:
        label = piece.page_id.casefold()
        return [place for place, one in enumerate(read) if one.label and one.label.casefold() == label]
    places = _places_in(piece.document, read)
    return [place for place in places if piece.page is None or read[place].page.page_number == piece.page]


def _places_in(document: str | None, read: Sequence[ReadPage]) -> list[int]:
    """Give the positions of a document's pages: by id, by source, and only then by name."""
    if not document:
        return list(range(len(read)))
    for names_of in (_ids, _sources, _names):
        places = [place for place, one in enumerate(read) if document.casefold() in names_of(one.info)]
        if places:
            return places
    return []


def _ids(info: DocumentInfo) -> set[str]:
    return {info.doc_id.casefold()}


def _sources(info: DocumentInfo) -> set[str]:
    return {info.source_id.casefold()}


def _names(info: DocumentInfo) -> set[str]:
    return {info.name.casefold(), info.name.rpartition(".")[0].casefold()}


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
