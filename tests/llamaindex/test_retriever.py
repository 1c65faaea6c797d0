"""``PageIndexRetriever``: what nodes say, what may be asked for, and that both paths answer alike."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, QueryBundle
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from pageindex_core import open_library, search
from pageindex_core.errors import OptionError, QuestionError
from pageindex_llamaindex import PageIndex, PageIndexRetriever
from pageindex_llamaindex.nodes import to_node

Paged = Callable[..., list[Document]]


def ids(found: list[NodeWithScore]) -> list[str]:
    """The ids of nodes, in order."""
    return [each.node.node_id for each in found]


def test_nodes_carry_the_hits_of_the_core(manual: Path) -> None:
    """Order, text, ids, scores and places are the core's own."""
    library = open_library()
    index = PageIndex.from_files(manual, library=library)
    expected = search(library, "grease the bearings", k=3).hits
    found = index.as_retriever(similarity_top_k=3).retrieve("grease the bearings")
    assert [(each.node.node_id, each.node.get_content(), each.score) for each in found] == [
        (hit.unit_id, hit.text, hit.score) for hit in expected
    ]
    assert all(isinstance(each.node, TextNode) for each in found)


def test_metadata_is_flat_and_names_the_place(manual: Path) -> None:
    """Every key that prompts and filters use is there, with the header path as MarkdownNodeParser writes it."""
    node = PageIndexRetriever.from_files(manual, similarity_top_k=1).retrieve("bearings")[0].node
    doc_id = node.node_id.split("-")[0]
    assert node.metadata == {
        "file_name": "manual.pdf",
        "file_path": str(manual),
        "source": str(manual),
        "doc_id": doc_id,
        "section_path": "1 Pumps > 1.2 Bearings",
        "header_path": "/1 Pumps/",
        "title": "1.2 Bearings",
        "page_label": "1",
        "page_start": 2,
        "page_end": 2,
        "node_id": "0002",
    }
    assert node_to_metadata_dict(node, flat_metadata=True)["page_start"] == 2


def test_models_read_the_section_path_and_no_ids(manual: Path) -> None:
    """The text for a model says file, section and page; the text for an embedding only the section."""
    node = PageIndexRetriever.from_files(manual, similarity_top_k=1).retrieve("bearings")[0].node
    head = "file_name: manual.pdf\nsection_path: 1 Pumps > 1.2 Bearings\npage_label: 1\n\n"
    assert node.get_content(MetadataMode.LLM) == head + node.get_content()
    assert node.get_content(MetadataMode.EMBED) == "section_path: 1 Pumps > 1.2 Bearings\n\n" + node.get_content()


def test_metadata_of_documents_is_passed_on_and_never_overwritten(paged: Paged) -> None:
    """A caller's key with another meaning in nodes is kept under a longer name."""
    documents = paged("a.pdf", "1 Intro\nApples grow.", "2 End\nPears fall.", title="Fruit report", year=2024)
    node = PageIndexRetriever.from_documents(documents, similarity_top_k=1).retrieve("pears")[0].node
    assert (node.metadata["year"], node.metadata["document_title"]) == (2024, "Fruit report")
    assert node.metadata["title"] != "Fruit report"


def test_first_and_last_page_are_cited_as_printed(paged: Paged) -> None:
    """Pages given from 0, as some loaders do, come back as pages 1 and 3, counted from 1."""
    documents = [
        Document(text=text, id_=f"p{page}", metadata={"file_path": "/data/a.pdf", "page": page})
        for page, text in enumerate(["Alpha begins.", "Beta goes on.", "Gamma ends."])
    ]
    retriever = PageIndexRetriever.from_documents(documents, similarity_top_k=1, unit="page")
    places = [retriever.retrieve(word)[0].node.metadata for word in ("alpha", "gamma")]
    assert [(place["page_start"], place["page_end"], place["page_label"]) for place in places] == [
        (1, 1, "1"),
        (3, 3, "3"),
    ]


def test_the_source_of_a_node_is_the_document_it_starts_in(report: list[Document], manual: Path) -> None:
    """``ref_doc_id`` leads back to the framework Document of that page, or to the file."""
    retriever = PageIndexRetriever.from_documents(report, similarity_top_k=1, unit="page")
    assert retriever.retrieve("copper")[0].node.ref_doc_id == report[2].id_
    assert PageIndexRetriever.from_files(manual).retrieve("soap")[0].node.ref_doc_id == str(manual)


def test_a_node_over_several_documents_names_the_first(paged: Paged) -> None:
    """A section that goes on over pages has the page where it starts as its source, in whatever order they came."""
    first, second, third = paged("talk.pdf", "Copper is dear.", "So is tin.", "Lead is not.")
    retriever = PageIndexRetriever.from_documents([second, first, third], similarity_top_k=1, unit="page")
    over_all = replace(retriever.search("tin").hits[0], page_start=1, page_end=3)
    node = to_node(over_all, retriever._parts.of_hit(over_all)).node
    assert node.ref_doc_id == first.id_


