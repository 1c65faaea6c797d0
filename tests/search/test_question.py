"""Questions: what they ask for, apart from how they ask."""

from __future__ import annotations

from pageindex_core.search.question import parse_question


def asked(text: str) -> list[str]:
    """The first spelling of each clause."""
    return [" ".join(clause.runs[0]) for clause in parse_question(text).clauses]


def test_orders_on_the_form_of_the_answer_are_left_out() -> None:
    """Rounding, units and lists say nothing about where the answer stands."""
    text = "What is the harvest of 2019? Answer in USD millions and round your answer."
    assert asked(text) == ["harvest", "2019"]


def test_a_way_out_is_left_out() -> None:
    """What to say if the question makes no sense is not what is asked."""
    text = "Is the yield positive? If yield is not a relevant metric for such a farm, then state that and explain why."
    assert asked(text) == ["yield", "positiv"]


def test_a_sample_of_the_answer_is_left_out() -> None:
    """The example in brackets shows a form, not words of the document."""
    assert asked('Which crops grow? Write them in list format, e.g., ["rice","oats"]') == ["crop", "grow"]


def test_a_question_of_nothing_but_asking_words_is_kept() -> None:
    """Something has to be looked for."""
    assert asked("What is the question?") == ["question"]


def test_a_fiscal_year_is_looked_for_in_each_spelling() -> None:
    """FY18, FY2018 and 2018 are one year."""
    (clause,) = parse_question("FY18").clauses
    assert {run[0] for run in clause.runs} == {"fy18", "fy2018", "2018"}


def test_other_names_of_a_line_item_count_as_it() -> None:
    """Capital expenditure is printed as purchases of property."""
    clauses = parse_question("capital expenditures of the mill").clauses
    assert ("purchas", "of", "property") in clauses[0].runs
    assert asked("capital expenditures of the mill") == ["capital expenditur", "mill"]


def test_a_figure_looks_for_its_parts_but_not_the_other_way_round() -> None:
    """Working capital is computed from current assets; current assets do not ask for working capital."""
    assert ("current", "asset") in parse_question("working capital").clauses[0].runs
    assert all(("work", "capital") not in clause.runs for clause in parse_question("current assets").clauses)


def test_words_between_quotation_marks_are_a_phrase() -> None:
    """The quoted words are looked for together, as well as one by one."""
    question = parse_question('Where does "soil moisture index" appear?')
    assert question.phrases[0].runs == (("soil", "moistur", "index"),)
    assert "soil" in asked('Where does "soil moisture index" appear?')
