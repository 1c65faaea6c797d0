"""Places that a question names and no document has: said, so that the hits are not taken for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.records import DocumentInfo, Note
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.places import Place
from pageindex_core.search.structure import CAPTIONED_KINDS, LINE, find_targets

HIGHEST_CAPTION = 99
"""Captions are looked for up to this number, to say which there are."""

_DOTTED = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
"""A number that orders; years and letters do not."""


def note_absent(
    documents: Sequence[OpenDocument], infos: Sequence[DocumentInfo], places: Sequence[Place]
) -> list[Note]:
    """Give a note for each place that none of the documents has, with the range that there is.

    Args:
        documents: Those that are searched.
        infos: Their entries.
        places: What the question names.
    """
    if not documents:
        return []
    within = infos[0].name if len(documents) == 1 else f"the {len(documents)} documents that were searched"
    notes = []
    for place in places:
        if not any(find_targets(document, (place,)) for document in documents):
            known = _range_of(documents[0], place) if len(documents) == 1 else ""
            notes.append(Note("place_not_found", f"{_named(place)} was not found in {within}{known}."))
    return notes


def _named(place: Place) -> str:
    """The place as it is usually written: Roman numerals and letters in capitals."""
    written = place.numbers[-1]
    return f"{place.kind.capitalize()} {written if written[0].isdigit() else written.upper()}"


def _range_of(document: OpenDocument, place: Place) -> str:
    """Say which places of a kind a document has, where that can be told."""
    if place.kind == "page":
        numbers = document.index.page_numbers
        return f", which has pages {numbers[0]} to {numbers[-1]}" if numbers else ""
    if place.kind in CAPTIONED_KINDS:
        known = {str(number) for number in range(1, HIGHEST_CAPTION + 1) if _has_caption(document, place.kind, number)}
    else:
        kinds = {place.kind, ""} if place.kind == "section" else {place.kind}
        known = {number for kind, number in document.numbered_sections if kind in kinds and _DOTTED.fullmatch(number)}
    if not known:
        return ""
    ordered = sorted(known, key=lambda number: [int(part) for part in number.split(".")])
    return (
        f", where they go from {ordered[0]} to {ordered[-1]}" if len(known) > 1 else f", where {ordered[0]} is the one"
    )


def _has_caption(document: OpenDocument, kind: str, number: int) -> bool:
    targets = find_targets(document, (Place(kind, (str(number),)),)) if str(number) in document.index.text else {}
    return any(strength >= LINE for strength in targets.values())
