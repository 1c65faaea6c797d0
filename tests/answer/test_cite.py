"""Citations: verified where the quoted words stand on a page that was read, marked where they do not."""

from __future__ import annotations

import json
from dataclasses import replace

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


@pytest.mark.parametrize(
    ("evidence", "page"),
    [
        (NamedEvidence("Costs fell by half", document="report.pdf", page=4), 4),
        (NamedEvidence("Costs fell by half", page=4), 4),
        (NamedEvidence("Costs fell by half", document="report.pdf", page=8), None),
        (NamedEvidence("Costs fell by half", document="other.pdf", page=5), None),
        (NamedEvidence("Costs fell by half", document="other.pdf"), None),
        (NamedEvidence("Costs fell by half", page_id="s1"), 4),
        (NamedEvidence("Costs fell by half", page_id="s9"), None),
    ],
)
def test_words_that_stand_elsewhere_do_not_verify_the_page_named(evidence: NamedEvidence, page: int | None) -> None:
    """A wrong page, label or document stays unverified; the reason says where the words stand."""
    read = [read_page(4, "Net sales rose.", label="s1"), read_page(5, "Costs fell by half.", label="s2")]
    (one,) = check_citations([evidence], read)
    assert (one.verified, one.page_number, one.boxes) == (False, page, ())
    assert one.reason.endswith(" The quoted words stand on page 5 of report.pdf.")


@pytest.mark.parametrize(
    ("quote", "verified"),
    [
        ("the", False),
        ("40 hours", False),
        ("Maintenance schedule", False),
        ("It is so", False),
        ("every 40 hours", True),
        ("「総則」", False),
        ("四十時間ごと", True),
    ],
)
def test_a_few_words_do_not_verify(quote: str, verified: bool) -> None:
    """They stand on page after page; of scripts without spaces each sign counts as a word."""
    page = read_page(4, "Maintenance schedule: it is so, wash the filter every 40 hours.", "「総則」四十時間ごとに洗う")
    (one,) = check_citations([NamedEvidence(quote, document="report.pdf", page=4)], [page])
    assert (one.verified, one.page_number) == (verified, 4)
    assert one.reason == ("" if verified else "Too few words are quoted to show anything.")


OTHER = replace(INFO, doc_id="e" * 16, source_id="/old/report.pdf")


def test_documents_of_one_name_are_told_apart_by_id() -> None:
    """The id or the source decides, whichever was read last; a name does only where the words stand in one of them."""
    first = read_page(4, "Net sales rose by half.", "Costs were flat in 2018.")
    second = replace(first, info=OTHER, page=read_page(4, "Net sales fell by half.", "Costs were flat in 2018.").page)
    for read in ([first, second], [second, first]):
        cited = [
            NamedEvidence("Costs were flat", document=INFO.doc_id, page=4),
            NamedEvidence("Costs were flat", document=OTHER.source_id, page=4),
            NamedEvidence("Net sales rose by half", document=OTHER.doc_id, page=4),
            NamedEvidence("Net sales rose by half", document="report.pdf", page=4),
            NamedEvidence("Costs were flat", document="report.pdf", page=4),
        ]
        checked = check_citations(cited, read)
        assert [(one.doc_id, one.verified) for one in checked] == [
            (INFO.doc_id, True),
            (OTHER.doc_id, True),
            (OTHER.doc_id, False),
            (INFO.doc_id, True),
            ("", False),
        ]
        assert checked[-1].reason.startswith("Several documents of that name were read")


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


EVIDENCE = [{"page_id": "s1", "quote": "Net sales rose"}, {"page_id": "s2", "quote": "Costs fell by half"}]


@pytest.mark.parametrize(
    "citations",
    [
        EVIDENCE,
        json.dumps(EVIDENCE),
        [json.dumps(one) for one in EVIDENCE],
        [{"page_id": "[s1]", "text": "Net sales rose"}, {"page_id": "s2", "excerpt": "Costs fell by half"}],
        ["Net sales rose", "Costs fell by half"],
        json.dumps(["Net sales rose", "Costs fell by half"]),
    ],
)
def test_evidence_is_read_in_every_form_that_models_send(citations: object) -> None:
    """A list, a string that holds a list, objects as strings and bare quotes all end as the same verified pages."""
    said = read_answer(json.dumps({"answer": "Both.", "found": True, "citations": citations}))
    assert said is not None
    read = [read_page(4, "Net sales rose.", label="s1"), read_page(5, "Costs fell by half.", label="s2")]
    checked = check_citations(said.evidence, read)
    assert [(one.page_number, one.quote, one.verified) for one in checked] == [
        (4, "Net sales rose", True),
        (5, "Costs fell by half", True),
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
