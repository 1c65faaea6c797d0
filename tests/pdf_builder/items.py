"""What can stand on a page, and short ways to place it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont

PAGE_WIDTH_PT = 595.0
PAGE_HEIGHT_PT = 842.0
"""A4, rounded to whole points so that expected values in tests stay round."""
MARGIN_PT = 72.0
BODY_WIDTH_PT = PAGE_WIDTH_PT - 2 * MARGIN_PT

HEADING_SIZES_PT = {1: 18.0, 2: 14.0, 3: 12.0, 4: 11.0}
BODY_SIZE_PT = 10.0
LEADING = 1.3
"""Distance of baselines, as a multiple of the font size."""

_STYLES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
}
_CJK_FONTS = {"ko": "HYSMyeongJo-Medium", "ja": "HeiseiMin-W3", "zh": "STSong-Light"}
"""Fonts every PDF reader knows by name, so nothing is embedded and the files stay small."""


@dataclass(frozen=True, slots=True)
class Run:
    """One piece of text on one baseline."""

    text: str
    x: float = MARGIN_PT
    y: float = MARGIN_PT
    """Baseline, from the top of the page."""
    size: float = BODY_SIZE_PT
    bold: bool = False
    italic: bool = False
    font: str = "Helvetica"
    """``Helvetica``, ``Times``, ``Courier``, or ``ko``, ``ja``, ``zh``; CJK text in a Latin font finds its own."""
    color: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angle: float = 0.0
    """Degrees against the clock, about the start of the baseline."""
    render_mode: int = 0
    """3 is invisible."""
    scale: float = 1.0
    """Drawn in fonts of a size that this brings to ``size``: some programs set 500 points and show a fiftieth."""
    tag: str | None = None
    """Structure element, such as ``H1`` or ``P``; any tag in a document makes it a tagged PDF."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin black line."""

    x0: float
    y: float
    x1: float
    width: float = 0.5


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float
    color: tuple[float, float, float] = (0.8, 0.8, 0.8)


@dataclass(frozen=True, slots=True)
class Picture:
    """A raster image: grey, two by two pixels, stretched."""

    x0: float
    y0: float
    x1: float
    y1: float


Item = Run | Rule | Fill | Picture


def font_for(run: Run) -> str:
    """Give the PDF font name for a run, choosing a CJK font by the script of its text."""
    script = run.font if run.font in _CJK_FONTS else _cjk_script(run.text)
    if script:
        return _cjk_font(script)
    return _STYLES[run.font][int(run.bold) + 2 * int(run.italic)]


def text_width_pt(run: Run) -> float:
    """Give the width of a run in points."""
    return float(pdfmetrics.stringWidth(run.text, font_for(run), run.size))


def heading(text: str, y: float = MARGIN_PT, level: int = 1, x: float = MARGIN_PT) -> Run:
    """Give a bold line in the size of its level."""
    return Run(text, x, y, HEADING_SIZES_PT[level], bold=True)


def lines(
    *texts: str, y: float = MARGIN_PT, x: float = MARGIN_PT, size: float = BODY_SIZE_PT, bold: bool = False
) -> list[Item]:
    """Give one run a text, each below the one before."""
    return [Run(text, x, y + row * size * LEADING, size, bold) for row, text in enumerate(texts)]


def paragraph(
    text: str, y: float = MARGIN_PT, x: float = MARGIN_PT, width: float = BODY_WIDTH_PT, size: float = BODY_SIZE_PT
) -> list[Item]:
    """Give a text wrapped to a width, one run a line; CJK text wraps between any two characters."""
    is_cjk = bool(_cjk_script(text))
    pieces = list(text) if is_cjk else text.split()
    rows: list[str] = [""]
    for piece in pieces:
        longer = rows[-1] + ("" if is_cjk or not rows[-1] else " ") + piece
        if rows[-1] and text_width_pt(Run(longer, size=size)) > width:
            rows.append(piece)
        else:
            rows[-1] = longer
    return lines(*rows, y=y, x=x, size=size)


def page(*blocks: str, y: float = MARGIN_PT, running_head: str = "", footer: str = "") -> list[Item]:
    """Give one page of headings and paragraphs, set from the top.

    Args:
        blocks: ``# text`` to ``#### text`` is a heading of that level, anything else a paragraph.
        y: Baseline of the first block.
        running_head: Small text at the top, right-aligned at 36 pt.
        footer: Small text centred at 806 pt, such as a page number.

    Raises:
        ValueError: the blocks do not fit on one page.
    """
    items: list[Item] = []
    for block in blocks:
        marks, _, rest = block.partition(" ")
        if marks and set(marks) == {"#"}:
            size = HEADING_SIZES_PT[len(marks)]
            items.append(heading(rest, y, len(marks)))
            y += size * LEADING + 4
        else:
            rows = paragraph(block, y)
            items.extend(rows)
            y += len(rows) * BODY_SIZE_PT * LEADING + 8
        if y > PAGE_HEIGHT_PT - 40:
            raise ValueError(f"the page is full at y = {y:.0f} pt: {block[:40]!r}; use fewer blocks")
    if running_head:
        head = Run(running_head, size=8)
        items.append(Run(running_head, PAGE_WIDTH_PT - MARGIN_PT - text_width_pt(head), 36, 8))
    if footer:
        items.append(Run(footer, (PAGE_WIDTH_PT - text_width_pt(Run(footer, size=8))) / 2, 806, 8))
    return items


def contents_entry(title: str, label: str, y: float, *, indent: float = 0.0, leaders: str = "one run") -> list[Item]:
    """Give one line of a printed table of contents.

    Args:
        title: The entry.
        label: Its printed page number, right-aligned.
        y: Baseline.
        indent: Points to the right of the margin.
        leaders: ``one run`` (title, dots and number drawn at once), ``own run`` (three runs), or ``none``.
    """
    right = PAGE_WIDTH_PT - MARGIN_PT
    start = Run(title, MARGIN_PT + indent, y)
    number = Run(label, right - text_width_pt(Run(label)), y)
    if leaders == "none":
        return [start, number]
    gap = number.x - start.x - text_width_pt(start) - 8
    dots = " ." * int(gap / text_width_pt(Run(" .")))
    if leaders == "own run":
        return [start, Run(dots, start.x + text_width_pt(start) + 2, y), number]
    if leaders == "one run":
        return [Run(f"{title}{dots} {label}", start.x, y)]
    raise ValueError(f"leaders is {leaders!r}; give 'one run', 'own run' or 'none'")


def _cjk_script(text: str) -> str:
    names = [unicodedata.name(letter, "") for letter in text if ord(letter) > 0x2E7F]
    if any(name.startswith("HANGUL") for name in names):
        return "ko"
    if any(name.startswith(("HIRAGANA", "KATAKANA")) for name in names):
        return "ja"
    return "zh" if names else ""


@cache
def _cjk_font(script: str) -> str:
    pdfmetrics.registerFont(UnicodeCIDFont(_CJK_FONTS[script]))
    return _CJK_FONTS[script]
