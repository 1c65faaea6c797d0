"""Takes Markdown, gives pages cut by size, with the headings that a CommonMark parser sees."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pageindex_core.inline_markup import parse_inline, title_of, words_of
from pageindex_core.options import ReadOptions
from pageindex_core.read.breaking import break_lines
from pageindex_core.read.decode import clean_line, read_source_lines
from pageindex_core.read.front_matter import find_front_matter
from pageindex_core.read.paging import Body, cut_pages, keep_first_pages
from pageindex_core.read.source import Source
from pageindex_core.records import Heading, Note, Page, Pages
from pageindex_core.tokens import count_tokens

_BOLD_CONFIDENCE = 0.8
"""A bold line is read as a title for want of a declared one, so it is less sure than those."""

_SENTENCE_SPACES = 3
"""Bold text of at least four words that ends in a full stop is a sentence that is stressed, and no title."""

_PARSER = MarkdownIt("commonmark")
# Inline markup matters in titles alone; leaving it out elsewhere halves the time.
_PARSER.core.ruler.enableOnly(["normalize", "block"])


@dataclass(frozen=True, slots=True)
class Opening:
    """A heading in the source, before there are pages."""

    line: int
    """Index of its first line in the source, from 0."""
    end: int
    """Index of the first line after it."""
    title: str
    level: int
    markup: str
    """What marks it: ``#`` to ``######``, ``=`` or ``-`` underlines, ``**`` for a bold line."""


def read_markdown(source: Source, options: ReadOptions) -> Pages:
    """Read Markdown. ``headings`` is None where the text has none, so that it counts as unstructured.

    Front matter opens no section; its plain pairs become metadata where the caller gave no such key.

    Raises:
        EmptySourceError: no visible character in it.
    """
    lines, notes = read_source_lines(source)
    body = markdown_body(lines, options)
    return Pages(
        source_id=source.source_id,
        name=source.name,
        media_type="text/markdown",
        fingerprint=source.fingerprint,
        pages=body.pages,
        metadata={**body.metadata, **source.metadata},
        headings=body.headings,
        notes=(*notes, *body.notes),
    )


def markdown_body(lines: Sequence[str], options: ReadOptions) -> Body:
    """Give pages, headings and front matter of Markdown, from its lines as they are in the source."""
    clean = [clean_line(line) for line in lines]
    front_lines, metadata = find_front_matter(clean)
    openings, untitled = find_openings(clean, front_lines)
    notes: list[Note] = []
    if untitled:
        notes.append(Note("heading_untitled", f"{untitled:,} headings have no words and open no section."))
    kept = thin_out(openings, clean, options.thin_below_tokens)
    if len(kept) < len(openings):
        joined = f"{len(openings) - len(kept):,} sections of fewer than {options.thin_below_tokens:,} tokens"
        notes.append(Note("sections_thinned", f"{joined} were merged into their parent section."))
    broken = break_lines(clean)
    first_pieces = [at for at, line in enumerate(broken) if not line.continues]
    places = [first_pieces[opening.line] for opening in kept]
    pages = cut_pages(broken, options.page_tokens, openings=places)
    headings = _headings(kept, places, pages) or None
    return keep_first_pages(Body(tuple(pages), headings, dict(metadata), tuple(notes)), options.max_pages)


