"""Saving and loading: what was found before is found after, to the last box."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from llama_index.core import Document, StorageContext, SummaryIndex, load_index_from_storage, load_indices_from_storage
from llama_index.core.node_parser import SentenceSplitter

from pageindex_core import IndexOptions, OutlineOptions, ReadOptions, open_library
from pageindex_core.errors import LibraryError, SchemaVersionError
from pageindex_core.records import Hit
from pageindex_llamaindex import PageIndex

QUESTIONS = ("How often is the filter replaced?", "soap for bearings", "shelf life", "page 2", "copper prices")


def loaded(folder: Path, **how: object) -> PageIndex:
    """The one index of a folder, by the framework's own function."""
    index = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(folder)), **how)
    assert isinstance(index, PageIndex)
    return index


def hits(index: PageIndex) -> list[tuple[Hit, ...]]:
    """All that searching gives, with quotes, pages, boxes and scores."""
    return [index.as_retriever(similarity_top_k=20).search(question).hits for question in QUESTIONS]


def nodes(index: PageIndex) -> list[str]:
    """All that retrieving gives, as JSON."""
    retriever = index.as_retriever(similarity_top_k=20)
    return [found.to_json() for question in QUESTIONS for found in retriever.retrieve(question)]


def test_files_are_the_same_after_loading(manual: Path, notes: Path, tmp_path: Path) -> None:
    """Sections, ids, pages, labels, boxes, scores and trees of files survive ``persist``, with the files gone."""
    index = PageIndex.from_files([manual, notes], metadata={"series": "P7"})
    before, trees = hits(index), [index.library.tree(info.doc_id) for info in index.library.list()]
    assert before[0][0].boxes
    before_nodes = nodes(index)
    index.storage_context.persist(str(tmp_path / "store"))
    manual.unlink()
    notes.unlink()
    again = loaded(tmp_path / "store")
    assert hits(again) == before
    assert nodes(again) == before_nodes
    assert [again.library.tree(info.doc_id) for info in again.library.list()] == trees
    assert again.ref_doc_info == index.ref_doc_info


def test_documents_are_the_same_after_loading(report: list[Document], tmp_path: Path) -> None:
    """Documents that a reader loaded survive too, with their refs, in the order they had after an update."""
    index = PageIndex.from_documents(report)
    index.insert(Document(text="# Shelf life\n\nFive years.", id_="free"))
    index.update_ref_doc(Document(text="2 Staff\nSoap makers.", id_=report[1].id_, metadata=report[1].metadata))
    index.storage_context.persist(str(tmp_path))
    again = loaded(tmp_path)
    assert nodes(again) == nodes(index)
    assert again.ref_doc_info == index.ref_doc_info


def test_a_loaded_index_goes_on_working(report: list[Document], tmp_path: Path) -> None:
    """After loading, a refresh sees what is unchanged, and inserts and deletions work and can be saved again."""
    PageIndex.from_documents(report).storage_context.persist(str(tmp_path))
    index = loaded(tmp_path)
    assert index.refresh_ref_docs(report) == [False, False, False]
    index.insert(Document(text="Tin is scarce.", id_="tin"))
    index.delete_ref_doc(report[0].id_, delete_from_docstore=True)
    index.storage_context.persist(str(tmp_path))
    assert set(loaded(tmp_path).ref_doc_info) == {report[1].id_, report[2].id_, "tin"}


def test_options_are_kept_and_the_password_is_not(manual: Path, tmp_path: Path) -> None:
    """A rebuilt tree needs the options it was built with; a password has no place in a saved index."""
    options = IndexOptions(read=ReadOptions(password="secret"), outline=OutlineOptions(use_bookmarks=False))
    index = PageIndex.from_files(manual, options=options)
    index.storage_context.persist(str(tmp_path / "store"))
    assert hits(loaded(tmp_path / "store")) == hits(index)
    (info,) = loaded(tmp_path / "store").library.list()
    assert info.toc_source == index.library.list()[0].toc_source != "bookmarks"
    assert all("secret" not in path.read_text("utf-8") for path in (tmp_path / "store").iterdir())


def test_a_storage_context_can_travel_as_a_dict(manual: Path) -> None:
    """The framework's in-memory form of saving works as well."""
    index = PageIndex.from_files(manual)
    storage = StorageContext.from_dict(json.loads(json.dumps(index.storage_context.to_dict())))
    again = load_index_from_storage(storage)
    assert isinstance(again, PageIndex)
    assert hits(again) == hits(index)


def test_an_empty_index_can_be_saved(tmp_path: Path) -> None:
    """Nothing indexed yet is no special case."""
    PageIndex.from_documents([]).storage_context.persist(str(tmp_path))
    index = loaded(tmp_path)
    index.insert(Document(text="Now there is text.", id_="a"))
    assert len(index.as_retriever().retrieve("text")) == 1


def test_several_indexes_share_a_storage(report: list[Document], tmp_path: Path) -> None:
    """Ids tell the indexes of one storage apart, and each comes back with its own documents."""
    storage = StorageContext.from_defaults()
    SummaryIndex.from_documents(report, storage_context=storage, transformations=[SentenceSplitter()])
    first = PageIndex.from_documents(report[:1], storage_context=storage)
    second = PageIndex.from_documents(report[1:], storage_context=storage)
    second.set_index_id("rest")
    storage.persist(str(tmp_path))
    again = load_indices_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), ["rest", first.index_id])
    assert [set(index.ref_doc_info) for index in again] == [{report[1].id_, report[2].id_}, {report[0].id_}]


