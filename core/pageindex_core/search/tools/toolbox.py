"""Answers tool calls: each tool is a generator that asks for reads of the library and gives a JSON object.

A call never raises for what its caller did: it gives ``{"success": true, …}``, or ``{"error", "error_code",
"next_steps"}``. Every read carries the scope, so that a tool cannot open what its caller may not see, and a document
outside the scope is no more known to it than one that does not exist.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pageindex_core.errors import LibraryError, OptionError
from pageindex_core.options import SearchOptions
from pageindex_core.page_ranges import select_pages
from pageindex_core.records import DocumentInfo, PageTree, Scope, Section
from pageindex_core.search.lexical import search_words
from pageindex_core.search.navigate import LibraryRead, Navigation
from pageindex_core.search.question import parse_question
from pageindex_core.search.tools.arguments import read_arguments
from pageindex_core.search.tools.contract import MANAGING_TOOLS, PAGE_FORMS, READING_TOOLS
from pageindex_core.search.tools.document_entry import MOST_PROBLEM_CHARACTERS, document_entry, json_size
from pageindex_core.search.tools.found_places import found_places
from pageindex_core.search.tools.page_portions import page_portion
from pageindex_core.search.tools.structure_parts import PART_CHARACTERS, structure_parts

MOST_LISTED = 100
DEFAULT_LISTED = 20
MOST_FOUND = 20
DEFAULT_FOUND = 5
MOST_NAMES_COMPARED = 5_000
"""Names that a misspelt one is compared with."""

FRAME_CHARACTERS = 1_000
"""Of an answer's size, kept for what stands around its list: success, names, counts, a note, next steps."""

ENTRIES_AT_LEAST = 10
"""Documents of which a listing has room for entries, however long their metadata is."""

MOST_TOLD_CHARACTERS = 1_000
"""Of a sentence in a failure: what the caller sent stands in it, and may be of any size."""

_SUGGESTIONS = 3

Result = dict[str, Any]


def answer_call(
    name: str, arguments: Mapping[str, Any] | str | None, scope: Scope, most_characters: int = PART_CHARACTERS
) -> Navigation[Result]:
    """Answer one call of a reading tool.

    Args:
        name: Of the tool.
        arguments: An object, or its JSON text as a model wrote it.
        scope: What may be seen.
        most_characters: About the size at which lists, structures and page texts are given in parts.
    """
    tools = {tool.name: tool for tool in READING_TOOLS}
    if not isinstance(name, str) or name not in tools:
        return unknown_tool(name)
    try:
        given = read_arguments(tools[name], arguments)
        return (yield from _ANSWERS[name](given, scope, most_characters))
    except OptionError as error:
        return failure(error.what, "bad_arguments", *(part for part in (error.why, error.remedy) if part))
    except LibraryError as error:
        return failure(error.what, "library_failed", *(part for part in (error.why, error.remedy) if part))


def as_text(result: Result) -> str:
    """Give what a tool gives as a model is sent it."""
    return json.dumps(result, ensure_ascii=False)


def failure(error: str, code: str, *next_steps: str) -> Result:
    """Give what a tool gives instead of raising."""
    return {"error": _short(error), "error_code": code, "next_steps": [_short(step) for step in next_steps]}


def _short(told: str) -> str:
    return told if len(told) <= MOST_TOLD_CHARACTERS else f"{told[:MOST_TOLD_CHARACTERS]}…"


def unknown_tool(name: object) -> Result:
    """Give the answer to a call of a tool that is not there."""
    if not isinstance(name, str):
        name = f"a {type(name).__name__}"
    if name in {tool.name for tool in MANAGING_TOOLS}:
        return failure(
            f"{name} is switched off.", "not_allowed", "Documents can only be read here.", "Go on without it."
        )
    known = [tool.name for tool in READING_TOOLS]
    close = difflib.get_close_matches(name, known, n=1)
    steps = [f"Did you mean {close[0]}?"] if close else []
    return failure(f"There is no tool {name!r}.", "unknown_tool", *steps, f"The tools are {', '.join(known)}.")


