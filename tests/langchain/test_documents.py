"""What the Documents carry: content, ids, metadata, pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.documents import Document

from pageindex_core.errors import OptionError
from pageindex_langchain import PageIndex, PageIndexRetriever
from pageindex_langchain.documents import QUESTION_KEYS, UNIT_KEYS

Pages = Callable[..., list[Document]]


def test_best_document_says_which_section_and_pages_it_came_from(retriever: PageIndexRetriever, manuals: Path) -> None:
    """Source, path, title and pages name the place that holds the answer."""
    best = retriever.invoke("How often is the strainer cartridge replaced?")[0]
    assert "every 400 operating hours" in best.page_content
    assert best.metadata["source"] == str(manuals / "pump.md")
    assert best.metadata["file_name"] == "pump.md"
    assert best.metadata["section_path"] == "Pump P7 > Maintenance > Filter"
    assert best.metadata["title"] == "Filter"
    assert best.metadata["quote"].startswith("Replace the strainer cartridge")
    assert (best.metadata["page"], best.metadata["page_start"], best.metadata["page_end"]) == (0, 1, 1)


def test_content_starts_with_a_line_that_names_the_place(retriever: PageIndexRetriever) -> None:
    """A model that sees the content alone can cite document, section and page."""
    best = retriever.invoke("grease the bearings")[0]
    first_line = best.page_content.splitlines()[0]
    assert first_line == (f"[pump.md > Pump P7 > Maintenance > Bearings, page 1, doc {best.metadata['doc_id'][:8]}]")


def test_header_can_be_left_out(index: PageIndex) -> None:
    """Without the header the content is the unit's own text."""
    plain = index.as_retriever(search_kwargs={"header": False}).invoke("grease the bearings")[0]
    headed = index.as_retriever().invoke("grease the bearings")[0]
    assert headed.page_content.split("\n", 1)[1] == plain.page_content
    assert "lithium grease" in plain.page_content


def test_every_document_has_the_same_keys_and_flat_values(index: PageIndex) -> None:
    """A prompt template or id_key that works for one Document works for all of them."""
    documents = index.as_retriever(search_kwargs={"k": 50}).invoke("warranty")
    assert len(documents) > 6
    for document in documents:
        assert set(document.metadata) == UNIT_KEYS
        assert all(isinstance(value, (str, int, float)) for value in document.metadata.values())
    json.dumps([document.metadata for document in documents])


def test_without_scores_a_unit_is_the_same_document_for_every_question(index: PageIndex) -> None:
    """Content, id and metadata then depend on the unit alone."""
    retriever = index.as_retriever(search_kwargs={"k": 50, "scores": False})
    first = {document.id: document for document in retriever.invoke("grease")}
    assert first == {document.id: document for document in retriever.invoke("radiator ignition")}
    assert all(set(document.metadata) == UNIT_KEYS - QUESTION_KEYS for document in first.values())


def test_ids_are_unique_and_stable_over_rebuilding(manuals: Path) -> None:
    """The same files give the same ids in another library, so caches and fusion can hang on them."""
    first, second = (PageIndexRetriever.from_files(manuals, k=50).invoke("warranty seals") for _ in range(2))
    ids = [document.id for document in first]
    assert len(set(ids)) == len(ids) > 6
    assert ids == [document.id for document in second]
    assert ids == [document.metadata["node_id"] for document in first]


def test_content_of_a_unit_is_the_same_for_every_question(index: PageIndex) -> None:
    """Fusion by content recognises a unit whatever was asked."""
    retriever = index.as_retriever(search_kwargs={"k": 50})
    by_id = {document.id: document.page_content for document in retriever.invoke("grease")}
    assert by_id == {document.id: document.page_content for document in retriever.invoke("radiator ignition")}


