"""The search index of one document: built once when indexing, stored by the library as bytes, read back to search.

Three streams of terms, each in document order: the text (one owner a line), the titles and the descriptions (one
owner a section; the last owner holds what names the document). A stream keeps, for each term, the rising positions
where it stands, so that counting a term over any units is one C-speed pass over its positions, and a phrase is an
intersection of shifted positions.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise

from pageindex_core.errors import SchemaVersionError
from pageindex_core.records import Pages, PageTree, Section
from pageindex_core.search.labels import printed_numbers
from pageindex_core.search.terms import line_terms, single_characters
from pageindex_core.search.units import Piece, cut_pieces

FORMAT = 1
"""Version of the stored bytes."""

_MAGIC = b"pips"
_HEADER = struct.Struct("<4sHI")
_COMPRESSION = 4
"""zlib level. Measured on a 190-page filing: level 4 is 30 percent smaller than 1 and loads as fast; 6 and 9 take
two to five times as long to write for 2 percent."""


@dataclass(frozen=True, slots=True)
class Postings:
    """What indexing hands to the library."""

    data: bytes
    """The search index, opaque to everyone but this module."""
    terms: tuple[str, ...]
    """Every distinct term of the document."""
    title_terms: tuple[str, ...]
    """Those of its name, description and headings."""


class Stream:
    """Terms of one field, in order."""

    __slots__ = ("_ends", "_gaps", "_numbers", "starts")

    def __init__(self, numbers: dict[str, int], ends: array[int], gaps: array[int], starts: array[int]) -> None:
        self._numbers = numbers
        self._ends = ends
        self._gaps = gaps
        self.starts = starts
        """Position of the first term of each owner, and the number of positions at the end."""

    def __len__(self) -> int:
        """Number of positions."""
        return self.starts[-1]

    def __contains__(self, term: str) -> bool:
        """Whether the term stands anywhere."""
        return term in self._numbers

    def positions(self, term: str) -> array[int] | list[int]:
        """Give the rising positions of a term; empty for an unknown one."""
        number = self._numbers.get(term)
        if number is None:
            return []
        return list(accumulate(self._gaps[self._ends[number - 1] if number else 0 : self._ends[number]]))

    def vocabulary(self) -> Iterable[str]:
        """Give the distinct terms."""
        return self._numbers.keys()

    def owners(self) -> array[int]:
        """Give, for each position, the number of its owner."""
        return spread(self.starts)


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """What search needs to know of a section."""

    node_id: str
    section_key: str
    title: str
    parent: int
    """Index of the parent, -1 for none."""
    start_page: int
    start_line: int
    line_range: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """The search index of one document, loaded."""

    sections: tuple[SectionEntry, ...]
    """In pre-order."""
    pieces: tuple[Piece, ...]
    page_numbers: tuple[int, ...]
    page_first_lines: tuple[int, ...]
    """First line of each page, counted through the document, and the number of lines at the end."""
    page_labels: tuple[str | None, ...]
    page_printed: tuple[int | None, ...]
    """Page numbers as printed on the pages, where they could be told."""
    text: Stream
    """Owned by lines."""
    titles: Stream
    """Owned by sections, and last by the document's name."""
    descriptions: Stream
    """Key items and summaries, owned by sections, and last the document's description."""
    size_bytes: int
    """About what it takes in memory."""


