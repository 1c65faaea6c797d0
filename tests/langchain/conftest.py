"""Small made-up documents in the shapes that LangChain's loaders give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI

from answering_models import by_words
from pageindex_core.testing import ModelServer
from pageindex_langchain import PageIndex, PageIndexRetriever

PUMP = """# Pump P7

Maker's manual for the P7 series.

## Safety

Switch the pump off at the wall before opening the housing. Rotating parts cause injury.

## Installation

Bolt the base plate to a level floor with four anchors. The suction line is as short as possible.

## Maintenance

### Filter

Replace the strainer cartridge every 400 operating hours. A clogged cartridge lowers the pressure.

### Bearings

Grease both bearings twice a year with lithium grease, 12 grams for each nipple.

## Warranty

This warranty is void when seals are broken by anyone but an authorised workshop.
"""

BOILER = """# Boiler B2

Operating instructions for the B2 series.

## Commissioning

Fill the heating circuit to 1.5 bar and vent every radiator before ignition.

## Burner

Clean the ignition electrodes yearly; the gap between them is 3 millimetres.

## Warranty

This warranty is void when seals are broken by anyone but an authorised workshop.
"""

PAGES = (
    "1 Scope\nThis standard applies to freight elevators of up to 2000 kilograms.",
    "2 Ropes\nSteel ropes are discarded when ten wires are broken within one lay length.",
    "3 Brakes\nThe brake holds one and a quarter times the rated load without slipping.",
    "4 Inspection\nA surveyor inspects the hoistway every second year and keeps a log book.",
)
"""One page of text each, with words that stand on no other page."""


def loaded_pages(source: str = "elevators.pdf", texts: tuple[str, ...] = PAGES, **metadata: object) -> list[Document]:
    """Documents as ``PyPDFLoader`` gives them: one a page, ``page`` counted from 0, a printed label, a total."""
    return [
        Document(
            text,
            metadata={
                "producer": "Writer",
                "source": source,
                "total_pages": len(texts),
                "page": index,
                "page_label": f"A-{index + 1}",
                **metadata,
            },
        )
        for index, text in enumerate(texts)
    ]


@pytest.fixture
def pages() -> Callable[..., list[Document]]:
    """The function that makes loaded pages."""
    return loaded_pages


@pytest.fixture
def manuals(tmp_path: Path) -> Path:
    """A folder with two Markdown manuals that share the wording of their warranty."""
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "pump.md").write_text(PUMP, encoding="utf-8")
    (folder / "boiler.md").write_text(BOILER, encoding="utf-8")
    return folder


@pytest.fixture
def index(manuals: Path) -> PageIndex:
    """Both manuals, in memory."""
    return PageIndex.from_files(manuals)


@pytest.fixture
def retriever(index: PageIndex) -> PageIndexRetriever:
    """A retriever with every default over both manuals."""
    return index.as_retriever()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that chooses by the words of the map."""
    with ModelServer(by_words()) as running:
        yield running


@pytest.fixture
def llm(server: ModelServer) -> ChatOpenAI:
    """LangChain's OpenAI model on that server."""
    return ChatOpenAI(model="test-model", base_url=server.base_url, api_key="test", max_retries=0)
