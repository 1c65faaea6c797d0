"""A question to an answer: navigate, read, ask the model, check what it cites; by words alone where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pageindex_core.answer.cite import ReadPage, check_citations
from pageindex_core.answer.context import read_context, show_context, whole_document
from pageindex_core.errors import ModelError
from pageindex_core.llm.prompts.load import load_prompt
from pageindex_core.llm.protocol import Message, ModelRequest
from pageindex_core.options import NavigationOptions, SearchOptions
from pageindex_core.records import Answer, Citation, Event, Hit, Note, Scope, SearchResult, Trace
from pageindex_core.search import NavigatorName
from pageindex_core.search.agent.final_answer import FinalAnswer, NamedEvidence, answer_schema, read_answer
from pageindex_core.search.agent.navigator import Reading, hits_of, read_documents
from pageindex_core.search.lexical import search_words
from pageindex_core.search.model_failure import ends_asking, note_failure
from pageindex_core.search.navigate import LibraryRead, ModelCall, Navigation
from pageindex_core.search.trace import Tally
from pageindex_core.search.tree.navigator import choose_hits

ANSWER_SCHEMA = answer_schema(page_id={"type": "string"})

QUOTED_HITS = 3
"""Hits that an answer without a model quotes."""

LEXICAL_TOKENS = 1 << 20
"""No limit: the pages of so few hits are read only to find the quoted lines on them."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how it is to be answered."""

    text: str
    scope: Scope
    options: SearchOptions
    navigator: NavigatorName
    navigation: NavigationOptions
    history: Sequence[Message] = field(default_factory=tuple)
    """Earlier turns of the conversation, oldest first."""
    background: str = ""
    """What the user tells besides: the domain, what the documents are."""
    has_model: bool = True
    streams: bool = False
    """Whether somebody listens to the answer as it is written."""


def answer_question(asked: Question) -> Navigation[Answer]:
    """Answer a question; see ``search.navigate`` for how to run this."""
    if not asked.has_model:
        return (yield from _without_model(asked))
    if asked.navigator == "agent":
        answer = yield from _by_agent(asked)
    else:
        answer = yield from _from_pages(asked)
    yield (Event("answer", answer.text, {"found": answer.found, "answered_by": answer.answered_by}),)
    return answer


def _without_model(asked: Question) -> Navigation[Answer]:
    result = yield from search_words(asked.text, asked.scope, asked.options)
    note = Note("no_model", "No model was given; the lines that match best are quoted.")
    answer = yield from lexical_answer(result, asked.scope, note)
    yield (Event("answer", answer.text, {"found": answer.found, "answered_by": answer.answered_by}),)
    return answer


# From the pages of hits


def _from_pages(asked: Question) -> Navigation[Answer]:
    """Navigate to hits, read their pages, and let the model answer from them."""
    read, result = yield from _read_short(asked)
    if result is None:
        if asked.navigator == "tree":
            result, failure = yield from choose_hits(
                asked.text,
                asked.scope,
                asked.options,
                asked.navigation,
                history=asked.history,
                background=asked.background,
            )
            if failure is not None and ends_asking(failure):
                return (yield from lexical_answer(result, asked.scope, None, failure))
        else:
            result = yield from search_words(asked.text, asked.scope, asked.options)
        read = yield from read_context(result.hits, asked.scope, asked.navigation.read_tokens)
    if not read:
        note = Note("nothing_to_read", "Nothing with text was found to answer from.")
        return (yield from lexical_answer(result, asked.scope, note))
    tally = _continued(result.trace)
    for one in read:
        tally.read(one.info.doc_id, [one.page.page_number])
    tally.step("read", f"{len(read)} pages", [f"{one.info.doc_id}/p{one.page.page_number}" for one in read])
    said = yield from _ask(asked, read, tally)
    result = replace(result, trace=_ended(tally, result.trace))
    if isinstance(said, _NoAnswer):
        return (yield from lexical_answer(result, asked.scope, said.note, said.failure))
    return _answer(asked.text, said, check_citations(said.evidence, read), result.hits, result.trace, result.notes)


@dataclass(frozen=True, slots=True)
class _NoAnswer:
    """Why the model gave no answer."""

    note: Note
    failure: ModelError | None = None


_UNUSABLE = "The model gave no usable answer; the lines that match best are quoted."


def _read_short(asked: Question) -> Navigation[tuple[tuple[ReadPage, ...], SearchResult | None]]:
    """Read a single short document whole, which needs no map; else give nothing."""
    (infos,) = yield (LibraryRead("list", (asked.scope,), {"limit": 2}),)
    if asked.navigator != "tree" or len(infos) != 1 or infos[0].page_count > asked.navigation.short_pages:
        return (), None
    read = yield from whole_document(infos[0], asked.scope, asked.navigation.read_tokens)
    if not read:
        return (), None
    result = yield from search_words(asked.text, asked.scope, asked.options)
    return read, replace(result, trace=replace(result.trace, navigator="tree"))


