"""Loaded search indexes: one document opened for scoring, and the few that are kept in memory."""

from __future__ import annotations

import itertools
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property

from pageindex_core.records import DocumentInfo, Unit
from pageindex_core.search.listings import find_listings
from pageindex_core.search.places import find_places, number_readings
from pageindex_core.search.postings import SearchIndex, SectionEntry, Stream, load_postings, narrow_code, spread
from pageindex_core.search.terms import is_cjk
from pageindex_core.search.units import LONG_SECTION_TOKENS
from pageindex_core.search.vocabulary import Run

HEAD_LINES = 8
"""Lines of a page that may carry its title, running heads included. Measured on 10-K statements and handbooks: titles
stand within the first four to eight lines; 4, 6 and 12 find 0 to 2 percent less."""

CACHE_BYTES = 128 << 20
"""Memory for loaded indexes, about 50 documents of 200 pages: more than twice what one question looks at."""


class OpenDocument:
    """A document's search index with the tables that scoring needs, made when first asked for."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        line_starts = index.text.starts
        self.page_starts = [line_starts[line] for line in index.page_first_lines]
        self.piece_starts = [*(line_starts[piece.first_line] for piece in index.pieces), len(index.text)]
        self.page_of_piece = [piece.page for piece in index.pieces]
        self.page_lengths = _lengths(self.page_starts)
        self.piece_lengths = _lengths(self.piece_starts)
        self.size_bytes = index.size_bytes + 6 * len(index.text)
        self._units: dict[Unit, list[tuple[int, int]]] = {}

    @cached_property
    def page_of(self) -> array[int]:
        """Page index of each position of the text."""
        return spread(self.page_starts)

    @cached_property
    def piece_of(self) -> array[int]:
        """Piece index of each position of the text."""
        return spread(self.piece_starts)

    @cached_property
    def head_of(self) -> array[int]:
        """Page index plus one for the positions in a page's first lines, 0 for all others."""
        line_starts = self.index.text.starts
        first_lines = self.index.page_first_lines
        code = narrow_code(len(self.page_lengths) + 1)
        out = array(code)
        for page in range(len(self.page_lengths)):
            start, stop = self.page_starts[page], self.page_starts[page + 1]
            end = min(stop, line_starts[min(first_lines[page] + HEAD_LINES, first_lines[page + 1])])
            out.extend(array(code, (page + 1,)) * (end - start))
            out.extend(array(code, (0,)) * (stop - end))
        return out

    @cached_property
    def title_owner(self) -> array[int]:
        """Section index of each position of the titles; the number of sections for the document's own name."""
        return self.index.titles.owners()

    @cached_property
    def description_owner(self) -> array[int]:
        """Section index of each position of the descriptions; the number of sections for the document's own."""
        return self.index.descriptions.owners()

    @cached_property
    def subtree_ends(self) -> list[int]:
        """For each section, the index after its last descendant."""
        ends = list(range(1, len(self.index.sections) + 1))
        for section in range(len(ends) - 1, -1, -1):
            parent = self.index.sections[section].parent
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[section])
        return ends

    @cached_property
    def depths(self) -> list[int]:
        """How many sections each section lies in."""
        depths: list[int] = []
        for section in self.index.sections:
            depths.append(depths[section.parent] + 1 if section.parent >= 0 else 0)
        return depths

    @cached_property
    def pieces_of_section(self) -> dict[int, list[int]]:
        """Pieces of each section that has text of its own."""
        found: dict[int, list[int]] = {}
        for number, piece in enumerate(self.index.pieces):
            found.setdefault(piece.section, []).append(number)
        return found

    @cached_property
    def listings(self) -> frozenset[int]:
        """Pieces of printed contents, lists of tables and figures, and indexes."""
        return find_listings(self.index)

    @cached_property
    def numbered_sections(self) -> dict[tuple[str, str], list[int]]:
        """Sections by the place their title starts with: ("item", "7"), or ("", "2.1") for a bare number."""
        found: dict[tuple[str, str], list[int]] = {}
        for index, section in enumerate(self.index.sections):
            start = section.title[:40]
            first_word = start.split(maxsplit=1)[0].strip("().:") if start.strip() else ""
            keys = {(place.kind, number) for place in find_places(start) for number in place.numbers}
            is_article = first_word in ("A", "I") and start.split(maxsplit=1)[-1][0].islower()  # "A short history"
            if first_word and (
                first_word[0].isdigit() or (len(first_word) <= 5 and first_word.isascii() and not is_article)
            ):
                keys |= {("", number) for number in number_readings(first_word)}
            for key in keys:
                found.setdefault(key, []).append(index)
        return found

    def units(self, unit: Unit) -> list[tuple[int, int]]:
        """Give the units of a kind as (first piece, piece after the last), in document order."""
        if unit not in self._units:
            self._units[unit] = list(self._cut(unit))
        return self._units[unit]

    def owners_of(self, stream: Stream, owner: Sequence[int], runs: Sequence[Run]) -> list[int]:
        """Give the sections whose title, or description, holds any of the runs, in order."""
        positions = any_run_positions(stream, runs)
        if not positions:
            return []
        found = set(map(owner.__getitem__, positions))
        found.discard(len(self.index.sections))  # the document's own
        return sorted(found)

    def is_named(self, run: Run) -> bool:
        """Whether a run of terms stands in the document's name."""
        positions = run_positions(self.index.titles, run)
        return bool(positions) and positions[-1] >= self.index.titles.starts[-2]

    @cached_property
    def first_text_page(self) -> int:
        """Index of the first page that has text: a cover, or the first page of the text itself."""
        return next((page for page, length in enumerate(self.page_lengths) if length), 0)

    @cached_property
    def first_page_end(self) -> int:
        """Position after the first page that has text."""
        return self.page_starts[min(self.first_text_page + 1, len(self.page_starts) - 1)]

    def section_path(self, section: int) -> tuple[str, ...]:
        """Give the titles from the outermost section down to this one."""
        path: list[str] = []
        while section >= 0:
            path.append(self.index.sections[section].title)
            section = self.index.sections[section].parent
        return tuple(reversed(path))

    def piece_at(self, section: SectionEntry) -> int:
        """Give the piece that holds the line where a section starts."""
        index = self.index
        page = bisect_left(index.page_numbers, section.start_page)
        line = index.page_first_lines[min(page, len(index.page_numbers))] + section.start_line
        return max(0, bisect_right(index.pieces, line, key=lambda piece: piece.first_line) - 1)

    def is_long(self, section: int) -> bool:
        """Whether a section's own text is returned as windows."""
        pieces = self.index.pieces
        return sum(pieces[number].tokens for number in self.pieces_of_section[section]) > LONG_SECTION_TOKENS

    def _cut(self, unit: Unit) -> Iterable[tuple[int, int]]:
        pieces = self.index.pieces
        totals: dict[int, int] = {}
        for piece in pieces:
            totals[piece.section] = totals.get(piece.section, 0) + piece.tokens
        keys: list[tuple[int, int]] = []
        for piece in pieces:
            whole = unit == "section" or (unit == "auto" and totals[piece.section] <= LONG_SECTION_TOKENS)
            keys.append((piece.page, 0) if unit == "page" else (piece.section, -1 if whole else piece.window))
        start = 0
        for at in range(1, len(keys) + 1):
            if at == len(keys) or keys[at] != keys[start]:
                yield start, at
                start = at


