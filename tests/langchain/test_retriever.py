"""The retriever's arguments, its ways of being called, and its refusals."""

from __future__ import annotations

import asyncio
import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_core.runnables import ConfigurableField
from pydantic import ValidationError

from pageindex_core import PageIndexError, open_library
from pageindex_core.errors import FilterError, OptionError, QuestionError
from pageindex_langchain import PageIndex, PageIndexRetriever

QUERY = "How often is the strainer cartridge replaced?"


def titles(documents: list[Document]) -> list[str]:
    return [document.metadata["title"] for document in documents]


@pytest.fixture
def dated(manuals: Path) -> PageIndex:
    """Both manuals with metadata of their own and a folder each."""
    index = PageIndex(folder="/pumps")
    index.add_files(manuals / "pump.md", metadata={"year": 2021, "audience": "operators"})
    boilers = PageIndex(index.library, folder="/boilers")
    boilers.add_files(manuals / "boiler.md", metadata={"year": 2024, "audience": "fitters"})
    return PageIndex(index.library)


async def test_every_way_of_calling_gives_the_same_documents(retriever: PageIndexRetriever) -> None:
    """invoke, ainvoke, batch, abatch, stream and astream are one retrieval."""
    expected = retriever.invoke(QUERY, k=3)
    assert len(expected) == 3
    assert await retriever.ainvoke(QUERY, k=3) == expected
    assert retriever.batch([QUERY, QUERY], k=3) == [expected, expected]
    assert await retriever.abatch([QUERY, QUERY], k=3) == [expected, expected]
    assert list(retriever.stream(QUERY, k=3)) == [expected]
    assert [chunk async for chunk in retriever.astream(QUERY, k=3)] == [expected]


async def test_fifty_questions_at_once_equal_fifty_in_a_row(retriever: PageIndexRetriever) -> None:
    """Concurrent questions on one retriever do not disturb each other."""
    words = ("strainer", "grease", "electrodes", "radiator", "warranty", "anchors", "housing", "suction", "gap", "bar")
    questions = [f"{words[number % 10]} {number}" for number in range(50)]
    together = await asyncio.gather(*(retriever.ainvoke(question) for question in questions))
    assert together == [retriever.invoke(question) for question in questions]
    assert len({documents[0].id for documents in together}) > 5


@pytest.mark.parametrize("k", [1, 3, 7])
def test_k_is_exact_where_there_are_enough_units(retriever: PageIndexRetriever, k: int) -> None:
    """Exactly k Documents come back, all of them different units, best first."""
    documents = retriever.invoke("grease", k=k)
    assert len({document.id for document in documents}) == len(documents) == k
    scores = [document.metadata["score"] for document in documents]
    assert scores == sorted(scores, reverse=True)


def test_k_defaults_to_four(retriever: PageIndexRetriever) -> None:
    """The default is that of LangChain's vector stores."""
    assert len(retriever.invoke(QUERY)) == 4


def test_k_beyond_the_corpus_gives_all_units(index: PageIndex) -> None:
    """A large k is no error and repeats nothing."""
    few = index.as_retriever(search_kwargs={"k": 50}).invoke("grease")
    many = index.as_retriever(search_kwargs={"k": 500}).invoke("grease")
    assert few == many


def test_fill_off_gives_only_what_matches(retriever: PageIndexRetriever) -> None:
    """Without filling, a word of one manual brings nothing of the other."""
    documents = retriever.invoke("lithium", fill=False, k=50)
    assert {document.metadata["file_name"] for document in documents} == {"pump.md"}
    assert documents[0].metadata["title"] == "Bearings"
    assert len(documents) < len(retriever.invoke("lithium", k=50))


def test_arguments_of_a_call_do_not_outlive_it(retriever: PageIndexRetriever) -> None:
    """k and the rest return to what the retriever was made with."""
    assert len(retriever.invoke(QUERY, k=1)) == 1
    assert len(retriever.invoke(QUERY)) == 4
    assert retriever.k == 4


