"""Headings of texts without positions or fonts: plain text, and pages that another loader has read.

Only words are left to judge by: numbering that runs on, capitals, and lines that stand between blank ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence

from pageindex_core.outline.candidates import Candidate, in_capitals, style_of
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import WORDED_KINDS, Number, parse_number, runs_on
from pageindex_core.outline.refuse import may_be_title
from pageindex_core.records import Line

MAX_CHARS = 100
"""Longer lines are text: nothing but their wording could make them a heading."""

_MOST_PER_PAGE = 4
"""More lines of one kind a page than this are a numbered listing."""

_SENTENCE_ENDS = (".", ":", ";", "!", "?", "。", "：", "；")


def find_plain(layout: Layout, skip: Container[tuple[int, int]]) -> list[Candidate]:
    """Give the lines that read like headings, in reading order; lines in ``skip`` (of contents) are none."""
    classes: dict[tuple[str, int], list[Candidate]] = defaultdict(list)
    for page_index, page in enumerate(layout.pages):
        for line_index, line in enumerate(page.lines):
            if line.continues or not _may_open(line.text):
                continue
            if (page_index, line_index) in layout.furniture or (page_index, line_index) in skip:
                continue
            number = parse_number(line.text)
            if not _stands_alone(page.lines, line_index, number):
                continue
            kind = (number.kind, number.depth) if number else ("capitals", 1)
            classes[kind].append(_candidate(layout, page_index, line_index, line.text.strip(), number))
    most = _MOST_PER_PAGE * max(len(layout.pages), 4)
    kept = [
        candidate
        for kind, members in classes.items()
        if len(members) <= most and _convinces(kind[0], members)
        for candidate in members
    ]
    return sorted(kept, key=lambda candidate: candidate.place)


def _may_open(text: str) -> bool:
    text = text.strip()
    if not 3 <= len(text) <= MAX_CHARS or not may_be_title(text):
        return False
    number = parse_number(text)
    if number is None:
        return in_capitals(text) and len(text) >= 4
    if number.kind in ("paren", "letter", "han"):
        return False
    if number.kind in WORDED_KINDS:
        return not number.title or number.title[:1].isupper() or not number.title[:1].isascii()
    return bool(number.title) and not number.title[:1].islower() and not text.endswith((".", ",", ";"))


def _stands_alone(lines: Sequence[Line], line_index: int, number: Number | None) -> bool:
    """Whether a line does not go on with the sentence before it, nor run on into the next."""
    before = lines[line_index - 1].text.strip() if line_index else ""
    after = lines[line_index + 1].text.strip() if line_index + 1 < len(lines) else ""
    if after[:1].islower():
        return False
    if number is None:
        return not before and (not after or not after.isupper())
    return not before or before.endswith(_SENTENCE_ENDS) or len(before) < 60


def _candidate(layout: Layout, page_index: int, line_index: int, text: str, number: Number | None) -> Candidate:
    return Candidate(
        title=text,
        page_index=page_index,
        line_index=line_index,
        line_count=1,
        evidence="detected",
        confidence=0.6,
        style=style_of(layout, page_index, line_index),
        number=number,
    )


def _convinces(kind: str, members: list[Candidate]) -> bool:
    """Whether a class of lines behaves like headings: a sequence of numbers, or capitals that do not repeat."""
    if kind == "capitals":
        return len({member.title for member in members}) >= 0.7 * len(members)
    if kind in WORDED_KINDS:
        return True
    return len(members) > 1 and runs_on([member.number.value for member in members if member.number])
