"""Weaker evidence divides long leaves where there is no model: short lines that stand apart, few and alike."""

from __future__ import annotations

from pageindex_core.outline.layout import Layout
from pageindex_core.outline.weak import weak_headings
from random_outlines import pages_of

PROSE = "Every pump needs a seal that keeps the water in, and every seal wears with use.\nIt is replaced once a year."


def titles(*texts: str, start: tuple[int, int] = (1, 0)) -> list[str]:
    layout = Layout.measure(pages_of(*texts).pages)
    return [heading.title for heading in weak_headings(layout, start, (len(texts) + 1, 0))]


def test_short_lines_after_a_full_stop_head_their_parts() -> None:
    """Without positions, a short line behind a finished sentence is the weakest evidence there is."""
    pages = [f"Part {name}\n{PROSE}" for name in ("of the pump", "of the valve", "of the pipe")]

    assert titles("Own heading\n" + PROSE, *pages) == ["Part of the pump", "Part of the valve", "Part of the pipe"]


def test_lines_within_a_sentence_head_nothing() -> None:
    """A short line that goes on with the sentence above it is text."""
    assert titles("Own heading\nThe pump stands beside the\nLower Weir\nand is older than it.") == []


def test_a_label_that_comes_back_is_no_heading() -> None:
    """Equal lines label parts of the text; different ones name them."""
    assert titles("Own heading\n" + PROSE, *([f"Checks\n{PROSE}"] * 5)) == []


def test_one_line_alone_divides_nothing() -> None:
    """Its page shows it anyway."""
    assert titles("Own heading\n" + PROSE, f"Part of the pump\n{PROSE}") == []


def test_only_the_leaf_is_looked_at() -> None:
    """Lines before its own heading belong to another section."""
    pages = [f"Part {name}\n{PROSE}" for name in ("of the pump", "of the valve", "of the pipe")]

    assert titles("Own heading\n" + PROSE, *pages, start=(2, 0)) == ["Part of the valve", "Part of the pipe"]
