"""Titles written in Markdown as readers see them: words without the signs of emphasis, links and code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ATTRIBUTES = re.compile(r"\s*\{[#.][\w.:-]+(?:\s+[#.][\w.:-]+)*\s*\}$")
"""``{#anchor .class}`` after a title: Pandoc, kramdown, Hugo and Docusaurus read it as attributes."""

_PARSER = MarkdownIt("commonmark")


def title_of(markup: str, definitions: dict[str, Any] | None = None) -> str:
    """Give the words of a title.

    Args:
        markup: As it stands in the text.
        definitions: What the parser found links to lead to elsewhere in the text.
    """
    return words_of(parse_inline(markup, definitions if definitions is not None else {}))


def parse_inline(markup: str, definitions: dict[str, Any]) -> list[Token]:
    """Give the parts of a line of Markdown."""
    parts: list[Token] = []
    _PARSER.inline.parse(markup, _PARSER, definitions, parts)
    return parts


def words_of(parts: Sequence[Token]) -> str:
    """Give the words of a title from its parts."""
    return _ATTRIBUTES.sub("", " ".join(_shown(parts).split()))


def _shown(parts: Sequence[Token]) -> str:
    # Text of links and emphasis, content of code, alternative text of images; tags count for nothing.
    words = []
    for part in parts:
        if part.type in ("text", "text_special", "code_inline"):
            words.append(part.content)
        elif part.type == "image":
            words.append(_shown(part.children or ()))
        elif part.type in ("softbreak", "hardbreak") or part.content.lower().startswith("<br"):
            words.append(" ")
    return "".join(words)
