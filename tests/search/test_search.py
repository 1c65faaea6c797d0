"""Search by words: what a caller can rely on."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from pageindex_core.errors import OptionError, QuestionError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.pipeline import index_pages
from pageindex_core.records import Outline, Pages, Scope, Unit
from pageindex_core.search import Mode, asearch, search
from pageindex_core.tokens import count_tokens
from random_outlines import documents
from written_documents import write_pages

Add = Callable[..., str]

MANUAL = [
    "# Safety\nKeep hands away from the blade.\nWear gloves.",
    "# Maintenance\n## Filters\nWash the filter every 40 hours.\nDry it in the shade.\n## Belts\nReplace worn belts.",
    "# Specifications\nMotor power 2.2 kW\nNoise level 78 dB\nWeight 61 kg",
]


def test_the_answering_section_comes_first(library: Library, add: Add) -> None:
    """The unit whose words answer the question is the first hit, complete in all it says of itself."""
    doc_id = add("manual.pdf", MANUAL, labels=["i", "ii", "1"], metadata={"lang": "en"})
    hit = search(library, "How often must the filter be washed?").hits[0]
    assert hit.section_path == ("Maintenance", "Filters")
    assert (hit.page_start, hit.page_end, hit.page_labels) == (2, 2, ("ii",))
    assert hit.text.endswith("Filters\nWash the filter every 40 hours.\nDry it in the shade.")
    assert hit.quotes[0] == "Wash the filter every 40 hours."
    assert hit.evidence_pages == (2,)
    assert (hit.doc_id, hit.doc_name, hit.metadata) == (doc_id, "manual.pdf", {"lang": "en"})
    assert hit.found_by == "lexical"
    assert hit.tokens == count_tokens(hit.text)


def test_boxes_are_those_of_the_quoted_lines(library: Library, add: Add) -> None:
    """Each quote has its box, on the page where the line stands."""
    add("manual.pdf", MANUAL)
    hit = search(library, "motor power and weight", k=1).hits[0]
    assert hit.quotes == ("Motor power 2.2 kW", "Weight 61 kg")
    assert [(box.page_number, box.box.y0) for box in hit.boxes] == [(3, 64.0), (3, 92.0)]


def test_min_of_k_and_units_hits_are_given(library: Library, add: Add) -> None:
    """Words or no words, k hits come back where there are k units, those without evidence last and marked."""
    add("manual.pdf", MANUAL)
    hits = search(library, "belts", k=3).hits
    assert [hit.found_by for hit in hits] == ["lexical", "lexical", "fill"]
    assert len(search(library, "belts", k=50).hits) == 4
    assert len(search(library, "zeppelin", k=2).hits) == 2


def test_without_fill_only_units_with_evidence_are_given(library: Library, add: Add) -> None:
    """fill=False gives nothing rather than something unrelated."""
    add("manual.pdf", MANUAL)
    assert search(library, "zeppelin", fill=False).hits == ()
    assert {hit.found_by for hit in search(library, "gloves", fill=False, k=9).hits} == {"lexical"}


def test_an_empty_library_gives_no_hits(library: Library) -> None:
    """Nothing to search is an empty answer and no error."""
    assert search(library, "anything").hits == ()


@pytest.mark.parametrize("question", ["", "  \n", "\t"])
def test_an_empty_question_is_refused(library: Library, question: str) -> None:
    """There has to be something to look for."""
    with pytest.raises(QuestionError, match="empty"):
        search(library, question)


@pytest.mark.parametrize("k", [0, -1, True, 2.5])
def test_a_k_that_is_no_count_is_refused(library: Library, k: int) -> None:
    """k counts hits: a whole number from one."""
    with pytest.raises(QuestionError, match="k="):
        search(library, "filter", k=k)


def test_unknown_units_and_modes_are_refused(library: Library) -> None:
    """A slip in an argument is named, not ignored."""
    with pytest.raises(OptionError, match="chapter"):
        search(library, "filter", unit="chapter")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="fuzzy"):
        search(library, "filter", mode="fuzzy")  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["?!", "…", "the of and", "what is the document about"])
def test_questions_without_a_telling_word_are_answered_all_the_same(library: Library, add: Add, question: str) -> None:
    """Even punctuation gives k hits: frameworks count on them."""
    add("manual.pdf", MANUAL)
    assert len(search(library, question, k=2).hits) == 2


def test_an_endless_question_is_cut_and_says_so(library: Library, add: Add) -> None:
    """The beginning of a whole document pasted as a question is searched, and a note tells of the rest."""
    add("manual.pdf", MANUAL)
    result = search(library, "belts " + "and more words " * 2_000, k=1)
    assert result.hits[0].title == "Belts"
    assert [note.code for note in result.notes] == ["question_cut"]


@given(
    documents(),
    st.sampled_from(["alpha", "beta gamma", "page 2", "section A", "nothing here", "alpha gamma 3"]),
    st.integers(1, 12),
    st.sampled_from(["auto", "section", "window", "page"]),
)
@settings(max_examples=60)
def test_hits_are_sorted_bounded_and_never_overlap(
    drawn: tuple[Pages, Outline], question: str, k: int, unit: Unit
) -> None:
    """For any document: scores fall from 1 to 0, fill comes last, no line is returned twice, ids are unique."""
    pages, outline = drawn
    library = open_library(None)
    fingerprint = hashlib.sha256(repr(drawn).encode()).hexdigest()
    headed = Pages(pages.source_id, pages.name, pages.media_type, fingerprint, pages.pages, headings=outline.headings)
    index_pages(headed, library)
    hits = search(library, question, k=k, unit=unit).hits
    everything = search(library, question, k=10_000, unit=unit).hits
    library.close()
    assert len(hits) == min(k, len(everything))
    assert hits == everything[:k]
    assert all(0 <= hit.score <= 1 for hit in hits)
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert all(second.found_by == "fill" for first, second in pairwise(hits) if first.found_by == "fill")
    assert len({hit.unit_id for hit in everything}) == len(everything)
    total = sum(len(page.lines) for page in pages.pages)
    assert sum(hit.text.count("\n") + 1 for hit in everything) == total


def test_equal_units_keep_document_order(library: Library, add: Add) -> None:
    """Ties are settled by position, so the same question always gives the same answer."""
    add("a.pdf", ["# One\nthe same words", "# Two\nthe same words", "# Six\nthe same words"])
    paths = [hit.title for hit in search(library, "same words").hits]
    assert paths == ["One", "Two", "Six"]


def test_pages_can_be_the_unit(library: Library, add: Add) -> None:
    """unit="page" gives whole pages, over all sections that share them."""
    add("manual.pdf", MANUAL)
    hit = search(library, "worn belts", k=1, unit="page").hits[0]
    assert hit.text.split("\n")[0] == "Maintenance"
    assert hit.text.split("\n")[-1] == "Replace worn belts."
    assert (hit.page_start, hit.page_end) == (2, 2)


def test_ids_survive_edits_elsewhere(add: Add, library: Library) -> None:
    """A section that did not change keeps its unit id when another one does."""
    add("manual.pdf", MANUAL)
    before = search(library, "noise level", k=1).hits[0]
    add("manual.pdf", [MANUAL[0] + "\nWear goggles too.", *MANUAL[1:]])
    after = search(library, "noise level", k=1).hits[0]
    assert (before.unit_id, before.text) == (after.unit_id, after.text)
    assert search(library, "goggles", k=1).hits[0].text.endswith("Wear goggles too.")


def test_one_text_has_one_id_and_another_text_another(library: Library, add: Add) -> None:
    """However it was asked for, equal ids mean equal texts."""
    page = "\n".join(f"line {number} about turbines and their blades" for number in range(200))
    add("long.pdf", [f"# Turbines\n{page}", page, "# Short\nturbines"])
    texts: dict[str, str] = {}
    for unit in ("auto", "section", "window", "page"):
        for hit in search(library, "turbines", k=100, unit=unit).hits:  # type: ignore[arg-type]
            assert texts.setdefault(hit.unit_id, hit.text) == hit.text
    assert len(texts) > 8


@pytest.mark.parametrize("max_tokens", [20, 60, 500])
def test_max_tokens_cuts_around_the_best_line(library: Library, add: Add, max_tokens: int) -> None:
    """The text stays within the limit and keeps the line that answers, whole lines in order."""
    lines = [f"filler text number {number} about nothing" for number in range(60)]
    lines[41] = "the secret ingredient is cardamom"
    add("recipe.pdf", ["# Recipe\n" + "\n".join(lines)])
    hit = search(library, "secret ingredient", k=1, max_tokens=max_tokens).hits[0]
    assert "the secret ingredient is cardamom" in hit.text
    assert hit.tokens == count_tokens(hit.text) <= max_tokens
    assert hit.text in "Recipe\n" + "\n".join(lines)


@pytest.mark.parametrize(
    ("question", "mode"),
    [("cardamom sieve", "words"), ("Sieve the cardamom", "phrase"), (r"Sieve the \w+", "regex")],
)
@pytest.mark.parametrize("max_tokens", [20, 60, 200])
def test_a_long_line_is_cut_around_what_matches(
    library: Library, add: Add, question: str, mode: Mode, max_tokens: int
) -> None:
    """The sentence that matches is in the hit, from its start, wherever on the line it stands."""
    filling = "Stir the pot slowly until it boils again. " * 400
    sentence = "Sieve the cardamom twice before use."
    add("a.pdf", [f"# Recipe\n{filling}Add cardamom. {filling}{sentence} {filling}"])
    hit = search(library, question, k=1, mode=mode, max_tokens=max_tokens).hits[0]
    assert sentence in hit.text
    assert hit.tokens == count_tokens(hit.text) <= max_tokens
    assert hit.text.startswith(("Stir the", "Sieve the"))


def test_a_long_line_without_spaces_is_cut_around_what_matches(library: Library, add: Add) -> None:
    """CJK counts a token for each character, and has no words to cut at."""
    add("law.pdf", ["# 法\n" + "使用者は記録を保存する" * 300 + "罰金は五万円である" + "使用者は記録を保存する" * 300])
    for mode in ("words", "phrase"):
        hit = search(library, "罰金", k=1, mode=mode, max_tokens=40).hits[0]  # type: ignore[arg-type]
        assert "罰金は五万円" in hit.text
        assert hit.tokens <= 40


def test_max_tokens_cuts_a_single_long_line_at_a_word(library: Library, add: Add) -> None:
    """Even one line can be too long."""
    add("wide.pdf", ["# Wide\n" + "cardamom " * 200])
    hit = search(library, "cardamom", k=1, max_tokens=20).hits[0]
    assert hit.tokens <= 20
    assert set(hit.text.split()) == {"cardamom"}


def test_accents_and_inflection_do_not_hide_an_answer(library: Library, add: Add) -> None:
    """The question may be written plainly."""
    add("menu.pdf", ["# Menu\nCrème brûlée", "# Drinks\nBeers and wines"])
    assert search(library, "creme brulee", k=1).hits[0].title == "Menu"
    assert search(library, "wine and beer", k=1).hits[0].title == "Drinks"


@pytest.mark.parametrize(
    ("question", "title"),
    [("解雇の予告", "解雇"), ("賃金", "賃金"), ("労働時間は何時間ですか", "労働時間"), ("税", "税金")],
)
def test_japanese_is_found_without_spaces(library: Library, add: Add, question: str, title: str) -> None:
    """Pairs of characters find words inside running text, one character finds itself."""
    add(
        "law.pdf",
        [
            "# 解雇\n使用者は三十日前に予告をする。",
            "# 賃金\n賃金は通貨で支払う。",
            "# 労働時間\n一日八時間。",
            "# 税金\n納める。",
        ],
    )
    assert search(library, question, k=1).hits[0].title == title


def test_korean_particles_do_not_hide_a_word(library: Library, add: Add) -> None:
    """근로계약 is found in 근로계약을."""
    add("law.pdf", ["# 총칙\n목적과 적용 범위", "# 계약\n사용자는 근로계약을 서면으로 체결한다"])
    assert search(library, "근로계약", k=1).hits[0].title == "계약"


def test_a_quoted_phrase_outweighs_its_scattered_words(library: Library, add: Add) -> None:
    """The unit with the phrase comes before one that repeats its words apart."""
    add("a.pdf", ["# Apart\nwater table, table water, water, table, salt", "# Together\nthe salt water table rises"])
    assert search(library, 'where is "salt water table"', k=1).hits[0].title == "Together"


def test_a_section_without_a_word_of_the_question_does_not_ride_on_its_page(library: Library, add: Add) -> None:
    """The second hit is another page with part of the answer, not the unrelated rest of the first page."""
    half = "\n".join(["turbine blade pitch"] + ["plain filler words in a row"] * 4)
    add("a.pdf", [f"# One\n{half}\n# Two\nnothing of note here", "# Three\nturbine blade"])
    assert [hit.title for hit in search(library, "turbine blade pitch", k=3).hits] == ["One", "Three", "Two"]


def test_only_pages_with_evidence_are_named_as_evidence(library: Library, add: Add) -> None:
    """A section that runs over two pages names the one with the answer; its text is still whole."""
    add("a.pdf", ["# Crops\nwheat barley oats rye", "and nothing else to say"])
    hit = search(library, "wheat barley oats", k=1).hits[0]
    assert (hit.page_start, hit.page_end, hit.evidence_pages) == (1, 2, (1,))


def test_line_numbers_are_given_for_text_formats(library: Library) -> None:
    """Hits of Markdown name the lines of the source; those of PDF pages name none."""
    from pageindex_core.pipeline import index_source

    text = "# One\n\nalpha text\n\n# Two\n\nbeta text\nmore beta\n"
    index_source(text.encode(), library, name="notes.md")
    hit = search(library, "beta", k=1).hits[0]
    assert hit.line_range is not None
    first, last = hit.line_range
    assert text.split("\n")[first - 1 : last] == hit.text.split("\n")
    assert "more beta" in hit.text


def test_scope_is_enforced(library: Library, add: Add) -> None:
    """Documents outside the scope are neither ranked nor used to fill."""
    first = add("a.pdf", ["# Tea\ngreen tea"], folder="/drinks", metadata={"year": 2020})
    second = add("b.pdf", ["# Tea\nblack tea"], folder="/shop", metadata={"year": 2021})
    assert {hit.doc_id for hit in search(library, "tea", k=9).hits} == {first, second}
    assert {hit.doc_id for hit in search(library, "tea", k=9, scope=Scope(documents=(first,))).hits} == {first}
    assert {hit.doc_id for hit in search(library, "tea", k=9, scope=Scope(folder="/shop")).hits} == {second}
    assert {hit.doc_id for hit in search(library, "tea", k=9, scope=Scope(where={"year": 2021})).hits} == {second}
    assert search(library, "tea", scope=Scope(documents=())).hits == ()


def test_metadata_is_that_of_the_library_searched(add: Add, library: Library) -> None:
    """An index kept in memory never brings another library's metadata with it."""
    add("a.pdf", ["# Tea\ngreen tea"], metadata={"owner": "first"})
    other = open_library(None)
    index_pages(write_pages("a.pdf", ["# Tea\ngreen tea"], metadata={"owner": "second"}), other)
    assert search(library, "tea").hits[0].metadata == {"owner": "first"}
    assert search(other, "tea").hits[0].metadata == {"owner": "second"}


