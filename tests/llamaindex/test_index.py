"""``PageIndex``: building, inserting, replacing and deleting, as users of other LlamaIndex indexes do it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, SimpleDirectoryReader, StorageContext, SummaryIndex
from llama_index.core.extractors import BaseExtractor
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, RelatedNodeInfo, TextNode

from pageindex_core import IndexOptions, ReadOptions, open_library
from pageindex_core.errors import InputError, OptionError, PageIndexError
from pageindex_llamaindex import PageIndex
from pdf_builder import build_pdf, page

Paged = Callable[..., list[Document]]


def texts(index: PageIndex, question: str, **how: Any) -> list[str]:
    """The texts that a question retrieves, whole pages unless told otherwise."""
    how = {"similarity_top_k": 10, "unit": "page", **how}
    return [found.node.get_content() for found in index.as_retriever(**how).retrieve(question)]


def all_text(index: PageIndex) -> str:
    """Everything the index can retrieve, in the order of documents and pages."""
    infos = sorted(index.library.list(), key=lambda info: info.source_id)
    return "\n".join(page.text for info in infos for page in index.library.pages(info.doc_id))


def test_pages_of_one_file_become_one_document_in_page_order(report: list[Document]) -> None:
    """A reader's Documents are put together by file and page, however they arrive, and nothing is split or lost."""
    index = PageIndex.from_documents([report[2], report[0], report[1]])
    (info,) = index.library.list()
    assert (info.name, info.page_count) == ("report.pdf", 3)
    assert [page.text for page in index.library.pages(info.doc_id)] == [document.text for document in report]


def test_a_long_document_is_not_chunked() -> None:
    """The framework's default splitter would cut this into many nodes; one node with the whole text is stored."""
    text = "\n\n".join(f"Paragraph {number} says something about item {number}." for number in range(400))
    index = PageIndex.from_documents([Document(text=text, id_="long")])
    node_ids = index.ref_doc_info["long"].node_ids
    assert [node.get_content() for node in index.docstore.get_nodes(node_ids)] == [text]


def test_documents_without_a_file_are_told_apart_by_their_ids() -> None:
    """Two Documents that name no source are two documents."""
    index = PageIndex.from_documents([Document(text="Red kites.", id_="a"), Document(text="Blue tits.", id_="b")])
    assert {info.source_id for info in index.library.list()} == {"a", "b"}


def test_a_blank_page_keeps_its_number(paged: Paged) -> None:
    """A page without text stays, so that the pages after it are not renumbered."""
    index = PageIndex.from_documents(paged("gap.pdf", "First words.", "", "Third page mentions zinc."))
    found = index.as_retriever(similarity_top_k=1, unit="page").retrieve("zinc")[0].node.metadata
    assert (found["page_start"], found["page_label"]) == (3, "3")


def test_directory_reader_documents_are_indexed(tmp_path: Path) -> None:
    """What SimpleDirectoryReader gives can be passed on as it is, and its dates stay out of prompts."""
    (tmp_path / "pumps.txt").write_text("Pumps need priming.", "utf-8")
    (tmp_path / "valves.txt").write_text("Valves need grease.", "utf-8")
    index = PageIndex.from_documents(SimpleDirectoryReader(str(tmp_path), filename_as_id=True).load_data())
    found = index.as_retriever(similarity_top_k=1).retrieve("priming")[0].node
    assert found.metadata["file_name"] == "pumps.txt"
    assert found.metadata["file_path"] == str(tmp_path / "pumps.txt")
    assert "last_modified_date" in found.metadata
    assert "last_modified_date" not in found.get_content(metadata_mode="llm")  # type: ignore[arg-type]


def test_splitters_are_left_out_and_said_so(report: list[Document], caplog: pytest.LogCaptureFixture) -> None:
    """A vector pipeline's transformations can stay: the splitter is named in the log and not run."""
    with caplog.at_level(logging.WARNING):
        index = PageIndex.from_documents(report, transformations=[SentenceSplitter(chunk_size=20, chunk_overlap=0)])
    assert "SentenceSplitter was left out" in caplog.text
    assert len(index.docstore.docs) == 3