def find_openings(lines: Sequence[str], front_lines: int = 0) -> tuple[list[Opening], int]:
    """Give the headings of Markdown in order, and the number of headings without words that were left out.

    Headings inside quotes and list items belong to what they stand in and open no section. A text without headings
    gives the paragraphs whose first line is one bold run that is no sentence, all of level 1.

    Args:
        lines: Clean lines of the source.
        front_lines: How many lines at the start are front matter.
    """
    env: dict[str, Any] = {}  # link definitions, found by the parser and needed for titles
    tokens = _PARSER.parse("\n".join([*[""] * front_lines, *lines[front_lines:]]), env)
    found = [
        Opening(
            line=token.map[0],
            end=token.map[1],
            title=title_of(content.content, env),
            level=int(token.tag[1:]),
            markup=token.markup,
        )
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    if not found:
        found = _bold_lines(tokens, env)
    titled = [opening for opening in found if opening.title]
    return titled, len(found) - len(titled)


def thin_out(openings: Sequence[Opening], lines: Sequence[str], below_tokens: int) -> list[Opening]:
    """Give the headings that stay when sections of less own text than ``below_tokens`` join their parent.

    Works from the innermost sections outwards; what joins counts as text of the parent. Three kinds always stay:
    outermost sections, sections that still have subsections, and those that follow a sibling that stays, because
    without its heading their text would be read as the sibling's.
    """
    if not below_tokens:
        return list(openings)
    ends = [opening.line for opening in openings[1:]] + [len(lines)]
    own = [count_tokens("\n".join(lines[opening.end : end])) for opening, end in zip(openings, ends, strict=True)]
    parents, children = _families(openings)
    dropped: set[int] = set()

    def settle(index: int) -> None:
        stays = False
        for child in children[index]:
            settle(child)
            tiny = own[child] < below_tokens and all(below in dropped for below in children[child])
            if tiny and not stays:
                dropped.add(child)
                own[index] += own[child] + count_tokens(openings[child].title)
            else:
                stays = True

    for outermost in (index for index, parent in enumerate(parents) if parent is None):
        settle(outermost)
    return [opening for index, opening in enumerate(openings) if index not in dropped]


def _families(openings: Sequence[Opening]) -> tuple[list[int | None], list[list[int]]]:
    # For each heading the index of its parent and the indexes of its children.
    parents: list[int | None] = []
    children: list[list[int]] = [[] for _ in openings]
    above: list[int] = []
    for index, opening in enumerate(openings):
        while above and openings[above[-1]].level >= opening.level:
            above.pop()
        parents.append(above[-1] if above else None)
        if above:
            children[above[-1]].append(index)
        above.append(index)
    return parents, children


def _headings(openings: Sequence[Opening], places: Sequence[int], pages: Sequence[Page]) -> tuple[Heading, ...]:
    # ``places`` are the lines where the openings start, counted through all pages.
    starts = list(accumulate((len(page.lines) for page in pages), initial=0))[:-1]
    headings = []
    for opening, place in zip(openings, places, strict=True):
        page_index = bisect_right(starts, place) - 1
        headings.append(
            Heading(
                title=opening.title,
                level=opening.level,
                page_number=pages[page_index].page_number,
                line_index=place - starts[page_index],
                evidence="markup",
                confidence=_BOLD_CONFIDENCE if opening.markup == "**" else 1.0,
            )
        )
    return tuple(headings)


def _bold_lines(tokens: Sequence[Token], env: dict[str, Any]) -> list[Opening]:
    found = []
    for token, content in pairwise(tokens):
        if token.type != "paragraph_open" or token.level or not token.map:
            continue
        if not content.content.startswith(("**", "__")):
            continue
        if content.content.partition("\n")[2].lstrip()[:1].islower():
            continue  # the line runs on into the next
        first = takewhile(lambda part: part.type not in ("softbreak", "hardbreak"), parse_inline(content.content, env))
        inline = [part for part in first if part.type != "text" or part.content.strip()]
        depth_zero = [part.type for part in inline if part.level == 0]
        title = words_of(inline)
        if depth_zero == ["strong_open", "strong_close"] and not _is_sentence(title):
            found.append(Opening(token.map[0], token.map[0] + 1, title=title, level=1, markup="**"))
    return found


def _is_sentence(title: str) -> bool:
    # "Acme Inc." and "1. Scope." are names; a full stop behind more words ends a sentence.
    return title.endswith(("。", "．")) or (title.endswith(".") and title.count(" ") >= _SENTENCE_SPACES)
