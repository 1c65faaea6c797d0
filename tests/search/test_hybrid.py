"""The three ways with a store of passages: what is asked, placed, fused, and what a scope keeps out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from pageindex_core import Scope, asearch, index_loaded, open_library, search
from pageindex_core.errors import OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.passages import Passage, nearest_first
from pageindex_core.read import LoadedDocument
from pageindex_core.records import DocumentInfo
from pageindex_core.search.hybrid.asking import pages_of
from pageindex_core.search.hybrid.fusion import calibrated
from pageindex_core.search.hybrid.inside import asearch_inside, search_inside
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.postings import load_postings

TOPICS = ("pumps", "valves", "filters", "bearings", "motors", "seals", "pipes", "gauges", "cables", "tanks", "fans")


@dataclass
class Shelf:
    """A store that gives its passages in their order, and keeps what it was asked."""

    held: Sequence[Passage]
    restricts: bool = False
    asked: list[tuple[int, tuple[str, ...] | None]] = field(default_factory=list)

    def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        self.asked.append((k, documents and tuple(info.source_id for info in documents)))
        sources = None if documents is None else {info.source_id for info in documents}
        return [one for one in self.held if sources is None or sources.intersection(one.documents)][:k]

    async def apassages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        await asyncio.sleep(0)
        return self.passages(question, k, documents)


def chunk(source: str, page: int, score: float, **more: object) -> Passage:
    return replace(Passage(f"{source} {page}", score, (source,), page, page), **more)  # type: ignore[arg-type]


@pytest.fixture
def shelves() -> Library:
    """Two documents of eleven pages about one topic each; the pay is on page 9 of the first, in other words."""
    loaded = []
    for source in ("north.pdf", "south.pdf"):
        for number, topic in enumerate(TOPICS, start=1):
            text = (
                f"{number} {topic.title()}\nThe {topic} of the {source[:5]} works are inspected every {number} months."
            )
            if number == 9 and source == "north.pdf":
                text = "9 Remuneration\nStaff receive forty crowns an hour."
            metadata = {"source": source, "page": number - 1, "page_label": f"A-{number}"}
            loaded.append(LoadedDocument(text, metadata))
    library = open_library(None)
    index_loaded(loaded, library)
    return library


def test_vectors_answer_what_a_long_document_says_in_other_words() -> None:
    """A question that shares no word with its answer is answered by the vectors, and the hit says so."""
    library = open_library(None)
    pages = (LoadedDocument(f"{at} Hall\nRoom {at} is green.", {"source": "a.pdf", "page": at}) for at in range(150))
    index_loaded(pages, library)
    store = Shelf([chunk("a.pdf", 61, 0.8), chunk("a.pdf", 2, 0.3), chunk("a.pdf", 3, 0.2)])
    result = search(library, "wage?", k=3, navigator="hybrid", vectors=store)
    assert (result.hits[0].page_start, result.hits[0].found_by) == (61, "vectors")
    assert result.trace.navigator == "hybrid"
    assert 61 not in [hit.page_start for hit in search(library, "wage?", k=3).hits]


def test_in_a_short_document_vectors_raise_what_holds_no_word(shelves: Library) -> None:
    """The order of the document still counts there, since its first pages often hold the answer by chance."""
    store = Shelf([chunk("south.pdf", 9, 0.8), chunk("south.pdf", 2, 0.3)])
    by_words = [hit.unit_id for hit in search(shelves, "wage?", k=22).hits]
    raised = search(shelves, "wage?", k=22, navigator="hybrid", vectors=store).hits
    wanted = next(hit.unit_id for hit in raised if (hit.source_id, hit.page_start) == ("south.pdf", 9))
    assert [hit.unit_id for hit in raised].index(wanted) < by_words.index(wanted) - 5


def test_words_keep_the_first_place_against_vectors(shelves: Library) -> None:
    """What the words are sure of stays first, and scores fall within 0..1."""
    store = Shelf([chunk("south.pdf", 5, 0.9), chunk("south.pdf", 6, 0.1)])
    hits = search(
        shelves, "How often are the filters of the north works inspected?", k=22, navigator="hybrid", vectors=store
    ).hits
    assert (hits[0].source_id, hits[0].page_start) == ("north.pdf", 3)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len({hit.unit_id for hit in hits}) == 22


async def test_async_gives_the_same(shelves: Library) -> None:
    """The async driver awaits the store and gives what the sync one gives."""
    store = Shelf([chunk("north.pdf", 9, 0.8), chunk("south.pdf", 2, 0.3)])
    for how in ({"navigator": "hybrid"}, {"shortlist": "pages"}, {"shortlist": "documents"}):
        one = search(shelves, "How are staff paid?", vectors=store, **how)  # type: ignore[arg-type]
        other = await asearch(shelves, "How are staff paid?", vectors=store, **how)  # type: ignore[arg-type]
        assert one.hits == other.hits
    inside = await asearch_inside(shelves, "How are staff paid?", store)
    assert inside.passages == search_inside(shelves, "How are staff paid?", store).passages


@pytest.mark.parametrize("restricts", [True, False])
def test_nothing_outside_the_scope_is_given(shelves: Library, restricts: bool) -> None:
    """A store that keeps to documents is told them; of another one more is fetched, and the rest left out."""
    held = [chunk("south.pdf", 1 + number % 11, 1 - number / 500) for number in range(450)]
    store = Shelf([*held, chunk("north.pdf", 9, 0.01)], restricts)
    scope = Scope(documents=("north.pdf",))
    result = search(shelves, "wage", k=11, scope=scope, navigator="hybrid", vectors=store)
    assert {hit.source_id for hit in result.hits} == {"north.pdf"}
    assert [hit.page_start for hit in result.hits].index(9) < 8
    assert store.asked[0][1] == (("north.pdf",) if restricts else None)
    assert len(store.asked) == (1 if restricts else 3)
    inside = search_inside(shelves, "wage", store, scope=scope)
    assert [passage.documents for passage in inside.passages] == [("north.pdf",)]


def test_a_store_of_other_documents_changes_nothing_and_a_note_says_so(shelves: Library) -> None:
    """Passages of documents that the library does not have are left out."""
    store = Shelf([chunk("elsewhere.pdf", 1, 0.9)])
    question = "How often are filters inspected?"
    result = search(shelves, question, navigator="hybrid", vectors=store)
    assert [hit.unit_id for hit in result.hits] == [hit.unit_id for hit in search(shelves, question).hits]
    assert [note.code for note in result.notes] == ["vectors_unknown"]
    shortlisted = search(shelves, question, vectors=store)
    assert {note.code for note in shortlisted.notes} == {"vectors_unknown", "vectors_unused"}
    assert shortlisted.hits == search(shelves, question).hits


def test_vectors_choose_documents_or_pages_to_read_in(shelves: Library) -> None:
    """The words rank inside what the vectors name, and nothing else is given."""
    store = Shelf([chunk("south.pdf", 2, 0.9), chunk("south.pdf", 3, 0.8)])
    question = "How often are the filters of the north works inspected?"
    documents = search(shelves, question, k=11, vectors=store)
    assert {hit.source_id for hit in documents.hits} == {"south.pdf"}
    pages = search(shelves, question, k=11, vectors=store, shortlist="pages")
    assert [(hit.source_id, hit.page_start) for hit in pages.hits] == [("south.pdf", 3), ("south.pdf", 2)]
    assert pages.trace.steps[0].action == "vectors"


def test_vectors_rank_inside_the_sections(shelves: Library) -> None:
    """Passages of the sections come first in the store's order, then the store's own."""
    store = Shelf(
        [chunk("south.pdf", 8, 0.9), chunk("north.pdf", 3, 0.8), chunk("south.pdf", 3, 0.7), chunk("south.pdf", 9, 0)]
    )
    result = search_inside(shelves, "How often are the filters inspected?", store, k=3, sections=2)
    assert [passage.documents[0] for passage in result.passages] == ["north.pdf", "south.pdf", "south.pdf"]
    assert [passage.page_start for passage in result.passages] == [3, 3, 8]
    assert not result.fell_back


@pytest.mark.parametrize(("far", "least"), [(0.2, None), (0.7, 0.75)])
def test_a_low_score_inside_falls_back_to_the_whole_store(shelves: Library, far: float, least: float | None) -> None:
    """Where the best passage inside is far from the question, the store's own order answers, and a note says so."""
    store = Shelf([chunk("south.pdf", 8, 0.9), chunk("north.pdf", 3, far), chunk("south.pdf", 9, 0)])
    question = "How often are the filters of the north works inspected?"
    result = search_inside(shelves, question, store, k=2, sections=1, least_score=least)
    assert [passage.page_start for passage in result.passages] == [8, 3]
    assert result.fell_back
    assert result.notes[-1].code == "fell_back_to_store"


