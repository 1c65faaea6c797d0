"""PageIndex as people use a vector store: build, add, delete, search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

from pageindex_core import open_library
from pageindex_core.errors import InputError, OptionError, SourceNotFoundError
from pageindex_langchain import PageIndex
from pdf_builder import build_pdf, page

Pages = Callable[..., list[Document]]

OTHER = (
    "1 Cranes\nTower cranes stop work in wind above 72 kilometres per hour.",
    "2 Hooks\nHooks need a safety latch.",
)


def sources(documents: list[Document]) -> set[str]:
    return {document.metadata["source"] for document in documents}


@pytest.fixture
def index(pages: Pages) -> PageIndex:
    """Two sources of loaded pages."""
    return PageIndex.from_documents([*pages(), *pages("cranes.pdf", OTHER)])


def test_documents_of_one_source_become_one_document(index: PageIndex) -> None:
    """Six loaded pages of two sources are two documents with their pages."""
    assert {(info.source_id, info.page_count) for info in index.library.list()} == {
        ("elevators.pdf", 4),
        ("cranes.pdf", 2),
    }


def test_documents_may_come_from_a_generator(pages: Pages) -> None:
    """A loader's lazy_load can be passed on as it is."""

    def lazy() -> Iterator[Document]:
        yield from pages()

    assert len(PageIndex.from_documents(lazy()).library.list()) == 1


async def test_async_twins_do_the_same(index: PageIndex, pages: Pages) -> None:
    """afrom_documents, aadd_documents and adelete leave what their sync forms leave."""
    twin = await PageIndex.afrom_documents(pages())
    added = await twin.aadd_documents(pages("cranes.pdf", OTHER))
    assert sorted(info.doc_id for info in twin.library.list()) == sorted(info.doc_id for info in index.library.list())
    assert await twin.asimilarity_search("tower cranes wind", k=2) == index.similarity_search("tower cranes wind", k=2)
    assert await twin.asimilarity_search_with_score("hooks") == index.similarity_search_with_score("hooks")
    assert await twin.adelete(added) is True
    assert [info.source_id for info in twin.library.list()] == ["elevators.pdf"]


def test_added_documents_are_found_and_their_ids_remove_them(index: PageIndex) -> None:
    """What add_documents returns is what delete takes."""
    ids = index.add_documents(
        [Document("1 Winches\nA winch drum holds five spare turns.", metadata={"source": "winch"})]
    )
    assert len(ids) == 1
    assert index.similarity_search("winch drum", k=1)[0].metadata["doc_id"] == ids[0]
    assert index.delete(ids) is True
    assert "winch" not in sources(index.similarity_search("winch drum", k=50))


def test_delete_takes_sources_too(index: PageIndex) -> None:
    """The source that a user knows a document by removes it, and only it."""
    assert index.delete(["cranes.pdf"]) is True
    assert sources(index.similarity_search("tower cranes", k=50)) == {"elevators.pdf"}


async def test_ids_of_the_caller_are_kept_where_documents_have_no_other_name() -> None:
    """Texts without a source go by the ids they are given: results name them, and delete takes them."""
    texts = [Document("A winch drum holds five spare turns."), Document("Slings are discarded when kinked.")]
    index = PageIndex.from_documents(texts, ids=["winch", "sling"])
    assert index.similarity_search("winch drum", k=1)[0].metadata["source"] == "winch"
    await index.aadd_documents([Document("A winch drum holds six spare turns.")], ids=["winch"])
    assert index.delete(["sling"]) is True
    assert [document.page_content[-30:] for document in index.similarity_search("drum", k=9)] == [
        "winch drum holds six spare turns."[-30:]
    ]
    assert all(document.id is None for document in texts)


def test_ids_that_would_lead_to_nothing_are_refused(index: PageIndex, pages: Pages) -> None:
    """A Document with a source is deleted by that, so an id beside it is an error, and nothing is stored."""
    with pytest.raises(OptionError, match=r"'1'.*hoists\.pdf.*Leave ids out"):
        index.add_documents(pages("hoists.pdf"), ids=["1", "2", "3", "4"])
    with pytest.raises(OptionError, match="2 ids were given for 1 Document"):
        index.add_documents([Document("A text.")], ids=["1", "2"])
    assert index.library.count() == 2


