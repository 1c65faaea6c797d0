"""Sections for other stores, and indexes on disk: loader, transformer, save_local and load_local."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

from pageindex_core import open_library
from pageindex_core.errors import LibraryError, OptionError, SourceNotFoundError
from pageindex_langchain import PageIndex, PageIndexLoader, PageTreeTransformer


def every(index: PageIndex) -> dict[str | None, Document]:
    """Every Document that the retriever gives, without what depends on a question, by id."""
    found = index.as_retriever(search_kwargs={"k": 100, "scores": False}).invoke("anything")
    return {document.id: document for document in found}


def test_loaded_sections_are_the_retrievers(index: PageIndex, manuals: Path) -> None:
    """The loader gives the Documents that the retriever gives, each once, in the order of the file."""
    loaded = PageIndexLoader(manuals).load()
    assert {document.id: document for document in loaded} == every(index)
    assert len({document.id for document in loaded}) == len(loaded)
    titles = [document.metadata["title"] for document in loaded if document.metadata["file_name"] == "boiler.md"]
    assert titles == ["Boiler B2", "Commissioning", "Burner", "Warranty"]


async def test_the_loader_is_lazy(manuals: Path) -> None:
    """Nothing is read before the first Document is asked for, and no file before its turn."""
    (manuals / "empty.pdf").write_bytes(b"%PDF-1.4 broken")
    documents = PageIndexLoader([manuals / "boiler.md", manuals / "missing.md"])
    with pytest.raises(SourceNotFoundError):
        documents.load()
    some = PageIndexLoader([manuals / "pump.md", manuals / "empty.pdf"]).alazy_load()
    assert (await anext(some)).metadata["file_name"] == "pump.md"
    await some.aclose()


def test_the_loader_takes_units_and_metadata(manuals: Path) -> None:
    """Pages instead of sections, metadata for filters, and text without the line above it."""
    (page,) = PageIndexLoader(manuals / "pump.md", unit="page", header=False, metadata={"year": 2021}).load()
    assert page.page_content.startswith("# Pump P7")
    assert page.metadata["year"] == 2021
    assert (page.metadata["page_start"], page.metadata["total_pages"]) == (1, 1)


async def test_transformed_pages_are_the_retrievers_sections(pages: Callable[..., list[Document]]) -> None:
    """One Document a page becomes one a section, with its path in the text; sync and async alike."""
    loaded = pages()
    sections = PageTreeTransformer().transform_documents(loaded)
    assert {document.id: document for document in sections} == every(PageIndex.from_documents(loaded))
    assert sections[1].page_content.startswith("[elevators.pdf > 2 Ropes, page 2, doc ")
    assert sections[1].metadata["page"] == 1
    assert "score" not in sections[1].metadata
    assert list(await PageTreeTransformer().atransform_documents(loaded)) == sections


def test_the_transformer_refuses_arguments_that_it_does_not_know(pages: Callable[..., list[Document]]) -> None:
    """chunk_size and the like are no settings of a tree."""
    with pytest.raises(OptionError, match="chunk_size"):
        PageTreeTransformer().transform_documents(pages(), chunk_size=400)


def test_a_vector_store_of_sections_fuses_without_double_counting(index: PageIndex, manuals: Path) -> None:
    """A vector store filled by the loader and the retriever know each other's sections by ``node_id`` and by text."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(PageIndexLoader(manuals).load())
    for key in ("node_id", None):
        both = EnsembleRetriever(
            retrievers=[index.as_retriever(search_kwargs={"k": 50}), store.as_retriever(search_kwargs={"k": 50})],
            id_key=key,
        )
        fused = both.invoke("lithium grease")
        assert {document.id for document in fused} == set(every(index))
        assert len(fused) == len(every(index))


def test_an_index_is_saved_and_loaded(index: PageIndex, manuals: Path, tmp_path: Path) -> None:
    """What memory held is found again in the folder, unchanged, and indexing goes on there."""
    index.save_local(tmp_path / "saved")
    loaded = PageIndex.load_local(tmp_path / "saved")
    question = "How often is the strainer cartridge replaced?"
    assert loaded.as_retriever().invoke(question) == index.as_retriever().invoke(question)
    assert [info.source_id for info in loaded.library.list()] == [info.source_id for info in index.library.list()]
    loaded.add_files(manuals)
    assert loaded.report is not None
    assert loaded.report.indexed == ()


def test_nothing_is_saved_to_memory(index: PageIndex) -> None:
    """SQLite's name for it is no folder, and what went there would be gone."""
    with pytest.raises(OptionError, match="names no folder"):
        index.save_local(":memory:")


def test_saving_again_leaves_what_the_index_holds_and_nothing_else(index: PageIndex, tmp_path: Path) -> None:
    """A removed document is gone from the folder too, and a failed one is told of there."""
    index.save_local(tmp_path)
    index.delete([next(info.doc_id for info in index.library.list() if info.name == "boiler.md")])
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    index.add_files(tmp_path / "broken.pdf", skip_failures=True)
    index.save_local(tmp_path)
    infos = {info.name: info.status for info in PageIndex.load_local(tmp_path).library.list()}
    assert infos == {"pump.md": "ready", "broken.pdf": "failed"}


def test_an_index_on_disk_saves_to_its_own_folder(manuals: Path, tmp_path: Path) -> None:
    """Nothing is copied onto itself, and elsewhere a second library comes to be."""
    index = PageIndex.from_files(manuals, library=tmp_path / "one")
    index.save_local(tmp_path / "one")
    index.save_local(tmp_path / "two")
    assert open_library(tmp_path / "one").count() == open_library(tmp_path / "two").count() == 2


def test_loading_makes_nothing(tmp_path: Path) -> None:
    """A wrong path is an error, not a new empty library; embeddings are refused."""
    with pytest.raises(LibraryError):
        PageIndex.load_local(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(OptionError, match="embedded"):
        PageIndex.load_local(tmp_path, DeterministicFakeEmbedding(size=4))  # type: ignore[arg-type]