def test_bind_and_configurable_fields_reach_k(retriever: PageIndexRetriever) -> None:
    """Runnable's own ways of setting arguments work as for any retriever."""
    assert len(retriever.bind(k=2).invoke(QUERY)) == 2
    configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
    assert len(configurable.invoke(QUERY, config={"configurable": {"k": 2}})) == 2
    assert len(configurable.invoke(QUERY)) == 4


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({"year": 2024}, {"boiler.md"}),
        ({"year": {"$lt": 2022}}, {"pump.md"}),
        ({"year": {"$gte": 2021}, "audience": "fitters"}, {"boiler.md"}),
        ({"audience": {"$in": ["operators", "fitters"]}}, {"boiler.md", "pump.md"}),
        ({"year": 1999}, set()),
        (lambda metadata: metadata["year"] == 2021, {"pump.md"}),
    ],
)
async def test_filter_chooses_documents(dated: PageIndex, filter: Any, found: set[str]) -> None:
    """Mappings with operators and predicates choose by metadata, in the constructor and in each call."""
    made = dated.as_retriever(search_kwargs={"filter": filter, "k": 50})
    called = dated.as_retriever(search_kwargs={"k": 50})
    documents = made.invoke("warranty")
    assert {document.metadata["file_name"] for document in documents} == found
    assert called.invoke("warranty", filter=filter) == documents
    assert await called.ainvoke("warranty", filter=filter) == documents


def test_unknown_filter_operator_is_refused(dated: PageIndex) -> None:
    """A misspelt operator, or a wrong shape, never means "no documents"."""
    with pytest.raises(FilterError, match="greater"):
        dated.as_retriever().invoke("warranty", filter={"year": {"$greater": 2000}})
    with pytest.raises(FilterError, match="and"):
        dated.as_retriever().invoke("warranty", filter={"$and": 5})


async def test_filter_on_source_names_files_and_loaded_documents_alike(dated: PageIndex, manuals: Path) -> None:
    """The key that every LangChain Document has works as a filter: alone, with others, nested, and exactly."""
    dated.add_documents([Document("# Fan\n\nThe warranty of the fan.", metadata={"source": "pump.md", "year": 2020})])
    dated.add_files(manuals / "boiler.md", metadata={"source": "intranet"})
    retriever = dated.as_retriever(search_kwargs={"k": 50})
    pump = str(manuals / "pump.md")
    for filter, sources in (
        ({"source": pump}, {pump}),
        ({"source": {"$in": [pump, "other.md"]}}, {pump}),
        ({"source": pump, "year": 2021}, {pump}),
        ({"source": pump, "year": 2024}, set()),
        ({"source": "pump.md"}, {"pump.md"}),
        ({"source": "intranet"}, {"intranet"}),
        ({"$not": {"source": pump}}, {"pump.md", "intranet"}),
        ({"$or": [{"source": pump}, {"year": {"$lt": 2021}}]}, {pump, "pump.md"}),
    ):
        found = retriever.invoke("warranty", filter=filter)
        assert {document.metadata["source"] for document in found} == sources
        assert await retriever.ainvoke("warranty", filter=filter) == found


@pytest.mark.parametrize(
    "filter", [{"page": 3}, {"$and": [{"year": 2021}, {"page": {"$lt": 3}}]}, {"$not": {"section_path": "A"}}]
)
async def test_filter_on_pages_is_refused(dated: PageIndex, filter: dict[str, Any]) -> None:
    """What can hold for no document is an error that says what to do, not an empty answer."""
    with pytest.raises(FilterError, match="question"):
        dated.as_retriever().invoke("warranty", filter=filter)
    with pytest.raises(FilterError, match="question"):
        await dated.as_retriever().ainvoke("warranty", filter=filter)


