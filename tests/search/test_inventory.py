"""Every unit of a library, as a search names it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pageindex_core.library.protocol import Library
from pageindex_core.records import Scope, Unit
from pageindex_core.search import search
from pageindex_core.search.inventory import units_of

LONG = "\n".join(f"Row {number} of the log names the pump and the hour of its last check." for number in range(160))


@pytest.mark.parametrize("unit", ["auto", "section", "window", "page"])
def test_units_are_those_that_a_search_chooses_from(library: Library, add: Callable[..., str], unit: Unit) -> None:
    """Ids, texts, paths and pages are a search's; each unit comes once, in the order of its document."""
    add("log.pdf", ["# Log\n" + LONG, LONG, "# Seals\nThe seal is renewed yearly."])
    add("saw.pdf", ["# Blade\nThe blade is sharpened monthly."])
    listed = list(units_of(library, unit=unit))
    searched = search(library, "seal", k=100, unit=unit).hits
    assert {hit.unit_id: (hit.text, hit.section_path, hit.page_start, hit.page_end) for hit in listed} == {
        hit.unit_id: (hit.text, hit.section_path, hit.page_start, hit.page_end) for hit in searched
    }
    assert len(listed) == len(searched) > 2
    places = [(hit.doc_name, hit.page_start) for hit in listed]
    assert places == sorted(places)


def test_only_what_the_scope_holds_is_listed(library: Library, add: Callable[..., str]) -> None:
    """Another folder's documents are not read, and an empty library has no units."""
    assert list(units_of(library)) == []
    add("log.pdf", ["# Log\nOne."], folder="/logs")
    add("saw.pdf", ["# Blade\nTwo."], folder="/saws")
    assert {hit.doc_name for hit in units_of(library, scope=Scope(folder="/saws"))} == {"saw.pdf"}
