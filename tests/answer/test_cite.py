"""Citations: verified where the quoted words stand on a page that was read, marked where they do not."""

from __future__ import annotations

import json

import pytest

from pageindex_core.answer.cite import ReadPage, check_citations, stands_in
from pageindex_core.records import Box, DocumentInfo, Line, Page
from pageindex_core.search.agent.final_answer import NamedEvidence, read_answer

INFO = DocumentInfo("d" * 16, "/data/report.pdf", "report.pdf", "f", "ready", page_count=9)
TEXT = """\
Total assets were 115 million in 2018 1,577 1,339
The com-
puter was well\u2010known; “Net  sales” end. 5.3
第一章 総則"""


def read_page(number: int, *texts: str, label: str = "") -> ReadPage:
    lines = tuple(Line(text, Box(50, 20 * at, 300, 20 * at + 12)) for at, text in enumerate(texts))
    return ReadPage(INFO, Page(number, lines, f"A-{number}"), label, ("Results",))


@pytest.mark.parametrize(
    "quote",
    [
        "115 million",
        "1,577",
        "2018 1,577",
        "TOTAL ASSETS WERE",
        "The computer was well-known",
        '"Net sales"',
        "net sales",
        "end",
        "5.3",
        "第一章",
        "総則",
        "Total assets … 1,339",
        "assets ... computer",
        "ｔｏｔａｌ ａｓｓｅｔｓ",
    ],
)
def test_spacing_case_hyphens_and_unicode_form_do_not_matter(quote: str) -> None:
    """What a reader would call the same words is found, over line ends and shortened by an ellipsis too."""
    assert stands_in(quote, TEXT)


@pytest.mark.parametrize(
    "quote",
    ["15 million", "577", "1,5", "5.", "omputer", "Total liabilities", "1,339 … 1,577", "", "…", "a", "116 million"],
)
def test_parts_of_numbers_and_words_are_not_quotes(quote: str) -> None:
    """ "15 million" does not stand in "115 million", and nothing at all proves nothing."""
    assert not stands_in(quote, TEXT)


def test_a_verified_citation_says_where_its_words_stand() -> None:
    """Document, page, label, section and the boxes of the very lines, one for each line that the quote touches."""
    page = read_page(4, "Introduction", "Net sales rose by", "eight percent.", label="s1")
    (one,) = check_citations([NamedEvidence("sales rose by eight", page_id="s1")], [page])
    assert (one.verified, one.reason) == (True, "")
    assert (one.doc_name, one.page_number, one.page_label) == ("report.pdf", 4, "A-4")
    assert one.section_path == ("Results",)
    assert [place.box.y0 for place in one.boxes] == [20, 40]


def test_a_quote_on_another_page_that_was_read_is_cited_there() -> None:
    """A wrong page number does not lose the evidence, and the citation names the right one."""
    read = [read_page(4, "Net sales rose."), read_page(5, "Costs fell.")]
    (one,) = check_citations([NamedEvidence("Costs fell", document="report.pdf", page=4)], read)
    assert (one.verified, one.page_number) == (True, 5)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (NamedEvidence("Profits doubled", page_id="s1"), "not on that page"),
        (NamedEvidence("", page_id="s1"), "No words are quoted"),
        (NamedEvidence("Profits doubled", page_id="s9"), "not read"),
        (NamedEvidence("Profits doubled", document="report.pdf", page=8), "not read"),
        (NamedEvidence("Profits doubled", document="other.pdf", page=4), "not read"),
        (NamedEvidence("Profits doubled"), "on no page"),
    ],
)
def test_what_cannot_be_held_to_a_page_is_marked(evidence: NamedEvidence, reason: str) -> None:
    """An invented quote, an unread page and an unknown label stay visible, unverified, with the reason."""
    (one,) = check_citations([evidence], [read_page(4, "Net sales rose.", label="s1")])
    assert one.verified is False
    assert reason in one.reason
    assert one.quote == evidence.quote
    assert one.boxes == ()


EVIDENCE = [{"page_id": "s1", "quote": "Net sales rose"}, {"page_id": "s2", "quote": "Costs fell"}]


