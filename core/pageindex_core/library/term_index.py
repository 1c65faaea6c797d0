"""The full-text index over each document's terms, and the order in which it proposes documents.

SQLite's FTS5 serves as the inverted file only. Its own ``bm25`` would divide by a document's length, here the number
of its *distinct* terms, and so put a leaflet with one word of the question before a report with all of them. Each
term that a document holds adds its rarity within the scope instead, and a title term adds it ``TITLE_WEIGHT`` times
more.
"""

from __future__ import annotations

import heapq
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from math import log

from pageindex_core.library.codec import compress, decompress
from pageindex_core.library.scope import SERVED, Condition

TITLE_WEIGHT = 2.0
"""What a term adds by standing in the name, the description or a heading, in units of what it adds by occurring: a
document about a thing passes one that mentions it, unless that one also holds a word of the question that is rarer
by the square."""

_UNSAFE = re.compile("[^0-9a-z\u0080-\ud7ff\ue000-\U0010ffff]")
"""Characters that FTS5's ``ascii`` tokenizer would split at or fold, and those that are not valid UTF-8."""

_HOLDERS = "SELECT rowid FROM term_index WHERE term_index MATCH ?"


def add_terms(connection: sqlite3.Connection, row_id: int, terms: Iterable[str], title_terms: Iterable[str]) -> None:
    """Enter a document's terms; a title term counts as a term too."""
    title = dict.fromkeys(title_terms)
    row = (_tokens(dict.fromkeys([*terms, *title])), _tokens(title))
    connection.execute("INSERT INTO term_index (rowid, terms, title_terms) VALUES (?, ?, ?)", (row_id, *row))
    connection.execute(
        "INSERT INTO terms (document, terms, title_terms) VALUES (?, ?, ?)", (row_id, *map(compress, row))
    )


def drop_terms(connection: sqlite3.Connection, row_id: int) -> None:
    """Take a document's terms out, if it has any."""
    row = connection.execute("SELECT terms, title_terms FROM terms WHERE document = ?", (row_id,)).fetchone()
    if row is None:
        return
    connection.execute(
        "INSERT INTO term_index (term_index, rowid, terms, title_terms) VALUES ('delete', ?, ?, ?)",
        (row_id, *map(decompress, row)),
    )
    connection.execute("DELETE FROM terms WHERE document = ?", (row_id,))


def rank(connection: sqlite3.Connection, terms: Sequence[str], scope: Condition, limit: int) -> list[int]:
    """Give the rows of the documents in the scope that hold any of the terms, the most promising first.

    Each term's rows are read by a query of its own and added up here: on 10,000 documents that takes a fifth of the
    time of one statement that joins and groups them. Source: ``tests/benchmarks/big_library.py``, 2026-11-30.
    """
    # The index holds served documents alone, so that the widest scope needs no look at each row.
    inside = None if scope == SERVED else {row for (row,) in _rows(connection, "id", scope)}
    total = len(inside) if inside is not None else _rows(connection, "count(*)", scope)[0][0]
    scores: dict[int, float] = {}
    for term in dict.fromkeys(terms):
        if not term:
            continue
        holders = _holders(connection, "terms", term, inside)
        titled = _holders(connection, "title_terms", term, inside)
        weight = rarity(len(holders), total)
        for rows, share in ((holders, weight), (titled, weight * TITLE_WEIGHT)):
            for row in rows:
                scores[row] = scores.get(row, 0.0) + share
    return _best(connection, scores, limit)


def _rows(connection: sqlite3.Connection, what: str, scope: Condition) -> list[tuple[int]]:
    return connection.execute(f"SELECT {what} FROM documents WHERE {scope.sql}", scope.parameters).fetchall()


def _holders(connection: sqlite3.Connection, column: str, term: str, inside: Set[int] | None) -> list[int]:
    """The rows within the scope whose column holds a term."""
    found = [row for (row,) in connection.execute(_HOLDERS, (f'{column}:"{_token(term)}"',))]
    return found if inside is None else [row for row in found if row in inside]


def _best(connection: sqlite3.Connection, scores: Mapping[int, float], limit: int) -> list[int]:
    """The rows of the highest scores; among equal ones by ``source_id``, which no order of indexing changes."""
    highest = heapq.nlargest(limit, scores.values())
    if not highest:
        return []
    rows = [row for row, score in scores.items() if score >= highest[-1]]
    named = connection.execute(
        "SELECT source_id, id FROM documents WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(rows),)
    )
    return [row for _, _, row in sorted((-scores[row], source_id, row) for source_id, row in named)[:limit]]


def rarity(holding: int, total: int) -> float:
    """Weight of a term that so many of all documents hold. Source: the idf of BM25, in the form that stays positive."""
    return log(1 + (total - holding + 0.5) / (holding + 0.5))


def _tokens(terms: Iterable[str]) -> str:
    return " ".join(_token(term) for term in terms if term)


def _token(term: str) -> str:
    """Give a term as one token of the ``ascii`` tokenizer, equal only for equal terms."""
    return _UNSAFE.sub(lambda found: f"\ue000{ord(found[0]):x}\ue000", term)
