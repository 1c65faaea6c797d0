"""The full-text index over each document's terms, and the order in which it proposes documents.

SQLite's FTS5 serves as the inverted file only. Its own ``bm25`` would divide by a document's length, here the number
of its *distinct* terms, and so put a leaflet with one word of the question before a report with all of them. Each
term that a document holds adds its rarity within the scope instead, and a title term adds it ``TITLE_WEIGHT`` times
more.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence

from pageindex_core.library.codec import compress, decompress
from pageindex_core.library.scope import Condition

TITLE_WEIGHT = 2.0
"""What a term adds by standing in the name, the description or a heading, in units of what it adds by occurring: a
document about a thing passes one that mentions it, unless that one also holds a word of the question that is rarer
by the square."""

_UNSAFE = re.compile("[^0-9a-z\u0080-\ud7ff\ue000-\U0010ffff]")
"""Characters that FTS5's ``ascii`` tokenizer would split at or fold, and those that are not valid UTF-8."""

_RANK = """
WITH scoped (id) AS MATERIALIZED (SELECT id FROM documents WHERE {scope}),
held (term, document, in_title) AS MATERIALIZED (
    SELECT term, doc, col = 'title_terms' FROM term_rows
    WHERE term IN (SELECT value FROM json_each(?)) AND doc IN scoped
),
weights (term, weight) AS MATERIALIZED (
    SELECT term, rarity(count(*), (SELECT count(*) FROM scoped)) FROM held WHERE NOT in_title GROUP BY term
)
SELECT document FROM held JOIN weights USING (term) JOIN documents ON documents.id = held.document
GROUP BY document ORDER BY sum(weight * CASE WHEN in_title THEN {title_weight} ELSE 1 END) DESC, source_id LIMIT ?
"""


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
    """Give the rows of the documents in the scope that hold any of the terms, the most promising first."""
    wanted = json.dumps([_token(term) for term in dict.fromkeys(terms) if term], ensure_ascii=False)
    statement = _RANK.format(scope=scope.sql, title_weight=TITLE_WEIGHT)
    return [row_id for (row_id,) in connection.execute(statement, (*scope.parameters, wanted, limit))]


def _tokens(terms: Iterable[str]) -> str:
    return " ".join(_token(term) for term in terms if term)


def _token(term: str) -> str:
    """Give a term as one token of the ``ascii`` tokenizer, equal only for equal terms."""
    return _UNSAFE.sub(lambda found: f"\ue000{ord(found[0]):x}\ue000", term)
