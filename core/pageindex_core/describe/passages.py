"""A section's own text as passages: lines that run on are joined, what is not text of the section is left out.

A passage never reaches over a line that was left out, so that every part of it is verbatim in the document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise

from pageindex_core.describe.compare import ROMAN, fold_digits
from pageindex_core.describe.furniture import running_titles
from pageindex_core.folding import squash
from pageindex_core.records import Line, Page, Pages, PageTree, Section

HEADING_LINES = 6
"""No printed heading is taller than this."""

CAPTION = re.compile(
    r"(?:Table|Figure|Fig\.|Exhibit|Chart|Box|Plate|Scheme|Listing|Tabelle|Abbildung|Abb\.|Tableau|Schéma"
    r"|Tabla|Figura|Tabela|Tabella|Таблица|Рисунок|Рис\.)\s*(?:[A-Z]?[\d.\-]*\d[a-z]?|[IVX]+)(?!\w)"
    r"(?:\s*$|\s*[.:–—|-]\s*\S|\s+[^\W\d_a-z])"
    r"|[表图圖図]\s*[\d一二三四五六七八九十][\d.\-一二三四五六七八九十]*\s*[^\d\s]|(?:표|그림)\s*\d[\d.\-]*\s*\S"
)
"""The start of a caption line. "Table 4 shows" is none: a lower-case word goes on with a sentence."""

_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|página|pagina|стр\.?|第)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|de|sur|/)\s*\d{1,4})?\W*[页頁]?\W*$"
    r"|\W*$",  # rules
    re.IGNORECASE,
)
_LONGEST_PAGE_NUMBER = 24
_PAGE_NUMBER_ENDS = frozenset("ivxlcIVXLC页頁")
_LEADERS = re.compile(r"(?:\.\s?){5}|(?:…\s?){2}|(?:·\s?){5}|_{5}")
_FIGURE = re.compile(r"[($€£¥]*-?[\d,.]*\d%?\)?")
_OPENING = re.compile(r"^\s*(?:[•▪◦‣●○■□►➢✓·–—*+-]|#{1,6}|>)\s+")
_ENUMERATOR = r"\s*(?:\(\w{1,4}\)|\w{1,3}\)|\d+(?:\.\d+)*\.)\s+\S"
_STARTS_ANEW = re.compile(f"{_OPENING.pattern}|{_ENUMERATOR}|{CAPTION.pattern}")
_ENTRY = re.compile(r"\S.*\s(\d{1,4})$")
_LEAST_ENTRIES = 4
_ENTRY_SHARE = 0.5
"""A section whose lines are at least half entries, with page numbers that rise, is a list of contents."""
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_WIDE = re.compile("[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef]")  # scripts written without spaces


def passages_of(tree: PageTree, pages: Pages, furniture: Set[str]) -> list[list[str]]:
    """Give the passages of each section's own text, sections in pre-order."""
    lines = [line for page in pages.pages for line in page.lines]
    is_markdown = pages.media_type == "text/markdown"
    sections = list(tree.walk())
    starts = _starts(sections, pages.pages)
    heads = running_titles(pages.pages, [section.title for section in sections])
    openings = frozenset(text[:1] for text in furniture) | ROMAN
    passages = []
    for index, (section, start) in enumerate(zip(sections, starts, strict=True)):
        stop = starts[index + 1] if index + 1 < len(starts) else len(lines)
        start += _heading_lines(section.title, lines[start:stop])
        own = [None if at in heads else lines[at] for at in range(start, stop)]
        passages.append(_join(own, furniture, openings, is_markdown))
    return passages


def _starts(sections: Sequence[Section], pages: Sequence[Page]) -> list[int]:
    """Where each section's text starts, counted in lines of the document; never before the section in front of it."""
    first: dict[int, int] = {}
    total = 0
    for page in pages:
        first[page.page_number] = total
        total += len(page.lines)
    starts: list[int] = []
    latest = 0
    for section in sections:
        latest = min(total, max(latest, first.get(section.start_page, total) + section.start_line))
        starts.append(latest)
    return starts


def _heading_lines(title: str, own: Sequence[Line]) -> int:
    """How many lines the printed heading takes; it may begin with a number that the title has not."""
    wanted = squash(title)
    printed = ""
    end = 0
    for index, line in enumerate(own[:HEADING_LINES], start=1):
        added = squash(line.text)
        printed += added
        if len(printed) > len(wanted) + 12:  # "Chapter 12" before the title
            break
        if added and wanted and printed.endswith(wanted):
            end = index
    return end


