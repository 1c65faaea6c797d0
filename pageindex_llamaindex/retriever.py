"""``PageIndexRetriever``: the core's search as a LlamaIndex retriever, with or without an index around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.constants import DEFAULT_SIMILARITY_TOP_K
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import Document, NodeWithScore, QueryBundle, QueryType
from llama_index.core.vector_stores.types import MetadataFilters

from pageindex_core.holdings.parts import PartMap
from pageindex_core.holdings.selection import Selection
from pageindex_core.library import AnyLibrary, as_library
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, NavigationOptions, SearchOptions, check_one_of
from pageindex_core.passages import as_store
from pageindex_core.records import Hit, Paths, Scope, SearchResult, Unit
from pageindex_core.search import Shortlist, astream_search, stream_search
from pageindex_llamaindex.filters import plan_filters
from pageindex_llamaindex.navigation import Navigation, dispatcher, tell
from pageindex_llamaindex.nodes import to_node, unit_metadata
from pageindex_llamaindex.vectors import VectorPassages

if TYPE_CHECKING:
    from pageindex_core.llm import Budget

RetrieverMode = Literal["lexical", "phrase", "regex", "tree", "agent", "hybrid"]
"""``lexical`` ranks by words, ``hybrid`` by words and ``vectors``; ``phrase`` and ``regex`` find what is written.
``tree`` lets a model choose from a map of sections; ``agent`` lets one read with tools until it has found enough."""

_TOOL_PREFIX = re.compile(r"^\s*\n\s*input is (.*)$", re.DOTALL)
"""What ``RetrieverTool`` and ``QueryEngineTool`` put before an agent's question."""


