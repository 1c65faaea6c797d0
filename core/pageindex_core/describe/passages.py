"""A section's own text as passages: lines that run on are joined, what is not text of the section is left out.

A passage never reaches over a line that was left out, so that every part of it is verbatim in the document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set

from pageindex_core.records import Line, Page, Pages, PageTree, Section

EDGE_LINES = 3
"""Running heads and feet stand in the first or last three lines of a page: two rows, and a rule or page number."""

FURNITURE_PAGES = 3
"""Text at the edge of this many pages is a running head: two may be chance, a short chapter has three."""

HEADING_LINES = 6
"""No printed heading is taller than this."""

CAPTION = re.compile(
    r"(?:Table|Figure|Fig\.|Exhibit|Chart|Box|Plate|Scheme|Listing|Tabelle|Abbildung|Abb\.|Tableau|Schéma"
    r"|Tabla|Figura|Tabela|Tabella|Таблица|Рисунок|Рис\.)\s*(?:[A-Z]?[\d.\-]*\d[a-z]?|[IVX]+)(?!\w)"
    r"(?:\s*$|\s*[.:–—|-]\s*\S|\s+[^\W\d_a-z])"
    r"|[表图圖図]\s*[\d一二三四五六七八九十][\d.\-一二三四五六七八九十]*\s*[^\d\s]|(?:표|그림)\s*\d[\d.\-]*\s*\S"
)
"""The start of a caption line. "Table 4 shows" is none: a lower-case word goes on with a sentence."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|página|pagina|стр\.?|第)?\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|von|de|sur|/)\s*\d{1,4})?\W*[页頁]?\W*$"
    r"|\W*$",  # rules
    re.IGNORECASE,
)
_LONGEST_PAGE_NUMBER = 24
_LEADERS = re.compile(r"(?:\.\s?){5}|(?:…\s?){2}|(?:·\s?){5}|_{5}")
_FIGURES = re.compile(r"(?:(?:\s|^)[($€£¥]*-?[\d,.]*\d%?\)?){2}\s*$")
_OPENING = re.compile(r"^\s*(?:[•▪◦‣●○■□►➢✓·–—*+-]|#{1,6}|>)\s+")
_ENUMERATOR = r"\s*(?:\(\w{1,4}\)|\w{1,3}\)|\d+(?:\.\d+)*\.)\s+\S"
_STARTS_ANEW = re.compile(f"{_OPENING.pattern}|{_ENUMERATOR}|{CAPTION.pattern}")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_WIDE = re.compile("[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef]")  # scripts written without spaces
_NOT_WORD = re.compile(r"[\W_]+")
_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)
_ASCII_NOT_WORD = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_ZEROS = bytes(ord("0") if chr(code).isdigit() else code for code in range(128)) + bytes(128)


def furniture_of(pages: Sequence[Page]) -> frozenset[str]:
    """Give the lines that repeat from page to page, with digits folded: running heads, feet and watermarks."""
    edges: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for page in pages:
        lines = page.lines
        edges.update({fold_digits(line.text) for line in (*lines[:EDGE_LINES], *lines[-EDGE_LINES:])})
        whole.update({line.text for line in lines})
    often = max(FURNITURE_PAGES, len(pages) / 2)
    repeated = {text for text, count in edges.items() if count >= FURNITURE_PAGES}
    return frozenset(repeated | {fold_digits(text) for text, count in whole.items() if count >= often})


def fold_digits(text: str) -> str:
    """Give the text with every number as "0", so that "Page 4" and "Page 5" are the same line."""
    text = text.strip()
    if not text.isascii():
        return _DIGITS.sub("0", text)
    # Every line of a document comes by here, and this takes a third of the time.
    text = text.encode().translate(_ASCII_ZEROS).decode()
    while "00" in text:
        text = text.replace("00", "0")
    return text


def passages_of(tree: PageTree, pages: Pages, furniture: Set[str]) -> list[list[str]]:
    """Give the passages of each section's own text, sections in pre-order."""
    lines = [line for page in pages.pages for line in page.lines]
    is_markdown = pages.media_type == "text/markdown"
    sections = list(tree.walk())
    starts = _starts(sections, pages.pages)
    passages = []
    for index, (section, start) in enumerate(zip(sections, starts, strict=True)):
        own = lines[start : starts[index + 1] if index + 1 < len(starts) else len(lines)]
        passages.append(_join(own[_heading_lines(section.title, own) :], furniture, is_markdown))
    return passages


def squash(text: str) -> str:
    """Give the letters and digits alone, lower case: titles are compared without spacing and punctuation."""
    if text.isascii():
        return text.encode().translate(_ASCII_LOWER, _ASCII_NOT_WORD).decode()
    return _NOT_WORD.sub("", text.lower())


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


def _join(lines: Sequence[Line], furniture: Set[str], is_markdown: bool) -> list[str]:
    passages: list[str] = []
    current: list[str] = []
    above: Line | None = None  # the line that the next one may run on from
    is_code = False
    for line in lines:
        text = line.text
        if line.continues and above is not None and current:
            current[-1] += text
            continue
        if is_markdown and _FENCE.match(text):
            is_code = not is_code
        left_out = is_code or is_worthless(text) or fold_digits(text) in furniture
        starts_anew = not left_out and _STARTS_ANEW.match(text) is not None
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
    if len(text) <= _LONGEST_PAGE_NUMBER and _PAGE_NUMBER.match(text):
        return True
    if (text[-1].isdigit() or text[-1] in ")%") and _FIGURES.search(text):
        return True
    if text[0] == "|" and text[-1] == "|":
        return True
    may_lead = text.count(".") > 4 or "…" in text or "·" in text or "_" in text
    return may_lead and _LEADERS.search(text) is not None


def _is_break(above: Line, below: Line) -> bool:
    """Whether a new passage starts with the line below: by style, by space, or because the line above ends early."""
    text = below.text
    if above.bold != below.bold or abs(above.font_size - below.font_size) > 0.6:  # half a point is rounding
        return True
    goes_on = text.lstrip()[:1].islower()
    if above.box is None or below.box is None:
        return not goes_on and len(above.text) < 0.6 * len(text)
    gap = below.box.y0 - above.box.y1
    height = max(above.box.y1 - above.box.y0, 1.0)
    if gap > 0.9 * height:
        return True
    return not goes_on and above.box.x1 < below.box.x1 - 0.15 * (below.box.x1 - below.box.x0)


def _run_on(lines: Sequence[str]) -> str:
    """Join lines with a space, or with none between characters of scripts that are written without."""
    joined = " ".join(" ".join(lines).split())
    if len(lines) == 1 or not _WIDE.search(joined):
        return joined
    text = lines[0].strip()
    for line in lines[1:]:
        added = line.strip()
        tight = bool(text and added) and _WIDE.match(text[-1]) is not None and _WIDE.match(added[0]) is not None
        text += added if tight else f" {added}"
    return " ".join(text.split())
