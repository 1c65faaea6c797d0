"""The tools that agents are given: never raising, never leaving their scope, helpful about slips."""

from __future__ import annotations

import json
from typing import Any

import pytest

from large_trees import large_document
from pageindex_core.errors import OptionError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages
from pageindex_core.records import Scope
from pageindex_core.search.tools.structure_parts import structure_parts
from pageindex_core.tools import DocumentTools, anthropic_tools, openai_tools, tool_specs
from written_documents import write_pages

MANUAL = [
    "# Safety\nKeep hands away from the blade.",
    "# Maintenance\n## Filters\nWash the filter every 40 hours.\n## Belts\nReplace worn belts.",
    "# Specifications\nMotor power 2.2 kW",
    "Noise level 78 dB",
]


@pytest.fixture
def library() -> Library:
    """Two manuals, one of them in a folder of its own."""
    library = open_library(None)
    index_pages(write_pages("saw.pdf", MANUAL, metadata={"year": 2024}), library, folder="/open")
    index_pages(write_pages("rocket.pdf", ["# Fuel\nFuel is stored in tank 7."]), library, folder="/secret")
    return library


@pytest.fixture
def tools(library: Library) -> DocumentTools:
    return DocumentTools(library)


@pytest.fixture
def narrow(library: Library) -> DocumentTools:
    """Tools that may see the folder /open alone."""
    return DocumentTools(library, scope=Scope(folder="/open"))


def pages_of(result: dict[str, Any]) -> list[int]:
    return [page["page"] for page in result["pages"]]


def is_failure(result: dict[str, Any], code: str) -> bool:
    return set(result) == {"error", "error_code", "next_steps"} and result["error_code"] == code


# What they give


def test_documents_are_listed_with_what_they_are(tools: DocumentTools) -> None:
    """Name, id, pages, folder and metadata: what is needed to choose one and to open it."""
    result = tools.browse_documents()
    assert result["success"] is True
    assert result["total"] == 2
    assert [one["doc_name"] for one in result["documents"]] == ["rocket.pdf", "saw.pdf"]
    assert result["documents"][1]["page_count"] == 4
    assert result["documents"][1]["metadata"] == {"year": 2024}


def test_long_lists_come_in_pages(tools: DocumentTools) -> None:
    """The next offset is told while there is more, and not after."""
    first = tools.browse_documents(limit=1)
    assert first["next_offset"] == 1
    rest = tools.browse_documents(offset=1)
    assert [one["doc_name"] for one in rest["documents"]] == ["saw.pdf"]
    assert "next_offset" not in rest


def test_a_query_puts_the_promising_document_first(tools: DocumentTools) -> None:
    """Documents are ordered by what they hold of the words."""
    assert tools.browse_documents(query="wash the filter")["documents"][0]["doc_name"] == "saw.pdf"
    assert tools.browse_documents(query="fuel tank")["documents"][0]["doc_name"] == "rocket.pdf"


def test_the_structure_is_the_tree(tools: DocumentTools) -> None:
    """Sections with ids and pages, nested, in the keys of the tree's own JSON."""
    result = tools.get_document_structure("saw.pdf", summaries=False)
    assert (result["part"], result["parts"]) == (1, 1)
    assert [node["title"] for node in result["structure"]] == ["Safety", "Maintenance", "Specifications"]
    assert result["structure"][1]["nodes"][0] == {
        "node_id": "0002",
        "title": "Filters",
        "start_index": 2,
        "end_index": 2,
    }


def test_the_structure_can_be_cut_by_depth_and_by_subtree(tools: DocumentTools) -> None:
    """A cut says how many sections lie below it; a subtree begins with its own section."""
    shallow = tools.get_document_structure("saw.pdf", depth=1)["structure"]
    assert shallow[1]["sections_below"] == 2
    assert "nodes" not in shallow[1]
    below = tools.get_document_structure("saw.pdf", node_id="0001")["structure"]
    assert [node["title"] for node in below] == ["Maintenance"]
    assert [node["title"] for node in below[0]["nodes"]] == ["Filters", "Belts"]