def find_document(name: str, scope: Scope) -> Navigation[DocumentInfo | Result]:
    """Give the entry of a document that the scope holds, or the answer that says which names are close."""
    (info,) = yield (LibraryRead("get", (name, scope)),)
    if info is not None:
        found: DocumentInfo = info
        return found
    (infos,) = yield (LibraryRead("list", (scope,), {"limit": MOST_NAMES_COMPARED}),)
    same = [info for info in infos if info.name == name]
    if same:
        ids = ", ".join(f"{info.doc_id} ({info.folder})" for info in same[: 2 * _SUGGESTIONS])
        return failure(f"{len(same)} documents are named {name!r}.", "ambiguous_document", f"Use a doc_id: {ids}.")
    folded: dict[str, str] = {}
    for known in infos:
        for label in (known.name, known.name.rpartition(".")[0]):
            folded.setdefault(label.casefold(), known.name)
    exact = folded.get(name.casefold())
    if exact:
        (info,) = yield (LibraryRead("get", (exact, scope)),)
        if info is not None:
            return info  # type: ignore[no-any-return]
    close = [folded[label] for label in difflib.get_close_matches(name.casefold(), folded, n=_SUGGESTIONS, cutoff=0.5)]
    steps = [f"The closest names are {', '.join(dict.fromkeys(close))}."] if close else []
    if not infos:
        steps = ["There are no documents to be read here."]
    return failure(f"There is no document {name!r}.", "unknown_document", *steps, "List them with browse_documents.")


# The tools


def _browse_documents(given: Mapping[str, Any], scope: Scope, most_characters: int) -> Navigation[Result]:
    narrowed = scope
    folder = "/" + str(given.get("folder", "/")).strip("/")
    if folder != "/":
        inside = scope.folder is None or f"{folder}/".startswith(scope.folder.rstrip("/") + "/")
        if not inside:
            return failure(f"The folder {folder} is not open here.", "unknown_folder", f"Stay below {scope.folder}.")
        narrowed = replace(scope, folder=folder)
    offset, limit = given.get("offset", 0), min(given.get("limit", DEFAULT_LISTED), MOST_LISTED)
    (total,) = yield (LibraryRead("count", (narrowed,)),)
    offset = min(offset, total)
    if "query" in given:
        infos = yield from _promising(given["query"], narrowed, offset + limit)
        infos = infos[offset:]
    else:
        (infos,) = yield (LibraryRead("list", (narrowed,), {"offset": offset, "limit": limit}),)
    shown = _entries(infos, most_characters - FRAME_CHARACTERS)
    result: Result = {"success": True, "total": total, "documents": shown}
    is_cut = len(shown) < len(infos)
    if is_cut or (offset + len(infos) < total and "query" not in given):
        result["next_offset"] = offset + len(shown)
    if is_cut:
        result["next_steps"] = [f"Too much for one answer. Go on with offset {offset + len(shown)}."]
    return result


