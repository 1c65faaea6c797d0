"""Document text in a prompt, between marks that its author cannot have known.

A fence tells the model where data begins and ends; it is random for each call, so that no document can close it and go
on as if it were us. The text inside is never altered: what a reader sees is what the model gets.

::

    <fence-3f0c9a51d27be846>
    …the text…
    </fence-3f0c9a51d27be846>
"""

from __future__ import annotations

import re
import secrets

MARK_BYTES = 8
"""64 random bits: a document that fakes a closing fence guesses right once in 10**19 calls."""

MARK = re.compile(rf"fence-[0-9a-f]{{{2 * MARK_BYTES}}}")
"""Finds the marks in a prompt. Caches use it, since calls that are alike but for their marks are alike."""

FENCED = re.compile(rf"<(?P<mark>{MARK.pattern})>\n(?P<text>.*?)\n</(?P=mark)>", re.DOTALL)
"""Finds fenced texts: for tests and for servers that stand in for a model."""


def new_mark(*texts: str) -> str:
    """Give a random mark that occurs in none of the texts."""
    while True:
        mark = f"fence-{secrets.token_hex(MARK_BYTES)}"
        if not any(mark in text for text in texts):
            return mark


def fence(text: str, mark: str | None = None) -> tuple[str, str]:
    """Give the mark and the text between two lines that carry it.

    Args:
        text: what a document says; it is not altered.
        mark: the mark of this call, where several texts share one; None makes a new one. See ``new_mark``.
    """
    mark = mark or new_mark(text)
    return mark, f"<{mark}>\n{text}\n</{mark}>"


def without_marks(text: str) -> str:
    """Give the text with each mark replaced by its rank of appearance, the same for every call that is alike."""
    ranks: dict[str, str] = {}
    return MARK.sub(lambda found: ranks.setdefault(found.group(), f"fence-{len(ranks) + 1}"), text)