def test_importing_the_package_is_enough_to_load(report: list[Document], tmp_path: Path) -> None:
    """A fresh process that imports ``pageindex_llamaindex`` finds the class through the framework's registries."""
    PageIndex.from_documents(report).storage_context.persist(str(tmp_path))
    script = f"""
import json, pageindex_llamaindex
from llama_index.core import StorageContext, load_index_from_storage
index = load_index_from_storage(StorageContext.from_defaults(persist_dir={str(tmp_path)!r}))
print(json.dumps([type(index).__name__, index.as_retriever(similarity_top_k=1).retrieve("copper")[0].node.text]))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=50)
    name, text = json.loads(run.stdout.splitlines()[-1])
    assert (name, "Copper prices" in text) == ("PageIndex", True)


# With a library


def test_the_struct_names_the_library(manual: Path, report: list[Document], tmp_path: Path) -> None:
    """Built with a library, the index finds it again by its folder, and file pages stay out of the docstore."""
    index = PageIndex.from_files(manual, library=tmp_path / "library")
    for document in report:
        index.insert(document)
    assert set(index.docstore.docs) == {f"{document.id_}:text" for document in report}
    index.storage_context.persist(str(tmp_path / "store"))
    again = loaded(tmp_path / "store")
    assert hits(again) == hits(index)
    assert again.ref_doc_info == index.ref_doc_info
    assert again.refresh_ref_docs(report) == [False, False, False]


def test_an_open_library_is_found_by_its_folder_as_well(report: list[Document], tmp_path: Path) -> None:
    """Whether a path or an open library was given makes no difference."""
    index = PageIndex.from_documents(report, library=open_library(tmp_path / "library"))
    index.storage_context.persist(str(tmp_path / "store"))
    assert loaded(tmp_path / "store").library.count() == 1


def test_unchanged_documents_are_not_indexed_again_in_a_library(report: list[Document], tmp_path: Path) -> None:
    """A script that runs twice over the same library works once: a library that refuses to write serves as well."""
    first = PageIndex.from_documents(report, library=tmp_path).library.get("report.pdf")
    again = PageIndex.from_documents(report, library=open_library(tmp_path, read_only=True))
    assert again.library.get("report.pdf") == first
    with pytest.raises(LibraryError):
        again.insert(Document(text="New.", id_="new"))


def test_a_library_without_a_folder_has_to_be_passed_again(report: list[Document], tmp_path: Path) -> None:
    """What cannot be found again is asked for, and taken when loading."""
    library = open_library()
    PageIndex.from_documents(report, library=library).storage_context.persist(str(tmp_path))
    with pytest.raises(LibraryError, match="Pass it again"):
        loaded(tmp_path)
    assert loaded(tmp_path, library=library).library is library


def test_a_saved_index_can_move_into_a_library(manual: Path, tmp_path: Path) -> None:
    """Loaded with a library, an index that lived in its docstore is built there, and found there from then on."""
    index = PageIndex.from_files(manual)
    index.storage_context.persist(str(tmp_path / "store"))
    moved = loaded(tmp_path / "store", library=tmp_path / "library")
    moved.storage_context.persist(str(tmp_path / "store"))
    assert open_library(tmp_path / "library").count() == 1
    assert hits(loaded(tmp_path / "store")) == hits(index)


def test_an_index_of_another_version_is_refused(report: list[Document], tmp_path: Path) -> None:
    """The error names both versions."""
    index = PageIndex.from_documents(report)
    index.index_struct.version = 99
    index.storage_context.index_store.add_index_struct(index.index_struct)
    index.storage_context.persist(str(tmp_path))
    with pytest.raises(SchemaVersionError, match=r"version 99.*version 1"):
        loaded(tmp_path)


@pytest.mark.parametrize("copied", [lambda index: pickle.loads(pickle.dumps(index)), copy.deepcopy])
def test_a_copy_is_an_index_of_its_own(
    report: list[Document], manual: Path, copied: Callable[[PageIndex], PageIndex]
) -> None:
    """As the framework's own indexes do it: what the copy takes up or deletes is not seen in the first one."""
    index = PageIndex.from_documents(report)
    index.insert_files(manual)
    before = hits(index)
    again = copied(index)
    assert hits(again) == before
    again.insert(Document(text="# Shelf life\n\nFive years.", id_="free"))
    again.delete_ref_doc(report[0].id_, delete_from_docstore=True)
    assert {"free"} == again.ref_doc_info.keys() - index.ref_doc_info.keys()
    assert {report[0].id_} == index.ref_doc_info.keys() - again.ref_doc_info.keys()
    assert hits(index) == before


def test_a_copy_of_an_index_with_a_library_shares_the_library(manual: Path, notes: Path, tmp_path: Path) -> None:
    """A library on disk travels as its path, so that worker processes see the same documents."""
    index = PageIndex.from_files(manual, library=tmp_path / "library")
    again = pickle.loads(pickle.dumps(index))
    again.insert_files(notes)
    assert hits(again) == hits(index)
    assert len(index.library.list()) == 2
