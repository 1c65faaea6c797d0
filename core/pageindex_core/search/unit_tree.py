"""The units of one document under the sections that they make up, for stores that hold both parts and wholes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pageindex_core.library.protocol import Library
from pageindex_core.records import Hit, Scope, Section
from pageindex_core.search.inventory import units_of
from pageindex_core.tokens import count_tokens

WHOLE = "whole"
"""Last part of the id of a section with all that is below it; units have numbers there."""


@dataclass(frozen=True, slots=True)
class UnitNode:
    """A unit, or a section with the text of all units below it."""

    hit: Hit
    below: tuple[UnitNode, ...] = ()
    """What the section consists of, in reading order; empty for a unit."""

    def leaves(self) -> Iterator[UnitNode]:
        """Give the units of it, in reading order."""
        for node in self.below:
            yield from node.leaves()
        if not self.below:
            yield self


def unit_tree(library: Library, doc_id: str) -> tuple[UnitNode, ...]:
    """Give the units of a document, each as a search gives it, under the sections that are made of two or more.

    A section of a single unit is that unit. Without headings the units stand alone.
    """
    units = list(units_of(library, scope=Scope(documents=(doc_id,))))
    of_section: dict[str, list[Hit]] = {}
    for hit in units:
        of_section.setdefault(hit.section_key, []).append(hit)
    return tuple(_lay_out(library.tree(doc_id).sections, of_section, ())) or tuple(map(UnitNode, units))


def _lay_out(
    sections: Sequence[Section], units: Mapping[str, Sequence[Hit]], above: tuple[str, ...]
) -> Iterator[UnitNode]:
    for section in sections:
        path = (*above, section.title)
        below = (
            *map(UnitNode, units.get(section.section_key, ())),
            *_lay_out(section.children, units, path),
        )
        if len(below) < 2:
            yield from below
        else:
            yield UnitNode(_whole(section, path, [node.hit for node in below]), below)


def _whole(section: Section, path: tuple[str, ...], hits: Sequence[Hit]) -> Hit:
    text = "\n".join(hit.text for hit in hits)
    return replace(
        hits[0],
        unit_id="-".join((hits[0].doc_id, section.section_key, WHOLE)),
        node_id=section.node_id,
        section_key=section.section_key,
        section_path=path,
        page_end=max(hit.page_end for hit in hits),
        text=text,
        tokens=count_tokens(text),
    )
