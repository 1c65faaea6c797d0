"""Takes a filter on document metadata, gives a predicate.

A filter is a mapping, and every key of it must hold::

    {"year": 2024}                                        equality; a list in the metadata holds it as a member
    {"year": {"$gte": 2020, "$lt": 2024}}                 operators, all of which must hold
    {"$or": [{"company": "3M"}, {"tags": "industrial"}]}  ``$and``, ``$or``, ``$not`` nest

or any callable that takes the metadata and answers yes or no. A missing key fails everything but ``$ne``, ``$nin``
and ``{"$exists": False}``; values that cannot be compared do not match and never raise. Beside its metadata a filter
sees what a document is called: see ``seen_metadata``.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from reprlib import repr as _short  # cuts long and deep values
from typing import Any

from pageindex_core.errors import FilterError
from pageindex_core.records import Metadata

Predicate = Callable[[Metadata], bool]
"""Answers whether a document with this metadata passes."""

MAX_DEPTH = 50
"""Deepest nesting of ``$and``, ``$or``, ``$not``: far beyond what people write, well within Python's stack."""

_Test = Callable[[Any], bool]


class _Missing:
    """Stands for a key that the metadata does not have."""


_MISSING = _Missing()


def matches(where: Metadata | Predicate, metadata: Metadata) -> bool:
    """Give whether metadata passes a filter.

    Raises:
        FilterError: the filter has an unknown operator or shape.
    """
    return compile_filter(where)(metadata)


def seen_metadata(metadata: Metadata, doc_id: str, source_id: str, name: str) -> dict[str, Any]:
    """Give what a filter sees of a document: its metadata, and where these have no such keys of their own its names.

    These are ``doc_id``, ``source``, ``file_name`` and, where the source is an absolute path, ``file_path``: what the
    results of both frameworks' plugins say of it.
    """
    names = {"file_name": name, "source": source_id, "doc_id": doc_id}
    if os.path.isabs(source_id):
        names["file_path"] = source_id
    return {**names, **metadata}


def keys_of(where: Any) -> Iterator[str]:
    """Give the metadata keys that a filter names, at any depth; none for a predicate or a shape that is wrong."""
    for key, value in where.items() if isinstance(where, Mapping) else ():
        if key in ("$and", "$or", "$not"):
            for nested in value if isinstance(value, (list, tuple)) else (value,):
                yield from keys_of(nested)
        else:
            yield key


def validate(where: Metadata | Predicate) -> None:
    """Check a filter without applying it.

    Raises:
        FilterError: the filter has an unknown operator or shape.
    """
    compile_filter(where)


def compile_filter(where: Metadata | Predicate) -> Predicate:
    """Give the predicate of a filter, to be applied to many documents.

    Raises:
        FilterError: the filter has an unknown operator or shape.
    """
    if isinstance(where, Mapping):
        return _all_of(where, 0)
    if callable(where):
        return where
    raise FilterError(
        f"A filter cannot be of type {type(where).__name__}.",
        "It is a mapping of metadata keys to values, or a callable.",
        'Pass for example {"year": 2024}.',
    )


def _all_of(where: Mapping[Any, Any], depth: int) -> Predicate:
    _check_depth(depth)
    parts = [_condition(key, value, depth) for key, value in where.items()]
    return lambda metadata: all(part(metadata) for part in parts)


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise FilterError(
            f"The filter nests deeper than {MAX_DEPTH}.", "Depth is bounded.", "Flatten it; a mapping is an $and."
        )


def _condition(key: Any, value: Any, depth: int) -> Predicate:
    if not isinstance(key, str):
        raise FilterError(f"The filter key {key!r} is not text.", "Metadata keys are strings.", "Quote the key.")
    if key in ("$and", "$or"):
        parts = [_nested(key, part, depth) for part in _sequence(key, value)]
        if not parts:
            raise FilterError(f"{key} is empty.", "It says nothing about any document.", "Fill it, or leave it out.")
        join = all if key == "$and" else any
        return lambda metadata: join(part(metadata) for part in parts)
    if key == "$not":
        inner = _nested(key, value, depth)
        return lambda metadata: not inner(metadata)
    if key.startswith("$"):
        raise _unknown(key)
    test = _value_test(key, value, depth)
    return lambda metadata: test(metadata.get(key, _MISSING))


def _nested(key: str, value: Any, depth: int) -> Predicate:
    if not isinstance(value, Mapping):
        raise FilterError(
            f"{key} holds {_short(value)}.", "It takes filters.", 'Put a mapping there, like {"year": 2024}.'
        )
    return _all_of(value, depth + 1)