def test_what_a_store_raises_is_raised(shelves: Library) -> None:
    """An error of the store is the caller's to handle: no answer is given in its place."""

    class Broken(Shelf):
        def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
            raise ConnectionError("the store is away")

    with pytest.raises(ConnectionError, match="the store is away"):
        search(shelves, "filters", navigator="hybrid", vectors=Broken([]))
    with pytest.raises(ConnectionError):
        asyncio.run(asearch(shelves, "filters", navigator="hybrid", vectors=Broken([])))


@pytest.mark.parametrize(
    "arguments",
    [
        {"navigator": "hybrid"},
        {"vectors": "a path"},
        {"vectors": Shelf([]), "shortlist": "sections"},
        {"vectors": Shelf([]), "shortlist": "pages", "navigator": "tree"},
        {"vectors": Shelf([]), "mode": "phrase"},
        {"navigator": "hybird", "vectors": Shelf([])},
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(shelves: Library, arguments: dict[str, object]) -> None:
    """Each is refused with what, why and what to do."""
    with pytest.raises(OptionError) as refused:
        search(shelves, "filters", **arguments)  # type: ignore[arg-type]
    assert refused.value.why


def test_pages_are_told_by_number_label_or_words(shelves: Library) -> None:
    """A label counts by the document's own labels; text without a page is found by its words."""
    info = shelves.get("north.pdf")
    document = OpenDocument(load_postings(shelves.postings(info.doc_id)))
    assert list(pages_of(chunk("north.pdf", 3, 1), document)) == [2]
    assert list(pages_of(Passage("x", page_start=10, page_end=99), document)) == [9, 10]
    assert list(pages_of(Passage("x", page_label="A-4"), document)) == [3]
    assert list(pages_of(Passage("x", page_start=4, page_end=4, page_label="7"), document)) == [3]
    text = "…emuneration\nStaff receive forty crowns an hour."
    assert list(pages_of(Passage(text), document)) == [8]
    assert list(pages_of(Passage("Nothing of this stands in that document anywhere at all."), document)) == []


def test_scores_of_any_store_become_shares() -> None:
    """Similarities, distances and plain orders all give 1 to the best and fall."""
    assert calibrated([0.9, 0.5, 0.1]) == [1, 0.5, 0]
    distances = nearest_first([Passage("a", 0.2), Passage("b", 0.4), Passage("c", 1.2)])
    assert calibrated([one.score for one in distances]) == pytest.approx([1, 0.8, 0])
    assert calibrated([None, None]) == [1, 0.5]
    assert calibrated([3.0, 3.0]) == [1, 1]
    assert calibrated([]) == []
    assert calibrated([float("nan"), 1.0]) == [1, 0.5]


@pytest.mark.parametrize(("weight", "first"), [(None, 3), (0.0, 3), (3.0, 5)])
def test_a_store_s_own_weight_counts(shelves: Library, weight: float | None, first: int) -> None:
    """A store that its user trusts more may overrule the words."""
    store = Shelf([chunk("north.pdf", 5, 0.9), chunk("south.pdf", 6, 0.1)])
    store.weight = weight  # type: ignore[attr-defined]
    question = "How often are the filters of the north works inspected?"
    hits = search(shelves, question, k=22, navigator="hybrid", vectors=store).hits
    assert hits[0].page_start == first
    assert all(0 <= hit.score <= 1 for hit in hits)


def test_an_impossible_weight_is_refused(shelves: Library) -> None:
    """A negative weight would turn the vectors round."""
    store = Shelf([])
    store.weight = -1  # type: ignore[attr-defined]
    with pytest.raises(OptionError, match="weight=-1"):
        search(shelves, "filters", navigator="hybrid", vectors=store)


def test_a_model_reads_in_the_documents_that_vectors_choose(shelves: Library) -> None:
    """The tree navigator is shown the vectors' documents alone, over real HTTP."""
    from answering_models import by_words
    from pageindex_core.llm import open_model
    from pageindex_core.testing import ModelServer

    store = Shelf([chunk("south.pdf", 2, 0.9)])
    with ModelServer(by_words()) as server:
        model = open_model("openai/stand-in", api_base=server.base_url, api_key="none")
        question = "How often are the filters of the north works inspected?"
        result = search(shelves, question, k=11, navigator="tree", model=model, vectors=store)
    assert result.trace.model_calls == 1
    assert {hit.source_id for hit in result.hits} == {"south.pdf"}
