"""``PageIndexRetriever``: a library of page trees as a LangChain retriever."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, InstanceOf, PrivateAttr, SkipValidation, ValidationError, model_validator

from pageindex_core.errors import FilterError, OptionError, QuestionError
from pageindex_core.library import AnyLibrary, as_library, refuse_path
from pageindex_core.library.filters import keys_of
from pageindex_core.library.protocol import Library
from pageindex_core.llm import ChatModel
from pageindex_core.llm.budget import Budget
from pageindex_core.options import IndexOptions, NavigationOptions
from pageindex_core.passages import PassageStore, as_store
from pageindex_core.records import Paths, Scope, SearchResult, Unit
from pageindex_core.search import NavigatorName, Shortlist, asearch, search
from pageindex_langchain.documents import PAGE_KEYS, to_document
from pageindex_langchain.tracing import afollowed, followed

_NOT_OURS = {
    "fetch_k": "No candidates are fetched for a second selection; k alone says how many come back.",
    "lambda_mult": "Hits never overlap, so there is no diversity to trade for relevance.",
    "top_k": "The number of results is called k.",
    "similarity_top_k": "The number of results is called k.",
    "where": "Metadata filters are called filter.",
    "where_document": "Use match='phrase' or match='regex' to search for exact text.",
}
"""Arguments of other retrievers, and what to do about them."""


def check_settings(names: Iterable[str]) -> None:
    """Refuse names that are no setting.

    Raises:
        OptionError: an unknown name; the message lists the known ones.
    """
    for name in names:
        if name not in SETTINGS:
            raise OptionError(
                f"{name!r} is not an argument of PageIndexRetriever.",
                _NOT_OURS.get(name, "It would be ignored without a word."),
                f"Known are {', '.join(SETTINGS)}.",
            )


class PageIndexRetriever(BaseRetriever):
    """Retrieves the sections and pages of a library that answer a question.

    Each Document is one unit: a section, or a window of a long one. Its ``page_content`` is the unit's text below one
    line that names document, section and pages. That line makes the contents of different units differ even where
    their texts are alike, so that ``EnsembleRetriever`` never takes one for the other, and lets a model cite.
    The same unit has the same ``page_content`` for every question, unless ``max_tokens`` is set, which cuts around
    the best lines; fuse by ``id_key="node_id"`` then.

    ``id`` and ``metadata["node_id"]`` are the unit's own id, stable over runs. ``metadata["page"]`` is the unit's first
    page counted from 0, as LangChain's PDF loaders count; ``page_start`` and ``page_end`` count from 1. Every Document
    has the same keys (``pageindex_langchain.documents.UNIT_KEYS``), all of them flat, followed by the metadata of its
    source; where a key of the source has the name of one of ours it is kept as ``document_<key>``.

    Boxes, all quotes, token counts and the trace are in the core's result: see ``search`` and ``asearch``.

    With ``mode="tree"`` or ``"agent"`` and an ``llm``, the model chooses the units; it comes first, and the order of
    words fills up to k. Its calls are child runs of the retriever's, its steps are custom events (``tracing``). Where
    it fails, or none is given, the order of words answers; the trace, and ``found_by`` of each Document, say so.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", validate_assignment=True)

    library: SkipValidation[Library] = Field(repr=False)
    """Where the documents are; see ``from_library`` for a path."""
    k: int = Field(default=4, gt=0)
    """How many Documents; fewer only where the scope holds fewer units. 4 is LangChain's own default."""
    filter: dict[str, Any] | Callable[[Mapping[str, Any]], bool] | None = None
    """Which documents: a mapping of metadata keys, and ``source``, to values or operators; or a predicate over the
    metadata."""
    documents: tuple[str, ...] | None = None
    """Which documents, by ``doc_id``, source or name; None for all."""
    folder: str = "/"
    """Only this library folder and those below it."""
    score_threshold: float | None = Field(default=None, ge=0, le=1)
    """Leave out what scores less. Scores are shares of what the question could reach, 0..1."""
    unit: Unit = "auto"
    """What a Document is: ``auto``, ``section``, ``window`` or ``page``."""
    max_tokens: int | None = Field(default=None, ge=20)
    """Cut each text to about this many tokens around its best lines."""
    match: Literal["words", "phrase", "regex"] = "words"
    """``phrase`` and ``regex`` find exactly what is written instead of ranking words."""
    fill: bool = True
    """Complete the answer to k with the next best units, even those without a matching word."""
    header: bool = True
    """Whether ``page_content`` starts with the line that names document, section and pages."""
    scores: bool = True
    """Whether metadata has ``score``, ``found_by`` and ``quote``. Without them a unit is the same Document for every
    question, which is how ``MultiQueryRetriever`` sees that it has it already."""
    mode: NavigatorName = "lexical"
    """Who chooses: ``lexical`` asks no model; ``tree`` lets one choose from a map of sections, in one or two calls;
    ``agent`` lets one read with tools until it has found enough; ``hybrid`` ranks by words and ``vectors`` together."""
    llm: Any = Field(default=None, repr=False)
    """The model for ``tree`` and ``agent``: a LangChain chat model or a Runnable around one, or a LiteLLM name."""
    budget: InstanceOf[Budget] | None = None
    """The most that one question may spend, from ``pageindex_core.llm``."""
    navigation: InstanceOf[NavigationOptions] | None = None
    """How the model finds its way: sizes of maps, turns, prompts."""
    vectors: Any = Field(default=None, repr=False)
    """A vector store or retriever over the same documents, or ``VectorPassages`` with the store's filter. In the other
    modes than ``hybrid`` it chooses what is read in."""
    shortlist: Shortlist = "documents"
    """What it then chooses: ``documents``, or ``pages`` for ``lexical``."""

    _adapted: tuple[Any, ChatModel | None] = PrivateAttr(default=(None, None))

    def model_post_init(self, context: Any, /) -> None:
        """Adapt the model once, so that the copies made for single questions share its cap on concurrency."""
        self._model()

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: Any) -> Any:
        if isinstance(values, dict):
            cls._check(values)
            refuse_path(values.get("library"), cls.__name__)
        return values

    @classmethod
    def _check(cls, names: Iterable[str]) -> None:
        check_settings(name for name in names if name not in cls.model_fields)

    @classmethod
    def from_library(cls, library: AnyLibrary, **settings: Any) -> Self:
        """Give a retriever over a library, or over the library in a folder on disk.

        Args:
            library: An open library, or the path of one.
            **settings: The fields of this class.
        """
        return cls(library=as_library(library), **settings)

    @classmethod
    def from_files(
        cls,
        paths: Paths,
        *,
        library: AnyLibrary | None = None,
        folder: str = "/",
        options: IndexOptions | None = None,
        **settings: Any,
    ) -> Self:
        """Index files, folders and globs, and give a retriever over them; see ``PageIndex.from_files``."""
        from pageindex_langchain.index import PageIndex  # an index makes retrievers, so it imports this module

        cls._check(settings)
        index = PageIndex.from_files(paths, library=library, folder=folder, options=options)
        return cls(library=index.library, folder=folder, **settings)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        library: AnyLibrary | None = None,
        folder: str = "/",
        options: IndexOptions | None = None,
        **settings: Any,
    ) -> Self:
        """Index what a loader produced, and give a retriever over it; see ``PageIndex.from_documents``."""
        from pageindex_langchain.index import PageIndex  # an index makes retrievers, so it imports this module

        cls._check(settings)
        index = PageIndex.from_documents(documents, library=library, folder=folder, options=options)
        return cls(library=index.library, folder=folder, **settings)

    def search(self, query: str, **settings: Any) -> SearchResult:
        """Answer with the core's own result: hits with boxes, all quotes and tokens, the trace, and notes.

        Args:
            query: The question.
            **settings: Any of ``SETTINGS``, for this question only.
        """
        chosen = self._for_call(settings)
        return search(chosen.library, _question(query), **chosen._arguments(chosen._model()))

    async def asearch(self, query: str, **settings: Any) -> SearchResult:
        """Answer as ``search`` does, without holding up the event loop."""
        chosen = self._for_call(settings)
        return await asearch(chosen.library, _question(query), **chosen._arguments(chosen._model()))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: dict[str, Any] | Callable[[Mapping[str, Any]], bool] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        chosen = self._for_call({**kwargs, "k": k, "filter": filter})
        arguments = chosen._arguments(chosen._traced(run_manager.get_child))
        return chosen._documents(followed(run_manager, chosen.library, _question(query), **arguments))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: dict[str, Any] | Callable[[Mapping[str, Any]], bool] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        chosen = self._for_call({**kwargs, "k": k, "filter": filter})
        arguments = chosen._arguments(chosen._traced(run_manager.get_child))
        return chosen._documents(await afollowed(run_manager, chosen.library, _question(query), **arguments))

    def _documents(self, result: SearchResult) -> list[Document]:
        return [to_document(hit, header=self.header, scores=self.scores) for hit in result.hits]

    def _for_call(self, settings: Mapping[str, Any]) -> Self:
        # The base class reads ``verbose`` and leaves it among the arguments.
        given = {name: value for name, value in settings.items() if value is not None and name != "verbose"}
        if not given:
            return self
        check_settings(given)
        chosen = self.model_copy()
        for name, value in given.items():
            try:
                setattr(chosen, name, value)
            except ValidationError as error:
                raise OptionError(f"{name}={value!r} cannot be used.", f"{error.errors()[0]['msg']}.") from error
        return chosen

    def _model(self) -> ChatModel | None:
        if self._adapted[0] is not self.llm:
            from pageindex_langchain.model import as_chat_model  # what it needs is loaded for those who have a model

            self._adapted = (self.llm, as_chat_model(self.llm))
        return self._adapted[1]

    def _traced(self, child: Callable[[], Any]) -> ChatModel | None:
        model = self._model()
        traced = getattr(model, "traced", None)  # a model by name is known to no callback of LangChain
        return model if traced is None else traced(child())

    def _arguments(self, model: ChatModel | None) -> dict[str, Any]:
        return {
            "k": self.k,
            "scope": self._scope(),
            "least_score": self.score_threshold,
            "unit": self.unit,
            "max_tokens": self.max_tokens,
            "mode": self.match,
            "fill": self.fill,
            "navigator": self.mode,
            "model": model,
            "budget": self.budget,
            "navigation": self.navigation,
            "vectors": self._vectors(),
            "shortlist": self.shortlist,
        }

    def _vectors(self) -> PassageStore | None:
        if self.vectors is None:
            return None
        from pageindex_langchain.vectors import VectorPassages  # what it needs is loaded for those who have a store

        return as_store(self.vectors, VectorPassages)

    def _scope(self) -> Scope:
        for key in PAGE_KEYS.intersection(keys_of(self.filter)):
            raise FilterError(
                f"The filter asks for {key!r}, which belongs to a page or section.",
                "Filters choose documents; no document would pass.",
                'Name the place in the question ("page 5", "section 2.1"), or filter the results.',
            )
        return Scope(documents=self.documents, folder=self.folder, where=self.filter or None)


SETTINGS = tuple(
    name for name in PageIndexRetriever.model_fields if name not in {*BaseRetriever.model_fields, "library"}
)
"""What may be set on a retriever, in ``search_kwargs``, and anew in each ``invoke``."""


def _question(query: Any) -> str:
    if isinstance(query, str):
        return query
    raise QuestionError(
        f"A question is text, not {type(query).__name__}.",
        "Chains often pass a whole dict or message on.",
        'Pick the text first: itemgetter("question") | retriever.',
    )