class OpenDocuments:
    """The indexes that were loaded last, within a number of bytes. Safe from any thread."""

    def __init__(self, limit_bytes: int = CACHE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._used_bytes = 0
        self._kept: OrderedDict[tuple[str, ...], OpenDocument] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, info: DocumentInfo) -> OpenDocument | None:
        """Give a document if it is still in memory as it was last indexed."""
        with self._lock:
            kept = self._kept.get(_key(info))
            if kept is not None:
                self._kept.move_to_end(_key(info))
            return kept

    def load(self, info: DocumentInfo, data: bytes) -> OpenDocument:
        """Open a document from its stored bytes, and keep it."""
        opened = OpenDocument(load_postings(data))
        with self._lock:
            old = self._kept.pop(_key(info), None)
            self._used_bytes += opened.size_bytes - (old.size_bytes if old else 0)
            self._kept[_key(info)] = opened
            while self._used_bytes > self._limit_bytes and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._used_bytes -= dropped.size_bytes
        return opened


def run_positions(stream: Stream, run: Run) -> Sequence[int]:
    """Give the positions where a run of neighbouring terms starts."""
    positions: Sequence[int] = stream.positions(run[0])
    if len(run) == 1 and len(run[0]) == 1 and is_cjk(run[0]):
        return _character_positions(stream, run[0])
    for step, term in enumerate(run[1:], start=1):
        if not positions:
            return ()
        following = set(stream.positions(term))
        positions = [position for position in positions if position + step in following]
    return positions


def _character_positions(stream: Stream, character: str) -> Sequence[int]:
    """Give the positions of one CJK character: each starts a pair, or stands alone at the end of its run."""
    pairs = [term for term in stream.vocabulary() if term[0] == character and is_cjk(term)]
    return sorted(position for pair in pairs for position in stream.positions(pair))


def any_run_positions(stream: Stream, runs: Sequence[Run]) -> Sequence[int]:
    """Give the rising positions where any of the runs starts."""
    if len(runs) == 1:
        return run_positions(stream, runs[0])
    found = [positions for run in runs if (positions := run_positions(stream, run))]
    return sorted(set().union(*found)) if len(found) > 1 else found[0] if found else ()


def _key(info: DocumentInfo) -> tuple[str, ...]:
    return info.doc_id, info.fingerprint, info.indexed_at, info.name


def _lengths(starts: Sequence[int]) -> list[int]:
    return [after - before for before, after in itertools.pairwise(starts)]