def test_a_long_structure_comes_in_parts_that_hosts_accept() -> None:
    """Each part is under 95,000 characters of JSON and together they hold every section once, in order."""
    library = open_library(None)
    index_pages(large_document((9, 20, 15), 3, {}), library)
    tools = DocumentTools(library)
    first = tools.get_document_structure("large.pdf")
    parts = [
        first,
        *(tools.get_document_structure("large.pdf", part=number) for number in range(2, first["parts"] + 1)),
    ]
    assert first["parts"] > 2

    def ids(nodes: list[dict[str, Any]]) -> list[str]:
        own = []
        for node in nodes:
            own += [] if node.get("continued") else [node["node_id"]]
            own += ids(node.get("nodes", []))
        return own

    found = [ident for part in parts for ident in ids(part["structure"])]
    tree = library.tree(first["doc_id"])
    assert found == [section.node_id for section in tree.walk()]
    assert all(len(json.dumps(part["structure"], ensure_ascii=False)) <= 95_000 for part in parts)
    assert all(len(json.dumps(part["structure"], ensure_ascii=False)) > 80_000 for part in parts[:-1])


def test_a_part_repeats_what_it_hangs_below() -> None:
    """A part that begins in the middle of a chapter names the chapter, marked as continued."""
    library = open_library(None)
    index_pages(large_document((2, 3), 1, {}), library)
    tree = library.tree(library.list()[0].doc_id)
    parts = structure_parts(tree.sections, summaries=False, part_characters=300)
    assert len(parts) > 2
    assert parts[1][0]["continued"] is True
    assert parts[1][0]["title"] == tree.sections[0].title
    assert parts[1][0]["nodes"]


def test_words_and_phrases_are_found_with_their_lines(tools: DocumentTools) -> None:
    """A place names its section, pages and the lines that match; a phrase is found as it stands or not at all."""
    place = tools.find_in_document("saw.pdf", "wash filter")["places"][0]
    assert place["section_path"] == ["Maintenance", "Filters"]
    assert place["lines"] == ["Wash the filter every 40 hours."]
    assert place["best_pages"] == [2]
    assert tools.find_in_document("saw.pdf", "filter every 40", exact=True)["places"]
    assert tools.find_in_document("saw.pdf", "every filter 40", exact=True)["places"] == []


def test_nothing_found_is_a_success_that_says_what_to_try(tools: DocumentTools) -> None:
    """An empty list is no error, and comes with a hint."""
    result = tools.find_in_document("saw.pdf", "zeppelin")
    assert result["success"] is True
    assert result["places"] == []
    assert "other words" in result["next_steps"][0]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("3", [3]),
        ("1,3,4", [1, 3, 4]),
        ("2-4", [2, 3, 4]),
        ("1-2,4", [1, 2, 4]),
        (3, [3]),
        ([1, 3], [1, 3]),
        ("pages 2 to 3", [2, 3]),
        ("p. 4", [4]),
        ("4-2", [2, 3, 4]),
        ("[2]", [2]),
        ("1–2", [1, 2]),
        ("2..3", [2, 3]),
        (2.0, [2]),
        ({"start": 1, "end": 2}, [1, 2]),
        ("3-9", [3, 4]),
    ],
)
def test_pages_are_read_in_every_form_that_is_meant(tools: DocumentTools, asked: object, given: list[int]) -> None:
    """The four forms, and the slips that models make with them."""
    assert pages_of(tools.call("get_page_content", {"doc_name": "saw.pdf", "pages": asked})) == given


def test_pages_past_the_end_are_explained(tools: DocumentTools) -> None:
    """What exists is given with a note; where nothing does, the answer says how many pages there are."""
    assert "pages 1 to 4" in tools.get_page_content("saw.pdf", "4-9")["note"]
    result = tools.get_page_content("saw.pdf", "12")
    assert is_failure(result, "no_such_page")
    assert "1 to 4" in result["next_steps"][0]


def test_the_text_is_given_as_it_was_read(tools: DocumentTools) -> None:
    """Page text is complete, line by line, with its number."""
    (page,) = tools.get_page_content("saw.pdf", "1")["pages"]
    assert page == {"page": 1, "page_label": None, "text": "Safety\nKeep hands away from the blade."}


