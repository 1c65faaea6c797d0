"""Short cuts: what is passed over without a closer look is what the closer look would have refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pageindex_core.outline.entries import may_end_in_page, split_entry
from pageindex_core.outline.lookup import LineLookup

KEYS = st.lists(st.text("ab1", max_size=8), max_size=8)


@given(KEYS, st.text("ab1", min_size=1, max_size=6))
def test_lines_that_begin_a_title_or_that_it_begins_are_found(keys: list[str], title: str) -> None:
    """A title may be wrapped, and text may follow it in its line."""
    found = LineLookup(keys).lines_like(title, "")

    least = min(2, len(title))
    begun = {at for at, key in enumerate(keys) if len(key) >= least and title.startswith(key)}
    begun |= {at for at, key in enumerate(keys) if len(title) >= 2 and key.startswith(title)}
    assert begun <= set(found)
    assert found == sorted(set(found))


@given(KEYS, st.text("ab", min_size=3, max_size=5))
def test_lines_that_end_with_a_title_are_found(keys: list[str], bare: str) -> None:
    """The line has another number than the contents give."""
    found = LineLookup(keys).lines_like(f"1{bare}", bare)

    assert {at for at, key in enumerate(keys) if key.endswith(bare)} <= set(found)


@given(KEYS, st.text("ab", min_size=3, max_size=5))
def test_lines_with_a_title_behind_a_number_are_found(keys: list[str], title: str) -> None:
    """The contents give no number, the line has one."""
    found = LineLookup(keys).lines_like(title, "")

    assert {at for at, key in enumerate(keys) if title[:3] in key[:16]} <= set(found)


def test_other_lines_are_passed_over() -> None:
    """Only what looks like the title is compared with it."""
    keys = ["harbourdues", "", "whopays", "2harbourdues", "thedues", "12harbourmasters"]

    assert LineLookup(keys).lines_like("1harbourdues", "harbourdues") == [0, 3]
    assert LineLookup(keys).lines_like("harbourdues", "") == [0, 3, 5]
    assert LineLookup([]).lines_like("harbourdues", "") == []


@pytest.mark.parametrize(
    ("text", "title", "page", "leader"),
    [
        ("1.2 Mooring . . . . . . 14", "1.2 Mooring", "14", True),
        ("Mooring\u3000\u30fb\u30fb\u30fb\u30fb\u3000 7", "Mooring", "7", True),
        ("Mooring 14", "Mooring", "14", False),
        ("Mooring14", "Mooring", "14", False),
        ("Preface ix", "Preface", "ix", False),
        ("Annex to Pilots A-12", "Annex to Pilots", "A-12", False),
        ("Rates AB-123-123", "Rates", "AB-123-123", False),
        ("Mooring of 1,234", "Mooring of 1,234", None, False),
        ("What pilots mix", "What pilots mix", None, False),
        ("All are civil", "All are civil", None, False),
        ("PART I Page", "PART I", None, False),
        ("14", "14", None, False),
        ("", "", None, False),
    ],
)
def test_entry_is_split_at_its_end(text: str, title: str, page: str | None, leader: bool) -> None:
    """Title, page number and leader of a row, whatever stands between them."""
    assert split_entry(text) == (title, page, leader)


@given(st.text("ab .\u2026_19ivxA-\u3000", max_size=16))
def test_every_entry_with_a_page_passes_the_cheap_test(text: str) -> None:
    """Pages are refused as contents by how many rows pass it."""
    assert split_entry(text)[1] is None or may_end_in_page(text)