def _ask(asked: Question, read: Sequence[ReadPage], tally: Tally) -> Navigation[FinalAnswer | _NoAnswer]:
    """Ask for the answer."""
    prompt = load_prompt("answer", asked.navigation.prompts)
    mark, pages = show_context(read)
    *opening, last = prompt.messages(question=asked.text, background=asked.background, pages=pages, mark=mark)
    request = ModelRequest(
        messages=(*opening, *asked.history, last),
        purpose="answer",
        prompt_version=prompt.version,
        schema=ANSWER_SCHEMA,
    )
    yield (Event("step", f"Reading {len(read)} pages."),)
    try:
        (reply,) = yield (ModelCall(request, streams=asked.streams),)
    except ModelError as error:
        return _NoAnswer(note_failure(error, tally, "the lines that match best are quoted"), error)
    tally.add(reply)
    said = read_answer(reply.text)
    if said is None:
        tally.step("fallback", _UNUSABLE)
        return _NoAnswer(Note("model_reply_unusable", _UNUSABLE))
    return said


# By the reading agent


def _by_agent(asked: Question) -> Navigation[Answer]:
    reading = yield from read_documents(
        asked.text, asked.scope, asked.options, asked.navigation, history=asked.history, background=asked.background
    )
    hits = yield from hits_of(reading, asked.text, asked.scope, asked.options)
    trace, notes = reading.tally.trace(), tuple(reading.notes)
    if reading.answer is None:
        result = SearchResult(asked.text, hits, trace, notes)
        return (yield from lexical_answer(result, asked.scope, None, reading.failure))
    read = yield from _pages_read(reading, asked.scope)
    citations = check_citations(reading.answer.evidence, read)
    return _answer(asked.text, reading.answer, citations, hits, trace, notes)


def _pages_read(reading: Reading, scope: Scope) -> Navigation[tuple[ReadPage, ...]]:
    doc_ids = list(dict.fromkeys(doc_id for doc_id, _ in reading.pages))
    infos = (yield tuple(LibraryRead("get", (doc_id, scope)) for doc_id in doc_ids)) if doc_ids else ()
    known = {info.doc_id: info for info in infos if info is not None}
    return tuple(ReadPage(known[doc_id], page) for (doc_id, _), page in reading.pages.items() if doc_id in known)


# Answers


def lexical_answer(
    result: SearchResult, scope: Scope, note: Note | None, failure: ModelError | None = None
) -> Navigation[Answer]:
    """Give the best lines of the hits as an answer, each cited; nothing is made up, and nothing is worked out."""
    best = [hit for hit in result.hits if hit.quotes][:QUOTED_HITS]
    read = yield from read_context(best, scope, LEXICAL_TOKENS)
    evidence = [
        NamedEvidence(hit.quotes[0], document=hit.doc_id, page=(hit.evidence_pages or (hit.page_start,))[0])
        for hit in best
    ]
    citations = tuple(one for one in check_citations(evidence, read, allows_short=True) if one.verified)
    lines = [f"{one.quote} ({one.doc_name}, page {one.page_number})" for one in citations]
    text = "\n".join(lines) or "Nothing was found."
    notes = (*result.notes, note) if note is not None else result.notes
    failed_with = "" if failure is None else type(failure).__name__
    return Answer(
        result.question, text, citations, result.hits, "lexical", bool(lines), result.trace, notes, failed_with
    )


def _answer(
    question: str,
    said: FinalAnswer,
    citations: tuple[Citation, ...],
    hits: tuple[Hit, ...],
    trace: Trace,
    notes: tuple[Note, ...],
) -> Answer:
    unverified = sum(1 for citation in citations if not citation.verified)
    if unverified:
        notes = (*notes, Note("citations_unverified", f"{unverified} of {len(citations)} citations are unverified."))
    if said.found and not citations:
        notes = (*notes, Note("no_citations", "The answer cites nothing, so nothing of it could be checked."))
    text = said.text or "The documents do not say."
    return Answer(question, text, citations, hits, "model", said.found, trace, notes)


def _continued(trace: Trace) -> Tally:
    """Go on counting where a navigator has stopped."""
    return Tally(
        trace.navigator,
        steps=list(trace.steps),
        documents_considered=trace.documents_considered,
        units_considered=trace.units_considered,
        model_calls=trace.model_calls,
        input_tokens=trace.input_tokens,
        output_tokens=trace.output_tokens,
        tokens_estimated=trace.tokens_estimated,
        cost_usd=trace.cost_usd,
        model_seconds=trace.model_seconds,
        map_tokens=trace.map_tokens,
        pages_read=dict.fromkeys(trace.pages_read),
        rejected=trace.rejected,
    )


def _ended(tally: Tally, before: Trace) -> Trace:
    trace = tally.trace()
    return replace(trace, milliseconds=round(before.milliseconds + trace.milliseconds, 3))
