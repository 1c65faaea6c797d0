"""A stage that fails as no stage should, for one document: what a bug of ours, or of a parser, looks like."""

from __future__ import annotations

import pytest

from pageindex_core import pipeline
from pageindex_core.options import ReadOptions
from pageindex_core.read import Source, read_pages
from pageindex_core.records import Pages


def break_reading_of(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let reading the document of this name raise a RuntimeError; all others are read."""

    def read(source: Source, options: ReadOptions | None = None) -> Pages:
        if source.name == name:
            raise RuntimeError("no such glyph")
        return read_pages(source, options)

    monkeypatch.setattr(pipeline, "read_pages", read)