def test_the_source_is_found_by_lines_where_there_are_no_pages() -> None:
    """Markdown that a reader cut into one Document a heading leads back to the right one, whatever its line ends."""
    ends = ("\n", "", "\r\n\r\n", "\n\n\n")
    documents = [
        Document(
            text=f"# Part {number}\n\nword{number} alone.{ends[number % 4]}",
            id_=f"part-{number}",
            metadata={"file_path": "/data/care.md"},
        )
        for number in range(12)
    ]
    retriever = PageIndexRetriever.from_documents(documents, similarity_top_k=1)
    sources = [retriever.retrieve(f"word{number}")[0].node.ref_doc_id for number in range(12)]
    assert sources == [document.id_ for document in documents]


def test_nodes_are_the_same_for_every_question_and_fresh_for_each(manual: Path) -> None:
    """Equal id and hash whatever was asked, and no object is handed out twice."""
    retriever = PageIndexRetriever.from_files(manual, similarity_top_k=10)
    first, second = retriever.retrieve("soap"), retriever.retrieve("filter mesh")
    assert ids(first) != ids(second)
    hashes = [{each.node.node_id: each.node.hash for each in found} for found in (first, second)]
    assert hashes[0] == hashes[1]
    first[0].node.metadata["seen"] = True
    first[0].score = 99.0
    again = retriever.retrieve("soap")[0]
    assert "seen" not in again.node.metadata
    assert again.score is not None
    assert again.score <= 1


def test_ids_are_the_same_in_another_index(manual: Path) -> None:
    """The same file gives the same ids and hashes, so that caches and evaluations hold."""
    runs = [PageIndexRetriever.from_files(manual, similarity_top_k=10).retrieve("pumps") for _ in range(2)]
    assert [(each.node.node_id, each.node.hash) for each in runs[0]] == [
        (each.node.node_id, each.node.hash) for each in runs[1]
    ]


def test_scores_are_floats_from_one_to_zero(manual: Path) -> None:
    """Postprocessors and fusion need floats, best first; what fills the answer up has a score too."""
    scores = [each.score for each in PageIndexRetriever.from_files(manual, similarity_top_k=10).retrieve("soap")]
    assert all(type(score) is float and 0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 5


@pytest.mark.parametrize("k", [1, 2, 4])
def test_top_k_is_exact(manual: Path, k: int) -> None:
    """As many nodes as asked for where there are as many, with each other unlike."""
    found = PageIndexRetriever.from_files(manual, similarity_top_k=k).retrieve("pumps")
    assert len(set(ids(found))) == len(found) == k


def test_top_k_can_be_changed_later(manual: Path) -> None:
    """Framework code that sets ``similarity_top_k`` on a retriever is obeyed."""
    retriever = PageIndexRetriever.from_files(manual)
    assert len(retriever.retrieve("pumps")) == 2
    retriever.similarity_top_k = 3
    assert len(retriever.retrieve("pumps")) == 3


def test_units_and_their_size_can_be_chosen(manual: Path) -> None:
    """Whole pages, and texts cut to a number of tokens."""
    page = PageIndexRetriever.from_files(manual, similarity_top_k=1, unit="page").retrieve("soap")[0].node
    assert page.get_content().startswith("1.2 Bearings")
    assert page.get_content().endswith("Valves close by a spring.")
    short = PageIndexRetriever.from_files(manual, similarity_top_k=1, unit="page", max_tokens=20)
    assert "soap" in short.retrieve("soap")[0].node.get_content()
    assert len(short.retrieve("soap")[0].node.get_content()) < len(page.get_content())


def test_exact_modes_return_only_what_matches(manual: Path) -> None:
    """A phrase or a pattern is found as written, and nothing fills the answer up."""
    index = PageIndex.from_files(manual)
    for mode, question in (("phrase", "every 500 hours"), ("regex", r"every \d+ hours")):
        found = index.as_retriever(retriever_mode=mode, similarity_top_k=5).retrieve(question)
        assert [each.node.metadata["title"] for each in found] == ["3 Filters"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"similarity_top_k": 0}, "k=0"),
        ({"unit": "chapter"}, "unit='chapter'"),
        ({"max_tokens": 1}, "max_tokens=1"),
        ({"retriever_mode": "embedding"}, "retriever_mode='embedding'"),
    ],
)
def test_impossible_arguments_are_refused_at_once(report: list[Document], how: dict[str, Any], message: str) -> None:
    """The error comes with the constructor, not with the first question, and names the value."""
    with pytest.raises(OptionError, match=message):
        PageIndex.from_documents(report).as_retriever(**how)


def test_unknown_arguments_of_the_retriever_itself_are_refused(report: list[Document]) -> None:
    """Only ``as_retriever``, which engines call with everything they have, lets them by."""
    with pytest.raises(TypeError, match="top_k"):
        PageIndexRetriever.from_library(open_library(), top_k=3)
    assert PageIndex.from_documents(report).as_retriever(streaming=True, response_mode="compact") is not None


