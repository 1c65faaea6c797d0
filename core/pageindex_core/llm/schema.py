"""A reply held against the JSON schema that was asked for: what fits is kept, what does not is named.

Only what our schemas use is known: ``type``, ``enum``, ``required``, ``properties``, ``items`` and ``anyOf``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class SchemaError(ValueError):
    """A value that does not fit its schema and cannot be mended."""


def fitted(value: Any, schema: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Give the value as far as it follows the schema, and what was changed.

    Unknown keys are dropped, and so are items of an array that do not fit; a number in quotes, a single value where an
    array is due, and a JSON text where an object is due are read as meant.

    Raises:
        SchemaError: the value as a whole does not fit: a wrong type, a missing key, a value outside its set.
    """
    notes: list[str] = []
    return _fit(value, schema, "reply", notes), tuple(notes)


def _fit(value: Any, schema: Mapping[str, Any], where: str, notes: list[str]) -> Any:
    if "anyOf" in schema:
        return _fit_any(value, schema["anyOf"], where, notes)
    value = _retyped(value, schema, where)
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaError(f"{where}: {_shown(value)} is not one of the {len(schema['enum'])} allowed values.")
    if isinstance(value, dict):
        return _fit_object(value, schema, where, notes)
    if isinstance(value, list) and "items" in schema:
        return _fit_array(value, schema["items"], where, notes)
    return value


def _fit_any(value: Any, options: list[Mapping[str, Any]], where: str, notes: list[str]) -> Any:
    problem = SchemaError(f"{where}: nothing is allowed here.")
    for option in options:
        tried: list[str] = []
        try:
            fit = _fit(value, option, where, tried)
        except SchemaError as error:
            problem = error
            continue
        notes.extend(tried)
        return fit
    raise problem


def _fit_object(value: dict[str, Any], schema: Mapping[str, Any], where: str, notes: list[str]) -> dict[str, Any]:
    known: Mapping[str, Any] | None = schema.get("properties")
    if known is None:
        return value
    result = {}
    required = schema.get("required", ())
    for key, item in value.items():
        if key not in known:
            notes.append(f"{where}.{key}: unknown key dropped.")
            continue
        try:
            result[key] = _fit(item, known[key], f"{where}.{key}", notes)
        except SchemaError as error:
            if key in required:
                raise
            notes.append(f"{error} Dropped.")
    missing = [key for key in required if key not in result]
    if missing:
        raise SchemaError(f"{where}: {', '.join(missing)} is missing.")
    return result


def _fit_array(value: list[Any], items: Mapping[str, Any], where: str, notes: list[str]) -> list[Any]:
    result = []
    for position, item in enumerate(value):
        try:
            result.append(_fit(item, items, f"{where}[{position}]", notes))
        except SchemaError as error:
            notes.append(f"{error} Dropped.")
    return result


def _retyped(value: Any, schema: Mapping[str, Any], where: str) -> Any:
    """Give the value in the type asked for, where its meaning is plain."""
    wanted = schema.get("type")
    if wanted is None:
        return value
    types = [wanted] if isinstance(wanted, str) else list(wanted)
    if any(_is_a(value, name) for name in types):
        return value
    for name in types:
        meant = _meant(value, name)
        if meant is not None:
            return meant
    raise SchemaError(f"{where}: {_shown(value)} is no {' or '.join(types)}.")


def _is_a(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES.get(name, ()))


def _meant(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _meant_by_text(value.strip(), name)
    if name == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if name == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if name == "array" and value is not None:
        return [value]
    return None


def _meant_by_text(text: str, name: str) -> Any:
    if name == "boolean" and text.lower() in ("true", "false", "yes", "no"):
        return text.lower() in ("true", "yes")
    if name in ("integer", "number", "object", "array"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return [text] if name == "array" and text else None
        if _is_a(value, name):
            return value
        return [text] if name == "array" else None
    return None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:77]}…"