def _value_test(key: str, value: Any, depth: int) -> _Test:
    if not isinstance(value, Mapping):
        return lambda found: _equals(found, value)
    if not value or not all(isinstance(name, str) and name.startswith("$") for name in value):
        raise FilterError(
            f"The condition {_short(dict(value))} on {key!r} is no value and has no operators.",
            "A mapping there holds operators only.",
            f"Use {_names()}, or $eq to compare with a whole mapping.",
        )
    tests = [_operator_test(key, name, operand, depth) for name, operand in value.items()]
    return lambda found: all(test(found) for test in tests)


def _operator_test(key: str, name: str, operand: Any, depth: int) -> _Test:
    if name == "$not":
        _check_depth(depth + 1)
        if not isinstance(operand, Mapping):
            raise FilterError(
                f"$not on {key!r} holds {_short(operand)}.", "It negates operators.", 'Write {"$not": {"$gt": 1}}.'
            )
        inner = _value_test(key, operand, depth + 1)
        return lambda found: not inner(found)
    if name not in _OPERATORS:
        raise _unknown(name)
    return _OPERATORS[name](name, operand)


def _eq(name: str, operand: Any) -> _Test:
    return lambda found: _equals(found, operand)


def _ne(name: str, operand: Any) -> _Test:
    return lambda found: not _equals(found, operand)


def _in(name: str, operand: Any) -> _Test:
    values = _sequence(name, operand)
    return lambda found: any(_equals(found, value) for value in values)


def _nin(name: str, operand: Any) -> _Test:
    inside = _in(name, operand)
    return lambda found: not inside(found)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[str, Any], _Test]:
    def build(name: str, operand: Any) -> _Test:
        return lambda found: _comparable(found, operand) and bool(compare(found, operand))

    return build


def _contains(name: str, operand: Any) -> _Test:
    def test(found: Any) -> bool:
        if isinstance(found, str):
            return isinstance(operand, str) and operand in found
        return isinstance(found, (list, tuple)) and any(_same(value, operand) for value in found)

    return test


def _exists(name: str, operand: Any) -> _Test:
    if not isinstance(operand, bool):
        raise FilterError(f"$exists holds {_short(operand)}.", "It asks yes or no.", "Use True or False.")
    return lambda found: (found is not _MISSING) == operand


def _text_match(name: str, operand: Any) -> _Test:
    if not isinstance(operand, str):
        raise FilterError(f"$text_match holds {_short(operand)}.", "It looks for text, ignoring case.", "Use a string.")
    wanted = operand.casefold()

    def test(found: Any) -> bool:
        values = found if isinstance(found, (list, tuple)) else (found,)
        return any(isinstance(value, str) and wanted in value.casefold() for value in values)

    return test


_OPERATORS: Mapping[str, Callable[[str, Any], _Test]] = {
    "$eq": _eq,
    "$ne": _ne,
    "$gt": _ordered(operator.gt),
    "$gte": _ordered(operator.ge),
    "$lt": _ordered(operator.lt),
    "$lte": _ordered(operator.le),
    "$in": _in,
    "$nin": _nin,
    "$contains": _contains,
    "$exists": _exists,
    "$text_match": _text_match,
}


def _equals(found: Any, value: Any) -> bool:
    if _same(found, value):
        return True
    return isinstance(found, (list, tuple)) and any(_same(member, value) for member in found)


def _same(found: Any, value: Any) -> bool:
    # Python holds True == 1; a flag and a number are different answers to a filter.
    return isinstance(found, bool) == isinstance(value, bool) and bool(found == value)


def _comparable(found: Any, operand: Any) -> bool:
    if isinstance(found, bool) or isinstance(operand, bool):
        return False
    numbers = isinstance(found, (int, float)) and isinstance(operand, (int, float))
    return numbers or (isinstance(found, str) and isinstance(operand, str))


def _sequence(name: str, operand: Any) -> tuple[Any, ...]:
    if isinstance(operand, (str, bytes, Mapping)) or not isinstance(operand, (Sequence, Set)):
        raise FilterError(f"{name} holds {_short(operand)}.", "It chooses among several.", "Use a list.")
    return tuple(operand)


def _names() -> str:
    return ", ".join(_OPERATORS)


def _unknown(name: str) -> FilterError:
    return FilterError(
        f"The filter operator {name!r} is unknown.",
        f"Operators on a key are {_names()} and $not; those between filters are $and, $or and $not.",
        "Use one of these, or pass a callable.",
    )
