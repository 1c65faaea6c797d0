"""A document as a tool lists it: what it is called, what it is about, and as much of its metadata as there is room."""

from __future__ import annotations

import json
from typing import Any

from pageindex_core.records import DocumentInfo

MOST_PROBLEM_CHARACTERS = 1_000
"""Of the reason why a document could not be read."""

_NAMES_TOLD = 5
_NAME_CHARACTERS = 40
"""Entries that are left out are named, as far as that stays short."""


def json_size(value: object) -> int:
    """Give the characters of a value as JSON, as hosts count them."""
    return len(json.dumps(value, ensure_ascii=False))


def document_entry(info: DocumentInfo, most_characters: int) -> dict[str, Any]:
    """Give a document's entry as a JSON object of about a size at most.

    A description that is too long is cut and its length told; metadata that finds no room is named and not given. Id,
    name, pages, folder and status are always there.
    """
    entry: dict[str, Any] = {
        "doc_id": info.doc_id,
        "doc_name": info.name,
        "page_count": info.page_count,
        "folder": info.folder,
        "status": info.status,
    }
    room = most_characters - json_size(entry)
    if info.description:
        entry |= _description(info.description, room // 2)
    if info.metadata:
        entry |= _metadata(dict(info.metadata), most_characters - json_size(entry))
    return entry


def fitting_text(text: str, most_characters: int) -> str:
    """Give the start of a text whose JSON has at most so many characters, ended at a space where one is near."""
    cut = text[: max(most_characters, 0)]
    while (size := json_size(cut)) > most_characters and cut:
        cut = cut[: len(cut) * most_characters // size] if most_characters > 0 else ""
    if len(cut) == len(text):
        return text
    near = max(cut.rfind(" ", len(cut) * 9 // 10), cut.rfind("\n", len(cut) * 9 // 10))
    return cut[: near + 1] if near >= 0 else cut


def _description(text: str, room: int) -> dict[str, Any]:
    shown = fitting_text(text, room)
    if shown == text:
        return {"description": text}
    return {"description": f"{shown}…", "description_characters": len(text)}


def _metadata(metadata: dict[str, Any], room: int) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    left_out: list[str] = []
    for name, value in metadata.items():
        size = json_size({name: value})
        if size <= room:
            shown[name] = value
            room -= size
        else:
            left_out.append(name)
    if not left_out:
        return {"metadata": shown}
    names = ", ".join(name[:_NAME_CHARACTERS] for name in left_out[:_NAMES_TOLD])
    more = " and others" if len(left_out) > _NAMES_TOLD else ""
    told = f"{len(left_out)} of {len(metadata)} entries are too long for this answer: {names}{more}."
    return {"metadata": shown, "metadata_left_out": told}