def test_the_document_meant_is_found_among_alike_ones(library: Library, add: Add) -> None:
    """The same table in three annual reports: the year and the name decide."""
    for name, year in (("mill", 2019), ("mill", 2020), ("quarry", 2020)):
        text = [f"# Annual report of the {name} {year}\nFor the year {year}", f"# Income\nRevenue {year - 1} {year}"]
        add(f"{name}_{year}.pdf", text)
    hit = search(library, "What was the revenue and income of the mill in 2020?", k=1).hits[0]
    assert (hit.doc_name, hit.page_start) == ("mill_2020.pdf", 2)


def test_more_documents_than_the_shortlist_still_fill(library: Library, add: Add) -> None:
    """k hits come back though most documents hold no word of the question."""
    for number in range(30):
        add(f"{number:02}.pdf", [f"# Title {number}\nbody of it"])
    hits = search(library, "title 7", k=30).hits
    assert hits[0].doc_name == "07.pdf"
    assert len({hit.unit_id for hit in hits}) == 30


def test_a_replaced_document_is_searched_as_it_is_now(library: Library, add: Add) -> None:
    """No index kept in memory outlives its document."""
    add("a.pdf", ["# Old\nsome pears"])
    assert search(library, "pears", fill=False).hits
    add("a.pdf", ["# New\nsome plums"])
    assert search(library, "pears", fill=False).hits == ()
    assert search(library, "plums", k=1).hits[0].title == "New"