def test_too_much_text_comes_in_portions() -> None:
    """A portion stays under the limit and says which pages come next."""
    library = open_library(None)
    index_pages(write_pages("long.pdf", ["# A\n" + "word " * 8_000] * 5), library)
    result = DocumentTools(library).get_page_content("long.pdf", "1-5")
    assert pages_of(result) == [1, 2]
    assert result["next_steps"] == ["Too much for one answer. Ask for pages 3-5 next."]
    assert len(json.dumps(result)) < 95_000


# Slips


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_document", {}, "bad_arguments"),
        ("get_document", None, "bad_arguments"),
        ("get_document", "", "bad_arguments"),
        ("get_document", "[1, 2]", "bad_arguments"),
        ("get_document", '{"doc_name": ', "bad_arguments"),
        ("get_document", {"doc_name": {"a": 1}}, "bad_arguments"),
        ("get_document", {"doc_name": "no such.pdf"}, "unknown_document"),
        ("get_document_structure", {"doc_name": "saw.pdf", "node_id": "9999"}, "unknown_node"),
        ("get_document_structure", {"doc_name": "saw.pdf", "depth": "deep"}, "bad_arguments"),
        ("get_document_structure", {"doc_name": "saw.pdf", "summaries": "perhaps"}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf"}, "bad_arguments"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": "all of them"}, "bad_pages"),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": "0"}, "no_such_page"),
        ("get_pages", {"doc_name": "saw.pdf"}, "unknown_tool"),
        ("browse_documents", {"folder": "/none", "limit": "many"}, "bad_arguments"),
        ("__class__", {}, "unknown_tool"),
        ("remove_document", {"doc_name": "saw.pdf"}, "not_allowed"),
    ],
)
def test_what_cannot_be_meant_is_explained_and_never_raised(
    tools: DocumentTools, name: str, arguments: Any, code: str
) -> None:
    """The answer has three keys and at least one step to take next."""
    result = tools.call(name, arguments)
    assert is_failure(result, code)
    assert result["next_steps"]
    json.dumps(result)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"doc_name": "saw.pdf", "summaries": "false"}',
        '{"doc_name": "saw.pdf", "summaries": "False", "depth": "null", "part": "1"}',
        "{'doc_name': 'saw.pdf', summaries: False,}",
        '```json\n{"document": "saw.pdf", "summaries": 0}\n```',
        {"doc_id": "SAW.PDF", "summaries": False, "colour": "red"},
        {"arguments": {"name": "saw", "summaries": "off"}},
    ],
)
def test_slips_are_repaired(tools: DocumentTools, arguments: Any) -> None:
    """Booleans as text, other names, another case, broken JSON and unknown keys give what was meant."""
    expected = tools.get_document_structure("saw.pdf", summaries=False)
    assert tools.call("get_document_structure", arguments) == expected


def test_leading_zeros_and_titles_name_a_section(tools: DocumentTools) -> None:
    """A section is found by its id as a number, and by a title that only it has."""
    wanted = tools.get_document_structure("saw.pdf", node_id="0002")
    assert tools.get_document_structure("saw.pdf", node_id="2") == wanted
    assert tools.get_document_structure("saw.pdf", node_id="filters") == wanted


def test_close_names_are_suggested(tools: DocumentTools) -> None:
    """A misspelt document or tool comes back with what it may have been."""
    assert "rocket.pdf" in tools.get_document("roket.pdf")["next_steps"][0]
    assert tools.call("get_page_contents", {})["next_steps"][0] == "Did you mean get_page_content?"


def test_a_name_that_two_documents_have_asks_for_an_id(library: Library, tools: DocumentTools) -> None:
    """Neither is opened by chance."""
    other = write_pages("saw.pdf", ["# Other\nText."])
    index_pages(type(other)(**{**_fields(other), "source_id": "/else/saw.pdf"}), library)
    result = tools.get_document("saw.pdf")
    assert is_failure(result, "ambiguous_document")
    assert library.list()[1].doc_id in result["next_steps"][0]


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


# Scope and management


@pytest.mark.parametrize("call", ["get_document", "get_document_structure"])
def test_a_document_outside_the_scope_does_not_exist(narrow: DocumentTools, library: Library, call: str) -> None:
    """By name, id or source it is as unknown as one that was never there, and it is not suggested."""
    outside = library.get("rocket.pdf")
    for name in (outside.name, outside.doc_id, outside.source_id, "roket.pdf"):
        result = narrow.call(call, {"doc_name": name})
        assert is_failure(result, "unknown_document")
        assert "rocket.pdf" not in " ".join(result["next_steps"])