async def test_metadata_extractors_run_on_whole_documents() -> None:
    """Transformations that do not split are honoured, on insert as well. (Async: see the fusion tests.)"""

    class Counts(BaseExtractor):
        async def aextract(self, nodes: Sequence[BaseNode]) -> list[dict[str, Any]]:
            return [{"words": len(node.get_content().split())} for node in nodes]

    index = PageIndex.from_documents([Document(text="one two three", id_="a")], transformations=[Counts()])
    index.insert(Document(text="four five", id_="b"))
    assert {info.source_id: info.metadata["words"] for info in index.library.list()} == {"a": 3, "b": 2}


def test_arguments_of_vector_indexes_are_ignored_aloud(
    report: list[Document], caplog: pytest.LogCaptureFixture
) -> None:
    """``embed_model`` may stay in a call that was written for vectors, and the log says that it does nothing."""
    with caplog.at_level(logging.WARNING):
        PageIndex.from_documents(report, embed_model="local")
    assert "no use for embed_model" in caplog.text


def test_objects_are_refused() -> None:
    """IndexNodes that stand for retrievers are never returned, so they are not taken."""
    with pytest.raises(OptionError, match="objects"):
        PageIndex(nodes=[], objects=[IndexNode(text="x", index_id="x")])


def test_nothing_to_build_from_is_refused_as_by_other_indexes() -> None:
    """The framework's own check stands."""
    with pytest.raises(ValueError, match="One of nodes"):
        PageIndex()


def test_nodes_made_elsewhere_are_read_in_order() -> None:
    """Nodes of an ingestion pipeline are put together again by the document they came from."""
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="book")}
    nodes = [TextNode(id_=f"n{n}", text=f"Part {n}.", relationships=source) for n in range(3)]
    index = PageIndex(nodes=nodes)
    assert all_text(index).split("\n\n") == ["Part 0.", "Part 1.", "Part 2."]
    assert index.ref_doc_info["book"].node_ids == ["n0", "n1", "n2"]


def test_ref_doc_info_names_every_document_and_its_stored_nodes(report: list[Document]) -> None:
    """Each page is a ref doc with its own metadata, and its node can be fetched from the docstore."""
    info = PageIndex.from_documents(report).ref_doc_info
    assert {ref: entry.node_ids for ref, entry in info.items()} == {
        document.id_: [f"{document.id_}:text"] for document in report
    }
    assert info["report.pdf-2"].metadata["page_label"] == "2"


# Inserting and replacing


def test_insert_adds_a_page_to_its_file(report: list[Document]) -> None:
    """A page that arrives later takes its place by its number."""
    index = PageIndex.from_documents([report[0], report[2]])
    index.insert(report[1])
    assert all_text(index) == "\n".join(document.text for document in report)


async def test_insert_takes_the_arguments_of_other_indexes(report: list[Document]) -> None:
    """``insert_kwargs`` are accepted on both paths."""
    index = PageIndex.from_documents(report[:1])
    index.insert(report[1], use_async=True)
    await index.ainsert(report[2], use_async=True)
    assert len(index.ref_doc_info) == 3


def test_update_leaves_no_ghosts_and_keeps_the_order(paged: Paged) -> None:
    """An updated middle part replaces the old one where it stood; neither text nor nodes of the old one remain."""
    parts = [Document(text=f"Part {n}.", id_=f"p{n}", metadata={"file_path": "/data/notes.txt"}) for n in range(3)]
    index = PageIndex.from_documents(parts)
    index.update_ref_doc(Document(text="Changed.", id_="p1", metadata={"file_path": "/data/notes.txt"}))
    assert all_text(index).split("\n\n") == ["Part 0.", "Changed.", "Part 2."]
    assert set(index.docstore.docs) == {"p0:text", "p1:text", "p2:text"}
    for entry in index.ref_doc_info.values():
        index.docstore.get_nodes(entry.node_ids)


def test_update_takes_new_metadata(report: list[Document]) -> None:
    """The docstore tells the metadata of the new version, not of the first."""
    index = PageIndex.from_documents([Document(text="Text.", id_="a", metadata={"year": 2023})])
    index.update_ref_doc(Document(text="Text.", id_="a", metadata={"year": 2024}))
    assert index.ref_doc_info["a"].metadata["year"] == 2024
    assert index.library.get("a").metadata["year"] == 2024


