"""The chapter files -> numbered blocks.

The markup, one block a paragraph of the file:

* ``# Title {key}``, ``##``, ``###``: chapter, section, subsection; numbers are added. ``# Appendix: Title {key}`` opens
  an appendix, whose number is a letter.
* ``- item`` and ``1. step`` lines; ``!warning``, ``!caution`` and ``!note`` boxes.
* ``@table key "Caption" 40 60`` with the column widths in per cent, then ``| cell | cell |`` rows, the header first.
* ``@figure key "Caption"``.
* ``[key]`` anywhere in the text becomes "section 5.2", "Table 3" and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

CHAPTERS = Path(__file__).parent / "chapters"

_HEADING = re.compile(r"(#{1,3}) (.+) \{([a-z-]+)\}")
_FLOAT = re.compile(r'@(table|figure) ([a-z-]+) "([^"]+)"((?: \d+)*)')
REFERENCE = re.compile(r"\[([a-z][a-z-]+)\]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A numbered title."""

    key: str
    level: int
    """1 to 3."""
    number: str
    title: str

    @property
    def text(self) -> str:
        """The heading as printed in one line: "5.2 Automatic start", "Appendix A Technical data"."""
        return f"{self.number} {self.title}"

    @property
    def label(self) -> str:
        """What a reference to it says."""
        if self.number.startswith("Appendix"):
            return self.number
        return f"{'chapter' if self.level == 1 else 'section'} {self.number}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ``kind`` is ``text``, ``warning``, ``caution`` or ``note``."""

    text: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Listing:
    """List items; ``ordered`` ones are counted from 1."""

    items: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A captioned table: the first row is the header."""

    key: str
    label: str
    caption: str
    widths_percent: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A captioned drawing."""

    key: str
    label: str
    caption: str


Block = Heading | Paragraph | Listing | Table | Figure


def read_chapters(folder: Path = CHAPTERS) -> list[Block]:
    """Give the blocks of all chapters, numbered, in the order of their file names."""
    numbers = _Numbers()
    return [
        block
        for path in sorted(folder.glob("*.chapter"))
        for block in _parse(path.read_text(encoding="utf-8"), numbers)
    ]


def labels_of(blocks: list[Block]) -> Mapping[str, str]:
    """Give what a reference to each key says: ``{"auto-start": "section 5.2", …}``."""
    return {block.key: block.label for block in blocks if isinstance(block, Heading | Table | Figure)}


class _Numbers:
    """Counts chapters, appendices, tables and figures."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.chapters = self.appendices = 0
        self.floats = {"table": 0, "figure": 0}

    def heading(self, level: int, title: str) -> tuple[str, str]:
        """Give number and title of the next heading."""
        is_appendix = title.startswith("Appendix: ")
        if is_appendix:
            self.path = ["ABCDEFGH"[self.appendices]]
            self.appendices += 1
            return f"Appendix {self.path[0]}", title.removeprefix("Appendix: ")
        if level == 1:
            self.chapters += 1
            self.path = [str(self.chapters)]
        elif len(self.path) >= level:
            self.path = [*self.path[: level - 1], str(int(self.path[level - 1]) + 1)]
        else:
            self.path.append("1")
        return ".".join(self.path), title

    def next_float(self, kind: str) -> str:
        """Give the label of the next table or figure."""
        self.floats[kind] += 1
        return f"{kind.capitalize()} {self.floats[kind]}"


def _parse(text: str, numbers: _Numbers) -> Iterator[Block]:
    for chunk in re.split(r"\n\s*\n", text.strip()):
        rows = chunk.splitlines()
        if heading := _HEADING.fullmatch(chunk):
            level = len(heading[1])
            yield Heading(heading[3], level, *numbers.heading(level, heading[2]))
        elif found := _FLOAT.fullmatch(rows[0]):
            label = numbers.next_float(found[1])
            if found[1] == "figure":
                yield Figure(found[2], label, found[3])
            else:
                cells = tuple(tuple(cell.strip() for cell in row.strip()[1:-1].split("|")) for row in rows[1:])
                yield Table(found[2], label, found[3], tuple(map(int, found[4].split())), cells)
        elif all(row.startswith("- ") for row in rows):
            yield Listing(tuple(row[2:] for row in rows), ordered=False)
        elif all(re.match(r"\d+\. ", row) for row in rows):
            yield Listing(tuple(row.split(" ", 1)[1] for row in rows), ordered=True)
        elif box := re.match(r"!(warning|caution|note) ", chunk):
            yield Paragraph(chunk[box.end() :], box[1])
        else:
            yield Paragraph(" ".join(rows))
