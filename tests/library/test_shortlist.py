"""Which documents a library proposes for a question's terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from library_documents import make_document
from pageindex_core.errors import OptionError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.records import IndexedDocument, Scope

Maker = Callable[..., IndexedDocument]


def names(entries: Any) -> list[str]:
    return [entry.name for entry in entries]


def fill(library: Library, document: Maker, **terms: tuple[str, ...]) -> None:
    for name, held in terms.items():
        library.put(document(name, terms=held))


def test_a_rare_term_counts_for_more(library: Library, document: Maker) -> None:
    """One rare term of the question outweighs one that most documents hold."""
    fill(library, document, a=("common",), b=("common",), c=("rare",), d=("common",), e=("other",))
    assert names(library.shortlist(["common", "rare"], limit=2)) == ["c", "a"]


def test_holding_more_terms_beats_being_short(library: Library, document: Maker) -> None:
    """A long document with all terms goes before a leaflet with one of them."""
    filler = tuple(f"filler{i}" for i in range(2000))
    fill(library, document, leaflet=("pump",), report=("pump", "valve", "seal", *filler), x=("valve",), y=("seal",))
    assert names(library.shortlist(["pump", "valve", "seal"], limit=1)) == ["report"]


def test_a_title_term_counts_for_more(library: Library, document: Maker) -> None:
    """Of two documents with the same terms, the one that has it in its titles comes first."""
    library.put(document("a", terms=("pump", "x")))
    library.put(document("b", terms=("pump", "x"), title_terms=("pump",)))
    library.put(document("c", terms=("y",)))
    assert names(library.shortlist(["pump"], limit=2)) == ["b", "a"]


def test_a_title_term_is_found_though_not_listed_among_the_terms(library: Library, document: Maker) -> None:
    """Titles are part of the document."""
    library.put(document("a", terms=("x",), title_terms=("pump",)))
    library.put(document("b", terms=("x",)))
    assert names(library.shortlist(["pump"], limit=1)) == ["a"]


def test_a_word_weighs_by_the_scope(library: Library, document: Maker) -> None:
    """What is common in the library and rare in the scope is rare: only documents of the scope are counted."""
    for number in range(6):
        library.put(document(f"out{number}", folder="/out", terms=("pump",)))
    for number in range(4):
        library.put(document(f"in{number}", folder="/in", terms=("valve",)))
    library.put(document("in9", folder="/in", terms=("pump",)))
    library.put(document("none", folder="/in", terms=("x",)))
    assert names(library.shortlist(["pump", "valve"], Scope(folder="/in"), limit=2)) == ["in9", "in0"]


def test_a_small_scope_is_returned_whole(library: Library, document: Maker) -> None:
    """Up to the limit every document is proposed, matching ones first, the others by name."""
    fill(library, document, a=("x",), c=("pump",), b=("x",))
    assert names(library.shortlist(["pump"], limit=3)) == ["c", "a", "b"]
    assert names(library.shortlist([], limit=3)) == ["a", "b", "c"]
    assert names(library.shortlist(["pump"], limit=2)) == ["c"]
    assert names(library.shortlist(["absent"], limit=2)) == []
    assert names(library.shortlist([], limit=2)) == []


def test_equal_documents_come_in_a_stable_order(library: Library, document: Maker) -> None:
    """Ties go by source_id, whatever the order in which documents were stored."""
    for name in ("c", "a", "d", "b"):
        library.put(document(name, terms=("pump",)))
    assert names(library.shortlist(["pump"], limit=3)) == ["a", "b", "c"]


def test_limits_below_zero_are_refused(library: Library) -> None:
    """A negative limit is a slip, not "all"."""
    with pytest.raises(OptionError, match="limit=-1"):
        library.shortlist(["x"], limit=-1)
    assert list(library.shortlist(["x"], limit=0)) == []


def test_thousands_of_terms_can_be_asked(library: Library, document: Maker) -> None:
    """A question as long as a page, in many n-grams, meets no limit of SQL."""
    fill(library, document, a=("t4999",), b=("x",), c=("y",))
    assert names(library.shortlist([f"t{i}" for i in range(5000)], limit=2)) == ["a"]


@pytest.mark.parametrize(
    ("term", "others"),
    [
        ("3.1", ("3", "1", "3-1")),
        ("c++", ("c", "c+")),
        ("naïve", ("naive", "na")),
        ("日本", ("日", "本")),
        ("a b", ("a", "b")),
        ('"or"', ("or", "OR")),
        ("NEAR", ("near",)),
        ("a\0b", ("a", "b")),
        ("\ud800x", ("x", "\ufffdx")),
        ("title_terms:x", ("title_terms", "x")),
    ],
)
def test_terms_are_matched_whole_and_exactly(
    library: Library, document: Maker, term: str, others: tuple[str, ...]
) -> None:
    """The store neither splits nor folds a term, whatever characters it has."""
    fill(library, document, whole=(term,), parts=others, third=("q",))
    assert names(library.shortlist([term], limit=1)) == ["whole"]
    assert names(library.shortlist(list(others), limit=1)) == ["parts"]


TERM = st.text(st.characters(exclude_categories=()), min_size=1, max_size=4)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.frozensets(TERM, max_size=6), min_size=2, max_size=5), st.data())
def test_proposes_exactly_the_documents_that_hold_a_term(held: list[frozenset[str]], data: st.DataObject) -> None:
    """Beyond the limit, no document without a term is proposed; below it none with one is missed."""
    library = open_library()
    for number, terms in enumerate(held):
        library.put(make_document(f"d{number}", terms=("old", *terms)))
        library.put(make_document(f"d{number}", terms=tuple(terms)))
    term = data.draw(st.sampled_from(sorted(set().union(*held)) or ["x"]))
    expected = {f"d{number}" for number, terms in enumerate(held) if term in terms}
    limit = len(held) - 1
    found = names(library.shortlist([term], limit=limit))
    assert set(found) <= expected
    assert len(found) == min(len(expected), limit)
    still = [f"d{number}" for number, terms in enumerate(held) if "old" in terms]
    assert names(library.shortlist(["old"], limit=limit)) == still[:limit]