def test_a_document_that_moves_to_another_file_leaves_the_first(paged: Paged) -> None:
    """A changed file path takes the text from one document to the other."""
    index = PageIndex.from_documents(paged("a.pdf", "Alpha text.", "Beta text."))
    moved = Document(text="Beta text.", id_="a.pdf-2", metadata={"file_path": "/data/b.pdf", "page_label": "1"})
    index.update_ref_doc(moved)
    held = {info.name: [page.text for page in index.library.pages(info.doc_id)] for info in index.library.list()}
    assert held == {"a.pdf": ["Alpha text."], "b.pdf": ["Beta text."]}
    assert {ref: entry.node_ids for ref, entry in index.ref_doc_info.items()} == {
        "a.pdf-1": ["a.pdf-1:text"],
        "a.pdf-2": ["a.pdf-2:text"],
    }


def test_refresh_does_only_what_changed(report: list[Document]) -> None:
    """One changed page, one new page and one unchanged page are told apart, and the file is whole afterwards."""
    index = PageIndex.from_documents(report[:2])
    changed = Document(text="2 Staff\nThe company employs 500 people.", id_=report[1].id_, metadata=report[1].metadata)
    assert index.refresh_ref_docs([report[0], changed, report[2]]) == [False, True, True]
    assert texts(index, "people") == [changed.text, report[0].text, report[2].text]
    assert index.refresh_ref_docs([report[0], changed, report[2]]) == [False, False, False]


def test_refresh_after_a_deletion_brings_the_document_back(report: list[Document]) -> None:
    """A deletion that leaves the docstore alone does not leave a hash behind that hides the document for good."""
    index = PageIndex.from_documents(report)
    index.delete_ref_doc(report[1].id_)
    assert index.refresh_ref_docs(report) == [False, True, False]
    assert all_text(index) == "\n".join(document.text for document in report)


def test_refresh_notices_changed_metadata(report: list[Document]) -> None:
    """A Document's hash covers its metadata, and so does a refresh."""
    index = PageIndex.from_documents([Document(text="Text.", id_="a", metadata={"team": "north"})])
    assert index.refresh_ref_docs([Document(text="Text.", id_="a", metadata={"team": "south"})]) == [True]
    assert index.library.get("a").metadata["team"] == "south"


def test_several_documents_of_one_id_are_all_kept() -> None:
    """Readers that give every page the file's id lose no page, at first or when one of them changes."""
    pages = [
        Document(text=f"Page {word}.", id_="book", metadata={"file_path": "/data/book.pdf", "page_label": label})
        for label, word in (("1", "one"), ("2", "two"), ("3", "three"))
    ]
    index = PageIndex.from_documents(pages)
    assert all_text(index) == "Page one.\nPage two.\nPage three."
    assert index.ref_doc_info["book"].node_ids == ["book:text", "book:text-2", "book:text-3"]
    assert index.refresh_ref_docs(pages) == [False, False, False]
    pages[1] = Document(text="Page 2.", id_="book", metadata=pages[1].metadata)
    assert index.refresh_ref_docs(pages[:2]) == [True, True]
    assert all_text(index) == "Page one.\nPage 2."
    index.delete_ref_doc("book", delete_from_docstore=True)
    assert not index.docstore.docs


# Deleting


def test_deleting_one_page_leaves_the_others(report: list[Document]) -> None:
    """A page is a ref doc: deleting it takes its text, and the later page keeps its number."""
    index = PageIndex.from_documents(report)
    index.delete_ref_doc(report[1].id_, delete_from_docstore=True)
    assert "412 people" not in all_text(index)
    assert set(index.ref_doc_info) == {report[0].id_, report[2].id_}
    assert index.docstore.get_document_hash(report[1].id_) is None
    found = index.as_retriever(similarity_top_k=1, unit="page").retrieve("copper")[0].node.metadata
    assert found["page_start"] == 3


def test_deleting_every_page_removes_the_document(report: list[Document]) -> None:
    """When the last page goes, so does the document, and nothing is found any more."""
    index = PageIndex.from_documents(report)
    for document in report:
        index.delete_ref_doc(document.id_, delete_from_docstore=True)
    assert index.library.count() == 0
    assert not index.docstore.docs
    assert index.as_retriever().retrieve("copper") == []


def test_deleting_what_is_not_there_is_logged(report: list[Document], caplog: pytest.LogCaptureFixture) -> None:
    """As with the framework's indexes: a warning, no error."""
    index = PageIndex.from_documents(report)
    with caplog.at_level(logging.WARNING):
        index.delete_ref_doc("nobody")
        index.delete_nodes(["nothing"])
    assert "nobody not found" in caplog.text
    assert "Nodes nothing" in caplog.text
    assert len(index.ref_doc_info) == 3