class PageIndexRetriever(BaseRetriever):
    """Retrieves sections of documents, each with its section path and pages, without embeddings and without a model.

    ::

        retriever = PageIndexRetriever.from_files("manual.pdf", similarity_top_k=5)
        for found in retriever.retrieve("How often is the filter replaced?"):
            print(found.score, found.node.metadata["section_path"], found.node.metadata["page_label"])

    Args:
        library: What is searched.
        similarity_top_k: How many nodes; the framework's default, so that a retriever can be swapped and the prompts
            stay as long as they were.
        filters: Tests on metadata, nested as you like.
        doc_ids: Only these documents, by ``ref_doc_id``, source, document id or name.
        node_ids: Only these nodes, by the ids that retrieval returns or by ids of stored nodes.
        unit: What is returned: leaf sections and windows of long ones (``auto``), ``section``, ``window``, ``page``.
        max_tokens: Cut each text to about this many tokens around its best lines.
        retriever_mode: How it is searched; ``tree`` and ``agent`` need a model, ``hybrid`` needs ``vectors``.
        llm: The model of ``tree`` and ``agent``: an LLM of the framework, a model of the core, or a LiteLLM name. None
            takes ``Settings.llm`` when a search runs.
        budget: The most that one question may spend on a model.
        navigation: How the model finds its way, and by which prompts.
        vectors: A ``VectorStoreIndex`` or retriever over the same documents, or ``VectorPassages`` with the store's
            filter. In the other modes than ``hybrid`` it chooses what is read in.
        shortlist: What it then chooses: ``documents``, or ``pages`` for ``lexical``.
        parts: Which framework documents the library's documents consist of; the index provides it.
        callback_manager: The framework's callbacks.
        verbose: As in the framework's retrievers; there is nothing to print.

    Raises:
        OptionError: an argument that cannot be meant.
        FilterError: filters of an unknown shape.
    """

    def __init__(
        self,
        library: Library,
        *,
        similarity_top_k: int = DEFAULT_SIMILARITY_TOP_K,
        filters: MetadataFilters | None = None,
        doc_ids: Sequence[str] | None = None,
        node_ids: Sequence[str] | None = None,
        unit: Unit = "auto",
        max_tokens: int | None = None,
        retriever_mode: RetrieverMode = "lexical",
        llm: Any = None,
        budget: Budget | None = None,
        navigation: NavigationOptions | None = None,
        vectors: Any = None,
        shortlist: Shortlist = "documents",
        parts: PartMap | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        check_one_of("retriever_mode", retriever_mode, get_args(RetrieverMode))
        is_exact = retriever_mode in ("phrase", "regex")
        self.similarity_top_k = similarity_top_k
        self._library = library
        self._how: dict[str, Any] = {
            "unit": unit,
            "max_tokens": max_tokens,
            "mode": retriever_mode if is_exact else "words",
            "navigator": "lexical" if is_exact else retriever_mode,
            "vectors": as_store(vectors, VectorPassages),
            "shortlist": shortlist,
        }
        SearchOptions(similarity_top_k, unit, max_tokens)  # refuses now what every search would refuse
        self._navigation = Navigation(retriever_mode, llm, budget, navigation)
        self._where, self._passes = plan_filters(filters)
        self._selection = Selection(doc_ids, node_ids)
        self._parts = parts or PartMap()
        super().__init__(callback_manager, verbose=verbose)

    @classmethod
    def from_library(cls, library: AnyLibrary, **kwargs: Any) -> PageIndexRetriever:
        """Retrieve from a library, or from the folder of one. Further arguments are those of the constructor."""
        return cls(as_library(library), **kwargs)

    @classmethod
    def from_files(
        cls, paths: Paths, *, library: AnyLibrary | None = None, options: IndexOptions | None = None, **kwargs: Any
    ) -> PageIndexRetriever:
        """Index files, folders and globs, into memory if no library is given, and retrieve from them.

        Raises:
            InputError: none of the files could be read.
        """
        from pageindex_llamaindex.index import PageIndex  # the index imports this module

        return PageIndex.from_files(paths, library=library, options=options).as_retriever(**kwargs)

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[Document],
        *,
        library: AnyLibrary | None = None,
        options: IndexOptions | None = None,
        **kwargs: Any,
    ) -> PageIndexRetriever:
        """Index documents that a reader has loaded, one per page or one per file, and retrieve from them."""
        from pageindex_llamaindex.index import PageIndex  # the index imports this module

        return PageIndex.from_documents(documents, library=library, options=options).as_retriever(**kwargs)

    @dispatcher.span
    def search(self, query: QueryType) -> SearchResult:
        """Answer as ``retrieve`` does, with all that nodes do not carry: quotes, boxes on the page, and the trace.

        Raises:
            QuestionError: the question is empty.
            OptionError: the mode needs a model, and there is none.
        """
        for told in stream_search(self._library, question_of(query), **self._arguments()):
            tell(told)
        assert isinstance(told, SearchResult)  # the last thing told
        return told

    @dispatcher.span
    async def asearch(self, query: QueryType) -> SearchResult:
        """Answer as ``search`` does, and leave the event loop free meanwhile."""
        async for told in astream_search(self._library, question_of(query), **self._arguments()):
            tell(told)
        assert isinstance(told, SearchResult)
        return told

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._to_nodes(self.search(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._to_nodes(await self.asearch(query_bundle))

    def _get_prompts(self) -> PromptDictType:
        return self._navigation.prompts()

    def _update_prompts(self, prompts: PromptDictType) -> None:
        self._navigation.update_prompts(prompts)

    def _to_nodes(self, result: SearchResult) -> list[NodeWithScore]:
        return [to_node(hit, self._parts.of_hit(hit)) for hit in result.hits]

    def _arguments(self) -> dict[str, Any]:
        """Give the arguments of a search for one question, which change with the index and with ``Settings.llm``."""
        tests_hits = self._passes is not None or not self._selection.is_all
        return {
            **self._how,
            **self._navigation.arguments(),
            "k": self.similarity_top_k,
            "scope": Scope(documents=self._selection.documents_in(self._parts), where=self._where),
            "keep": self._is_wanted if tests_hits else None,
        }

    def _is_wanted(self, hit: Hit) -> bool:
        is_selected = self._selection.holds(hit, self._parts.of_hit(hit))
        return is_selected and (self._passes is None or self._passes(unit_metadata(hit)))


def question_of(query: QueryType) -> str:
    """Give the question of a string or bundle, without what the framework's tools put before it."""
    text = query if isinstance(query, str) else query.query_str
    wrapped = _TOOL_PREFIX.match(text)
    return (wrapped.group(1) if wrapped else text).strip()