async def test_async_gives_the_same_hits(library: Library, add: Add) -> None:
    """asearch and search differ in nothing but waiting."""
    add("manual.pdf", MANUAL)
    assert (await asearch(library, "filter", k=4)).hits == search(library, "filter", k=4).hits


async def test_async_search_leaves_the_event_loop_alone(library: Library, add: Add) -> None:
    """All reading and thinking happens on one thread of ours, for many questions at once."""
    add("manual.pdf", MANUAL)
    threads: set[str] = set()
    read = library.postings

    class Watched:
        def __getattr__(self, name: str) -> object:
            threads.add(threading.current_thread().name)
            return getattr(library, name)

    assert read is not None
    await asyncio.gather(*(asearch(Watched(), f"filter {n}") for n in range(8)))  # type: ignore[arg-type]
    assert len(threads) == 1
    assert threads.pop() != threading.current_thread().name


def test_the_trace_tells_what_was_done(library: Library, add: Add) -> None:
    """Steps, counts and time are there to be looked at."""
    doc_id = add("manual.pdf", MANUAL)
    trace = search(library, "belts", k=4).trace
    assert [step.action for step in trace.steps] == ["shortlist", "score", "fill"]
    assert (trace.navigator, trace.documents_considered, trace.units_considered) == ("lexical", 1, 4)
    assert trace.milliseconds > 0
    assert trace.steps[1].node_ids[0].startswith(f"{doc_id}/")