def test_units_with_equal_text_have_different_content(retriever: PageIndexRetriever) -> None:
    """Two files with one wording stay two Documents: their contents differ in the place they name."""
    documents = retriever.invoke("When is the warranty void?", k=2)
    assert {document.metadata["file_name"] for document in documents} == {"pump.md", "boiler.md"}
    texts = {document.page_content.split("\n", 1)[1] for document in documents}
    assert len(texts) == 1
    assert len({document.page_content for document in documents}) == 2


def test_same_file_name_in_two_folders_gives_different_content(tmp_path: Path) -> None:
    """Even equal names, sections, pages and texts are told apart."""
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "report.md").write_text("# Disclaimer\n\nNo liability is accepted for errors.\n", "utf-8")
    documents = PageIndexRetriever.from_files(tmp_path).invoke("liability")
    assert len(documents) == 2
    assert len({document.page_content for document in documents}) == 2


def test_pages_counted_from_zero_come_back_counted_from_zero(pages: Pages) -> None:
    """PyPDFLoader's pages go in, and ``page`` means the same page on the way out."""
    retriever = PageIndexRetriever.from_documents(pages(), unit="page", k=1)
    for query, number in (("freight", 0), ("wires", 1), ("brake", 2), ("surveyor", 3)):
        (found,) = retriever.invoke(query)
        assert found.metadata["page"] == number
        assert (found.metadata["page_start"], found.metadata["page_end"]) == (number + 1, number + 1)
        assert found.metadata["page_label"] == f"A-{number + 1}"
        assert (found.metadata["source"], found.metadata["total_pages"]) == ("elevators.pdf", 4)


def test_pages_counted_from_one_are_told_apart(pages: Pages) -> None:
    """Loaders that count from 1 lead to the same page numbers as those that count from 0."""
    documents = pages()
    for document in documents:
        document.metadata["page"] += 1
    (found,) = PageIndexRetriever.from_documents(documents, unit="page", k=1).invoke("surveyor")
    assert (found.metadata["page"], found.metadata["page_start"]) == (3, 4)


def test_pages_in_any_order_are_put_in_page_order(pages: Pages) -> None:
    """Loading in parallel may shuffle the pages; the page numbers decide."""
    (found,) = PageIndexRetriever.from_documents(pages()[::-1], unit="page", k=1).invoke("wires")
    assert found.metadata["page_start"] == 2


def test_metadata_of_the_source_comes_along(pages: Pages) -> None:
    """Whatever the caller knows about a document is on each of its Documents."""
    (found,) = PageIndexRetriever.from_documents(pages(department="lifts", year=2024), k=1).invoke("ropes")
    assert (found.metadata["department"], found.metadata["year"], found.metadata["producer"]) == (
        "lifts",
        2024,
        "Writer",
    )
    assert set(found.metadata) >= UNIT_KEYS


def test_metadata_of_the_source_never_hides_ours(pages: Pages) -> None:
    """A document's own title is kept under another key; the section's title stays."""
    loaded = pages(title="Elevator standard", score="A+", node_id="theirs")
    (found,) = PageIndexRetriever.from_documents(loaded, k=1).invoke("ropes")
    assert found.metadata["document_title"] == "Elevator standard"
    assert found.metadata["document_score"] == "A+"
    assert found.metadata["document_node_id"] == "theirs"
    assert found.metadata["node_id"] == found.id
    assert 0 <= found.metadata["score"] <= 1


def test_documents_are_fresh_copies(retriever: PageIndexRetriever) -> None:
    """What a reranker writes into a Document is not there the next time."""
    first = retriever.invoke("grease")[0]
    first.metadata["relevance"] = 1
    first.page_content = "changed"
    again = retriever.invoke("grease")[0]
    assert "relevance" not in again.metadata
    assert again.page_content != "changed"


def test_something_else_than_documents_is_refused() -> None:
    """Texts and paths given where Documents belong are named, with the call that takes them."""
    with pytest.raises(OptionError, match=r"not str.*from_files"):
        PageIndex.from_documents(["manual.pdf"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="not str"):
        PageIndex.from_documents("manual.pdf")  # type: ignore[arg-type]
