"""What words a question may use for what a document prints in other words, and which words ask rather than tell.

General vocabulary only: function words, the words in which answers are ordered ("round", "in USD millions"), and
what accounting calls the same thing. Nothing here names a company, a document or a question.
"""

from __future__ import annotations

from collections.abc import Iterable

from pageindex_core.search.terms import question_terms

Run = tuple[str, ...]
"""Neighbouring terms."""

_FUNCTION_WORDS = """
a about after all also am among an and any are as at be because been before being between both but by can cannot could
did do does doing done down during each either else ever every few for from further had has have having he her here
hers him his how i if in into is it its itself just let like made make many may me might more most much must my near
neither no nor not now of off often on once one only or other our out over own per please quite rather same shall she
should so some such than that the their theirs them then there these they this those through thus to too under until up
upon us use used using very via was we were what when where whether which while who whom whose why will with within
without would yes yet you your
"""

_ASKING_WORDS = """
according answer answering article ascending approximation base basing calculate clearly compute considering data
decimal define defined descending describe detail details directly document e.g enumerate exact example explain figure
find following format found give guidebook help i.e info information int integer judgement judgment list listed mention
mentioned metric name named need outlined paper place plainly possible primarily provide provided question reasonable
relevant rely relying report respond response return round see show shown state tell total unit units useful want
write percent percents usd million millions billion billions
"""
"""Words that say how to answer, or that point at "the document". They carry meaning in documents, so they are left out
of questions only, and kept where nothing else is left."""

SAME_THING = """
cash flow statement | statement of cash flows | statements of cash flow | cash flows statement
income statement | statement of income | statement of operations | statement of earnings |
    statement of profit or loss | profit and loss statement | p&l statement | p&l
balance sheet | statement of financial position | statement of financial condition
statement of changes in equity | statement of stockholders equity | statement of shareholders equity
capital expenditure | capex | purchase of property | payments for property | additions to property |
    expenditures for property
property plant and equipment | pp&e | ppe | ppne | property and equipment
cost of goods sold | cogs | cost of sales | cost of revenue | cost of products sold
depreciation and amortization | d&a
selling general and administrative | sg&a
research and development | r&d
net income | net earnings | net profit
operating income | operating profit | income from operations | operating earnings
revenue | net sales | turnover
accounts receivable | trade receivables
accounts payable | trade payables
earnings per share | eps
chief executive officer | ceo
chief financial officer | cfo
united states | usa
"""
"""Each line: names of one thing; any of them finds all. Source: the line items of IFRS and US GAAP statements and
their usual abbreviations."""

MADE_OF = """
ebitda | operating income | depreciation and amortization
working capital | current assets | current liabilities
quick ratio | current assets | current liabilities
current ratio | current assets | current liabilities
gross margin | gross profit | cost of sales
operating margin | operating income | operating profit
net margin | net income | net earnings
inventory turnover | inventories | cost of sales
asset turnover | total assets | net sales
return on assets | net income | total assets
return on equity | net income | total equity
debt ratio | total liabilities | total assets
payout ratio | dividends paid | net income
days payable | accounts payable | cost of sales
days sales outstanding | accounts receivable | net sales
top line | revenue | net sales
bottom line | net income | net earnings
m&a | acquisition | divestiture
"""
"""Each line: a figure, and the line items that it is calculated from, which are what a document prints. The figure
finds its items, not the other way round."""


def _words(text: str) -> frozenset[str]:
    return frozenset(term for word in text.split() for term in question_terms(word))


def _groups(table: str) -> list[list[Run]]:
    """One group a line; a line that ends in a bar goes on in the next."""
    lines = table.replace("|\n", "|").strip().splitlines()
    return [[tuple(question_terms(name)) for name in line.split("|")] for line in lines]


def build_equivalents(same_thing: str = SAME_THING, made_of: str = MADE_OF) -> dict[Run, tuple[Run, ...]]:
    """Give what each name of two tables also looks for, itself first."""
    found: dict[Run, dict[Run, None]] = {}
    for names in _groups(same_thing):
        for name in names:
            found.setdefault(name, {}).update(dict.fromkeys([name, *names]))
    for names in _groups(made_of):
        found.setdefault(names[0], {}).update(dict.fromkeys(names))
    return {name: tuple(others) for name, others in found.items()}


FUNCTION_TERMS = _words(_FUNCTION_WORDS)
ASKING_TERMS = _words(_ASKING_WORDS)
EQUIVALENTS = build_equivalents()
"""A run of terms to the runs that mean the same, itself first."""

_LONGEST = max(map(len, EQUIVALENTS))


def equivalents_at(terms: list[str], at: int) -> tuple[int, tuple[Run, ...]] | None:
    """Give the length and the equivalents of the longest known run that starts at a place; None where none does."""
    for length in range(min(_LONGEST, len(terms) - at), 0, -1):
        runs = EQUIVALENTS.get(tuple(terms[at : at + length]))
        if runs is not None:
            return length, runs
    return None


def is_telling(term: str) -> bool:
    """Tell whether a term of a question says what is asked for, rather than how to answer."""
    return term not in FUNCTION_TERMS and term not in ASKING_TERMS


def telling(terms: Iterable[str]) -> list[str]:
    """Give the terms that say what is asked for; where there are none, those that are no function words, or all."""
    given = list(terms)
    return (
        [term for term in given if is_telling(term)] or [term for term in given if term not in FUNCTION_TERMS] or given
    )
