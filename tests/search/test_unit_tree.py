"""The units of a document under the sections that they make up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pageindex_core.library.protocol import Library
from pageindex_core.search.inventory import units_of
from pageindex_core.search.unit_tree import WHOLE, UnitNode, unit_tree


def every(nodes: Sequence[UnitNode]) -> Iterator[UnitNode]:
    """All nodes, each before what is below it."""
    for node in nodes:
        yield node
        yield from every(node.below)


def test_wholes_hold_the_text_and_pages_of_what_is_below_them(library: Library, add: Callable[..., str]) -> None:
    """Leaves are the units of a search, in order; a section above them has their text, pages, path and its own id."""
    doc_id = add(
        "pump.pdf", ["# 1 Pump\nIt moves water.\n## 1.1 Seals\nThey last a year.", "## 1.2 Soap\nLithium soap."]
    )
    roots = unit_tree(library, doc_id)
    leaves = [leaf for root in roots for leaf in root.leaves()]
    assert [leaf.hit for leaf in leaves] == list(units_of(library))
    nodes = list(every(roots))
    assert len({node.hit.unit_id for node in nodes}) == len(nodes)
    wholes = [node for node in nodes if node.below]
    assert wholes
    for whole in wholes:
        below = [leaf.hit for leaf in whole.leaves()]
        assert whole.hit.unit_id.endswith(f"-{WHOLE}")
        assert (whole.hit.page_start, whole.hit.page_end) == (below[0].page_start, max(hit.page_end for hit in below))
        assert all(hit.text in whole.hit.text for hit in below)
        assert all(hit.section_path[: len(whole.hit.section_path)] == whole.hit.section_path for hit in below)


def test_a_section_of_one_unit_is_that_unit(library: Library, add: Callable[..., str]) -> None:
    """Where nothing is below, nothing is above either."""
    doc_id = add("saw.pdf", ["# Blade\nThe blade is sharpened monthly."])
    (root,) = unit_tree(library, doc_id)
    assert root.below == ()
    assert list(root.leaves()) == [root]