def _entries(infos: Sequence[DocumentInfo], most_characters: int) -> list[Result]:
    """Give the entries of as many documents as fit, at least one."""
    entries: list[Result] = []
    room = most_characters
    for info in infos:
        entry = document_entry(info, most_characters // ENTRIES_AT_LEAST)
        room -= json_size(entry) + len(", ")
        if entries and room < 0:
            break
        entries.append(entry)
    return entries


def _promising(query: str, scope: Scope, count: int) -> Navigation[list[DocumentInfo]]:
    """Documents by their best unit, then in the order of the library's shortlist."""
    result = yield from search_words(query, scope, SearchOptions(k=max(count, MOST_FOUND), unit="section"))
    order = list(dict.fromkeys(hit.doc_id for hit in result.hits if hit.score > 0))[:count]
    (listed,) = yield (LibraryRead("shortlist", (list(parse_question(query).terms), scope), {"limit": count}),)
    known = {info.doc_id: info for info in listed}
    unknown = [doc_id for doc_id in order if doc_id not in known]
    infos = (yield tuple(LibraryRead("get", (doc_id, scope)) for doc_id in unknown)) if unknown else ()
    known |= {info.doc_id: info for info in infos if info is not None}
    return [known[doc_id] for doc_id in dict.fromkeys([*order, *known]) if doc_id in known][:count]


def _get_document(given: Mapping[str, Any], scope: Scope, most_characters: int) -> Navigation[Result]:
    found = yield from find_document(given["doc_name"], scope)
    if isinstance(found, dict):
        return found
    (tree,) = yield (LibraryRead("tree", (found.doc_id, scope)),)
    document = document_entry(found, most_characters // 2) | {
        "toc_source": found.toc_source,
        "media_type": found.media_type,
    }
    if found.error:
        document["problem"] = found.error[:MOST_PROBLEM_CHARACTERS]
    result: Result = {"success": True, "document": document}
    if tree is not None:
        room = most_characters - json_size(document) - FRAME_CHARACTERS
        shown = structure_parts(tree.sections, depth=1, summaries=False, part_characters=room)[0]
        document["outermost_sections"] = shown
        if len(shown) < len(tree.sections):
            document["outermost_sections_total"] = len(tree.sections)
            result["next_steps"] = [_step_to_the_rest(tree, len(shown), most_characters)]
    return result


def _step_to_the_rest(tree: PageTree, shown: int, most_characters: int) -> str:
    """Say which part of the structure begins with, or holds, the first outermost section that is not shown."""
    parts = structure_parts(tree.sections, depth=1, summaries=False, part_characters=most_characters)
    first = tree.sections[shown].node_id
    part = next(number for number, nodes in enumerate(parts, start=1) if any(n["node_id"] == first for n in nodes))
    return (
        f"{shown} of {len(tree.sections)} outermost sections are shown. The others: get_document_structure with "
        f"depth 1, summaries false, part {part}{' and on' if part < len(parts) else ''}."
    )


def _get_document_structure(given: Mapping[str, Any], scope: Scope, most_characters: int) -> Navigation[Result]:
    found = yield from find_document(given["doc_name"], scope)
    if isinstance(found, dict):
        return found
    (tree,) = yield (LibraryRead("tree", (found.doc_id, scope)),)
    if tree is None:
        return _not_ready(found)
    sections: tuple[Section, ...] | None = tree.sections
    if "node_id" in given:
        sections = _subtree(tree, given["node_id"])
        if sections is None:
            return _unknown_node(tree, found, given["node_id"])
    parts = structure_parts(
        sections or (),
        depth=given.get("depth"),
        summaries=given.get("summaries", True),
        part_characters=most_characters,
    )
    part = given.get("part", 1)
    result: Result = {"success": True, "doc_id": found.doc_id, "doc_name": found.name, "page_count": found.page_count}
    if part > len(parts):
        result["note"] = f"There are {len(parts)} parts; this is the last one."
        part = len(parts)
    result |= {"part": part, "parts": len(parts), "structure": parts[part - 1]}
    if part < len(parts):
        result["next_steps"] = [f"Ask for part {part + 1}, or for less with depth or node_id."]
    return result


def _find_in_document(given: Mapping[str, Any], scope: Scope, most_characters: int) -> Navigation[Result]:
    found = yield from find_document(given["doc_name"], scope)
    if isinstance(found, dict):
        return found
    only = replace(scope, documents=(found.doc_id,))
    limit = min(given.get("limit", DEFAULT_FOUND), MOST_FOUND)
    if given.get("exact"):
        from pageindex_core.search.exact import search_exactly

        result = yield from search_exactly(given["query"], only, SearchOptions(k=limit, mode="phrase"))
    else:
        result = yield from search_words(given["query"], only, SearchOptions(k=limit, fill=False))
    places = found_places(result.hits, given["query"], most_characters - FRAME_CHARACTERS)
    answer: Result = {"success": True, "doc_id": found.doc_id, "doc_name": found.name, "places": places}
    cut = [note.message for note in result.notes if note.code == "search_cut"]
    if cut:
        answer["note"] = " ".join(cut)
    if not places and cut:
        answer["next_steps"] = [
            "Nothing was found before the search was cut, so these words may stand further on. Search without exact, "
            "for a rarer phrase, or look at the structure."
        ]
    elif not places:
        answer["next_steps"] = ["Nothing holds these words. Try other words for the same thing, or the structure."]
    elif len(places) < len(result.hits):
        answer["next_steps"] = [
            f"Too much for one answer: the best {len(places)} of {len(result.hits)} places are given. Read these first."
        ]
    return answer


def _get_page_content(given: Mapping[str, Any], scope: Scope, most_characters: int) -> Navigation[Result]:
    found = yield from find_document(given["doc_name"], scope)
    if isinstance(found, dict):
        return found
    asked = given["pages"]
    try:
        numbers, missing = select_pages(asked, [None] * found.page_count)
    except OptionError as error:
        return failure(error.what, "bad_pages", f"Write pages as {PAGE_FORMS}.")
    if not numbers:
        return failure(
            f"{found.name} has no page {asked}.",
            "no_such_page",
            f"It has pages 1 to {found.page_count}.",
            "Look for the right pages with get_document_structure or find_in_document.",
        )
    (pages,) = yield (LibraryRead("pages", (found.doc_id, numbers, scope)),)
    if not pages:
        return _not_ready(found)
    offset, length = given.get("offset", 0), len(pages[0].text)
    if offset and offset >= length:
        return failure(
            f"Page {numbers[0]} of {found.name} has {length} characters; none is at offset {offset}.",
            "no_such_offset",
            "Leave offset out, or pass the one that the answer before told.",
        )
    portion = page_portion(pages, offset, max(most_characters - FRAME_CHARACTERS, FRAME_CHARACTERS))
    result: Result = {"success": True, "doc_id": found.doc_id, "doc_name": found.name, "page_count": found.page_count}
    result["pages"] = portion.pages
    notes = []
    if missing:
        notes.append(
            _short(f"Not all of {', '.join(missing)} is there: the document has pages 1 to {found.page_count}.")
        )
    last = portion.pages[-1]
    if portion.next_offset:
        notes.append(
            f"Page {last['page']} is too long for one answer: it is given up to character {last['to_character']} of "
            f"{last['characters']}."
        )
    if notes:
        result["note"] = " ".join(notes)
    if portion.rest:
        further = f" with offset {portion.next_offset}" if portion.next_offset else ""
        result["next_steps"] = [f"Too much for one answer. Ask for pages {_ranges(portion.rest)}{further} next."]
    return result


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any], Scope, int], Navigation[Result]]] = {
    "browse_documents": _browse_documents,
    "get_document": _get_document,
    "get_document_structure": _get_document_structure,
    "find_in_document": _find_in_document,
    "get_page_content": _get_page_content,
}


