"""The tools that agents read documents with: the same contract for every host.

::

    tools = DocumentTools(library, scope=Scope(folder="/reports"))
    tools.get_page_content("annual.pdf", "5-7")          # as a function
    openai_tools()                                        # as definitions for a host that calls by name,
    tools.call("get_page_content", '{"doc_name": …}')     # and what to do with its calls

Calls never raise for what the caller did: each gives ``{"success": true, …}`` or ``{"error", "error_code",
"next_steps"}``. The scope is enforced here and not in a prompt. Removing documents is off unless switched on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pageindex_core.errors import LibraryError, OptionError
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.llm.protocol import Tool
from pageindex_core.records import Scope
from pageindex_core.search.navigate import Navigation, arun, on_worker, run
from pageindex_core.search.tools.arguments import read_arguments
from pageindex_core.search.tools.contract import MANAGING_TOOLS, READING_TOOLS, REMOVE_DOCUMENT
from pageindex_core.search.tools.toolbox import Result, answer_call, as_text, failure, find_document

__all__ = ["DocumentTools", "anthropic_tools", "as_text", "openai_tools", "tool_specs"]


def tool_specs(*, management: bool = False) -> tuple[Tool, ...]:
    """Give the tools: name, description and JSON schema of the arguments of each."""
    return READING_TOOLS + MANAGING_TOOLS if management else READING_TOOLS


def openai_tools(*, management: bool = False) -> list[dict[str, Any]]:
    """Give the tools as OpenAI's chat completions take them."""
    return [tool.as_function() for tool in tool_specs(management=management)]


def anthropic_tools(*, management: bool = False) -> list[dict[str, Any]]:
    """Give the tools as Anthropic's messages take them."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in tool_specs(management=management)
    ]


class DocumentTools:
    """The tools over one library, within one scope. Safe to call from several threads and tasks.

    Args:
        library: Where the documents are.
        scope: What may be seen; no call can leave it.
        management: Whether documents may be removed.

    Raises:
        OptionError: ``scope`` is no scope.
    """

    def __init__(self, library: Library, *, scope: Scope = ALL, management: bool = False) -> None:
        if not isinstance(scope, Scope):
            raise OptionError(
                f"scope={scope!r} is no scope.",
                "What may be seen has to be said, so that nothing is shown by mistake.",
                'Pass Scope() for everything, or Scope(documents=("report.pdf",)), Scope(folder="/reports").',
            )
        self._library = library
        self._scope = scope
        self._management = management

    def specs(self, names: Iterable[str] | None = None) -> tuple[Tool, ...]:
        """Give the tools that are switched on: all, or those of these names.

        Raises:
            OptionError: no such tool, or one that is not switched on.
        """
        known = {tool.name: tool for tool in tool_specs(management=self._management)}
        wanted = list(known if names is None else names)
        if unknown := [name for name in wanted if name not in known]:
            raise OptionError(
                f"{', '.join(unknown)}: no such tool.",
                f"Tools are {', '.join(known)}.",
                "remove_document is there with management=True alone.",
            )
        return tuple(known[name] for name in wanted)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Result:
        """Answer a call by name.

        Args:
            name: Of the tool.
            arguments: An object, or its JSON text as a model wrote it, broken or not.
        """
        if name == REMOVE_DOCUMENT.name and self._management:
            return self._remove(arguments)
        return run(answer_call(name, arguments, self._scope), self._library)

    async def acall(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Result:
        """Do what ``call`` does, without blocking the event loop."""
        if name == REMOVE_DOCUMENT.name and self._management:
            return await on_worker(self._remove, arguments)
        return await arun(answer_call(name, arguments, self._scope), self._library)

    def browse_documents(
        self, query: str | None = None, folder: str | None = None, offset: int = 0, limit: int | None = None
    ) -> Result:
        """List documents by name, or the most promising for a query."""
        return self.call("browse_documents", {"query": query, "folder": folder, "offset": offset, "limit": limit})

    def get_document(self, doc_name: str) -> Result:
        """Tell what is known of one document."""
        return self.call("get_document", {"doc_name": doc_name})

    def get_document_structure(
        self,
        doc_name: str,
        node_id: str | None = None,
        depth: int | None = None,
        part: int = 1,
        summaries: bool = True,
    ) -> Result:
        """Give the sections of a document: all, below one of them, down to a depth, in parts where it is long."""
        given = {"doc_name": doc_name, "node_id": node_id, "depth": depth, "part": part, "summaries": summaries}
        return self.call("get_document_structure", given)

    def find_in_document(self, doc_name: str, query: str, exact: bool = False, limit: int | None = None) -> Result:
        """Find places in a document by words, or by a phrase as it stands."""
        given = {"doc_name": doc_name, "query": query, "exact": exact, "limit": limit}
        return self.call("find_in_document", given)

    def get_page_content(self, doc_name: str, pages: str, offset: int = 0) -> Result:
        """Give the text of pages: "5", "3,7,10", "5-10", "1-3,7,9-12"; of the first, what follows ``offset``."""
        return self.call("get_page_content", {"doc_name": doc_name, "pages": pages, "offset": offset})

    def remove_document(self, doc_name: str) -> Result:
        """Remove a document, where management is switched on."""
        return self.call("remove_document", {"doc_name": doc_name})

    def _remove(self, arguments: Mapping[str, Any] | str | None) -> Result:
        try:
            name = read_arguments(REMOVE_DOCUMENT, arguments)["doc_name"]
            found = run(self._find(name), self._library)
            if isinstance(found, dict):
                return found
            removed = self._library.remove(found.doc_id, self._scope)
        except OptionError as error:
            return failure(error.what, "bad_arguments", error.remedy)
        except LibraryError as error:
            return failure(error.what, "library_failed", *(part for part in (error.why, error.remedy) if part))
        return {"success": True, "removed": {"doc_id": removed.doc_id, "doc_name": removed.name}}

    def _find(self, name: str) -> Navigation[Any]:
        return find_document(name, self._scope)
