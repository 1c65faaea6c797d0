"""Headings that the structure tree of a tagged PDF marks: which lines of a page, and their levels.

Source: ISO 32000-1, 14.7 and 14.8.4.3.2; names are those that PDFium gives, with the file's role map applied.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pageindex_core.read.pdf.calls import (
    element_child,
    element_children,
    element_content_id,
    element_type,
    object_content_id,
    tree_child,
    tree_children,
)

PROBED_PAGES = 8
"""Pages looked at first, spread over the document. Some files spend as long on their tags as on their text, without a
heading among them, and the rest of such a file is left alone."""

_MAX_ELEMENTS = 5_000
"""Elements visited on one page: far above any real page, and a bound on hostile files."""

_HEADING = re.compile(r"H([1-9]?)$")
_CLOSED = frozenset(
    ["P", "Table", "L", "LI", "TOC", "TOCI", "Index", "Figure", "Formula", "Form", "Caption", "Note", "FENote", "Code",
     "Reference", "BibEntry", "Quote", "Span", "Link", "Annot", "Lbl", "LBody", "Artifact"]
)  # fmt: skip
"""Elements that hold no headings of sections."""
_NESTING = frozenset(["Sect", "Part", "Art"])
"""Elements that open a level of their own; what is below them and marked H alone is as deep as they are nested."""
_DEEPEST = 6

Tags = dict[int, tuple[int, int]]
"""By marked-content id: ordinal of the heading on its page, and its level."""


class HeadingTags:
    """Reads the headings that the tags of one document mark."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        self.is_tagged = bool(pdfium_c.FPDFCatalog_IsTagged(document.raw))
        self._name = ctypes.create_string_buffer(64)
        self._name_address = ctypes.addressof(self._name)

    def of_page(self, raw_page: Any) -> Tags:
        """The marked contents of a page that belong to headings."""
        tree = pdfium_c.FPDF_StructTree_GetForPage(raw_page)
        if not tree:
            return {}
        try:
            address = ctypes.addressof(tree.contents)
            return self._walk([tree_child(address, index) for index in range(tree_children(address))])
        finally:
            pdfium_c.FPDF_StructTree_Close(tree)

    def _walk(self, roots: list[int]) -> Tags:
        tags: Tags = {}
        ordinal = visited = 0
        pending = [(element, 0) for element in reversed(roots)]
        while pending and visited < _MAX_ELEMENTS:
            element, depth = pending.pop()
            if not element:
                continue
            visited += 1
            name = self._type(element)
            heading = _HEADING.match(name)
            if heading:
                level = int(heading[1]) if heading[1] else min(max(depth, 1), _DEEPEST)
                for content_id in _content_ids(element):
                    tags.setdefault(content_id, (ordinal, level))
                ordinal += 1
            elif name not in _CLOSED:
                below = depth + (name in _NESTING)
                # Elements that have nothing on this page are given as null, and often are the most.
                children = [element_child(element, index) for index in range(element_children(element))]
                pending.extend((child, below) for child in reversed(children) if child)
        return tags

    def _type(self, element: int) -> str:
        size = element_type(element, self._name_address, len(self._name))
        return self._name.raw[: size - 2].decode("utf-16-le", "replace") if 2 < size <= len(self._name) else ""


def probe(page_count: int) -> tuple[int, ...]:
    """Indexes of the pages to look at first, the first and the last among them."""
    if page_count <= PROBED_PAGES:
        return tuple(range(page_count))
    return tuple(round(step * (page_count - 1) / (PROBED_PAGES - 1)) for step in range(PROBED_PAGES))


def tagged_lines(tags: Tags, pieces: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """(line index, level) of the lines that open a heading.

    Args:
        tags: The headings of the page.
        pieces: For each of its lines, address of the piece of text it starts with.
    """
    found: list[tuple[int, int]] = []
    seen: set[int] = set()
    for line_index, piece in enumerate(pieces):
        tag = tags.get(object_content_id(piece)) if piece else None
        if tag is not None and tag[0] not in seen:
            seen.add(tag[0])
            found.append((line_index, tag[1]))
    return tuple(found)


def _content_ids(heading: int) -> list[int]:
    """Marked contents of this page in a heading and in all below it."""
    found: list[int] = []
    pending = [heading]
    while pending and len(found) < _MAX_ELEMENTS:
        element = pending.pop()
        for index in range(element_children(element)):
            content_id = element_content_id(element, index)
            if content_id >= 0:
                found.append(content_id)
            else:
                child = element_child(element, index)
                if child:
                    pending.append(child)
    return found