def test_delete_of_something_unknown_says_false_and_removes_the_rest(index: PageIndex) -> None:
    """As the vector stores have it: no exception, and no success either."""
    assert index.delete(["never-seen.pdf", "cranes.pdf"]) is False
    assert [info.source_id for info in index.library.list()] == ["elevators.pdf"]
    assert index.delete("cranes.pdf") is False


def test_delete_without_ids_empties_nothing(index: PageIndex) -> None:
    """A missing argument must not cost a library."""
    with pytest.raises(OptionError, match="ids"):
        index.delete()
    assert index.library.count() == 2


def test_changed_documents_replace_their_source(index: PageIndex, pages: Pages) -> None:
    """Adding a source again gives its new text and not its old one; an unchanged one is not indexed again."""
    changed = ("1 Cranes\nTower cranes stop work in wind above 50 kilometres per hour.", OTHER[1])
    index.add_documents([*pages(), *pages("cranes.pdf", changed)])
    assert [info.source_id for info in index.report.indexed] == ["cranes.pdf"]
    assert [info.source_id for info in index.report.unchanged] == ["elevators.pdf"]
    texts = [document.page_content for document in index.similarity_search("tower cranes wind", k=50)]
    assert any("above 50" in text for text in texts)
    assert not any("above 72" in text for text in texts)


def test_an_embedding_is_refused_with_the_call_to_use(pages: Pages) -> None:
    """Code moved over from a vector store is told what to change instead of being obeyed silently."""
    with pytest.raises(OptionError, match=r"DeterministicFakeEmbedding.*from_documents\(docs\)"):
        PageIndex.from_documents(pages(), DeterministicFakeEmbedding(size=4))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"search_type": "mmr"}, "mmr"),
        ({"search_type": "hybrid"}, "similarity_score_threshold"),
        ({"search_type": "similarity_score_threshold"}, "threshold"),
        ({"search_type": "similarity_score_threshold", "search_kwargs": {"k": 2}}, "threshold"),
        ({"search_kwargs": {"fetch_k": 50}}, "fetch_k"),
        ({"search_kwargs": {"library": None}}, "library"),
    ],
)
def test_as_retriever_refuses_what_has_no_meaning(index: PageIndex, arguments: dict[str, Any], message: str) -> None:
    """Each refusal names the argument."""
    with pytest.raises(OptionError, match=message):
        index.as_retriever(**arguments)


def test_as_retriever_takes_a_vector_stores_arguments(index: PageIndex) -> None:
    """search_type, search_kwargs, tags, metadata and name go where LangChain puts them."""
    retriever = index.as_retriever(
        search_type="similarity_score_threshold",
        search_kwargs={"k": 2, "score_threshold": 0.05, "filter": {"producer": "Writer"}},
        tags=["elevators"],
        metadata={"team": "lifts"},
        name="manuals",
    )
    assert (retriever.k, retriever.tags, retriever.metadata) == (2, ["elevators"], {"team": "lifts"})
    assert retriever.get_name() == "manuals"
    found = retriever.invoke("brake rated load")
    assert 1 <= len(found) <= 2
    assert all(document.metadata["score"] >= 0.05 for document in found)


def test_similarity_search_with_score_gives_falling_scores(index: PageIndex) -> None:
    """Each Document comes with the score in its metadata, best first."""
    pairs = index.similarity_search_with_score("brake rated load", k=3)
    scores = [score for _, score in pairs]
    assert scores == sorted(scores, reverse=True)
    assert scores == [document.metadata["score"] for document, _ in pairs]
    assert 0 < scores[0] <= 1
    assert "brake" in pairs[0][0].page_content
    assert index.similarity_search_with_score("brake rated load", k=3, scores=False) == pairs


def test_an_index_of_a_folder_sees_that_folder_only(index: PageIndex, pages: Pages) -> None:
    """Searching and deleting through an index of a folder touch nothing outside it."""
    inner = PageIndex(index.library, folder="/inner")
    inner.add_documents(pages("inner.pdf", ("1 Inner\nTower cranes of the inner yard.",)))
    assert sources(inner.similarity_search("tower cranes", k=50)) == {"inner.pdf"}
    assert inner.delete(["cranes.pdf"]) is False
    assert "cranes.pdf" in sources(index.similarity_search("tower cranes", k=50))