def build_postings(tree: PageTree, pages: Pages) -> Postings:
    """Build the search index of a described tree and its pages."""
    sections = list(tree.walk())
    text_lines = [line_terms(line.text) for page in pages.pages for line in page.lines]
    titles = [line_terms(section.title) for section in sections]
    titles.append(line_terms(_spaced(pages.name)))
    descriptions = [_described(section) for section in sections]
    descriptions.append(line_terms(tree.description or ""))
    header = {
        "sections": _section_rows(tree),
        "pieces": [
            (piece.section, piece.window, piece.page, piece.first_line, piece.tokens)
            for piece in cut_pieces(tree, pages.pages)
        ],
        "pages": [
            (page.page_number, len(page.lines), page.page_label, printed)
            for page, printed in zip(pages.pages, printed_numbers(pages.pages), strict=True)
        ],
    }
    body = [json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")]
    for stream in (text_lines, titles, descriptions):
        body += _pack_stream(stream)
    payload = b"".join(struct.pack("<I", len(part)) + part for part in body)
    data = _HEADER.pack(_MAGIC, FORMAT, len(payload)) + zlib.compress(payload, _COMPRESSION)
    title_terms = {term for row in (*titles, descriptions[-1]) for term in row}
    terms = {term for rows in (text_lines, titles, descriptions) for row in rows for term in row}
    terms |= single_characters(terms)
    return Postings(data, tuple(sorted(terms)), tuple(sorted(title_terms | single_characters(title_terms))))


def load_postings(data: bytes) -> SearchIndex:
    """Read a search index back.

    Raises:
        SchemaVersionError: the bytes were written by another version, or are no search index.
    """
    magic, version, size = _HEADER.unpack_from(data) if len(data) >= _HEADER.size else (b"", 0, 0)
    if magic != _MAGIC or version != FORMAT:
        raise SchemaVersionError(
            f"A stored search index has format {version}.", f"This version reads format {FORMAT}.", "Index again."
        )
    payload = zlib.decompress(memoryview(data)[_HEADER.size :], bufsize=size or 1)
    parts = []
    at = 0
    while at < len(payload):
        (length,) = struct.unpack_from("<I", payload, at)
        parts.append(payload[at + 4 : at + 4 + length])
        at += 4 + length
    header = json.loads(parts[0].decode("utf-8", "surrogatepass"))
    numbers, counts, labels, printed = zip(*header["pages"], strict=True) if header["pages"] else ((), (), (), ())
    return SearchIndex(
        sections=tuple(
            SectionEntry(node, key, title, parent, page, line, (lines[0], lines[1]) if lines else None)
            for node, key, title, parent, page, line, lines in header["sections"]
        ),
        pieces=tuple(Piece(*row) for row in header["pieces"]),
        page_numbers=tuple(numbers),
        page_first_lines=tuple(accumulate(counts, initial=0)),
        page_labels=tuple(labels),
        page_printed=tuple(printed),
        text=_unpack_stream(parts[1:5]),
        titles=_unpack_stream(parts[5:9]),
        descriptions=_unpack_stream(parts[9:13]),
        size_bytes=4 * len(payload),
    )


def spread(starts: Sequence[int]) -> array[int]:
    """Give, for each position below the last start, the index of the range that holds it."""
    code = narrow_code(len(starts))
    out = array(code)
    for index, (start, stop) in enumerate(pairwise(starts)):
        if stop > start:
            out.extend(array(code, (index,)) * (stop - start))
    return out


def narrow_code(largest: int) -> str:
    """Give the type code of the narrowest array that holds a number: 2 or 4 bytes."""
    return "H" if largest < 1 << 16 else "I"


def _section_rows(tree: PageTree) -> list[tuple[str, str, str, int, int, int, tuple[int, int] | None]]:
    rows: list[tuple[str, str, str, int, int, int, tuple[int, int] | None]] = []

    def add(section: Section, parent: int) -> None:
        index = len(rows)
        rows.append(
            (
                section.node_id,
                section.section_key,
                section.title,
                parent,
                section.start_page,
                section.start_line,
                section.line_range,
            )
        )
        for child in section.children:
            add(child, index)

    for section in tree.sections:
        add(section, -1)
    return rows


def _described(section: Section) -> list[str]:
    terms = line_terms(section.summary or "")
    for item in section.key_items:
        terms += line_terms(item)
    return terms


def _spaced(name: str) -> str:
    """A file name as words: "annual_report-2023.pdf" asks to be read as its parts."""
    stem, dot, ending = name.rpartition(".")
    return (stem if dot and len(ending) <= 5 else name).replace("_", " ").replace("-", " ")


def _pack_stream(rows: Sequence[Sequence[str]]) -> list[bytes]:
    """Vocabulary, ends of each term's positions, gaps between them, and starts of the owners."""
    positions: dict[str, list[int]] = {}
    at = 0
    lengths = array("I")
    for row in rows:
        for term in row:
            known = positions.get(term)
            if known is None:
                positions[term] = [at]
            else:
                known.append(at)
            at += 1
        lengths.append(len(row))
    ends = array("I", accumulate(map(len, positions.values())))
    gaps = array("I")
    for places in positions.values():
        gaps.append(places[0])
        gaps.extend(after - before for before, after in pairwise(places))
    vocabulary = "\n".join(positions).encode("utf-8", "surrogatepass")
    return [vocabulary, _packed(ends), _packed(gaps), _packed(lengths)]


def _unpack_stream(parts: Sequence[bytes]) -> Stream:
    words = parts[0].decode("utf-8", "surrogatepass")
    numbers = dict(zip(words.split("\n"), count(), strict=False)) if words else {}
    starts = array("I", accumulate(_unpacked(parts[3]), initial=0))
    return Stream(numbers, _unpacked(parts[1]), _unpacked(parts[2]), starts)


def _packed(numbers: array[int]) -> bytes:
    """Little-endian, in the narrowest of 1, 2 and 4 bytes, which the first byte names."""
    largest = max(numbers, default=0)
    code = "B" if largest < 1 << 8 else "H" if largest < 1 << 16 else "I"
    narrow = array(code, numbers)
    if sys.byteorder == "big":
        narrow.byteswap()
    return code.encode() + narrow.tobytes()


def _unpacked(data: bytes) -> array[int]:
    numbers = array(data[:1].decode())
    numbers.frombytes(data[1:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
