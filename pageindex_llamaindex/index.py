"""``PageIndex``: documents kept as page trees, behind the methods of a LlamaIndex index."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from llama_index.core import Document, StorageContext
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.callbacks import CallbackManager
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.constants import DEFAULT_SIMILARITY_TOP_K
from llama_index.core.indices.base import BaseIndex
from llama_index.core.indices.registry import INDEX_STRUCT_TYPE_TO_INDEX_CLASS
from llama_index.core.ingestion import run_transformations
from llama_index.core.llms import LLM
from llama_index.core.llms.utils import LLMType, resolve_llm
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, IndexNode, TransformComponent
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.utils import get_tqdm_iterable
from llama_index.core.vector_stores.types import MetadataFilters

import pageindex_core
from pageindex_core import holdings  # what builds trees is loaded by the first index, not with the package
from pageindex_core.errors import OptionError
from pageindex_core.holdings.parts import PartMap
from pageindex_core.library import AnyLibrary
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, ModelOptions, NavigationOptions
from pageindex_core.records import Metadata, Paths, Unit
from pageindex_core.search import Shortlist
from pageindex_core.threads import in_thread
from pageindex_llamaindex.navigation import chat_model_of
from pageindex_llamaindex.nodes import document_metadata
from pageindex_llamaindex.retriever import PageIndexRetriever, RetrieverMode
from pageindex_llamaindex.stored import NodeStore, WholeDocuments, as_piece
from pageindex_llamaindex.struct import PageIndexStruct

if TYPE_CHECKING:
    from pageindex_core.llm import Budget
    from pageindex_core.pipeline import Failure

logger = logging.getLogger(__name__)


class PageIndex(BaseIndex[PageIndexStruct]):
    """Documents kept as page trees: a LlamaIndex index that needs no embedding and no model.

    ::

        index = PageIndex.from_documents(SimpleDirectoryReader("reports").load_data())
        index.as_query_engine(similarity_top_k=4).query("What changed in 2024?")

    Without ``library`` the docstore is the truth: ``index.storage_context.persist()`` saves the index and
    ``load_index_from_storage`` rebuilds it, the same to the last box. With ``library`` that library holds the trees,
    on disk and at any size, and everything in it is searched.

    Args:
        nodes: Nodes to start with, whole documents or pages better than chunks; often ``[]``.
        objects: Not supported, since what is retrieved are sections.
        index_struct: A stored index, when loading.
        storage_context: Docstore and index store.
        callback_manager: The framework's callbacks.
        transformations: Run on whole documents (metadata extractors, say). Splitters are left out: see ``stored``.
        show_progress: Whether to show progress bars.
        library: A library, or the path of one.
        options: How documents are read and their trees built.
        llm: The model of retrievers in the modes ``tree`` and ``agent``, unless they are given another.
        index_llm: A model that finds structure and writes summaries when documents are added; a cheap one will do. It
            needs ``library``, which keeps what it wrote.
        model_options: What ``index_llm`` does, and may cost.
        **kwargs: Arguments of other indexes; logged and ignored.

    Raises:
        OptionError: ``objects``, or ``index_llm`` without ``library``.
        SchemaVersionError: the stored index was written by another version.
        LibraryError: the stored index used a library that has to be passed in again.
    """

    index_struct_cls = PageIndexStruct

    def __init__(
        self,
        nodes: Sequence[BaseNode] | None = None,
        objects: Sequence[IndexNode] | None = None,
        index_struct: PageIndexStruct | None = None,
        storage_context: StorageContext | None = None,
        callback_manager: CallbackManager | None = None,
        transformations: list[TransformComponent] | None = None,
        show_progress: bool = False,
        *,
        library: AnyLibrary | None = None,
        options: IndexOptions | None = None,
        llm: Any = None,
        index_llm: Any = None,
        model_options: ModelOptions | None = None,
        **kwargs: Any,
    ) -> None:
        if objects:
            raise OptionError("objects cannot be indexed here.", "What is retrieved are sections of documents.")
        if kwargs:
            logger.warning("PageIndex has no use for %s and ignores them.", ", ".join(sorted(kwargs)))
        storage = storage_context or StorageContext.from_defaults()
        self._struct = index_struct or PageIndexStruct()
        self._llm = llm
        self._holdings = holdings.Holdings.reopened(
            self._struct,
            NodeStore(storage, self._struct),
            PartMap.from_text(self._struct.nodes),
            library=library,
            options=options,
            model=chat_model_of(index_llm),
            model_options=model_options,
            watch=partial(_watched, show_progress),
        )
        self.failures: tuple[Failure, ...] = ()
        """The files that the last call left out because they could not be read."""
        super().__init__(
            nodes=None if nodes is None else list(nodes),
            index_struct=index_struct,
            storage_context=storage,
            callback_manager=callback_manager,
            transformations=[WholeDocuments(), *_without_splitters(transformations or [])],
            show_progress=show_progress,
        )

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[Document],
        storage_context: StorageContext | None = None,
        show_progress: bool = False,
        callback_manager: CallbackManager | None = None,
        transformations: list[TransformComponent] | None = None,
        *,
        library: AnyLibrary | None = None,
        options: IndexOptions | None = None,
        **kwargs: Any,
    ) -> Self:
        """Give an index of what a reader loaded, one ``Document`` a file or one a page.

        Documents of one file are put together in page order. Nothing is split: the tree finds the sections.
        """
        index = cls(
            [],
            storage_context=storage_context,
            callback_manager=callback_manager,
            transformations=transformations,
            show_progress=show_progress,
            library=library,
            options=options,
            **kwargs,
        )
        with index._callback_manager.as_trace("index_construction"):
            index._put(list(documents))
        return index

    @classmethod
    def from_files(
        cls,
        paths: Paths,
        storage_context: StorageContext | None = None,
        *,
        metadata: Metadata | None = None,
        skip_failures: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Give an index of files, folders and glob patterns; PDF read here keeps the layout that readers lose.

        Args:
            paths: What to index.
            storage_context: Docstore and index store.
            metadata: Attached to each document, for filters.
            skip_failures: See ``insert_files``.
            **kwargs: Further arguments of the class, such as ``library`` and ``options``.

        Raises:
            InputError: a file cannot be read, and ``skip_failures`` is off.
        """
        index = cls([], storage_context=storage_context, **kwargs)
        index.insert_files(paths, metadata=metadata, skip_failures=skip_failures)
        return index

    @classmethod
    def from_library(cls, library: AnyLibrary, **kwargs: Any) -> Self:
        """Give an index over a library that exists, filled by whatever program."""
        return cls([], library=library, **kwargs)

    @property
    def library(self) -> Library:
        """The library that is searched."""
        return self._holdings.library

    def insert_files(self, paths: Paths, *, metadata: Metadata | None = None, skip_failures: bool = False) -> None:
        """Add files, replacing those that changed; unchanged ones are left alone.

        Args:
            paths: Files, folders and glob patterns.
            metadata: Attached to each document, for filters.
            skip_failures: Leave out files that cannot be read, and name them in ``failures``.

        Raises:
            InputError: a file cannot be read, and ``skip_failures`` is off. The other files are indexed all the same.
        """
        self.failures = self._holdings.add_files(paths, metadata)
        if not skip_failures:
            pageindex_core.IndexReport(failed=self.failures).raise_failed()

    # Documents of the framework

    def insert(self, /, document: Document, **insert_kwargs: Any) -> None:
        """Add a document, or replace the one of the same id."""
        with self._callback_manager.as_trace("insert"):
            self._put([document])

    def insert_nodes(self, /, nodes: Sequence[BaseNode], **insert_kwargs: Any) -> None:
        """Add nodes made elsewhere; those of one source are read in order, as one document."""
        with self._callback_manager.as_trace("insert_nodes"):
            self._insert(nodes)

    def update_ref_doc(self, /, document: Document, **update_kwargs: Any) -> None:
        """Replace a document in place: a page keeps its position among the pages of its file."""
        with self._callback_manager.as_trace("update_ref_doc"):
            self._put([document])

    def refresh_ref_docs(self, /, documents: Sequence[Document], **update_kwargs: Any) -> list[bool]:
        """Add and replace what is new or changed, each file once; give for each document whether it was."""
        with self._callback_manager.as_trace("refresh_ref_docs"), self._holdings.changing:
            stale = self._holdings.stale(_hashes(documents))
            self._put([document for document in documents if document.id_ in stale])
            return [document.id_ in stale for document in documents]

    def delete_ref_doc(self, /, ref_doc_id: str, delete_from_docstore: bool = False, **delete_kwargs: Any) -> None:
        """Remove a document: one of the framework's by its id, a file by its path."""
        with self._holdings.changing:
            if not self._holdings.remove(ref_doc_id):
                logger.warning("ref_doc_id %s not found, nothing deleted.", ref_doc_id)
            elif delete_from_docstore:
                self.docstore.delete_ref_doc(ref_doc_id, raise_error=False)

    def delete_nodes(self, /, node_ids: list[str], delete_from_docstore: bool = False, **delete_kwargs: Any) -> None:
        """Remove stored nodes, the ids in ``ref_doc_info``; their documents are read again without them."""
        with self._holdings.changing:
            if unknown := self._holdings.unknown(node_ids):
                logger.warning("Nodes %s are not in the index, nothing deleted for them.", ", ".join(unknown))
            self._holdings.change(removed=node_ids)
            for node_id in node_ids if delete_from_docstore else ():
                self.docstore.delete_document(node_id, raise_error=False)

    # Beside keyword arguments of any name, ``self`` has to be one by place for types to follow it here.
    ainsert = in_thread(insert)
    ainsert_nodes = in_thread(insert_nodes)
    aupdate_ref_doc = in_thread(update_ref_doc)
    arefresh_ref_docs = in_thread(refresh_ref_docs)
    adelete_ref_doc = in_thread(delete_ref_doc)
    adelete_nodes = in_thread(delete_nodes)

    @property
    def ref_doc_info(self) -> dict[str, RefDocInfo]:
        """Every document with its stored nodes; one of a library that was filled elsewhere has none."""
        infos: dict[str, RefDocInfo] = {}
        for ref_id, node_ids in self._holdings.parts.by_ref().items():
            known = self.docstore.get_ref_doc_info(ref_id) or RefDocInfo()
            metadata = {key: value for key, value in known.metadata.items() if key not in holdings.LAYOUT_KEYS}
            infos[ref_id] = RefDocInfo(node_ids=node_ids, metadata=metadata)
        for info in self._holdings.library.list():
            if info.source_id not in self._holdings.parts.by_source:
                infos[info.source_id] = RefDocInfo(metadata=document_metadata(info))
        return infos

    def as_retriever(
        self,
        similarity_top_k: int = DEFAULT_SIMILARITY_TOP_K,
        filters: MetadataFilters | None = None,
        doc_ids: Sequence[str] | None = None,
        node_ids: Sequence[str] | None = None,
        retriever_mode: RetrieverMode = "lexical",
        unit: Unit = "auto",
        max_tokens: int | None = None,
        llm: Any = None,
        navigator_llm: Any = None,
        budget: Budget | None = None,
        navigation: NavigationOptions | None = None,
        vectors: Any = None,
        shortlist: Shortlist = "documents",
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
        **kwargs: Any,
    ) -> PageIndexRetriever:
        """Give a retriever; see ``PageIndexRetriever``. Engines pass all their own arguments on: ignored.

        ``navigator_llm`` goes before ``llm``, and both before the index's own: engines are given two where one model
        answers and another one navigates.
        """
        return PageIndexRetriever(
            self._holdings.library,
            similarity_top_k=similarity_top_k,
            filters=filters,
            doc_ids=doc_ids,
            node_ids=node_ids,
            unit=unit,
            max_tokens=max_tokens,
            retriever_mode=retriever_mode,
            llm=next((one for one in (navigator_llm, llm, self._llm) if one is not None), None),
            budget=budget,
            navigation=navigation,
            vectors=vectors,
            shortlist=shortlist,
            parts=self._holdings.parts,
            callback_manager=callback_manager or self._callback_manager,
            verbose=verbose,
        )

    def as_query_engine(self, llm: LLMType | None = None, **kwargs: Any) -> BaseQueryEngine:
        """Give a query engine; its LLM is also the one that navigates, unless ``navigator_llm`` is given.

        Raises:
            OptionError: ``llm`` is a model by which the framework cannot answer.
        """
        return super().as_query_engine(llm=llm, **self._with_navigator(llm, kwargs))

    def as_chat_engine(
        self, chat_mode: ChatMode = ChatMode.BEST, llm: LLMType | None = None, **kwargs: Any
    ) -> BaseChatEngine:
        """Give a chat engine; its LLM is also the one that navigates, unless ``navigator_llm`` is given.

        Raises:
            OptionError: ``llm`` is a model by which the framework cannot answer.
        """
        return super().as_chat_engine(chat_mode=chat_mode, llm=llm, **self._with_navigator(llm, kwargs))

    def _with_navigator(self, llm: LLMType | None, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The framework's engines keep ``llm`` to themselves, so it goes to the retriever by another name."""
        _refuse_foreign(llm)
        if llm is None or kwargs.get("navigator_llm") is not None or self._llm is not None:
            return kwargs
        return {**kwargs, "navigator_llm": resolve_llm(llm, callback_manager=self._callback_manager)}

    def _build_index_from_nodes(self, nodes: Sequence[BaseNode], **build_kwargs: Any) -> PageIndexStruct:
        self._insert(nodes)
        return self._struct

    build_index_from_nodes = _build_index_from_nodes  # the framework's own puts the nodes into the docstore as well

    def _insert(self, nodes: Sequence[BaseNode], **insert_kwargs: Any) -> None:
        self._holdings.change(list(map(as_piece, nodes)))

    def _delete_node(self, node_id: str, **delete_kwargs: Any) -> None:
        self._holdings.change(removed=[node_id])

    def _put(self, documents: Sequence[Document]) -> None:
        """Add documents or replace those of the same ids, reading each source once."""
        nodes = run_transformations(documents, self._transformations)
        self._holdings.replace(list(map(as_piece, nodes)), _hashes(documents))


def _watched(show_progress: bool, members: list[Any], title: str) -> Iterable[Any]:
    return get_tqdm_iterable(members, show_progress, title)


def _refuse_foreign(llm: Any) -> None:
    """Refuse a model that could navigate, but is none of the framework's, whose own error would tell nothing."""
    is_name = isinstance(llm, str) and llm != "default" and llm.partition(":")[0] != "local"
    if is_name or (not isinstance(llm, LLM) and callable(getattr(llm, "complete", None))):
        given = repr(llm) if is_name else f"of type {type(llm).__name__}"
        raise OptionError(
            f"llm= of an engine cannot be {given}.",
            "It also writes the answer, and LlamaIndex asks LLMs of its own alone for that.",
            "Pass an LLM of LlamaIndex as llm=, and this model as navigator_llm=.",
        )


def _hashes(documents: Sequence[Document]) -> dict[str, str]:
    """Give the hash of each document; several of one id, as some readers make them, count as one."""
    hashes: dict[str, str] = {}
    for document in documents:
        hashes[document.id_] = f"{hashes[document.id_]}+{document.hash}" if document.id_ in hashes else document.hash
    return hashes


def _without_splitters(transformations: Sequence[TransformComponent]) -> list[TransformComponent]:
    kept = [transform for transform in transformations if not isinstance(transform, NodeParser)]
    for transform in transformations:
        if isinstance(transform, NodeParser):
            logger.warning("%s was left out: sections are found by the tree, not cut.", type(transform).__name__)
    return kept


# Loading finds classes by the framework's registries alone, so this module is imported with the package.
INDEX_STRUCT_TYPE_TO_INDEX_CLASS[PageIndexStruct.get_type()] = PageIndex
