"""Finds the block of settings at the start of a Markdown file, and reads its plain ``key: value`` pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence

Scalar = str | int | float | bool

_YAML_ENDS = ("---", "...")
_TOML_END = "+++"
_YAML_PAIR = re.compile(r"([A-Za-z_][\w .-]*?)\s*:(?:\s+(.*))?$")
_TOML_PAIR = re.compile(r"([A-Za-z_][\w-]*)\s*=\s*(.*)$")
_YAML_CONTINUES = re.compile(r"\s|- |-$|#|[\]}]|[\"'][^\"']*[\"']\s*:|$")
"""Lines that may stand between the pairs: nested values, lists, comments, quoted keys, blank lines."""
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})$")
_DECIMAL = re.compile(r"[+-]?\d+\.\d+$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_QUOTED = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*(?:#.*)?$""")
_NOT_SCALAR = tuple("[{|>&*!%@`\"'")
"""First characters of values that are not plain: lists, mappings, blocks, references, unclosed quotes."""
_NOTHING = ("", "~", "null", "Null", "NULL")


def find_front_matter(lines: Sequence[str]) -> tuple[int, dict[str, Scalar]]:
    """Give the number of lines that front matter takes at the start of a text, and its plain pairs.

    YAML stands between ``---`` and ``---`` or ``...``, TOML between two ``+++``. A text that merely starts with a
    thematic break has none: what follows has to look like settings. Lists, mappings and blocks are not read; like the
    pairs they stay in the text.
    """
    opening = lines[0].rstrip() if lines else ""
    if opening == "---":
        length = _find_end(lines, _YAML_ENDS)
        inside = lines[1 : length - 1]
        if length and _looks_like_yaml(inside):
            return length, _pairs(inside, _YAML_PAIR)
    elif opening == _TOML_END:
        length = _find_end(lines, (_TOML_END,))
        if length:
            return length, _pairs(_before_tables(lines[1 : length - 1]), _TOML_PAIR)
    return 0, {}


def _find_end(lines: Sequence[str], ends: tuple[str, ...]) -> int:
    # Number of lines up to and with the closing one; 0 without one.
    return next((index + 1 for index, line in enumerate(lines) if index and line.rstrip() in ends), 0)


def _looks_like_yaml(lines: Sequence[str]) -> bool:
    pairs = [line for line in lines if _YAML_PAIR.match(line)]
    others = (line for line in lines if not _YAML_PAIR.match(line))
    return (bool(pairs) or not lines) and all(_YAML_CONTINUES.match(line) for line in others)


def _before_tables(lines: Sequence[str]) -> Sequence[str]:
    end = next((index for index, line in enumerate(lines) if line.startswith("[")), len(lines))
    return lines[:end]


def _pairs(lines: Sequence[str], pattern: re.Pattern[str]) -> dict[str, Scalar]:
    pairs: dict[str, Scalar] = {}
    for line in lines:
        match = pattern.match(line.rstrip())
        value = _scalar(match[2] or "") if match else None
        if match and value is not None:
            pairs.setdefault(match[1], value)
    return pairs


def _scalar(written: str) -> Scalar | None:
    # The value of a pair, None where it is empty or not plain.
    written = written.strip()
    quoted = _QUOTED.match(written)
    if quoted:
        if quoted[1] is not None:
            return re.sub(r"\\([\"\\])", r"\1", quoted[1])
        return quoted[2].replace("''", "'")
    written = _COMMENT.sub("", written).strip()
    if written in _NOTHING or written.startswith(_NOT_SCALAR):
        return None
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    if _INTEGER.match(written):
        return int(written)
    if _DECIMAL.match(written):
        return float(written)
    return written