@pytest.mark.parametrize("question", ["", "   ", QueryBundle("")])
async def test_an_empty_question_is_refused(manual: Path, question: str | QueryBundle) -> None:
    """There is nothing to look for, and any answer would look like a result."""
    retriever = PageIndexRetriever.from_files(manual)
    with pytest.raises(QuestionError, match="empty"):
        retriever.retrieve(question)
    with pytest.raises(QuestionError, match="empty"):
        await retriever.aretrieve(question)


def test_an_empty_index_finds_nothing() -> None:
    """No documents, no nodes, no error."""
    assert PageIndex.from_documents([]).as_retriever().retrieve("anything") == []


def test_a_bundle_is_asked_by_its_question(manual: Path) -> None:
    """Embedding strings and vectors in the bundle are for others."""
    retriever = PageIndexRetriever.from_files(manual)
    bundle = QueryBundle("soap", custom_embedding_strs=["valves"], embedding=[0.1, 0.2])
    assert ids(retriever.retrieve(bundle)) == ids(retriever.retrieve("soap"))


def test_what_tools_put_before_a_question_is_taken_off(manual: Path) -> None:
    """A tool's wrapping changes no answer, and a real question that starts alike stays whole."""
    retriever = PageIndexRetriever.from_files(manual)
    wrapped = retriever.search("\ninput is which soap?\n")
    assert wrapped.question == "which soap?"
    assert retriever.search("input is 12 volts").question == "input is 12 volts"


def test_search_gives_what_nodes_do_not_carry(manual: Path) -> None:
    """Quotes, boxes and the trace of the very hits that ``retrieve`` returns."""
    retriever = PageIndexRetriever.from_files(manual, similarity_top_k=2)
    result = retriever.search(QueryBundle("Which soap for the bearings?"))
    assert [hit.unit_id for hit in result.hits] == ids(retriever.retrieve("Which soap for the bearings?"))
    assert "lithium soap" in result.hits[0].quotes[0]
    assert result.hits[0].boxes[0].page_number == 2
    assert result.trace.steps


async def test_fifty_questions_at_once_are_answered_as_one_by_one(manual: Path, notes: Path) -> None:
    """One retriever serves many at the same time, and each gets the answer it would get alone."""
    retriever = PageIndexRetriever.from_files([manual, notes], similarity_top_k=3)
    words = ("soap", "filter", "valves close", "shelf life", "page 2")
    questions = [f"{words[number % 5]} {number}" for number in range(50)]
    one_by_one = [[found.to_json() for found in retriever.retrieve(question)] for question in questions]
    at_once = await asyncio.gather(*(retriever.aretrieve(question) for question in questions))
    assert [[found.to_json() for found in each] for each in at_once] == one_by_one
    assert len({tuple(each) for each in one_by_one}) > 4


async def test_async_retrieval_leaves_the_event_loop_free(manual: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is read on another thread, so the loop goes on while it is slow."""
    retriever = PageIndexRetriever.from_files(manual)
    library, released = retriever._library, threading.Event()
    monkeypatch.setattr(retriever, "_library", Waiting(library, released))
    waiting = asyncio.create_task(retriever.aretrieve("soap"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    released.set()
    assert len(await waiting) == 2


class Waiting:
    """A library whose reads wait for a signal that only the event loop can give."""

    def __init__(self, library: Any, released: threading.Event) -> None:
        self.library = library
        self.released = released

    def __getattr__(self, name: str) -> Any:
        assert self.released.wait(timeout=20), "the event loop was blocked"
        return getattr(self.library, name)


def test_a_retriever_sees_what_its_index_takes_up_later(report: list[Document]) -> None:
    """Long-lived retrievers need not be made again after an insert."""
    index = PageIndex.from_documents(report[:1])
    retriever = index.as_retriever(similarity_top_k=1, unit="page")
    index.insert(report[2])
    assert retriever.retrieve("copper")[0].node.ref_doc_id == report[2].id_


def test_a_retriever_can_be_pickled(manual: Path, tmp_path: Path) -> None:
    """Worker processes get a retriever that answers alike."""
    retriever = PageIndexRetriever.from_files(manual, library=tmp_path / "library", doc_ids=["manual.pdf"])
    again = pickle.loads(pickle.dumps(retriever))
    assert ids(again.retrieve("soap")) == ids(retriever.retrieve("soap"))


def test_equal_pages_of_two_files_are_both_returned(paged: Paged) -> None:
    """Shared boilerplate has two ids, two hashes and two citations."""
    same = "Disclaimer\nNothing in this document is advice."
    documents = [*paged("a.pdf", same), *paged("b.pdf", same)]
    found = PageIndexRetriever.from_documents(documents, similarity_top_k=2).retrieve("advice")
    assert {each.node.metadata["file_name"] for each in found} == {"a.pdf", "b.pdf"}
    assert len({each.node.hash for each in found}) == len(set(ids(found))) == 2
