"""Which pieces of a caller's own store each document consists of, so that what is found can name where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field

from pageindex_core.records import Hit, Span


@dataclass(frozen=True, slots=True)
class Part:
    """What a piece holds of a document."""

    piece_id: str
    ref_id: str
    source_id: str
    span: Span
    """Its pages, or lines, of the source."""


def parts_of(hit: Hit, parts: Iterable[Part]) -> list[Part]:
    """Give the parts that a hit comes from, the one it starts in first."""
    return sorted((part for part in parts if part.span.touches(hit)), key=lambda part: part.span.first)


@dataclass(slots=True)
class PartMap:
    """Which pieces each document consists of, in order."""

    by_source: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str) -> PartMap:
        """Give back what ``to_text`` gave."""
        rows = json.loads(text).items()
        return cls(
            {source: tuple(Part(one, ref, source, Span(*span)) for one, ref, *span in row) for source, row in rows}
        )

    def to_text(self) -> str:
        """Give the map as JSON, packed: an index of many thousand pages writes it after every change."""
        packed = {
            source: [[part.piece_id, part.ref_id, *astuple(part.span)] for part in parts]
            for source, parts in self.by_source.items()
        }
        return json.dumps(packed)

    def every(self) -> Iterator[Part]:
        """All parts, document by document."""
        for parts in self.by_source.values():
            yield from parts

    def of_hit(self, hit: Hit) -> list[Part]:
        """The parts that a hit comes from, the one it starts in first; none where they are not known."""
        return parts_of(hit, self.by_source.get(hit.source_id, ()))

    def by_ref(self) -> dict[str, list[str]]:
        """The ids of the pieces of each of the caller's documents."""
        pieces: dict[str, list[str]] = {}
        for part in self.every():
            pieces.setdefault(part.ref_id, []).append(part.piece_id)
        return pieces

    def named(self, ref_ids: Iterable[str]) -> list[str]:
        """The ids of the pieces of the caller's documents."""
        wanted = set(ref_ids)
        return [part.piece_id for part in self.every() if part.ref_id in wanted]

    def resolve(self, ids: set[str]) -> tuple[set[str], set[str]]:
        """Give the sources that ids of the caller's documents or of pieces belong to, and the ids that are neither."""
        sources: set[str] = set()
        known: set[str] = set()
        for source_id, parts in self.by_source.items():
            named = ids.intersection(name for part in parts for name in (part.ref_id, part.piece_id))
            if named:
                sources.add(source_id)
                known |= named
        return sources, ids - known