def _join(lines: Sequence[Line | None], furniture: Set[str], openings: Set[str], is_markdown: bool) -> list[str]:
    # None stands for a line that is no text of the section.
    passages: list[str] = []
    current: list[str] = []
    above: Line | None = None  # the line that the next one may run on from
    is_code = False
    is_contents = _is_contents([line.text for line in lines if line is not None])
    for line in lines:
        if line is None or (is_contents and _ENTRY.match(line.text)):
            if current:
                passages.append(_run_on(current))
            current, above = [], None
            continue
        text = line.text
        if line.continues and above is not None and current:
            current[-1] += text
            continue
        if is_markdown and _FENCE.match(text):
            is_code = not is_code
        first = text[:1]
        left_out = (
            is_code
            or is_worthless(text)
            or ((first in openings or not first.isalpha()) and fold_digits(text) in furniture)
        )
        # Most lines begin with a small letter, and so with a word, or with "a)".
        may_start = not left_out and (not first.islower() or ")" in text[:4])
        starts_anew = may_start and _STARTS_ANEW.match(text) is not None
        if above is None or left_out or starts_anew or _is_break(above, line):
            if current:
                passages.append(_run_on(current))
            current = []
        if left_out:
            above = None
            continue
        # Bullets and captions both start anew, so that other lines need not be asked.
        current.append(_OPENING.sub("", text, count=1) if starts_anew else text)
        above = None if starts_anew and CAPTION.match(text) else line
    if current:
        passages.append(_run_on(current))
    return [passage for passage in passages if passage]


def is_worthless(text: str) -> bool:
    """Whether a line is a page number, a rule, an entry of printed contents, or a row of a table."""
    text = text.strip()
    last = text[-1:]
    # Patterns are tried only where the last character allows a match: nearly every line comes by here.
    may_be_number = len(text) <= _LONGEST_PAGE_NUMBER and (not last.isalpha() or last in _PAGE_NUMBER_ENDS)
    if may_be_number and _PAGE_NUMBER.match(text):
        return True
    if (last.isdigit() or last in ")%") and _ends_in_figures(text):
        return True
    if last == "|" == text[0]:
        return True
    may_lead = text.count(".") > 4 or "…" in text or "·" in text or "_" in text
    return may_lead and _LEADERS.search(text) is not None


def _ends_in_figures(text: str) -> bool:
    """Whether the last two words of a line are numbers, as in a row of a table."""
    words = text.rsplit(None, 2)[-2:]
    return len(words) == 2 and all(map(_FIGURE.fullmatch, words))


def _is_contents(texts: Sequence[str]) -> bool:
    matches = [_ENTRY.match(text) for text in map(str.strip, texts) if text[-1:].isdigit()]
    numbers = [int(match[1]) for match in matches if match]
    rising = sum(before <= after for before, after in pairwise(numbers))
    return len(numbers) >= max(_LEAST_ENTRIES, _ENTRY_SHARE * len(texts)) and rising >= 0.9 * (len(numbers) - 1)


def _is_break(above: Line, below: Line) -> bool:
    """Whether a new passage starts with the line below: by style, by space, or because the line above ends early."""
    text = below.text
    if above.bold != below.bold or abs(above.font_size - below.font_size) > 0.6:  # half a point is rounding
        return True
    goes_on = text.lstrip()[:1].islower()
    if above.box is None or below.box is None:
        return not goes_on and len(above.text) < 0.6 * len(text)
    _, top_above, end_above, foot_above = above.box
    start, top, end, _ = below.box
    if top - foot_above > 0.9 * max(foot_above - top_above, 1.0):
        return True
    return not goes_on and end_above < end - 0.15 * (end - start)


def _run_on(lines: Sequence[str]) -> str:
    """Join lines with a space, or with none between characters of scripts that are written without."""
    joined = " ".join(lines)
    if "  " not in joined and joined.isascii() and joined.isprintable():
        return joined.strip()  # most passages; the rest takes five times as long
    joined = " ".join(joined.split())
    if len(lines) == 1 or joined.isascii() or not _WIDE.search(joined):
        return joined
    text = lines[0].strip()
    for line in lines[1:]:
        added = line.strip()
        tight = bool(text and added) and _WIDE.match(text[-1]) is not None and _WIDE.match(added[0]) is not None
        text += added if tight else f" {added}"
    return " ".join(text.split())