def test_files_are_indexed_with_headings_pages_and_boxes(tmp_path: Path) -> None:
    """A PDF gives its own headings and pages, and the boxes of the lines that answer."""
    path = tmp_path / "pumps.pdf"
    path.write_bytes(
        build_pdf(
            [
                page("# 1 Pumps", "Each pump moves 40 litres a minute.", "The motor is cooled by the water it moves."),
                page("# 2 Seals", "Replace the shaft seals every second year.", "Keep spare seals dry and dark."),
            ],
            bookmarks=[(1, "1 Pumps", 1), (1, "2 Seals", 2)],
        )
    )
    index = PageIndex.from_files(path)
    best = index.similarity_search("replace shaft seals", k=1)[0]
    assert (best.metadata["title"], best.metadata["page"], best.metadata["page_start"]) == ("2 Seals", 1, 2)
    hit = index.as_retriever().search("replace shaft seals").hits[0]
    assert hit.boxes
    assert all(place.page_number == 2 for place in hit.boxes)


def test_a_file_that_fails_is_an_error_and_the_others_stay(manuals: Path) -> None:
    """By default an unreadable file is reported as what it is; those after it are indexed all the same."""
    (manuals / "broken.pdf").write_bytes(b"no PDF at all")
    index = PageIndex()
    with pytest.raises(InputError, match=r"broken\.pdf"):
        index.add_files(manuals)
    assert {info.name for info in index.library.list() if info.status == "ready"} == {"boiler.md", "pump.md"}


def test_every_failed_file_is_named(tmp_path: Path) -> None:
    """The error raised is the first one, with a note for each other."""
    with pytest.raises(SourceNotFoundError, match=r"a\.pdf") as caught:
        PageIndex.from_files([tmp_path / "a.pdf", tmp_path / "b.pdf"])
    assert any("b.pdf" in note for note in caught.value.__notes__)


def test_failures_can_be_skipped_and_are_reported(manuals: Path) -> None:
    """With skip_failures the index is built from the rest, and says what is missing and why."""
    (manuals / "broken.pdf").write_bytes(b"no PDF at all")
    index = PageIndex.from_files(manuals, skip_failures=True)
    assert [Path(failure.source_id).name for failure in index.report.failed] == ["broken.pdf"]
    assert len(index.report.indexed) == 2


def test_a_library_on_disk_is_found_again(pages: Pages, tmp_path: Path) -> None:
    """An index over a path keeps its documents there for the next process."""
    PageIndex.from_documents(pages(), library=tmp_path / "library")
    assert (
        PageIndex.from_library(tmp_path / "library").similarity_search("surveyor")[0].metadata["source"]
        == "elevators.pdf"
    )
    assert open_library(tmp_path / "library").count() == 1


def test_a_path_is_refused_by_the_constructor(tmp_path: Path) -> None:
    """A constructor opens nothing; the error names the call that does, and nothing is made on disk."""
    with pytest.raises(OptionError, match="from_library"):
        PageIndex(tmp_path / "library")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_two_indexes_in_memory_share_nothing(pages: Pages) -> None:
    """Each index without a library has its own."""
    first, second = PageIndex.from_documents(pages()), PageIndex.from_documents(pages("cranes.pdf", OTHER))
    assert sources(first.similarity_search("tower cranes", k=50)) == {"elevators.pdf"}
    assert sources(second.similarity_search("tower cranes", k=50)) == {"cranes.pdf"}


def test_pages_added_in_batches_are_one_document(tmp_path: Path) -> None:
    """People add page by page, also to a library on disk that is opened again; no page takes the place of another."""
    pages = [
        Document(page_content=f"The {word} valve.", metadata={"source": "a.pdf", "page": number})
        for number, word in enumerate(("red", "green", "blue"))
    ]
    index = PageIndex.from_documents(pages[:1], library=tmp_path / "library")
    index.add_documents(pages[1:2])
    again = PageIndex.from_library(tmp_path / "library")
    again.add_documents(pages[2:])
    found = {word: again.similarity_search(f"{word} valve", k=1, unit="page")[0] for word in ("red", "green", "blue")}
    assert {word: document.metadata["page"] for word, document in found.items()} == {"red": 0, "green": 1, "blue": 2}
    assert again.library.count() == 1