@pytest.mark.parametrize(
    "citations",
    [
        EVIDENCE,
        json.dumps(EVIDENCE),
        [json.dumps(one) for one in EVIDENCE],
        [{"page_id": "[s1]", "text": "Net sales rose"}, {"page_id": "s2", "excerpt": "Costs fell"}],
        ["Net sales rose", "Costs fell"],
        json.dumps(["Net sales rose", "Costs fell"]),
    ],
)
def test_evidence_is_read_in_every_form_that_models_send(citations: object) -> None:
    """A list, a string that holds a list, objects as strings and bare quotes all end as the same verified pages."""
    said = read_answer(json.dumps({"answer": "Both.", "found": True, "citations": citations}))
    assert said is not None
    read = [read_page(4, "Net sales rose.", label="s1"), read_page(5, "Costs fell.", label="s2")]
    checked = check_citations(said.evidence, read)
    assert [(one.page_number, one.quote, one.verified) for one in checked] == [
        (4, "Net sales rose", True),
        (5, "Costs fell", True),
    ]


@pytest.mark.parametrize("key", ["evidence", "quotes", "sources"])
def test_other_names_for_the_evidence_are_known(key: str) -> None:
    """A key that means the same does not lose the sources."""
    said = read_answer(json.dumps({"answer": "Yes.", key: ["Net sales rose"]}))
    assert said is not None
    assert said.evidence == (NamedEvidence("Net sales rose"),)


@pytest.mark.parametrize("reply", ["", "  ", "null", "{}", "[]", '""', '{"answer": ""}', '{"answer": null}'])
def test_an_empty_reply_is_no_answer(reply: str) -> None:
    """Nothing said is told apart from something said without JSON."""
    assert read_answer(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "Every 40 h',
        '{"ans',
        "{",
        "[",
        '[{"answer": "Every',
        "```json",
        "```json\n",
        '```json\n{"answer": "Every 40 h',
        'Here it is: {"answer": "Every 40 h',
        'Here it is: {"ans',
        '{"reasoning": "I looked."}',
        '["a", "b"]',
        "true",
        "True",
        "false",
        "None",
        "NaN",
        '"null"',
        '{"answer": "{\\"answer\\": \\"Every"}',
    ],
)
def test_json_without_an_answer_is_never_taken_for_words(reply: str) -> None:
    """A reply that breaks off, an empty fence and a bare value are no answers, however they start."""
    assert read_answer(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        '[{"answer": "Every 40 hours."}]',
        '[{"note": 1}, {"answer": "Every 40 hours.", "found": true}]',
        '```json\n[{"answer": "Every 40 hours."}]\n```',
        '{"answer": "Every 40 hours.", "fou',
        '```json\n{"answer": "Every 40 hours.", "found": true, "citations": [{"pa',
        json.dumps('{"answer": "Every 40 hours."}'),
        json.dumps({"answer": '{"answer": "Every 40 hours."}', "found": True}),
        '["Every 40 hours."]',
        'Here it is: {"answer": "Every 40 hours.", "fo',
    ],
)
def test_an_answer_is_read_wherever_json_holds_it(reply: str) -> None:
    """In a list, cut after it was whole, or written as a text once more: the words alone are given."""
    said = read_answer(reply)
    assert said is not None
    assert (said.text, said.found) == ("Every 40 hours.", True)


@pytest.mark.parametrize("reply", ["[1] It rose by 8 percent.", "42", "It rose {by 8}.", "None of them rose."])
def test_plain_words_may_look_a_little_like_json(reply: str) -> None:
    """A mark in brackets, a figure and braces in a sentence are words."""
    said = read_answer(reply)
    assert said is not None
    assert said.text == reply


@pytest.mark.parametrize("page", ["9" * 5_000, "page " + "1" * 5_000, ["8" * 5_000]])
def test_an_endless_page_number_names_a_page_that_was_not_read(page: object) -> None:
    """It is neither an error nor left out: the citation is unverified."""
    said = read_answer(json.dumps({"answer": "Yes.", "citations": [{"page": page, "quote": "Nothing of this stands"}]}))
    assert said is not None
    (one,) = check_citations(said.evidence, [read_page(4, "Net sales rose.")])
    assert (one.verified, one.reason) == (False, "That page was not read.")


def test_plain_words_are_an_answer_without_evidence() -> None:
    """A model that ignores the form is still read, and cites nothing."""
    said = read_answer("It rose by 8 percent.")
    assert said is not None
    assert (said.text, said.found, said.evidence) == ("It rose by 8 percent.", True, ())
