"""Files as the framework's documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from llama_index.core import SimpleDirectoryReader

from pageindex_core.errors import InputError, OptionError
from pageindex_llamaindex import PageIndex, PageIndexReader


def test_pages_come_as_documents_with_their_labels(manual: Path) -> None:
    """One Document a page, labelled as the file labels it, under an id of its own that stays the same."""
    documents = PageIndexReader().load_data(manual, extra_info={"year": 2024})
    assert [each.metadata["page_label"] for each in documents] == ["i", "1", "2"]
    assert {each.metadata["file_name"] for each in documents} == {"manual.pdf"}
    assert {each.metadata["year"] for each in documents} == {2024}
    assert [each.id_ for each in documents] == [each.id_ for each in PageIndexReader().load_data([manual])]
    assert "lithium soap" in documents[1].text


def test_sections_come_as_documents_with_their_paths(manual: Path) -> None:
    """One Document for each unit of the tree, the same as the retriever's nodes."""
    documents = PageIndexReader(split="section").load_data(manual)
    assert [each.metadata["title"] for each in documents][:3] == ["1 Pumps", "1.1 Seals", "1.2 Bearings"]
    assert documents[1].metadata["section_path"] == "1 Pumps > 1.1 Seals"
    found = PageIndex.from_files(manual).as_retriever(similarity_top_k=20).retrieve("seals")
    assert {each.node.node_id for each in found} == {each.id_ for each in documents}


@pytest.mark.parametrize("split", ["page", "section"])
def test_it_reads_for_the_directory_reader(manual: Path, notes: Path, split: str) -> None:
    """As a file extractor it serves each ending, and the directory's own metadata stays."""
    reader = PageIndexReader(split=split)  # type: ignore[arg-type]
    directory = SimpleDirectoryReader(str(manual.parent), file_extractor={".pdf": reader, ".md": reader})
    documents = directory.load_data()
    assert {each.metadata["file_name"] for each in documents} == {"manual.pdf", "notes.md"}
    assert all("file_size" in each.metadata for each in documents)


def test_what_was_read_can_be_indexed(manual: Path) -> None:
    """Pages that were read here make one document of the index."""
    index = PageIndex.from_documents(PageIndexReader().load_data(manual))
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("Which soap for the bearings?")
    assert found.node.metadata["page_label"] == "1"
    assert len(index.library.list()) == 1


def test_files_of_other_systems_are_read(notes: Path) -> None:
    """A file system of fsspec's is read through itself, and its path is the source."""
    fs = MemoryFileSystem()
    with fs.open("/shelf/notes.md", "wb") as file:
        file.write(notes.read_bytes())
    documents = PageIndexReader(split="section").load_data("/shelf/notes.md", fs=fs)
    assert [each.metadata["source"] for each in documents] == ["/shelf/notes.md"] * len(documents)
    assert any("five years" in each.text for each in documents)


async def test_missing_files_and_unknown_splits_are_refused(tmp_path: Path) -> None:
    """Errors are those of the core, sync and async."""
    with pytest.raises(InputError):
        PageIndexReader().load_data(tmp_path / "none.pdf")
    with pytest.raises(InputError):
        await PageIndexReader().aload_data(tmp_path / "none.pdf")
    with pytest.raises(OptionError, match="chapter"):
        PageIndexReader(split="chapter")  # type: ignore[arg-type]