def test_delete_nodes_takes_stored_nodes(report: list[Document]) -> None:
    """Nodes can be deleted one by one, from the docstore too when asked."""
    index = PageIndex.from_documents(report)
    index.delete_nodes([f"{report[0].id_}:text"], delete_from_docstore=True)
    assert "nine percent" not in all_text(index)
    assert f"{report[0].id_}:text" not in index.docstore.docs


async def test_async_methods_do_what_the_others_do(report: list[Document]) -> None:
    """Insert, update, refresh and delete on the async path leave the same index."""
    index = PageIndex.from_documents(report[:1])
    await index.ainsert(report[1])
    changed = Document(text="2 Staff\nNobody is left.", id_=report[1].id_, metadata=report[1].metadata)
    await index.aupdate_ref_doc(changed)
    assert await index.arefresh_ref_docs([report[0], changed, report[2]]) == [False, False, True]
    await index.adelete_ref_doc(report[0].id_, delete_from_docstore=True)
    assert set(index.ref_doc_info) == {report[1].id_, report[2].id_}
    assert all_text(index) == f"\n{changed.text}\n{report[2].text}"
    await index.ainsert_nodes([TextNode(id_="extra", text="An extra node about lions.")])
    await index.adelete_nodes([f"{report[2].id_}:text"], delete_from_docstore=True)
    assert set(index.ref_doc_info) == {report[1].id_, "extra"}


async def test_concurrent_inserts_lose_nothing(paged: Paged) -> None:
    """Twenty pages of one file inserted at once are all there, in order."""
    pages = paged("many.pdf", *(f"Page {number} speaks of topic{number}." for number in range(20)))
    index = PageIndex.from_documents([])
    await asyncio.gather(*(index.ainsert(document) for document in pages))
    assert all_text(index) == "\n".join(document.text for document in pages)


def test_another_index_on_the_same_docstore_is_left_alone(report: list[Document]) -> None:
    """Replacing a document here keeps the nodes that a second index made of it."""
    storage = StorageContext.from_defaults()
    other = SummaryIndex.from_documents(report, storage_context=storage, transformations=[SentenceSplitter()])
    theirs = set(other.index_struct.nodes)
    index = PageIndex.from_documents(report, storage_context=storage)
    index.update_ref_doc(Document(text="2 Staff\nNew.", id_=report[1].id_, metadata=report[1].metadata))
    assert theirs <= set(storage.docstore.docs)
    ours = [entry.node_ids for entry in index.ref_doc_info.values()]
    assert ours == [[f"{document.id_}:text"] for document in report]


# Files


def test_files_give_headings_pages_and_boxes(manual: Path) -> None:
    """Read from the file, a PDF keeps its bookmarks, labels and the places of its lines."""
    index = PageIndex.from_files(manual)
    result = index.as_retriever(similarity_top_k=1).search("Which soap for the bearings?")
    assert result.hits[0].section_path == ("1 Pumps", "1.2 Bearings")
    assert (result.hits[0].page_start, result.hits[0].page_label) == (2, "1")
    assert result.hits[0].boxes[0].page_number == 2


def test_unchanged_files_are_not_read_again(manual: Path, notes: Path) -> None:
    """A second run leaves the stored nodes of a file as they are, and takes up what is new."""
    index = PageIndex.from_files(manual)
    node_id = index.ref_doc_info[str(manual)].node_ids[0]
    mark = index.docstore.get_node(node_id)
    mark.metadata["mark"] = "still here"
    index.docstore.add_documents([mark])
    index.insert_files(manual.parent)
    assert index.docstore.get_node(node_id).metadata["mark"] == "still here"
    assert set(index.ref_doc_info) == {str(manual), str(notes)}
    index.insert_files(manual, metadata={"series": "P7"})
    assert index.library.get(str(manual)).metadata["series"] == "P7"


def test_a_changed_file_replaces_all_of_the_old_one(manual: Path) -> None:
    """A file that has become shorter leaves no page behind."""
    index = PageIndex.from_files(manual)
    manual.write_bytes(build_pdf([page("# 1 Pumps", "One page is left.")]))
    index.insert_files(manual)
    assert all_text(index) == "1 Pumps\nOne page is left."
    assert index.ref_doc_info[str(manual)].node_ids == list(index.docstore.docs) == [f"{manual}:page-1"]


