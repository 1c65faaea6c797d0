"""The navigator that asks a model to choose from a map of sections.

One call where the whole outline fits the map; else a descent, each map showing only what is below the places chosen
from the one before. What the words of the question find decides which branches are shown in full. The model can only
choose from what is shown; its choices come first, the lexical order fills the rest, and answers alone where the model
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pageindex_core.errors import ModelError
from pageindex_core.llm.prompts.fence import fence
from pageindex_core.llm.prompts.load import Prompt, load_prompt
from pageindex_core.llm.protocol import Message, ModelReply, ModelRequest
from pageindex_core.options import NavigationOptions, SearchOptions
from pageindex_core.records import Event, Note, Scope, SearchResult
from pageindex_core.search.lexical import Ranking, is_read, rank_words, read_hits, read_pages_of
from pageindex_core.search.model_failure import note_failure
from pageindex_core.search.navigate import LibraryRead, ModelCall, Navigation, Navigator
from pageindex_core.search.trace import Tally
from pageindex_core.search.tree.choices import (
    CHOICES_SCHEMA,
    LABELS,
    NONE_LABEL,
    Choices,
    ranked_labels,
    read_choices,
    reply_value,
)
from pageindex_core.search.tree.outline import Places
from pageindex_core.search.tree.picks import order_units
from pageindex_core.search.tree.section_map import SectionMap, Spot, draw_map
from pageindex_core.search.tree.spots import add_hints, document_spot, grow_spots, matches
from pageindex_core.tokens import count_tokens

ALL_UNITS = 1 << 40
"""Every unit is ranked: what a model chooses may stand last in the lexical order."""

QUOTED_UNITS = 12
"""Units that are read before the map is drawn, for the lines it quotes."""

FEW_SECTIONS = 2_000
"""Up to so many sections a question takes two calls at most; beyond, one more than the tree is deep."""

RESOLVED_PAGES = 2
"""A chosen place of at most so many pages is not opened further: reading it costs as much as another map."""

DOCUMENT_LETTERS = "abcefghijklmnoqstuvwxyz"
"""Put before the ids of sections where several documents are shown. Without those that ids begin with themselves: p for
pages, r for runs, d for documents."""

LEAST_MAP_TOKENS = 200
"""A map is not drawn smaller than this."""

MOST_CHOSEN = 8
"""Choices that are followed: more would be no choice."""


@dataclass(slots=True)
class _Descent:
    """One way from the outermost sections down to what the model chose."""

    question: str
    ranking: Ranking
    options: NavigationOptions
    tally: Tally
    notes: list[Note]
    history: Sequence[Message] = ()
    background: str = ""
    failure: ModelError | None = None
    """What ended the asking."""


def search_tree(text: str, scope: Scope, options: SearchOptions, navigation: NavigationOptions) -> Navigator:
    """Answer a question by a model's choices; see ``navigate`` for how to run this."""
    result, _ = yield from choose_hits(text, scope, options, navigation)
    return result


def choose_hits(
    text: str,
    scope: Scope,
    options: SearchOptions,
    navigation: NavigationOptions,
    *,
    history: Sequence[Message] = (),
    background: str = "",
) -> Navigation[tuple[SearchResult, ModelError | None]]:
    """Do what ``search_tree`` does; give besides the error that ended the asking, where one did.

    Args:
        text: The question.
        scope: What may be chosen.
        options: How many hits, and of what.
        navigation: How large the map, and how far down.
        history: Earlier turns of the conversation, oldest first.
        background: What the user tells besides: the domain, what the documents are.
    """
    tally = Tally("tree")
    ranking = yield from rank_words(text, scope, options, ALL_UNITS)
    tally.steps += ranking.steps
    tally.documents_considered = len(ranking.found.infos)
    tally.units_considered = ranking.considered
    notes = ranking.found.notes
    spots = yield from find_spots(ranking, scope, navigation)
    descent = _Descent(text, ranking, navigation, tally, notes, history, background)
    picks: list[Spot] = []
    if spots:
        for pages in ranking.found.pages:
            pages.clear()  # many questions may wait for a model; what is picked is read then
        picks = yield from _descend(descent, spots)
    units = order_units(ranking, picks, options.k)
    chosen = [unit for unit in units if options.fill or unit.score > 0]
    hits = yield from read_hits(ranking.found, chosen, ranking.scores, scope, options)
    return SearchResult(text, hits, tally.trace(), tuple(notes)), descent.failure