def test_documents_and_folder_choose_too(dated: PageIndex, manuals: Path) -> None:
    """A question can be kept to single documents or to a folder of the library."""
    retriever = dated.as_retriever(search_kwargs={"k": 50})
    for scope in ({"documents": [str(manuals / "pump.md")]}, {"documents": ["pump.md"]}, {"folder": "/pumps"}):
        found = retriever.invoke("warranty", **scope)
        assert {document.metadata["file_name"] for document in found} == {"pump.md"}
    assert retriever.invoke("warranty", folder="/nowhere") == []


def test_score_threshold_leaves_out_weak_documents(index: PageIndex) -> None:
    """Only Documents that reach the threshold come back, and they are the best ones."""
    every = index.as_retriever(search_kwargs={"k": 50}).invoke(QUERY)
    threshold = (every[0].metadata["score"] + every[1].metadata["score"]) / 2
    assert index.as_retriever(search_kwargs={"score_threshold": threshold}).invoke(QUERY) == every[:1]


def test_max_tokens_cuts_around_the_answer(tmp_path: Path) -> None:
    """A long section is cut to its telling lines."""
    filler = "\n".join(f"Line {number} speaks of nothing in particular at all." for number in range(60))
    (tmp_path / "long.md").write_text(f"# Long\n\n{filler}\nThe password is swordfish.\n{filler}\n", "utf-8")
    whole, cut = (
        PageIndexRetriever.from_files(tmp_path, k=1, header=False, max_tokens=limit).invoke("swordfish password")[0]
        for limit in (None, 60)
    )
    assert "swordfish" in cut.page_content
    assert len(cut.page_content) < len(whole.page_content) / 4


def test_exact_phrases_and_patterns(retriever: PageIndexRetriever) -> None:
    """match='phrase' and match='regex' find what is written, and nothing else."""
    assert titles(retriever.invoke("lithium grease", match="phrase")) == ["Bearings"]
    assert titles(retriever.invoke(r"\d+ millimetres", match="regex")) == ["Burner"]
    assert retriever.invoke("grease lithium", match="phrase") == []


async def test_search_gives_boxes_and_trace_of_the_core(retriever: PageIndexRetriever) -> None:
    """What flat metadata cannot hold is in the core's result, for the same hits."""
    result = retriever.search(QUERY, k=2)
    assert [hit.unit_id for hit in result.hits] == [document.id for document in retriever.invoke(QUERY, k=2)]
    assert result.trace.units_considered >= 2
    assert (await retriever.asearch(QUERY, k=2)).hits == result.hits


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"top_k": 9}, "called k"),
        ({"fetch_k": 20}, "fetch_k"),
        ({"lambda_mult": 0.5}, "never overlap"),
        ({"fillter": {}}, "Known are k, filter"),
        ({"k": 0}, "k"),
        ({"filter": 5}, "filter"),
        ({"k": "many"}, "k"),
        ({"unit": "paragraph"}, "unit"),
        ({"score_threshold": 1.5}, "score_threshold"),
        ({"max_tokens": 3}, "max_tokens"),
        ({"documents": "pump.md"}, "documents"),
    ],
)
async def test_wrong_arguments_are_refused_everywhere(
    index: PageIndex, retriever: PageIndexRetriever, arguments: dict[str, Any], message: str
) -> None:
    """Constructor, search_kwargs, invoke and ainvoke refuse the same arguments, and say which one."""
    with pytest.raises(ValueError, match=message):
        PageIndexRetriever(library=index.library, **arguments)
    with pytest.raises(ValueError, match=message):
        index.as_retriever(search_kwargs=arguments)
    with pytest.raises(OptionError, match=message):
        retriever.invoke(QUERY, **arguments)
    with pytest.raises(OptionError, match=message):
        await retriever.ainvoke(QUERY, **arguments)


def test_assignment_is_checked_like_construction(retriever: PageIndexRetriever) -> None:
    """An impossible value is refused when it is set, not at the next question."""
    with pytest.raises(ValidationError):
        retriever.k = 0
    retriever.k = 2
    assert len(retriever.invoke(QUERY)) == 2


