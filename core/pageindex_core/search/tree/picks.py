"""What a model picked, as units: picks first, in its order, then the lexical order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from pageindex_core.search.lexical import Ranking
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.tree.section_map import Spot

PAGES_A_PICK = 2
"""Pages of one picked place that come before the lexical order, in as many units as they take: a larger place must not
fill the answer. Measured with a chooser that knows the evidence, more find the same pages; with one that reads words
alone, 1 to 3 percent fewer."""


def order_units(ranking: Ranking, picks: Sequence[Spot], count: int) -> list[RankedUnit]:
    """Give the first ``count`` units, those of the picks before others: the best of each pick, then their second ones.

    Scores fall: what was picked is lifted above the best unit that was not, and stays at most 1.
    """
    taken: dict[tuple[int, int], RankedUnit] = {}
    for turn in zip_longest(*(_units_in(ranking, spot) for spot in picks)):
        for unit in turn:
            if unit is None:
                continue
            key = unit.document, unit.first_piece
            known = taken.get(key)
            taken[key] = unit if known is None else replace(known, pages=tuple(dict.fromkeys(known.pages + unit.pages)))
    others = (unit for unit in ranking.units if (unit.document, unit.first_piece) not in taken)
    rest = list(islice(others, count))
    top = rest[0].score if rest else 0.0
    lifted = [
        replace(unit, score=top + (1 - top) * (len(taken) - place) / (len(taken) + 1), found_by="model")
        for place, unit in enumerate(taken.values())
    ]
    return [*lifted, *rest][:count]


def _units_in(ranking: Ranking, spot: Spot) -> list[RankedUnit]:
    """Give the units that hold text of a place, best first; of their evidence first what lies in it.

    A heading with no text of its own stands in the unit of the section that follows: then any unit of its pages does.
    """
    return _units_of(ranking, spot, spot.sections) or _units_of(ranking, spot, None)


def _units_of(ranking: Ranking, spot: Spot, sections: range | None) -> list[RankedUnit]:
    index = ranking.found.documents[spot.document].index
    found: list[RankedUnit] = []
    wanted = set(range(spot.first_page, spot.last_page + 1)) if spot.page_count <= PAGES_A_PICK else set()
    for unit in ranking.units.of_document(spot.document):
        inside = {
            piece.page
            for piece in index.pieces[unit.first_piece : unit.last_piece + 1]
            if (sections is None or piece.section in sections)
            and spot.first_page <= index.page_numbers[piece.page] <= spot.last_page
        }
        pages = {index.page_numbers[page] for page in inside}
        if inside and (not found or pages & wanted):
            best_first = [page for page in unit.pages if page in inside] or sorted(inside)
            found.append(replace(unit, pages=tuple(dict.fromkeys([*best_first, *unit.pages]))))
            wanted -= pages
        if found and not wanted:
            break
    return found
