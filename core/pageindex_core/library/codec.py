"""Records to bytes and back, without loss.

Trees and pages become compressed JSON. JSON because Python parses it faster than it could parse anything of our
own, and because it gives every float back exactly; UTF-8 with ``surrogatepass`` because text read from damaged
files holds lone surrogates, and a store must give back what it was given.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVar

from pageindex_core.errors import LibraryError
from pageindex_core.records import Box, Line, Link, Metadata, Note, Page, PageTree, Section

_Value = TypeVar("_Value")

_SECTION_FIELDS = tuple(field.name for field in fields(Section) if field.name != "children")
_NOTE_FIELDS = tuple(field.name for field in fields(Note))

_REMEMBERED = 16_384
"""Parsed metadata kept for filters: one entry for each document of a large library, a few MB at most."""


def to_bytes(text: str) -> bytes:
    """Give text as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Give stored text back."""
    return data.decode("utf-8", "surrogatepass")


def compress(text: str) -> bytes:
    """Give text as compressed bytes."""
    return zlib.compress(to_bytes(text))


def decompress(data: bytes) -> str:
    """Give compressed text back.

    Raises:
        LibraryError: the bytes are damaged.
    """
    try:
        return from_bytes(zlib.decompress(data))
    except (zlib.error, UnicodeDecodeError) as error:
        raise LibraryError(
            "A stored record cannot be read.",
            f"Its bytes are damaged ({error}).",
            "Remove the document and index it again.",
        ) from error


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encode_page(page: Page) -> bytes:
    """Give a page as bytes: its lines by columns, since like compresses best beside like."""
    lines = page.lines
    boxes = [line.box for line in lines]
    fonts = list(dict.fromkeys(line.font for line in lines))
    position = {font: index for index, font in enumerate(fonts)}
    record = {
        "number": page.page_number,
        "label": page.page_label,
        "width": page.width_pt,
        "height": page.height_pt,
        "first": page.first_line_number,
        "tags": page.heading_tags,
        "links": [[*link.box, link.page_number, link.y] for link in page.links],
        "texts": [line.text for line in lines],
        "boxed": [index for index, box in enumerate(boxes) if box is not None],
        "boxes": [[box[side] for box in boxes if box is not None] for side in range(4)],
        "sizes": [line.font_size for line in lines],
        "bold": [index for index, line in enumerate(lines) if line.bold],
        "italic": [index for index, line in enumerate(lines) if line.italic],
        "fonts": fonts,
        "font": [position[line.font] for line in lines],
        "continues": [index for index, line in enumerate(lines) if line.continues],
        "letterspaced": [index for index, line in enumerate(lines) if line.letterspaced],
        "leads": [[index, line.lead] for index, line in enumerate(lines) if line.lead],
    }
    return compress(_dump(record))


def decode_page(data: bytes) -> Page:
    """Give a page back from its bytes.

    Raises:
        LibraryError: the bytes are damaged.
    """
    record = json.loads(decompress(data))
    texts = record["texts"]
    count = len(texts)
    boxes: list[Box | None] = list(map(Box, *record["boxes"]))
    if len(boxes) < count:
        boxes = _spread(zip(record["boxed"], boxes, strict=True), count, None)
    fonts = record["fonts"]
    return Page(
        page_number=record["number"],
        lines=tuple(
            map(
                Line,
                texts,
                boxes,
                record["sizes"],
                _flags(record["bold"], count),
                _flags(record["italic"], count),
                [fonts[index] for index in record["font"]],
                _flags(record.get("continues", ()), count),  # libraries of the first format have none
                _flags(record.get("letterspaced", ()), count),
                _spread(record.get("leads", ()), count, 0),
            )
        ),
        page_label=record["label"],
        width_pt=record["width"],
        height_pt=record["height"],
        links=tuple(Link(Box(*values[:4]), values[4], values[5]) for values in record["links"]),
        first_line_number=record["first"],
        heading_tags=tuple((line_index, level) for line_index, level in record["tags"]),
    )


def _spread(placed: Iterable[tuple[int, _Value]], count: int, otherwise: _Value) -> list[_Value]:
    spread = [otherwise] * count
    for index, value in placed:
        spread[index] = value
    return spread


def _flags(indexes: Iterable[int], count: int) -> list[bool]:
    flags = [False] * count
    for index in indexes:
        flags[index] = True
    return flags


def encode_tree(tree: PageTree) -> bytes:
    """Give a tree as bytes: its sections in pre-order, each with its number of children, so that depth is no limit."""
    rows: list[list[Any]] = []
    waiting = list(reversed(tree.sections))
    while waiting:
        section = waiting.pop()
        rows.append([len(section.children), *(getattr(section, name) for name in _SECTION_FIELDS)])
        waiting.extend(reversed(section.children))
    record = {
        "doc_name": tree.doc_name,
        "toc_source": tree.toc_source,
        "page_count": tree.page_count,
        "shares": dict(tree.shares),
        "notes": _note_rows(tree.notes),
        "description": tree.description,
        "fields": _SECTION_FIELDS,
        "sections": rows,
    }
    return compress(_dump(record))


def decode_tree(data: bytes) -> PageTree:
    """Give a tree back from its bytes.

    Raises:
        LibraryError: the bytes are damaged.
    """
    record = json.loads(decompress(data))
    names = record["fields"]
    done: list[Section] = []
    # Backwards through pre-order, the children of a section lie on top of the stack, the first one uppermost.
    for child_count, *values in reversed(record["sections"]):
        children = tuple(done.pop() for _ in range(child_count))
        known: dict[str, Any] = dict(zip(names, map(_frozen, values), strict=True))
        done.append(Section(children=children, **known))
    return PageTree(
        doc_name=record["doc_name"],
        sections=tuple(reversed(done)),
        toc_source=record["toc_source"],
        page_count=record["page_count"],
        shares=record["shares"],
        notes=_notes_of(record["notes"]),
        description=record["description"],
    )


def _frozen(value: Any) -> Any:
    """Give what JSON made of a field as the record holds it: every sequence in a record is a tuple."""
    return tuple(value) if isinstance(value, list) else value


def encode_notes(notes: Iterable[Note]) -> bytes:
    """Give notes as bytes."""
    return to_bytes(_dump(_note_rows(notes)))


def decode_notes(data: bytes) -> tuple[Note, ...]:
    """Give notes back from their bytes."""
    return _notes_of(json.loads(from_bytes(data)))


def _note_rows(notes: Iterable[Note]) -> list[list[Any]]:
    return [[getattr(note, name) for name in _NOTE_FIELDS] for note in notes]


def _notes_of(rows: Iterable[Sequence[Any]]) -> tuple[Note, ...]:
    return tuple(Note(*row) for row in rows)


def encode_metadata(metadata: Metadata, source_id: str) -> bytes:
    """Give metadata as bytes.

    Raises:
        LibraryError: a value would not come back as it is, because JSON has no such type.
    """
    for key, value in metadata.items():
        for unfit in _unfit({key: value}):
            raise LibraryError(
                f"The metadata entry {key!r} of {source_id} cannot be stored.",
                f"It holds {unfit!r} of type {type(unfit).__name__}; a library keeps strings, numbers, True, False, "
                "None, lists, and dicts with string keys.",
                "Convert it, for example a date to its ISO text and a tuple to a list.",
            )
    return to_bytes(_dump(dict(metadata)))


def _unfit(value: Any) -> Iterator[Any]:
    """Give the parts that JSON refuses or would change."""
    if isinstance(value, dict):
        yield from (key for key in value if not isinstance(key, str))
        for inner in value.values():
            yield from _unfit(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _unfit(inner)
    elif value is not None and not isinstance(value, (str, int, float)):
        yield value


def decode_metadata(data: bytes) -> dict[str, Any]:
    """Give metadata back, fresh: the caller may change it."""
    loaded: dict[str, Any] = json.loads(from_bytes(data))
    return loaded


@lru_cache(maxsize=_REMEMBERED)
def _parsed(data: bytes) -> Mapping[str, Any]:
    return decode_metadata(data)


def peek_metadata(data: bytes) -> dict[str, Any]:
    """Give metadata for a filter to look at, parsed once for equal bytes; nested values are shared."""
    return dict(_parsed(data))