def test_no_tool_looks_outside_its_scope(narrow: DocumentTools) -> None:
    """Listing, searching and reading show the allowed folder alone, whatever folder is asked for."""
    assert narrow.browse_documents()["total"] == 1
    assert narrow.browse_documents(query="fuel tank")["documents"][0]["doc_name"] == "saw.pdf"
    assert is_failure(narrow.browse_documents(folder="/secret"), "unknown_folder")
    assert is_failure(narrow.browse_documents(folder="/"), "unknown_folder") is False
    assert is_failure(narrow.get_page_content("rocket.pdf", "1"), "unknown_document")
    assert is_failure(narrow.find_in_document("rocket.pdf", "fuel"), "unknown_document")


def test_removing_works_only_where_it_is_switched_on(library: Library) -> None:
    """Without management the document stays; with it the document goes, within the scope."""
    assert is_failure(DocumentTools(library).remove_document("saw.pdf"), "not_allowed")
    assert library.count() == 2
    manager = DocumentTools(library, scope=Scope(folder="/open"), management=True)
    assert is_failure(manager.remove_document("rocket.pdf"), "unknown_document")
    assert manager.remove_document("saw.pdf")["removed"]["doc_name"] == "saw.pdf"
    assert [info.name for info in library.list()] == ["rocket.pdf"]


def test_a_library_that_fails_is_told_as_such(library: Library, tmp_path: Any) -> None:
    """A read-only store and a broken one end in an answer, not in an exception."""
    stored = open_library(tmp_path / "store")
    index_pages(write_pages("saw.pdf", MANUAL), stored)
    stored.close()
    read_only = open_library(tmp_path / "store", read_only=True)
    result = DocumentTools(read_only, management=True).remove_document("saw.pdf")
    assert is_failure(result, "library_failed")
    assert read_only.count() == 1


# Definitions


@pytest.mark.parametrize("management", [False, True])
def test_definitions_name_the_same_tools_for_every_host(management: bool) -> None:
    """OpenAI's, Anthropic's and our own definitions agree, and removing is among them only when switched on."""
    specs = tool_specs(management=management)
    names = [tool.name for tool in specs]
    assert ("remove_document" in names) is management
    assert [tool["function"]["name"] for tool in openai_tools(management=management)] == names
    assert [tool["name"] for tool in anthropic_tools(management=management)] == names
    for tool, theirs in zip(specs, anthropic_tools(management=management), strict=True):
        assert theirs["input_schema"] == tool.parameters
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])


def test_each_tool_is_also_a_plain_function(tools: DocumentTools) -> None:
    """A method of the same name takes the same arguments and gives the same."""
    for spec in tool_specs(management=True):
        assert callable(getattr(tools, spec.name))
    called = tools.call("get_page_content", '{"doc_name": "saw.pdf", "pages": "2"}')
    assert tools.get_page_content("saw.pdf", "2") == called


def test_tools_can_be_chosen_by_name(tools: DocumentTools) -> None:
    """In the order of the names; what is unknown, or not switched on, is refused with what there is."""
    chosen = tools.specs(["get_page_content", "browse_documents"])
    assert [tool.name for tool in chosen] == ["get_page_content", "browse_documents"]
    assert tools.specs([]) == ()
    with pytest.raises(OptionError, match=r"remove_document, look: no such tool\. Tools are browse_documents"):
        tools.specs(["remove_document", "get_document", "look"])


async def test_async_calls_give_the_same(tools: DocumentTools, library: Library) -> None:
    """Every tool, removal included, answers alike without blocking the loop."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("browse_documents", {}),
        ("get_document", {"doc_name": "saw"}),
        ("find_in_document", {"doc_name": "saw.pdf", "query": "belts"}),
        ("get_page_content", {"doc_name": "saw.pdf", "pages": "9"}),
        ("remove_document", {"doc_name": "saw.pdf"}),
    ]
    for name, arguments in calls:
        assert await tools.acall(name, arguments) == tools.call(name, arguments)
    manager = DocumentTools(library, management=True)
    assert (await manager.acall("remove_document", {"doc_name": "saw.pdf"}))["success"] is True
