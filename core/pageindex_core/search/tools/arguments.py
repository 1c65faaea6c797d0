"""What a model passes to a tool, read for what it means: slips are repaired, and what cannot be meant is explained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pageindex_core.errors import OptionError
from pageindex_core.llm.parse import JsonNotFoundError, parse_json
from pageindex_core.llm.protocol import Tool
from pageindex_core.page_ranges import read_page_number

_OTHER_NAMES = {
    "doc_name": ("doc_id", "document", "document_name", "document_id", "doc", "name", "file", "source_id"),
    "pages": ("page", "page_numbers", "page_number", "page_range", "range"),
    "node_id": ("node", "section", "section_id", "id"),
    "query": ("q", "question", "text", "phrase", "keywords", "search"),
    "part": ("part_number",),
    "depth": ("max_depth", "levels"),
    "limit": ("k", "top_k", "max_results"),
}
"""What models call an argument instead."""

MOST_INTEGER = 10**9
"""What larger numbers are read as: no library and no document holds as much, and SQLite takes no more than 2^63."""
MOST_NESTED = 8
"""Lists within lists that pages are read from."""
_SHOWN_CHARACTERS = 200

_NOTHING = ("", "null", "none", "undefined", "n/a")
_YES = ("true", "yes", "1", "on")
_NO = ("false", "no", "0", "off")

_LEAD = re.compile(r"^\s*(?:pages?|pp?\.?|seiten?|第)\s*", re.IGNORECASE)
_WORD_RANGE = re.compile(r"(\d)\s*(?:to|through|until|bis|and|\.{2,3}|…|~|–|—|‐|‑|−)\s*(?=(\d))", re.IGNORECASE)


def read_arguments(tool: Tool, given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """Give a tool's arguments by name, in their types; those left out are left out.

    Args:
        tool: Which tool.
        given: An object, or the JSON text of one as the model wrote it.

    Raises:
        OptionError: it is no object, a required one is missing, or a value cannot be read in its type.
    """
    values = _object(tool, given)
    _check_writable(tool, values)
    properties: Mapping[str, Mapping[str, Any]] = tool.parameters["properties"]
    arguments: dict[str, Any] = {}
    for name, property_schema in properties.items():
        value = next((values[key] for key in (name, *_OTHER_NAMES.get(name, ())) if _is_given(values.get(key))), None)
        if name == "pages" and value is None and _is_given(values.get("start_page")):
            value = f"{values['start_page']}-{values.get('end_page') or values['start_page']}"
        if value is not None:
            arguments[name] = _typed(name, value, property_schema)
    missing = [name for name in tool.parameters["required"] if name not in arguments]
    if missing:
        raise OptionError(
            f"{tool.name} needs {' and '.join(missing)}.",
            "It was called without." if values else "It was called without arguments.",
            f"Call it with {', '.join(tool.parameters['required'])}.",
        )
    return arguments


def page_text(value: object, nested: int = 0) -> str:
    """Give what was meant by pages in the form "1-3,7": lists, numbers, "pages 5 to 10" and ranges backwards too."""
    if nested > MOST_NESTED:
        raise OptionError("pages cannot be read.", "It is a list in lists in lists.", 'Write pages as "1-3,7".')
    if isinstance(value, Mapping):
        first = value.get("start", value.get("first", value.get("from")))
        last = value.get("end", value.get("last", value.get("to", first)))
        value = f"{first}-{last}"
    if isinstance(value, (list, tuple)):
        return ",".join(page_text(item, nested + 1) for item in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = _LEAD.sub("", str(value).strip().strip("[](){}\"'"))
    text = _WORD_RANGE.sub(r"\1-", text.replace(";", ","))
    parts = [_forwards(_LEAD.sub("", part).strip()) for part in text.split(",")]
    return ",".join(part for part in parts if part)


def _forwards(part: str) -> str:
    bounds = re.fullmatch(r"(\d+)\s*-\s*(\d+)", part)
    if bounds is None:
        return part
    first, last = sorted((read_page_number(bounds[1]), read_page_number(bounds[2])))
    return f"{first}-{last}"


def _object(tool: Tool, given: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    value: Any = given
    if isinstance(given, str):
        if given.strip().lower() in _NOTHING:
            return {}
        try:
            value = parse_json(given)
        except JsonNotFoundError:
            value = given
    if value is None:
        return {}
    if isinstance(value, Mapping):
        inner = value.get("arguments", value.get("input"))
        return inner if isinstance(inner, Mapping) and len(value) <= 2 else value
    if len(tool.parameters["required"]) == 1 and isinstance(value, str) and value.lstrip()[:1] not in ("{", "["):
        return {tool.parameters["required"][0]: value}
    raise OptionError(
        f"The arguments of {tool.name} cannot be read.",
        "They are no JSON object.",
        "Send an object with its arguments.",
    )


def _check_writable(tool: Tool, values: Mapping[str, Any]) -> None:
    """Refuse what Python cannot write out, so that it can be read below and named in messages."""
    try:
        repr(values)
    except (ValueError, RecursionError) as error:
        raise OptionError(
            f"The arguments of {tool.name} cannot be read.",
            "One is a number of thousands of digits, or a list or an object that is nested too deeply.",
            "Send short texts and numbers.",
        ) from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _is_given(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and value.strip().lower() in _NOTHING)


def _typed(name: str, value: object, schema: Mapping[str, Any]) -> object:
    kind = schema["type"]
    if name == "pages":
        return page_text(value)
    if kind == "boolean":
        return _boolean(name, value)
    if kind == "integer":
        return min(max(_integer(name, value), int(schema.get("minimum", 0))), MOST_INTEGER)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value).strip()
    if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], str):
        return value[0].strip()
    raise OptionError(f"{name}={_shown(value)} cannot be read.", "It has to be one text.", f"Pass {name} as a text.")


def _boolean(name: str, value: object) -> bool:
    text = str(value).strip().lower()
    if text in _YES or text in _NO:
        return text in _YES
    raise OptionError(
        f"{name}={_shown(value)} cannot be read.", "It is true or false.", f"Pass {name} as true or false."
    )


def _integer(name: str, value: object) -> int:
    try:
        number = float(str(value).strip())
    except ValueError:
        number = float("nan")
    if isinstance(value, bool) or not number.is_integer():
        raise OptionError(
            f"{name}={_shown(value)} cannot be read.", "It is a whole number.", f"Pass {name} as a number."
        )
    return int(number)
