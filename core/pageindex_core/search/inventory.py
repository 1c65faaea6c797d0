"""Every unit of a library's documents, in their order: what a search chooses from, for those who store or rank it anew.

A unit has the id, the text and the places that a search gives it, so that what another retriever finds among them is
known to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from pageindex_core.library.protocol import ALL, Library
from pageindex_core.records import DocumentInfo, Hit, Scope, Unit
from pageindex_core.search.hits import build_hit
from pageindex_core.search.lexical import is_read, open_documents, read_pages_of
from pageindex_core.search.navigate import Navigation, run
from pageindex_core.search.rank import RankedUnit


def units_of(library: Library, *, scope: Scope = ALL, unit: Unit = "auto") -> Iterator[Hit]:
    """Give every unit of every document, one document read at a time, each as a hit that no question found.

    Args:
        library: Where the documents are.
        scope: Which documents.
        unit: What a unit is: ``auto``, ``section``, ``window`` or ``page``.
    """
    for info in library.list(scope):
        yield from run(_units(info, scope, unit), library)


def _units(info: DocumentInfo, scope: Scope, unit: Unit) -> Navigation[list[Hit]]:
    found = yield from open_documents([info], scope)
    if not found.documents:
        return []
    (document,) = found.documents
    runs = [RankedUnit(0, first, stop - 1, 0.0, "fill", ()) for first, stop in document.units(unit)]
    yield from read_pages_of(found, runs, scope)
    (pages,) = found.pages
    return [build_hit(info, document, one, pages, unit, {}, None) for one in runs if is_read(found, one)]