# What they give


def _not_ready(info: DocumentInfo) -> Result:
    reason = f" ({info.error})" if info.error else ""
    return failure(
        f"{info.name} cannot be read yet.",
        "not_ready",
        f"Its status is {info.status}{reason}.",
        "Take another document.",
    )


def _subtree(tree: PageTree, asked: str) -> tuple[Section, ...] | None:
    """Find a section by its id, by the id with its leading zeros left out, or by a title that only it has."""
    wanted = asked.strip().strip("[]")
    sections = list(tree.walk())
    for section in sections:
        if section.node_id == wanted or (wanted.isdigit() and section.node_id == wanted.zfill(4)):
            return (section,)
    titled = [section for section in sections if section.title.casefold() == wanted.casefold()]
    return (titled[0],) if len(titled) == 1 else None


def _unknown_node(tree: PageTree, info: DocumentInfo, asked: str) -> Result:
    titles = {section.title.casefold(): f"{section.node_id} ({section.title})" for section in tree.walk()}
    close = difflib.get_close_matches(asked.casefold(), titles, n=_SUGGESTIONS, cutoff=0.5)
    steps = [f"The closest titles are {', '.join(titles[title] for title in close)}."] if close else []
    return failure(
        f"{info.name} has no section {asked!r}.",
        "unknown_node",
        *steps,
        "Use a node_id from get_document_structure; leave it out for the whole.",
    )


def _ranges(numbers: list[int]) -> str:
    """Write rising numbers as "4-7,9"."""
    parts: list[str] = []
    first = last = numbers[0]
    for number in [*numbers[1:], -1]:
        if number == last + 1:
            last = number
            continue
        parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = number
    return ",".join(parts)
