"""What the command line shows: tables and hits for people, JSON values for programs. Package-private."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from pageindex_core.errors import PageIndexError
    from pageindex_core.llm.budget import Spent
    from pageindex_core.pipeline import Progress
    from pageindex_core.records import Answer, DocumentInfo, Hit, Note, Page, SearchResult

MOST_NOTES = 3
"""Notes shown a document; the others are counted, and all of them stand in the JSON form."""

_GAP = "  "
_CUT = "…"
_LEAST_NAME_CELLS = 12
"""Names are not cut below this: the start of a file name and its ellipsis should still tell files apart."""
_MOST_CELLS = 60
"""Widest column of ``list`` where no width has to be kept to: one long file name must not push all ids out of sight.
``--json`` gives names whole."""
_BAR_CELLS = 24
"""Cells of the progress bar: leaves room for a file name on a terminal of 80."""


# Text that fits a terminal


def plain(text: str) -> str:
    """Give a text without control characters: neither a document nor a file name may steer the terminal."""
    return "".join(" " if unicodedata.category(character) == "Cc" else character for character in text)


def width_of(text: str) -> int:
    """Give the terminal cells a text takes: two for wide East Asian characters, none for combining marks."""
    return sum(_cells(character) for character in text)


def fit(text: str, width: int | None) -> str:
    """Give the text cut to so many cells, with an ellipsis where something is missing. None leaves it whole."""
    if width is None or width_of(text) <= width:
        return text
    room = max(width, 1) - 1
    kept: list[str] = []
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + _CUT


def line_width(stream: TextIO) -> int | None:
    """Give the width to keep to: the terminal's, or COLUMNS; None where lines go to a file or a pipe."""
    if stream.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return None


