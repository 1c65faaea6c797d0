"""``evaluate``: figures that can be worked out by hand, and results that name no page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from llama_index.core.base.base_retriever import BaseRetriever as LlamaIndexRetriever
from llama_index.core.schema import NodeWithScore, TextNode

from pageindex_core import LoadedDocument, index_loaded, open_library, search
from pageindex_core.errors import OptionError
from pageindex_core.evaluate import EvidenceQuestion, evaluate, paired_bootstrap, read_questions
from pageindex_core.tokens import count_tokens

QUESTIONS = [
    {"question": "one", "document": "a.pdf", "pages": [2, 3]},
    {"question": "two", "document": "/data/a.pdf", "pages": [9]},
]


class ByPage(BaseRetriever):
    """Gives chunks of these pages, counted from 0, of one source."""

    pages: list[int]
    source: str = "/data/a.pdf"

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        return [Document("word " * 10, metadata={"source": self.source, "page": page}) for page in self.pages]


class ByLabel(LlamaIndexRetriever):
    """Gives nodes with these labels."""

    def __init__(self, *labels: str) -> None:
        self.labels = labels
        super().__init__()

    def _retrieve(self, query_bundle: object) -> list[NodeWithScore]:
        metadata = {"file_path": "/data/a.pdf", "file_name": "a.pdf"}
        nodes = [TextNode(text="word", metadata={**metadata, "page_label": label}) for label in self.labels]
        return [NodeWithScore(node=node, score=0.5) for node in nodes]


def test_recall_and_tokens_of_each_framework() -> None:
    """LangChain's pages count from 0 and LlamaIndex's labels are text; the figures are those of the first k."""
    found = evaluate(QUESTIONS, {"chunks": ByPage(pages=[1, 6, 2]), "nodes": ByLabel("2", "3", "9")}, k=(2, 3))
    assert found.mean("chunks", "page_recall", 2) == 0.25
    assert found.mean("chunks", "page_recall", 3) == 0.5
    assert found.mean("nodes", "page_recall", 2) == 0.5
    assert found.mean("nodes", "page_recall", 3) == 1.0
    assert found.mean("chunks", "document_recall", 2) == 1.0
    assert found.mean("chunks", "tokens", 2) == 2 * count_tokens("word " * 10)
    assert [(one.retriever, one.than, one.k, one.mean) for one in found.differences] == [
        ("nodes", "chunks", 2, 0.25),
        ("nodes", "chunks", 3, 0.5),
    ]
    assert all(one.low <= one.mean <= one.high for one in found.differences)
    table = str(found).splitlines()
    assert table[0].split() == ["pages@2", "documents@2", "tokens@2", "pages@3", "documents@3", "tokens@3"]
    assert table[1].split()[:3] == ["chunks", "0.250", "1.000"]


def test_pages_of_another_document_do_not_count() -> None:
    """The same page number elsewhere is no evidence, and takes a place."""
    found = evaluate(QUESTIONS[:1], ByPage(pages=[1, 2], source="/data/b.pdf"), k=(5,))
    assert found.mean("retriever", "page_recall", 5) == 0.0
    assert found.mean("retriever", "document_recall", 5) == 0.0


def test_the_core_itself_is_judged_by_a_function() -> None:
    """Hits name their pages themselves."""
    library = open_library(None)
    texts = ("1 Scope\nFreight elevators.", "2 Ropes\nSteel ropes.", "3 Brakes\nThe brake holds the load.")
    index_loaded((LoadedDocument(text, {"source": "a.pdf", "page": at}) for at, text in enumerate(texts)), library)
    asked = [EvidenceQuestion("What does the brake hold?", "a.pdf", (3,))]
    found = evaluate(asked, lambda question: search(library, question, k=1).hits, k=(1,))
    assert found.mean("retriever", "page_recall", 1) == 1.0
    assert found.mean("retriever", "tokens", 1) == count_tokens(texts[2])


@pytest.mark.parametrize("label", ["iv", "A-3"])
def test_a_label_that_is_no_number_is_refused(label: str) -> None:
    """What names no page cannot be judged, and the error tells what to do."""
    with pytest.raises(OptionError, match=f"names no page.*{label}.*page_start"):
        evaluate(QUESTIONS, ByLabel(label))


def test_what_cannot_be_evaluated_is_refused() -> None:
    """No question, no evidence, nothing to ask, no document."""
    with pytest.raises(OptionError, match="no question"):
        evaluate([], ByPage(pages=[1]))
    with pytest.raises(OptionError, match="no evidence"):
        evaluate([{"question": "one", "document": "a.pdf", "pages": []}], ByPage(pages=[1]))
    with pytest.raises(OptionError, match="pages"):
        evaluate([{"question": "one", "document": "a.pdf"}], ByPage(pages=[1]))
    with pytest.raises(OptionError, match="neither invoke nor retrieve"):
        evaluate(QUESTIONS, {"mine": object()})
    with pytest.raises(OptionError, match="no document"):
        evaluate(QUESTIONS, lambda question: [Document("text", metadata={"page": 1})])
    with pytest.raises(OptionError, match="is no passage"):
        evaluate(QUESTIONS, lambda question: ["text"])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("How often?", "A str is no question with evidence"),
        (None, "A NoneType is no question with evidence"),
        (("one", "a.pdf", (1,)), "A tuple is no question with evidence"),
        (EvidenceQuestion("one", "a.pdf", 3), "names no evidence"),  # type: ignore[arg-type]
        (EvidenceQuestion("one", "a.pdf", (0,)), "Pages count from 1"),
        ({"question": "one", "document": 7, "pages": [1]}, "Question and document are texts"),
        ({"question": " ", "document": "a.pdf", "pages": [1]}, "Question and document are texts"),
        ({"question": "one", "document": "a.pdf", "pages": [True]}, "names no evidence"),
    ],
)
def test_what_is_no_question_is_refused_whatever_its_type(given: object, told: str) -> None:
    """The error says what was given, before anybody is asked."""
    with pytest.raises(OptionError, match=told):
        evaluate([given], ByPage(pages=[1]))  # type: ignore[list-item]


def test_questions_are_read_from_lines(tmp_path: Path) -> None:
    """JSON lines with the three keys; a broken line is named by its number."""
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in QUESTIONS), encoding="utf-8")
    assert read_questions(path)[0] == EvidenceQuestion("one", "a.pdf", (2, 3))
    path.write_text('\n{"question": 1', encoding="utf-8")
    with pytest.raises(OptionError, match="Line 2"):
        read_questions(path)
    path.write_text(json.dumps({**QUESTIONS[0], "question": "one\u2028two"}, ensure_ascii=False), encoding="utf-8-sig")
    assert read_questions(path)[0].question == "one\u2028two"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(OptionError, match="UTF-8"):
        read_questions(path)


def test_the_interval_is_that_of_the_pairs() -> None:
    """No spread gives a point; the mean lies inside; the same data give the same interval."""
    assert paired_bootstrap([0.5] * 20) == (0.5, 0.5)
    low, high = paired_bootstrap([0, 1] * 50)
    assert 0.3 < low < 0.5 < high < 0.7
    assert paired_bootstrap([0, 1] * 50) == (low, high)