@pytest.mark.parametrize("query", [{"question": QUERY}, None, 5, [QUERY]])
async def test_a_question_that_is_no_text_is_refused(retriever: PageIndexRetriever, query: Any) -> None:
    """A dict passed on by a chain gives an error that shows how to pick the text."""
    with pytest.raises(QuestionError, match="itemgetter"):
        retriever.invoke(query)
    with pytest.raises(QuestionError, match=type(query).__name__):
        await retriever.ainvoke(query)


@pytest.mark.parametrize("query", ["", "  \n"])
async def test_an_empty_question_is_refused(retriever: PageIndexRetriever, query: str) -> None:
    """Nothing was asked, so nothing is answered by guess."""
    with pytest.raises(QuestionError):
        retriever.invoke(query)
    with pytest.raises(QuestionError):
        await retriever.ainvoke(query)


def test_an_empty_library_gives_no_documents() -> None:
    """Nothing found is an empty list, as for every retriever."""
    assert PageIndex().as_retriever().invoke(QUERY) == []


def test_a_path_as_library_is_refused_by_the_constructor(tmp_path: Path) -> None:
    """A constructor opens nothing; the error names the call that does."""
    with pytest.raises(ValueError, match="from_library"):
        PageIndexRetriever(library=str(tmp_path))  # type: ignore[arg-type]


def test_from_library_takes_a_path_or_an_open_library(manuals: Path, tmp_path: Path) -> None:
    """What one process indexed another one finds."""
    PageIndex.from_files(manuals, library=tmp_path / "library")
    by_path = PageIndexRetriever.from_library(tmp_path / "library", k=2).invoke(QUERY)
    by_object = PageIndexRetriever.from_library(open_library(tmp_path / "library"), k=2).invoke(QUERY)
    assert by_path == by_object
    assert titles(by_path)[0] == "Filter"


def test_documents_made_into_a_folder_are_searched_there(manuals: Path, tmp_path: Path) -> None:
    """The folder of from_files and from_documents is where the documents go and where the retriever looks."""
    PageIndexRetriever.from_files(manuals / "boiler.md", library=tmp_path / "library", folder="/boilers")
    pumps = PageIndexRetriever.from_files(manuals / "pump.md", library=tmp_path / "library", folder="/pumps", k=50)
    assert {document.metadata["file_name"] for document in pumps.invoke("warranty")} == {"pump.md"}
    fans = PageIndexRetriever.from_documents(
        [Document("# Fan\n\nThe warranty of the fan.", metadata={"source": "fan.md"})],
        library=tmp_path / "library",
        folder="/fans",
    )
    assert {document.metadata["file_name"] for document in fans.invoke("warranty")} == {"fan.md"}


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_copies_answer_alike(manuals: Path, tmp_path: Path, place: str) -> None:
    """pickle, deepcopy and model_copy give retrievers that work, whether the library is in memory or on disk."""
    library = tmp_path / "library" if place == "disk" else None
    retriever = PageIndexRetriever.from_files(manuals, library=library, k=2, filter={"x": {"$exists": False}})
    expected = retriever.invoke(QUERY)
    assert len(expected) == 2
    assert pickle.loads(pickle.dumps(retriever)).invoke(QUERY) == expected
    assert copy.deepcopy(retriever).invoke(QUERY) == expected
    assert retriever.model_copy(update={"k": 1}).invoke(QUERY) == expected[:1]


def test_neither_repr_nor_serialisation_shows_the_documents(retriever: PageIndexRetriever) -> None:
    """Logs and traces that print a retriever print no document text."""
    retriever.invoke(QUERY)
    for shown in (repr(retriever), str(retriever), dumps(retriever)):
        assert "strainer" not in shown
        assert "library" not in shown.lower()


def test_errors_are_this_projects_own(retriever: PageIndexRetriever) -> None:
    """One except clause catches everything raised on purpose."""
    with pytest.raises(PageIndexError):
        retriever.invoke("")