def is_short(ranking: Ranking, navigation: NavigationOptions) -> bool:
    """Whether the scope is one document that is read as fast as its map."""
    infos = ranking.found.infos
    return len(infos) == 1 and infos[0].page_count <= navigation.short_pages


def find_spots(ranking: Ranking, scope: Scope, navigation: NavigationOptions) -> Navigation[list[Spot]]:
    """Give the outermost places of the most promising documents, with all that is below them."""
    most = min(navigation.most_documents, len(DOCUMENT_LETTERS))
    best = ranking.units.documents()[:most]
    quoted = [unit for unit in ranking.units[:QUOTED_UNITS] if unit.score > 0 and unit.document in best]
    yield from read_pages_of(ranking.found, quoted, scope)
    trees = yield tuple(LibraryRead("tree", (ranking.found.infos[number].doc_id, scope)) for number in best)
    grown: list[tuple[int, Places]] = []
    for number, tree in zip(best, trees, strict=True):
        if tree is None or not matches(tree, ranking.found.documents[number]):
            name = ranking.found.infos[number].name
            ranking.found.notes.append(Note("document_changed", f"{name} was replaced or removed during the search."))
            continue
        prefix = DOCUMENT_LETTERS[len(grown)] if len(best) > 1 else ""
        grown.append((number, grow_spots(number, prefix, tree, ranking)))
    add_hints([roots for _, roots in grown], ranking, [unit for unit in quoted if is_read(ranking.found, unit)])
    if len(best) == 1:
        return [root for _, roots in grown for root in roots]
    return [
        document_spot(number, f"doc{place}", ranking.found.infos[number], roots)
        for place, (number, roots) in enumerate(grown, start=1)
        if roots
    ]


def _descend(descent: _Descent, roots: list[Spot]) -> Navigation[list[Spot]]:
    """Ask until what is chosen is small enough to be read, or the calls are used up; give the places chosen."""
    most_calls = _most_calls(roots)
    picks: list[Spot] = []
    shown: Sequence[Spot] = roots
    for call in range(most_calls):
        drawn = draw_map(shown, descent.options.map_tokens)
        if call == 0 and not drawn.is_whole:
            drawn = draw_map(shown, min(descent.options.descent_tokens, descent.options.map_tokens))
        if descent.options.one_token:
            drawn = _few_options(drawn, shown, descent.options)
        chosen = yield from _ask(descent, drawn)
        if chosen is None:
            return picks
        below = [spot for spot in chosen if spot.children and spot.page_count > RESOLVED_PAGES]
        if drawn.is_whole or not below or call + 1 == most_calls:
            return _refined(picks, chosen)
        picks = _refined(picks, chosen)
        shown = below[: descent.options.beam]
    return picks


def _few_options(drawn: SectionMap, shown: Sequence[Spot], options: NavigationOptions) -> SectionMap:
    """Draw the map smaller until each option can have a label of its own."""
    tokens = options.map_tokens
    while len(drawn.options) > len(LABELS) and tokens > LEAST_MAP_TOKENS:
        tokens = tokens * 3 // 4
        drawn = draw_map(shown, tokens)
    return drawn


def _refined(before: list[Spot], chosen: list[Spot]) -> list[Spot]:
    """Put choices from a further map in the place of the ones they lie in; those that nothing was chosen from stay."""
    refined: list[Spot] = []
    used: set[str] = set()
    for old in before:
        inside = [spot for spot in chosen if _lies_in(spot, old)]
        used.update(spot.ident for spot in inside)
        refined += inside or [old]
    refined += [spot for spot in chosen if spot.ident not in used]
    return list({spot.ident: spot for spot in refined}.values())


def _lies_in(spot: Spot, other: Spot) -> bool:
    in_pages = other.first_page <= spot.first_page and spot.last_page <= other.last_page
    in_sections = other.sections.start <= spot.sections.start and spot.sections.stop <= other.sections.stop
    return spot.document == other.document and in_pages and (in_sections or spot.kind == "page")


def _most_calls(roots: Sequence[Spot]) -> int:
    sections = sum(len(root.sections) for root in roots)
    return 2 if sections <= FEW_SECTIONS else _depth(roots) + 1


def _depth(spots: Sequence[Spot]) -> int:
    return max((1 + _depth(spot.children) for spot in spots if spot.kind != "page"), default=0)


