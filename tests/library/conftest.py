"""The library under test, in each of its forms, and small documents to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from library_documents import make_document
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.records import IndexedDocument


@pytest.fixture(params=["file", "memory"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """An empty library: each backend that keeps the contract."""
    opened = open_library(tmp_path / "library" if request.param == "file" else None)
    yield opened
    opened.close()


@pytest.fixture
def document() -> Callable[..., IndexedDocument]:
    """Make a small document; see ``library_documents.make_document``."""
    return make_document