def table(rows: Iterable[Sequence[object]], header: Sequence[str], width: int | None) -> list[str]:
    """Give the lines of a table: columns as wide as their cells, numbers to the right.

    Where the width does not suffice, the first column, of names, is cut before the lines are, so that ids stay whole.
    """
    rows = [list(row) for row in rows]
    cells = [list(header), *([plain(str(value)) for value in row] for row in rows)]
    widths = [max(width_of(row[column]) for row in cells) for column in range(len(header))]
    if width is not None:
        others = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
        widths[0] = min(widths[0], max(width - others, _LEAST_NAME_CELLS))
        cells = [[fit(row[0], widths[0]), *row[1:]] for row in cells]
    right = [bool(rows) and all(isinstance(row[column], int) for row in rows) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = []
        for text, column_width, is_right in zip(row, widths, right, strict=True):
            pad = " " * (column_width - width_of(text))
            padded.append(pad + text if is_right else text + pad)
        lines.append(fit(_GAP.join(padded).rstrip(), width))
    return lines


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


# Documents, pages and hits for people


def document_table(infos: Sequence[DocumentInfo], width: int | None) -> list[str]:
    """Give the table of ``list``, and below it why documents failed."""
    rows = [
        (
            fit(plain(info.name), _MOST_CELLS),
            info.page_count,
            info.toc_source or "-",
            info.status,
            fit(plain(info.folder), _MOST_CELLS),
            info.doc_id,
        )
        for info in infos
    ]
    lines = table(rows, ("NAME", "PAGES", "STRUCTURE", "STATUS", "FOLDER", "DOC_ID"), width)
    return lines + [f"{plain(info.name)}: {plain(info.error)}" for info in infos if info.error]


def note_lines(notes: Sequence[Note]) -> list[str]:
    """Give the first notes, and how many there are besides."""
    lines = [f"note: {plain(note.message)}" for note in notes[:MOST_NOTES]]
    if len(notes) > MOST_NOTES:
        lines.append(f"note: {len(notes) - MOST_NOTES} more; --json shows all")
    return lines


def hit_lines(result: SearchResult) -> list[str]:
    """Give the hits of a search: document and section path, then pages and score, then the quoted lines, all whole."""
    lines: list[str] = []
    for rank, hit in enumerate(result.hits, start=1):
        place = f"{rank}. {hit.doc_name}: {' > '.join(hit.section_path) or hit.title}"
        lines.append(plain(place))
        lines.append(f"   {_where(hit)}, score {hit.score:.2f}, {hit.found_by}")
        lines += [f"   | {plain(quote)}" for quote in hit.quotes]
    return lines


def answer_lines(answer: Answer, *, is_shown: bool) -> list[str]:
    """Give an answer and its citations; only the latter where the text has been printed while it came."""
    lines = [""] if is_shown else [plain(line) for line in answer.text.splitlines()]
    if answer.answered_by == "model" and answer.citations:
        lines.append("")
    for number, one in enumerate(answer.citations if answer.answered_by == "model" else (), start=1):
        place = "no page" if one.page_number is None else f"page {one.page_number}"
        printed = _printed(one.page_label, one.page_number) if one.page_number is not None else ""
        where = f"{one.doc_name or 'unknown document'}, {place}{printed}"
        mark = "" if one.verified else f"  UNVERIFIED: {one.reason}"
        lines.append(plain(f"[{number}] {where}{mark}"))
        if one.quote:
            lines.append(plain(f"    | {one.quote}"))
    return lines


def left_out_line(left_out: Mapping[str, int]) -> str:
    """Give how many files of other formats the folders hold, and their endings."""
    count = sum(left_out.values())
    files = "1 file of another format was" if count == 1 else f"{count} files of other formats were"
    return f"{files} left out: " + ", ".join(f"{ending} {number}" for ending, number in left_out.items())


def spent_line(spent: Spent) -> str:
    """Give what the model calls of a run cost."""
    about = "about " if spent.estimated else ""
    cost = "price unknown" if spent.cost_usd is None else f"{spent.cost_usd:.4f} USD"
    return (
        f"model: {spent.calls} calls ({spent.failed} failed), {spent.cached} replies from the cache, "
        f"{about}{spent.input_tokens} tokens in and {spent.output_tokens} out, {cost}"
    )


def trace_lines(result: SearchResult | Answer) -> list[str]:
    """Give how an answer came about."""
    trace = result.trace
    lines = [
        f"trace: {trace.navigator}, {trace.documents_considered} documents and {trace.units_considered} units "
        f"considered, {trace.milliseconds:.0f} ms"
    ]
    if trace.model_calls:
        about = "about " if trace.tokens_estimated else ""
        cost = "price unknown" if trace.cost_usd is None else f"{trace.cost_usd:.4f} USD"
        lines.append(
            f"  model: {trace.model_calls} calls, {about}{trace.input_tokens} tokens in and {trace.output_tokens} out, "
            f"{cost}, {trace.model_seconds:.1f} s, {trace.rejected} choices rejected"
        )
    for step in trace.steps:
        lines.append(plain(f"  {step.action}: {step.detail}"))
        lines += [f"    {node_id}" for node_id in step.node_ids]
    return lines


def page_lines(info: DocumentInfo, pages: Sequence[Page]) -> list[str]:
    """Give pages with a line above each that names document and page."""
    lines: list[str] = []
    for page in pages:
        printed = _printed(page.page_label, page.page_number)
        lines.append(plain(f"--- {info.name}, page {page.page_number} of {info.page_count}{printed} ---"))
        lines += [plain(line) for line in page.text.split("\n")] if page.lines else ["(no text on this page)"]
    return lines


def error_block(error: PageIndexError, name: str = "") -> str:
    """Give an error as a block of lines: what, why, what to do.

    Args:
        error: Any of ours.
        name: Path of the file concerned; put into the first line where that does not hold it.
    """
    first, name = plain(error.what), plain(name)
    if name and name not in first:
        own_name = PurePath(name).name
        # Files of one name in several folders are told apart by the path.
        first = name + first.removeprefix(own_name) if first.startswith(own_name) else f"{name}: {first}"
    return "\n  ".join([first, *(plain(part) for part in (error.why, error.remedy) if part)])


def _where(hit: Hit) -> str:
    first, last = hit.page_start, hit.page_end
    if hit.line_range is not None:
        return f"page {first}, lines {hit.line_range[0]}-{hit.line_range[1]}"
    if first == last:
        return f"page {first}{_printed(hit.page_labels[0] if hit.page_labels else None, first)}"
    labels = [label or str(number) for number, label in zip(range(first, last + 1), hit.page_labels, strict=False)]
    printed = f"{labels[0]}-{labels[-1]}" if labels else ""
    return f"pages {first}-{last}" + (f" (printed {printed})" if printed not in ("", f"{first}-{last}") else "")


def _printed(label: str | None, page_number: int) -> str:
    return f" (printed {label})" if label and label != str(page_number) else ""


class ProgressBar:
    """A bar on one line of a terminal, and nothing anywhere else."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty()

    def __call__(self, progress: Progress) -> None:
        """Draw the bar after a source has been dealt with; wipe it after the last."""
        if not self._shown:
            return
        filled = _BAR_CELLS * progress.done // progress.total
        bar = "#" * filled + "-" * (_BAR_CELLS - filled)
        name = PurePath(progress.source_id).name
        text = plain(f"[{bar}] {progress.done}/{progress.total} {progress.outcome} {name}")
        self._stream.write("\r\x1b[K" + fit(text, (line_width(self._stream) or 80) - 1))
        if progress.done == progress.total:
            self._stream.write("\r\x1b[K")
        self._stream.flush()


# JSON values for programs


def print_json(value: Any) -> None:
    """Print a value as JSON, readable as it is where standard output is UTF-8 and escaped elsewhere."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "").replace("_", "") == "utf8"
    print(json.dumps(to_json(value), ensure_ascii=not readable, indent=2))


def hit_json(hit: Hit) -> dict[str, Any]:
    """Give a hit with the keys of its record, and what people read of it."""
    return {**to_json(hit), "title": hit.title, "page_label": hit.page_label}


def to_json(value: Any) -> Any:
    """Give records as objects keyed by field, tuples as lists, and the rest as it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value
