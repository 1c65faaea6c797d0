"""The tools that agents are given, as every host shows them: names, what they do, what they take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pageindex_core.llm.protocol import Tool

DOCUMENT = {"type": "string", "description": "Name or doc_id of a document, as browse_documents gives it."}

PAGE_FORMS = '"5", "3,7,10", "5-10" or "1-3,7,9-12"'


def _tool(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> Tool:
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name, description, parameters)


BROWSE_DOCUMENTS = _tool(
    "browse_documents",
    "List the documents that can be read, with what each is about. Give a query to see the most promising first.",
    query={"type": "string", "description": "Words to look for; leave it out to list by name."},
    folder={"type": "string", "description": 'Only this folder and what is below, such as "/reports".'},
    offset={"type": "integer", "description": "How many to skip, for long lists.", "minimum": 0},
    limit={"type": "integer", "description": "How many to give, at most 100.", "minimum": 1},
)
GET_DOCUMENT = _tool(
    "get_document",
    "Tell what is known of one document: pages, description, folder, metadata, outermost sections.",
    ("doc_name",),
    doc_name=DOCUMENT,
)
GET_DOCUMENT_STRUCTURE = _tool(
    "get_document_structure",
    "Give the sections of a document with node_id, title, first and last page, and a summary. Long structures come in "
    "parts; depth and node_id show less of them.",
    ("doc_name",),
    doc_name=DOCUMENT,
    node_id={"type": "string", "description": "Only this section and what is below it."},
    depth={"type": "integer", "description": "How many levels to show; leave it out for all.", "minimum": 1},
    part={"type": "integer", "description": "Which part to give, from 1.", "minimum": 1},
    summaries={"type": "boolean", "description": "Whether to give the summaries; false saves room."},
)
FIND_IN_DOCUMENT = _tool(
    "find_in_document",
    "Find the sections and pages of a document that hold words or an exact phrase, best first, with the lines that "
    "match. Try other words for the same thing where nothing fits.",
    ("doc_name", "query"),
    doc_name=DOCUMENT,
    query={"type": "string", "description": "Words, or the phrase."},
    exact={"type": "boolean", "description": "Whether the query is a phrase to be found as it stands."},
    limit={"type": "integer", "description": "How many places to give, at most 20.", "minimum": 1},
)
GET_PAGE_CONTENT = _tool(
    "get_page_content",
    f"Give the text of pages, by physical page number: {PAGE_FORMS}. Ask for few pages at a time. A page that is too "
    "long for one answer is cut, and the answer says with which offset it goes on.",
    ("doc_name", "pages"),
    doc_name=DOCUMENT,
    pages={"type": "string", "description": f"Page numbers: {PAGE_FORMS}."},
    offset={
        "type": "integer",
        "description": "Characters of the first page to skip, to go on with a page that was cut.",
        "minimum": 0,
    },
)
REMOVE_DOCUMENT = _tool(
    "remove_document",
    "Remove a document from the library. This cannot be undone.",
    ("doc_name",),
    doc_name=DOCUMENT,
)

READING_TOOLS = (BROWSE_DOCUMENTS, GET_DOCUMENT, GET_DOCUMENT_STRUCTURE, FIND_IN_DOCUMENT, GET_PAGE_CONTENT)
MANAGING_TOOLS = (REMOVE_DOCUMENT,)
"""Offered and run only where management is switched on."""
