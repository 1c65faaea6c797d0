"""Which of the hits a caller wants, in ids of the caller's own store or in those of the library."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pageindex_core.holdings.parts import Part, PartMap
from pageindex_core.records import Hit


class Selection:
    """Some of the caller's documents, some of their pieces, or both.

    Args:
        documents: By the caller's id, source, document id or name; None for all.
        pieces: By the id of a piece, or of a unit of the library; None for all.
    """

    def __init__(self, documents: Collection[str] | None = None, pieces: Collection[str] | None = None) -> None:
        self._documents = None if documents is None else set(documents)
        self._pieces = None if pieces is None else set(pieces)

    @property
    def is_all(self) -> bool:
        """Whether every hit is wanted."""
        return self._documents is None and self._pieces is None

    def documents_in(self, parts: PartMap) -> tuple[str, ...] | None:
        """Give the documents of the library that can hold a wanted hit; None for all."""
        if self._documents is not None:
            sources, others = parts.resolve(self._documents)
            return tuple(sorted(sources | others))
        if self._pieces is not None:
            sources, unit_ids = parts.resolve(self._pieces)
            return tuple(sorted(sources | {unit_id.partition("-")[0] for unit_id in unit_ids}))
        return None

    def holds(self, hit: Hit, parts: Sequence[Part]) -> bool:
        """Tell whether a hit that comes from these parts is wanted."""
        names = {hit.doc_id, hit.source_id, hit.doc_name, *(part.ref_id for part in parts)}
        if self._documents is not None and self._documents.isdisjoint(names):
            return False
        return self._pieces is None or not self._pieces.isdisjoint({hit.unit_id, *(part.piece_id for part in parts)})
