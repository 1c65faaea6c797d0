"""Titles that text runs on from in the same line: "4.6 Change in Control. If the Company is acquired, …"."""

from __future__ import annotations

from pageindex_core.outline.numbering import Number

_CLAUSE_KINDS = ("decimal", "section", "article", "paren")
"""What the clauses of contracts, plans and by-laws are numbered with."""

_MOST_CHARS = 70
"""Longest title of a clause."""

_SMALL_WORDS = frozenset(
    ("a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "nor", "of", "off", "on", "or", "over",
     "per", "the", "through", "to", "under", "upon", "with")
)  # fmt: skip
"""Words that titles do not set in capitals."""

_BESIDE_WORDS = "\"'“‘(&§0123456789–—-"
"""What else words of titles begin with."""

CLAUSE = "clause"
"""Form of the number of a clause, where it is a series of its own: "2." below section 4 is no section 2."""

_LAST_LETTERS = 3
"""Letters of the last word at least: names in lists of references end in initials."""


def clause_title(text: str, number: Number | None) -> str | None:
    """The title of a clause, which a full stop ends and a sentence follows in its line; None where there is none.

    Every longer word of it has a capital, as sentences have not. Behind a number of one part ("4.", "(b)") nothing has
    to follow, since contracts break the line behind some titles. A number without a stop ("4") counts steps.
    """
    if number is None or number.kind not in _CLAUSE_KINDS or "." not in number.title:
        return None
    title, _, rest = number.title.partition(".")
    words = title.split()
    if not words or len(title) > _MOST_CHARS or (rest and not rest[0].isspace()):
        return None
    plain = number.kind == "decimal" and number.depth == 1
    if plain and text[len(number.label) : len(number.label) + 1] != ".":
        return None
    following = rest.split()
    if following:
        if following[0][0].islower() or following[0][0].isdigit() or not any(word[0].islower() for word in following):
            return None
    elif not plain and number.kind != "paren":
        return None
    if not words[0][0].isupper() or sum(map(str.isalpha, words[-1])) < _LAST_LETTERS:
        return None
    return (
        title if all(word in _SMALL_WORDS or word[0].isupper() or word[0] in _BESIDE_WORDS for word in words) else None
    )