def test_a_bad_file_is_named_and_the_others_are_indexed(manual: Path) -> None:
    """An unreadable file raises with its name after the rest was done, or is listed where failures are skipped."""
    bad = manual.with_name("bad.pdf")
    bad.write_bytes(b"<html>not found</html>")
    index = PageIndex.from_library(open_library())
    with pytest.raises(InputError, match=r"bad\.pdf"):
        index.insert_files([bad, manual])
    assert [info.name for info in index.library.list() if info.status == "ready"] == ["manual.pdf"]
    kept = PageIndex.from_files([bad, manual], skip_failures=True)
    assert [Path(failure.source_id).name for failure in kept.failures] == ["bad.pdf"]
    assert texts(kept, "soap")[0].startswith("1.2 Bearings")


def test_a_file_can_be_deleted_by_its_path(manual: Path, notes: Path) -> None:
    """For files the ref doc is the path; both kinds of storage know it."""
    for library in (None, open_library()):
        index = PageIndex.from_files([manual, notes], library=library)
        index.delete_ref_doc(str(manual), delete_from_docstore=True)
        assert set(index.ref_doc_info) == {str(notes)}
        assert [info.name for info in index.library.list()] == ["notes.md"]


@pytest.mark.parametrize("in_library", [False, True])
def test_what_a_reader_made_of_a_file_and_the_file_itself_replace_each_other(manual: Path, in_library: bool) -> None:
    """The same path from two sides is one document, never both."""
    index = PageIndex.from_files(manual, library=open_library() if in_library else None)
    index.insert(Document(text="Only this.", id_="r1", metadata={"file_path": str(manual), "page_label": "1"}))
    assert (all_text(index), set(index.ref_doc_info)) == ("Only this.", {"r1"})
    index.insert_files(manual)
    assert set(index.ref_doc_info) == {str(manual)}
    assert index.library.get(str(manual)).page_count == 3
    assert "r1:text" not in index.docstore.docs


def test_a_document_that_was_removed_from_the_library_itself_can_still_be_deleted(report: list[Document]) -> None:
    """Somebody else's removal does not make the index's own fail."""
    index = PageIndex.from_documents(report[:1])
    index.library.remove("report.pdf")
    index.delete_ref_doc(report[0].id_)
    assert index.ref_doc_info == {}


def test_options_and_metadata_reach_the_core(manual: Path) -> None:
    """Metadata is stored for filters, and options shape what is read."""
    index = PageIndex.from_files(manual, metadata={"series": "P7"}, options=IndexOptions(read=ReadOptions(max_pages=1)))
    (info,) = index.library.list()
    assert (info.page_count, info.metadata["series"]) == (1, "P7")


def test_metadata_that_cannot_be_stored_is_refused(manual: Path) -> None:
    """A value that would not come back as it is raises a typed error that names it."""
    with pytest.raises(PageIndexError, match="since"):
        PageIndex.from_files(manual, metadata={"since": {1, 2}})


def test_from_library_sees_what_others_indexed(manual: Path, tmp_path: Path) -> None:
    """An index over a folder finds the documents that are in it, and lists them."""
    PageIndex.from_files(manual, library=tmp_path / "library")
    index = PageIndex.from_library(tmp_path / "library")
    assert texts(index, "soap")[0].startswith("1.2 Bearings")
    assert index.ref_doc_info[str(manual)].metadata["file_name"] == "manual.pdf"


def test_pages_inserted_one_by_one_are_one_document(tmp_path: Path) -> None:
    """Inserted singly, and by a second index over the same library, pages join those that are there."""
    pages = [
        Document(text=f"The {word} valve.", metadata={"file_path": "/data/a.pdf", "page_label": str(number)})
        for number, word in enumerate(("red", "green", "blue", "white"), start=1)
    ]
    index = PageIndex.from_documents(pages[:1], library=tmp_path / "library")
    index.insert(pages[1])
    again = PageIndex.from_library(tmp_path / "library")
    again.insert(pages[2])
    again.insert(pages[3])
    (info,) = again.library.list()
    stored = again.library.pages(info.doc_id)
    assert [page.text for page in stored] == [page.text for page in pages]
