"""``PageIndex``: documents kept as page trees, behind the methods that people call on a vector store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack, get_args

from langchain_core.documents import Document

import pageindex_core  # the indexing functions are loaded when something is indexed, not when one only searches
from pageindex_core.errors import OptionError
from pageindex_core.library import AnyLibrary, as_library, discard, folder_of, open_library, refuse_path
from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import ChatModel
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.records import Metadata, Paths, Scope
from pageindex_core.threads import in_thread
from pageindex_langchain.documents import to_loaded
from pageindex_langchain.retriever import PageIndexRetriever, check_settings

SearchType = Literal["similarity", "similarity_score_threshold"]
"""The search types of a LangChain vector store that mean something without vectors."""


class Settings(TypedDict, total=False):
    """What every constructor of ``PageIndex`` takes; see there."""

    folder: str
    options: IndexOptions | None
    llm: Any
    index_llm: Any
    model_options: ModelOptions | None


class PageIndex:
    """Documents kept as page trees, with the methods that people call on a LangChain vector store.

    A swap changes the import and the constructor; ``as_retriever(search_kwargs={"k": …, "filter": …})`` stays::

        index = PageIndex.from_documents(docs)
        retriever = index.as_retriever(search_kwargs={"k": 4})

    It is no ``VectorStore``: that class promises embeddings, and there are none.

    Args:
        library: An open library; None keeps the documents in memory. See ``from_library`` for a path.
        folder: Library folder that new documents go to. Searches and deletions see it and what is below.
        options: How documents are read and their trees built.
        llm: Model for retrievers of mode ``tree`` and ``agent``: a LangChain chat model, a Runnable around one, or a
            LiteLLM name. Nothing calls it otherwise.
        index_llm: Model that finds structure and writes summaries when documents are added; a cheap one will do.
        model_options: What ``index_llm`` does, and may cost.
    """

    def __init__(
        self,
        library: Library | None = None,
        *,
        folder: str = "/",
        options: IndexOptions | None = None,
        llm: Any = None,
        index_llm: Any = None,
        model_options: ModelOptions | None = None,
    ) -> None:
        refuse_path(library, type(self).__name__)
        self.library = as_library(library)
        self.folder = folder
        self.options = options
        self.llm = llm
        self.index_llm = index_llm
        self.model_options = model_options
        self.report: pageindex_core.IndexReport | None = None
        """What became of each source of the last call that added some; None before the first."""

    def __repr__(self) -> str:
        """Name the library, never its content."""
        return f"PageIndex(library={self.library!r}, folder={self.folder!r})"

    @classmethod
    def from_library(cls, library: AnyLibrary, **settings: Unpack[Settings]) -> Self:
        """Give an index over a library, or over the library in a folder on disk, which is made when it is missing.

        Args:
            library: An open library, or the path of one.
            **settings: ``folder``, ``options``, ``llm``, ``index_llm`` and ``model_options``, as for the class.
        """
        return cls(as_library(library), **settings)

    @classmethod
    def load_local(cls, folder_path: str | Path, embeddings: None = None, **settings: Unpack[Settings]) -> Self:
        """Give an index over what ``save_local`` wrote, or any library in a folder; nothing is made there.

        Args:
            folder_path: Where it is.
            embeddings: Takes the place of a vector store's embeddings, and must be left out.
            **settings: As for ``from_library``.

        Raises:
            LibraryError: there is no library in the folder.
        """
        _refuse_embedding(embeddings)
        open_library(folder_path, read_only=True).close()
        return cls(open_library(folder_path), **settings)

    def save_local(self, folder_path: str | Path) -> None:
        """Write all documents of the library to a folder, which then holds these and no others.

        An index that was made with ``library=path`` is on disk all along.

        Raises:
            OptionError: the path is ":memory:".
        """
        target = open_library(folder_path)
        if folder_of(target) is None:
            raise OptionError(f"Nothing can be saved to {str(folder_path)!r}.", "It names no folder.", "Name one.")
        if folder_of(target) != folder_of(self.library):
            from pageindex_core.copying import mirror_library  # for those who save

            mirror_library(self.library, target)
        target.close()

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        embedding: None = None,
        *,
        ids: Sequence[str] | None = None,
        library: AnyLibrary | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Give an index of what a loader produced, whole or one Document a page.

        Documents of one ``source`` are put together in page order; loaders' pages counted from 0 or 1 are told apart.
        Load without a text splitter: the tree finds the sections, and chunks would only hide them.

        Args:
            documents: LangChain Documents with a ``source`` in their metadata.
            embedding: Takes the place of a vector store's embedding, and must be left out.
            ids: As for ``add_documents``.
            library: Where they are stored: an open library, a path, or None for memory.
            **settings: As for ``from_library``.

        Raises:
            OptionError: an embedding was given, or ids that cannot be kept.
        """
        _refuse_embedding(embedding)
        index = cls(as_library(library), **settings)
        index.add_documents(documents, ids)
        return index

    @classmethod
    async def afrom_documents(
        cls,
        documents: Iterable[Document],
        embedding: None = None,
        *,
        ids: Sequence[str] | None = None,
        library: AnyLibrary | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Do as ``from_documents`` does, without holding up the event loop."""
        _refuse_embedding(embedding)
        index = cls(as_library(library), **settings)
        await index.aadd_documents(documents, ids)
        return index

    @classmethod
    def from_files(
        cls,
        paths: Paths,
        *,
        library: AnyLibrary | None = None,
        metadata: Metadata | None = None,
        skip_failures: bool = False,
        **settings: Unpack[Settings],
    ) -> Self:
        """Give an index of files, folders and glob patterns.

        Args:
            paths: What to index; PDF gives its headings, pages and boxes, which loaded text has lost.
            library: Where they are stored: an open library, a path, or None for memory.
            metadata: Attached to each document, for filters.
            skip_failures: Leave out files that cannot be read, and name them in ``report``.
            **settings: As for ``from_library``.

        Raises:
            InputError: a file cannot be read, and ``skip_failures`` is off.
        """
        index = cls(as_library(library), **settings)
        index.add_files(paths, metadata=metadata, skip_failures=skip_failures)
        return index

    def add_documents(self, documents: Iterable[Document], ids: Sequence[str] | None = None) -> list[str]:
        """Add what a loader produced, replacing sources that changed; give the ``doc_id`` of each source.

        Pages may be added in batches: those given without the first page of their source join the pages that are
        stored, and replace those of the same number.

        Vector stores give one id a chunk; a document here is all that came from one source.

        Args:
            documents: What a loader produced.
            ids: One for each Document, by which ``delete`` takes it; for Documents whose metadata names no source,
                since that is the name of all others.

        Raises:
            OptionError: ids for Documents that have a source.
        """
        self.report = pageindex_core.index_loaded(
            to_loaded(documents, ids),
            self.library,
            folder=self.folder,
            options=self.options,
            model=self._index_model(),
            model_options=self.model_options,
        )
        return _ids(self.report)

    aadd_documents = in_thread(add_documents)

    def add_files(self, paths: Paths, *, metadata: Metadata | None = None, skip_failures: bool = False) -> list[str]:
        """Add files, folders and glob patterns; give the ``doc_id`` of each file that was indexed.

        Raises:
            InputError: a file cannot be read, and ``skip_failures`` is off. The other files are indexed all the same.
        """
        self.report = pageindex_core.index_paths(
            paths,
            self.library,
            folder=self.folder,
            metadata=metadata,
            options=self.options,
            model=self._index_model(),
            model_options=self.model_options,
        )
        if not skip_failures:
            self.report.raise_failed()
        return _ids(self.report)

    def delete(self, ids: str | Sequence[str] | None = None) -> bool:
        """Remove documents from the library.

        Args:
            ids: ``doc_id`` or source of each document, as ``add_documents`` and the metadata of results give them.

        Returns:
            True when all were there, False when one or more were not; the others are removed all the same.

        Raises:
            OptionError: no ids. That would mean everything, and is not guessed.
        """
        if ids is None:
            raise OptionError(
                "delete() needs the ids of documents.",
                "Without ids it would empty the library.",
                "Pass doc_ids or sources, such as [info.doc_id for info in index.library.list()].",
            )
        found = True
        for document in [ids] if isinstance(ids, str) else ids:
            found = discard(self.library, document, Scope(folder=self.folder)) and found
        return found

    adelete = in_thread(delete)

    def as_retriever(
        self,
        *,
        search_type: SearchType = "similarity",
        search_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> PageIndexRetriever:
        """Give a retriever over this index, called as a vector store's.

        Args:
            search_type: ``similarity``, or ``similarity_score_threshold``, which needs a ``score_threshold``.
            search_kwargs: The fields of ``PageIndexRetriever``: ``k``, ``filter``, ``score_threshold``, ``unit``,
                ``max_tokens``, ``mode`` and so on.
            name: Name of the retriever's runs.
            tags: Tags of the retriever's runs.
            metadata: Metadata of the retriever's runs; documents are chosen by ``filter``.

        Raises:
            OptionError: another search type, or an unknown or impossible argument.
        """
        settings = {"folder": self.folder, "llm": self.llm, **(search_kwargs or {})}
        check_settings(settings)
        _check_search_type(search_type, settings)
        return PageIndexRetriever(library=self.library, name=name, tags=tags, metadata=metadata, **settings)

    def similarity_search(self, query: str, k: int = 4, **search_kwargs: Any) -> list[Document]:
        """Give the Documents that answer best; "similarity" is the vector stores' word for it."""
        return self.as_retriever(search_kwargs={"k": k, **search_kwargs}).invoke(query)

    async def asimilarity_search(self, query: str, k: int = 4, **search_kwargs: Any) -> list[Document]:
        """Do as ``similarity_search`` does, without holding up the event loop."""
        return await self.as_retriever(search_kwargs={"k": k, **search_kwargs}).ainvoke(query)

    def similarity_search_with_score(
        self, query: str, k: int = 4, **search_kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Give the Documents that answer best, each with its score: 0..1, higher is better."""
        found = self.similarity_search(query, k, **{**search_kwargs, "scores": True})
        return [(document, document.metadata["score"]) for document in found]

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **search_kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Do as ``similarity_search_with_score`` does, without holding up the event loop."""
        found = await self.asimilarity_search(query, k, **{**search_kwargs, "scores": True})
        return [(document, document.metadata["score"]) for document in found]

    def _index_model(self) -> ChatModel | None:
        if self.index_llm is None:
            return None
        from pageindex_langchain.model import as_chat_model  # what it needs is loaded for those who have a model

        return as_chat_model(self.index_llm)


def _ids(report: pageindex_core.IndexReport) -> list[str]:
    return [info.doc_id for info in (*report.indexed, *report.unchanged)]


def _refuse_embedding(embedding: object) -> None:
    if embedding is not None:
        raise OptionError(
            f"{type(embedding).__name__} was given as embedding.",
            "A page tree is searched by its structure and words; nothing is embedded.",
            "Leave it out: PageIndex.from_documents(docs).",
        )


def _check_search_type(search_type: str, settings: Mapping[str, Any]) -> None:
    if search_type == "mmr":
        raise OptionError(
            "search_type='mmr' has no meaning here.",
            "Hits never overlap, and there are no vectors to measure diversity by.",
            "Use search_type='similarity', with a larger k for more variety.",
        )
    if search_type not in get_args(SearchType):
        raise OptionError(f"search_type={search_type!r} is unknown.", f"Known are {', '.join(get_args(SearchType))}.")
    if search_type == "similarity_score_threshold" and settings.get("score_threshold") is None:
        raise OptionError(
            "search_type='similarity_score_threshold' needs a threshold.",
            "There is no share of the reachable score that is right for everyone.",
            'Pass search_kwargs={"score_threshold": 0.3}, say.',
        )