def _ask(descent: _Descent, drawn: SectionMap) -> Navigation[list[Spot] | None]:
    """Show a map and give what is chosen from it; None where the model gave no usable answer."""
    tally, infos = descent.tally, descent.ranking.found.infos
    options = drawn.options
    by_token = descent.options.one_token and len(options) <= len(LABELS)
    request = _by_token_request(descent, drawn) if by_token else _request(descent, drawn)
    tally.map_tokens += _tokens_of(request)
    tally.step("show", f"{len(options)} places", _node_ids(descent, drawn.spots))
    yield (Event("step", f"Choosing from a map of {len(options)} places in {len(infos)} documents."),)
    try:
        (reply,) = yield (ModelCall(request),)
    except ModelError as error:
        descent.failure = error
        descent.notes.append(note_failure(error, tally, "the order of words answers"))
        return None
    tally.add(reply)
    choices = _by_token(reply, drawn) if by_token else read_choices(reply_value(reply), options)
    tally.rejected += len(choices.rejected)
    for name in choices.rejected:
        tally.step("reject", f"{name!r} is not among the places shown.")
    if not choices.chosen:
        if choices.is_reply and not choices.rejected:
            _fall_back(descent, "model_chose_none", "The model found no place on the map that answers.")
        else:
            _fall_back(descent, "model_reply_unusable", "The model's reply named no place that was shown.")
        return None
    chosen = [options[ident] for ident, _ in choices.chosen[:MOST_CHOSEN]]
    for spot, (_, reason) in zip(chosen, choices.chosen, strict=False):
        tally.step("choose", reason, _node_ids(descent, [spot]))
    told = [{"id": ident, "reason": reason} for ident, reason in choices.chosen]
    yield (Event("step", f"Chose {', '.join(spot.line for spot in chosen)}.", {"choices": told}),)
    return chosen


def _fall_back(descent: _Descent, code: str, message: str) -> None:
    descent.notes.append(Note(code, message))
    descent.tally.step("fallback", message)


def _request(descent: _Descent, drawn: SectionMap) -> ModelRequest:
    prompt = load_prompt("tree", descent.options.prompts)
    mark, fenced = fence(f"{_heading(descent, drawn)}\n{drawn.text}")
    return ModelRequest(
        messages=_messages(descent, prompt, fenced, mark),
        purpose="tree",
        prompt_version=prompt.version,
        schema=CHOICES_SCHEMA,
    )


def _by_token_request(descent: _Descent, drawn: SectionMap) -> ModelRequest:
    prompt = load_prompt("tree_one_token", descent.options.prompts)
    labels = dict(zip(drawn.options, LABELS, strict=False))
    mark, fenced = fence(f"{_heading(descent, drawn)}\n{drawn.text_with(labels)}")
    return ModelRequest(
        messages=_messages(descent, prompt, fenced, mark),
        purpose="tree",
        prompt_version=prompt.version,
        max_output_tokens=1,
        choices=(*labels.values(), NONE_LABEL),
    )


def _messages(descent: _Descent, prompt: Prompt, fenced: str, mark: str) -> tuple[Message, ...]:
    """Give the messages of a call, with the earlier turns before the last."""
    fields = {"question": descent.question, "background": descent.background, "map": fenced, "mark": mark}
    *opening, last = prompt.messages(**fields)
    return (*opening, *descent.history, last)


def _by_token(reply: ModelReply, drawn: SectionMap) -> Choices:
    """Read one label, and those likelier than "none" where the provider reports probabilities."""
    idents = dict(zip(LABELS, drawn.options, strict=False))
    ranked = ranked_labels(reply.choice_logprobs)
    if not ranked and not reply.choice_logprobs:
        label = reply.text.strip()
        if label == NONE_LABEL:
            return Choices((), (), True)
        return read_choices([idents.get(label, label)] if label else None, drawn.options)
    chosen = [(idents[label], f"log probability {value:.2f}") for label, value in ranked if label in idents]
    return Choices(tuple(chosen), tuple(label for label, _ in ranked if label not in idents), True)


def _heading(descent: _Descent, drawn: SectionMap) -> str:
    infos = descent.ranking.found.infos
    documents = dict.fromkeys(spot.document for spot in drawn.spots)
    if len(documents) > 1:
        return f"{len(documents)} documents"
    info = infos[next(iter(documents))]
    return f"{info.name}, {info.page_count} pages"


def _node_ids(descent: _Descent, spots: Sequence[Spot]) -> list[str]:
    """Give spots as ``<doc_id>/<id>``, the id as it is in its own document."""
    infos = descent.ranking.found.infos
    return [f"{infos[spot.document].doc_id}/{spot.ident.lstrip(DOCUMENT_LETTERS)}" for spot in spots]


def _tokens_of(request: ModelRequest) -> int:
    return count_tokens(request.messages[-1].content)
