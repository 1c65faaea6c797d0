"""The navigator that lets a model read with tools, until it has found enough or its turns are used up.

The tools are those that any agent gets (``toolbox``), and the scope is enforced in them. Short documents are read at
once; of longer ones the model first sees a map. It is sent back once when it gives up without having searched in other
words, and once when it answers without having read a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pageindex_core.errors import ModelError
from pageindex_core.llm.prompts.fence import fence
from pageindex_core.llm.prompts.load import load_prompt
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest, Tool, ToolCall
from pageindex_core.options import NavigationOptions, SearchOptions
from pageindex_core.records import DocumentInfo, Event, Hit, Note, Page, Scope, SearchResult
from pageindex_core.search.agent.final_answer import FinalAnswer, answer_schema, read_answer
from pageindex_core.search.agent.shown_pages import NO_PARTS, Spans, joined, parts_given, shown_page
from pageindex_core.search.lexical import Ranking, rank_words, read_hits
from pageindex_core.search.model_failure import note_failure
from pageindex_core.search.navigate import LibraryRead, ModelCall, Navigation, Navigator
from pageindex_core.search.tools.contract import READING_TOOLS
from pageindex_core.search.tools.toolbox import Result, answer_call, as_text
from pageindex_core.search.trace import Tally
from pageindex_core.search.tree.navigator import ALL_UNITS, find_spots, is_short
from pageindex_core.search.tree.picks import order_units
from pageindex_core.search.tree.section_map import Spot, draw_map
from pageindex_core.tokens import count_tokens

RESULT_CHARACTERS = 24_000
"""Size of a structure or of page texts in one tool result: 6,000 tokens, so that a dozen turns fit most contexts."""

MOST_CALLS_A_TURN = 6
"""Tool calls of one turn that are answered; the others are told to wait."""

MOST_LISTED = 20
"""Documents named at the start; the others are found with the tools."""

LEAST_SEARCHES = 2
"""Different searches before "not in these documents" is believed."""

ANSWER_SCHEMA = answer_schema(document={"type": "string"}, page={"type": "integer"})

_SEARCH_AGAIN = (
    "You have not searched enough to say so. Search again with other words for the same thing, look at the structure "
    "for sections that could hold it under another name, and read the likeliest pages. Then answer."
)
_READ_FIRST = (
    "You have not read a page that your answer could rest on. Find the pages, read them with get_page_content, and "
    "answer from what they say; where they do not say it, set found to false."
)
_ANSWER_NOW = "There are no more turns for reading. Answer now, from the pages that you have read, as JSON."
_TOO_MANY = "Too many calls in one turn; make this one again in the next turn if it is still needed."
_REPEATED = "This call was made before; its result stands above."


@dataclass(slots=True)
class Reading:
    """What an agent has read and what it says."""

    ranking: Ranking
    tally: Tally
    notes: list[Note]
    answer: FinalAnswer | None = None
    """None where the model failed, or had read nothing that it could answer from."""
    failure: ModelError | None = None
    """What ended the asking."""
    pages: dict[tuple[str, int], Page] = field(default_factory=dict)
    """Pages given to the model, by ``doc_id`` and page number; of one in ``spans``, what was given of it."""
    spans: dict[tuple[str, int], Spans] = field(default_factory=dict)
    """Characters that were given of each page that was not given whole."""
    names: dict[str, str] = field(default_factory=dict)
    """Folded name of each document read, by ``doc_id``."""


@dataclass(slots=True)
class _Talk:
    """The conversation so far."""

    scope: Scope
    options: NavigationOptions
    reading: Reading
    messages: list[Message]
    prompt_version: str
    searches: set[str] = field(default_factory=set)
    made: set[tuple[str, str]] = field(default_factory=set)
    sent_back: set[str] = field(default_factory=set)


def search_agent(text: str, scope: Scope, options: SearchOptions, navigation: NavigationOptions) -> Navigator:
    """Give what an agent cited and read as hits; see ``navigate`` for how to run this."""
    reading = yield from read_documents(text, scope, options, navigation)
    hits = yield from hits_of(reading, text, scope, options)
    return SearchResult(text, hits, reading.tally.trace(), tuple(reading.notes))


def read_documents(
    text: str,
    scope: Scope,
    options: SearchOptions,
    navigation: NavigationOptions,
    *,
    history: Sequence[Message] = (),
    background: str = "",
) -> Navigation[Reading]:
    """Let the model read until it answers.

    Args:
        text: The question.
        scope: What may be read.
        options: The unit and number of hits, for the ranking that the map is drawn from.
        navigation: How many turns, and how large the map.
        history: Earlier turns of the conversation, oldest first.
        background: What the user tells besides: the domain, what the documents are.
    """
    tally = Tally("agent")
    ranking = yield from rank_words(text, scope, options, ALL_UNITS)
    tally.steps += ranking.steps
    tally.documents_considered, tally.units_considered = len(ranking.found.infos), ranking.considered
    reading = Reading(ranking, tally, ranking.found.notes)
    shown = yield from _first_look(reading, scope, navigation)
    prompt = load_prompt("agent", navigation.prompts)
    *opening, asked = prompt.messages(question=text, background=background, documents=shown, turns=navigation.max_turns)
    talk = _Talk(scope, navigation, reading, [*opening, *history, asked], prompt.version)
    for turn in range(navigation.max_turns):
        is_last = turn + 1 == navigation.max_turns
        reply = yield from _ask(talk, is_last)
        if reply is None:
            return reading
        if reply.tool_calls and not is_last:
            yield from _answer_calls(talk, reply)
            continue
        said = read_answer(reply.text)
        objection = None if is_last else _objection(talk, said)
        if objection is not None:
            talk.messages += [Message("assistant", reply.text or "…"), Message("user", objection)]
            tally.step("send_back", objection)
            continue
        _settle(reading, said)
        return reading
    return reading


def hits_of(reading: Reading, text: str, scope: Scope, options: SearchOptions) -> Navigation[tuple[Hit, ...]]:
    """Give the units of what was cited, then of what was read, then in lexical order."""
    ranking = reading.ranking
    known = {info.doc_id for info in ranking.found.infos}
    read = dict.fromkeys(doc_id for doc_id, _ in reading.pages)
    if not known.issuperset(read):
        narrowed = replace(scope, documents=tuple(dict.fromkeys([*read, *known])))
        ranking = yield from rank_words(text, narrowed, options, ALL_UNITS)
    numbers = {info.doc_id: number for number, info in enumerate(ranking.found.infos)}
    cited = [key for key in _cited(reading) if key in reading.pages]
    spots = [
        Spot(f"p{page}", "page", "", numbers[doc_id], page, page, range(1 << 40))
        for doc_id, page in dict.fromkeys([*cited, *(reading.pages if not cited else ())])
        if doc_id in numbers
    ]
    chosen = [unit for unit in order_units(ranking, spots, options.k) if options.fill or unit.score > 0]
    return (yield from read_hits(ranking.found, chosen, ranking.scores, scope, options))


def resolve(reading: Reading, document: str | None, page: int | None = None) -> str | None:
    """Give the ``doc_id`` that a citation's document means; of a single document read, that one.

    A name means a document only where no other one of that name was read, or had that page read.
    """
    if document is not None and document in reading.names:
        return document
    named = [doc_id for doc_id, name in reading.names.items() if document and name == document.casefold()]
    if len(named) > 1:
        named = [doc_id for doc_id in named if (doc_id, page) in reading.pages]
    elif not named:
        named = list(dict.fromkeys(doc_id for doc_id, _ in reading.pages))
    return named[0] if len(named) == 1 else None


def _cited(reading: Reading) -> list[tuple[str, int]]:
    evidence = reading.answer.evidence if reading.answer else ()
    named = [(resolve(reading, piece.document, piece.page), piece.page) for piece in evidence]
    return [(doc_id, page) for doc_id, page in named if doc_id is not None and page is not None]


# The first look


def _first_look(reading: Reading, scope: Scope, options: NavigationOptions) -> Navigation[str]:
    """Give what the model is shown at once: the text of a short document, the map of a longer one, names of many."""
    found = reading.ranking.found
    if is_short(reading.ranking, options):
        (pages,) = yield (LibraryRead("pages", (found.infos[0].doc_id, None, scope)),)
        if pages and sum(count_tokens(page.text) for page in pages) <= options.read_tokens:
            _remember(reading, found.infos[0].doc_id, found.infos[0].name, pages)
            texts = "\n\n".join(f"--- page {page.page_number} ---\n{page.text}" for page in pages)
            return fence(f"{found.infos[0].name}, all {len(pages)} pages:\n{texts}")[1]
    (total,) = yield (LibraryRead("count", (scope,)),)
    listed = [_listed(info) for info in found.infos[:MOST_LISTED]]
    if total > len(listed):
        listed.append(f"… and {total - len(listed)} more: browse_documents lists them.")
    spots = yield from find_spots(reading.ranking, scope, options)
    drawn = draw_map(spots, options.map_tokens) if spots else None
    if drawn is not None:
        text = drawn.text
        reading.tally.map_tokens += count_tokens(text)
        reading.tally.step("show", f"{len(drawn.options)} places")
        listed += ["", "Sections as [id] title · pages, the likeliest documents only:", text]
    return fence("\n".join(listed))[1]


def _listed(info: DocumentInfo) -> str:
    about = f": {info.description}" if info.description else ""
    return f"- {info.name} (doc_id {info.doc_id}, {info.page_count} pages){about}"


def _remember(
    reading: Reading, doc_id: str, name: str, pages: Sequence[Page], parts: Mapping[int, tuple[int, int]] = NO_PARTS
) -> None:
    """Keep pages as read; of those in ``parts``, by page number, these characters alone and what was given before."""
    reading.names[doc_id] = name.casefold()
    for page in pages:
        key = doc_id, page.page_number
        if key in reading.pages and key not in reading.spans:
            continue
        spans = reading.spans.pop(key, ())
        if page.page_number in parts:
            spans = joined((*spans, parts[page.page_number]))
            if spans != ((0, len(page.text)),):
                reading.spans[key] = spans
        reading.pages[key] = shown_page(page, spans) if key in reading.spans else page
    reading.tally.read(doc_id, [page.page_number for page in pages])


# Turns


def _ask(talk: _Talk, is_last: bool) -> Navigation[ModelReply | None]:
    """Ask for the next turn; None where the model failed."""
    tools: tuple[Tool, ...] = () if is_last else READING_TOOLS
    messages = [*talk.messages, Message("user", _ANSWER_NOW)] if is_last else talk.messages
    request = ModelRequest(
        messages=tuple(messages),
        purpose="agent",
        prompt_version=talk.prompt_version,
        schema=ANSWER_SCHEMA if is_last else None,
        tools=tools,
    )
    tally = talk.reading.tally
    try:
        (reply,) = yield (ModelCall(request),)
    except ModelError as error:
        talk.reading.failure = error
        talk.reading.notes.append(note_failure(error, tally, "the order of words answers"))
        return None
    tally.add(reply)
    if reply.text.strip() and reply.tool_calls:
        tally.step("think", reply.text.strip())
        yield (Event("thought", reply.text.strip()),)
    answered: ModelReply = reply
    return answered


def _answer_calls(talk: _Talk, reply: ModelReply) -> Navigation[None]:
    """Run the tool calls of a turn, and add them with their results to the conversation."""
    talk.messages.append(Message("assistant", reply.text, reply.tool_calls))
    for place, call in enumerate(reply.tool_calls):
        yield (Event("tool_call", f"{call.name}({call.arguments})", {"name": call.name, "arguments": call.arguments}),)
        result: Result
        key = call.name, " ".join(call.arguments.split())
        if place >= MOST_CALLS_A_TURN:
            result = {"error": _TOO_MANY, "error_code": "too_many_calls", "next_steps": []}
        elif key in talk.made:
            result = {"error": _REPEATED, "error_code": "repeated_call", "next_steps": ["Go on, or answer."]}
        else:
            talk.made.add(key)
            result = yield from answer_call(call.name, call.arguments, talk.scope, RESULT_CHARACTERS)
            yield from _account(talk, call, result)
        if "error" in result:
            talk.reading.tally.rejected += 1
        text = as_text(result)
        talk.messages.append(Message("tool", fence(text)[1], tool_call_id=call.call_id))
        yield (Event("tool_result", text[:200], {"name": call.name, "result": result}),)


def _account(talk: _Talk, call: ToolCall, result: Result) -> Navigation[None]:
    """Note what a call did, and keep the pages that it gave."""
    tally, reading = talk.reading.tally, talk.reading
    outcome = str(result.get("error", "ok"))
    tally.step("call", f"{call.name}({call.arguments}): {outcome}")
    if call.name in ("find_in_document", "browse_documents") and "error" not in result:
        talk.searches.add(" ".join(call.arguments.lower().split()))
    if call.name == "get_page_content" and "error" not in result:
        numbers = [page["page"] for page in result["pages"]]
        (pages,) = yield (LibraryRead("pages", (result["doc_id"], numbers, talk.scope)),)
        _remember(reading, result["doc_id"], result["doc_name"], pages or (), parts_given(result["pages"]))


def _objection(talk: _Talk, said: FinalAnswer | None) -> str | None:
    """Give why the model has to go on, each reason once."""
    reading = talk.reading
    if said is None or not said.found:
        searched = len(talk.searches) >= LEAST_SEARCHES or _is_all_read(reading)
        reason, is_due = _SEARCH_AGAIN, said is None or not searched
    else:
        reason, is_due = _READ_FIRST, not reading.pages
    if not is_due or reason in talk.sent_back:
        return None
    talk.sent_back.add(reason)
    return reason


def _is_all_read(reading: Reading) -> bool:
    infos = reading.ranking.found.infos
    return len(infos) == 1 and len(reading.pages) - len(reading.spans) >= infos[0].page_count


def _settle(reading: Reading, said: FinalAnswer | None) -> None:
    """Take the answer, unless it rests on nothing that was read."""
    if said is None:
        reading.notes.append(Note("model_reply_unusable", "The model gave no answer; the order of words answers."))
    elif said.found and not reading.pages:
        message = "The model answered without having read a page; its answer is left out."
        reading.notes.append(Note("answer_without_reading", message))
        reading.tally.step("reject", message)
        reading.tally.rejected += 1
    else:
        reading.answer = said
