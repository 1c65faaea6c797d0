"""Levels of entries where numbers nest: parts, chapters and sections that count anew, and what has no number."""

from __future__ import annotations

import pytest

from pageindex_core.outline.entries import Entry
from pageindex_core.outline.entry_levels import levels_of
from pageindex_core.outline.rows import Row

Case = tuple[int, str, float, bool]
"""Expected level, title, left edge, bold."""

SECTIONS_WITHIN_CHAPTERS: list[Case] = [
    (1, "Chapter 1 Harbours", 72, False),
    (2, "1 Dues", 84, False),
    (3, "1.1 Who pays", 96, False),
    (3, "1.2 Exemptions", 96, False),
    (2, "2 Mooring", 84, False),
    (1, "Chapter 2 Rivers", 72, False),
    (2, "1 Locks", 84, False),
    (3, "1.1 Opening hours", 96, False),
    (3, "1.2 Signals", 96, False),
]
PARTS_OVER_CHAPTERS: list[Case] = [
    (1, "제 I 편 항만", 72, False),
    (2, "제 1 장 사용료", 72, False),
    (3, "1.1 납부", 72, False),
    (3, "1.2 면제", 72, False),
    (1, "제 II 편 하천", 72, False),
    (2, "제 2 장 수문", 72, False),
    (3, "2.1 시간", 72, False),
    (3, "2.2 신호", 72, False),
]
REFERENCES_BEHIND_FLUSH_NUMBERS: list[Case] = [
    (1, "Preface", 117, True),
    (1, "1 Harbours", 72, True),
    (2, "1.1 Dues", 72, False),
    (2, "1.2 Mooring", 72, False),
    (1, "2 Rivers", 72, True),
    (2, "2.1 Locks", 72, False),
    (1, "References", 117, True),
]


@pytest.mark.parametrize(
    "cases",
    [SECTIONS_WITHIN_CHAPTERS, PARTS_OVER_CHAPTERS, REFERENCES_BEHIND_FLUSH_NUMBERS],
    ids=["sections within chapters", "parts over chapters", "references behind flush numbers"],
)
def test_levels_of_numbered_entries(cases: list[Case]) -> None:
    """Numbers of another kind stand above those that count anew below them; indents count only where they tell."""
    entries = [
        Entry(title, Row(0, (at,), title, x0, 500.0, 20.0 * at, 20.0 * at + 12, 12.0, bold), str(at))
        for at, (_, title, x0, bold) in enumerate(cases)
    ]

    assert levels_of(entries) == [level for level, _, _, _ in cases]


def test_chapters_and_appendices_of_one_numbering_stand_beside_each_other() -> None:
    """ "1", "2" and "Appendix A" are one level where no word stands before the numbers."""
    titles = ["1 Dues", "1.1 Who pays", "2 Mooring", "2.1 Lines", "Appendix A Forms", "A.1 Notice"]
    entries = [
        Entry(text, Row(0, (at,), text, 72, 500, 20.0 * at, 20.0 * at + 12, 12, False))
        for at, text in enumerate(titles)
    ]

    assert levels_of(entries) == [1, 2, 1, 2, 1, 2]
