"""Headings of pages that a framework's loader has read: text in lines, and nothing about places or fonts."""

from __future__ import annotations

import random

from pageindex_core.outline import find_headings
from random_outlines import pages_of

WORDS = ("pump", "seal", "valve", "pipe", "filter", "gauge", "bearing", "shaft", "motor", "float", "screen", "gate")


def prose(about: object) -> tuple[str, str, str]:
    """A paragraph as wide as its page, and like no other."""
    one, two, three, four = random.Random(str(about)).sample(WORDS, 4)
    return (
        f"The {one} beside the {two} is checked before the {three} is opened so that no sand of the",
        f"river reaches the {four} again; whoever opens the {one} first writes the hour of the {two}",
        f"into the book beside the {three}, and closes the {four} behind him.",
    )


PROSE = prose("one paragraph")


def page(*parts: str) -> str:
    """A page of the given lines, each over a paragraph."""
    return "\n".join(line for part in parts for line in (*part.split("|"), *prose((*parts, part))))


def found(*texts: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in find_headings(pages_of(*texts)).headings]


def test_a_short_line_between_paragraphs_is_a_heading() -> None:
    """It stands behind a finished sentence and over a full line."""
    assert found(page("Summary of findings", "Care of the seals"), page("What to do in winter?")) == [
        (1, "Summary of findings"),
        (1, "Care of the seals"),
        (1, "What to do in winter?"),
    ]


def test_what_goes_on_with_a_sentence_is_none() -> None:
    """Capitals open names in the middle of sentences, and lines break before them."""
    assert found("\n".join((*PROSE[:2], "Northern Water Board", *PROSE))) == []


def test_rows_of_tables_are_none() -> None:
    """Neither one that ends with figures, nor what stands over such rows."""
    rows = "Net interest income of the group 12,889 14,439 (11)\nOther income of all companies in it 176 90 96"
    heads = ("Three months ended March 31, 2024", "December 31, 2023")
    assert found(*(f"{PROSE[2]}\n{head}\n{rows}\nTotal 31 (1)\n{PROSE[0]}" for head in heads)) == []


def test_entries_of_references_are_none() -> None:
    """Behind the heading of a list of references only numbers and capitals open a section."""
    names = "Jane Doe, Ann Poe\nPumps of the old world. Journal of Water, 12(2), pages 111 to 134, and what came of it."
    texts = (page("1 Pumps", "2 Seals"), f"References\n{names}\n{names}", page("3 Forms to copy", "4 Tables"))
    assert [title for _, title in found(*texts)] == [
        "1 Pumps", "2 Seals", "References", "3 Forms to copy", "4 Tables",
    ]  # fmt: skip


def test_chapters_are_told_from_items_by_their_sections() -> None:
    """Where "2.1" opens, "2" is the line before it; other lines with one number are items of lists."""
    steps = "1 Close the valve\n2 Open the gate\n3 Call the guard"
    texts = (
        page("1 Pumps|1.1 Kinds", f"1.2 Care|{steps}"),
        page("2 Gates|2.1 Steel", f"2.2 Wood|{steps}"),
    )
    assert [title for _, title in found(*texts)] == [
        "1 Pumps", "1.1 Kinds", "1.2 Care", "2 Gates", "2.1 Steel", "2.2 Wood",
    ]  # fmt: skip


def test_articles_of_statutes_are_cut_from_their_text() -> None:
    """The text runs on behind the title, and what is counted within an article is no heading."""
    texts = [
        f"제{number}조(목적의 {number}) 이 법은 헌법에 따라 근로조건의 기준을 정함으로써 근로자의 생활을 보장한다.\n"
        "다음 각 호의 사항을 정한다.\n1. 임금\n2. 근로시간"
        for number in range(1, 8)
    ]
    assert [title for _, title in found("\n".join(texts))] == [
        f"제{number}조(목적의 {number})" for number in range(1, 8)
    ]


def test_contents_without_page_numbers_are_no_headings() -> None:
    """Chapters that follow line by line and come again below are listed, not opened."""
    names = [f"Chapter {number}: Pumps of kind {'ABCDE'[number - 1]}" for number in range(1, 6)]
    assert [title for _, title in found("\n".join(names), *(page(name) for name in names))] == names


def test_a_number_on_a_line_of_its_own_is_joined_with_its_title() -> None:
    """ "Chapter one" stands over the title of the chapter."""
    assert found(page("CHAPTER ONE|INTRODUCTION"), page("CHAPTER TWO|THE PROCESS")) == [
        (1, "CHAPTER ONE INTRODUCTION"),
        (1, "CHAPTER TWO THE PROCESS"),
    ]


def test_letter_spaced_titles_read_as_words() -> None:
    """Some loaders keep the spaces between spaced letters; words are further apart."""
    assert found(page("R I S K   F A C T O R S"), page("L E G A L   M A T T E R S")) == [
        (1, "RISK FACTORS"),
        (1, "LEGAL MATTERS"),
    ]


def test_titles_without_numbers_stand_below_numbered_ones() -> None:
    """They complete long sections and are left out of short ones."""
    long = [page(f"Seals of {metal}") for metal in ("brass", "bronze", "iron")]
    texts = (page("1 Pumps"), page("2 Seals"), *long, page("3 Gates", "Gates of oak"), page("4 Locks"))
    assert found(*texts) == [
        (1, "1 Pumps"), (1, "2 Seals"), (2, "Seals of brass"), (2, "Seals of bronze"), (2, "Seals of iron"),
        (1, "3 Gates"), (1, "4 Locks"),
    ]  # fmt: skip


def test_tags_of_parts_are_none() -> None:
    """A number, letters and a number without a space between them."""
    assert found(page("0WL16"), page("1WL17")) == []


def test_names_of_programs_and_names_that_come_back_are_none() -> None:
    """Constants in capitals, and labels of every part."""
    assert found(*(page("CL_MEM_HOST_PTR", "Quarterly results") for _ in range(5))) == []


def book(*names: str) -> list[str]:
    """Pages with a chapter each."""
    return [page(name) for name in names]


def test_contents_are_read_whatever_blanks_end_their_lines() -> None:
    """Some loaders leave a blank behind each line."""
    names = [f"Care of {thing}s" for thing in WORDS[:6]]
    contents = "Contents \n" + "".join(f"{name} ...... {number} \n" for number, name in enumerate(names, start=2))
    outline = find_headings(pages_of(contents, *book(*names)))
    assert outline.toc_source == "contents"
    assert [heading.title for heading in outline.headings] == names


def test_numbers_on_lines_of_their_own_belong_to_their_rows_of_contents() -> None:
    """A section number opens the row below it, a page number ends the one above; capitals may be cut from words."""
    rows = "1\n1 Pumps\n 2\n1.1\n k\ninds of them\n 2\n1.2\n Care\n 3\n2.\nGates\n4\n2.1\nOak\n 4\n2.2\nElm\n 5"
    texts = (page("1 Pumps|1.1 kinds of them"), page("1.2 Care"), page("2. Gates|2.1 Oak"), page("2.2 Elm"))
    assert found(f"Contents\n{rows}", *texts) == [
        (1, "1 Pumps"), (2, "1.1 kinds of them"), (2, "1.2 Care"), (1, "2. Gates"), (2, "2.1 Oak"), (2, "2.2 Elm"),
    ]  # fmt: skip


def test_contents_go_on_below_a_headline_that_comes_back() -> None:
    """Each page of a long list may repeat its headline; one whose numbers begin again is another list."""
    names = [f"Care of {thing}s" for thing in WORDS[:8]]
    rows = [f"{name} ...... {number}" for number, name in enumerate(names, start=3)]
    lists = ("\n".join(("Contents", *rows[:4])), "\n".join(("Contents", *rows[4:])))
    assert [title for _, title in found(*lists, *book(*names))] == names
    outline = find_headings(pages_of(lists[0], lists[0].replace("Care", "Soin"), *book(*names)))
    assert [heading.title for heading in outline.headings if heading.evidence == "contents"] == names[:4]


def test_entries_without_a_number_stand_below_their_chapter() -> None:
    """Where contents have neither indents nor sizes, the word of a number tells which entries are above the others."""
    names = ["Chapter 1: Water", "Pumps", "Seals", "Valves", "Chapter 2: Wood", "Gates", "Locks", "Sluices"]
    contents = "\n".join(("Contents", *(f"{name} ...... {number}" for number, name in enumerate(names, start=2))))
    assert found(contents, *book(*names)) == [(1 if "Chapter" in name else 2, name) for name in names]


def test_text_that_opens_pages_alike_is_no_running_head() -> None:
    """Notes open with the same reference; a head or foot has nothing but the edge of the page beyond it."""
    notes = [f"Note {number} – {name}" for number, name in enumerate(("Pumps", "Seals", "Gates", "Locks"), start=1)]
    reference = "Refer to {} of the report of 2023 for a\ndiscussion of it."
    texts = ["\n".join((note, reference.format(note[:6]), *prose(note))) for note in notes]
    assert [title for _, title in found(*texts)] == notes


def test_numbered_titles_wrap() -> None:
    """The rest of a title opens with a small letter and ends short; that of a sentence runs on or stops."""
    wrapped = page("2.1 Height of the spout and|of the gauge", "2.2 Seals")
    assert [title for _, title in found(page("1 Pumps"), page("2 Care"), wrapped)] == [
        "1 Pumps", "2 Care", "2.1 Height of the spout and of the gauge", "2.2 Seals",
    ]  # fmt: skip
    mention = "\n".join(("2.3 Of the rules tells when", "to open it.", *PROSE))
    assert "2.3" not in " ".join(title for _, title in found(wrapped, mention))


def test_captions_with_roman_numbers_are_none() -> None:
    """Nor is the title of the table below them."""
    texts = (page("I. PUMPS"), page("TABLE I|SUMMARY OF PUMPS"), page("II. SEALS", "TABLE II|SUMMARY OF SEALS"))
    assert [title for _, title in found(*texts)] == ["I. PUMPS", "II. SEALS"]


def test_initials_in_references_are_no_numbers() -> None:
    """ "A. Smith, B. Jones" opens with a letter as "A. Tables" does."""
    names = ("A. Smith, Mari Poe, and Hannah", "B. Brown, Jack Doe, and Sam", "C. Chan, Anton Roe, and Darsha")
    references = "\n".join(("References", *(line for name in names for line in (name, *PROSE))))
    assert [title for _, title in found(page("1 Pumps", "2 Seals"), references)] == ["1 Pumps", "2 Seals", "References"]


def test_annexes_stand_beside_chapters() -> None:
    """The letter over "A.1" is a number; "A.1" is no section of chapter 1, nor a name behind "1" a chapter."""
    chapters = (page("1Institute of Water", "1 Pumps"), page("2 Seals|2.1 Kinds", "3 Gates"))
    assert found(*chapters, page("A Tables|A.1 Prices", "B Forms|B.1 Orders")) == [
        (1, "1 Pumps"), (1, "2 Seals"), (2, "2.1 Kinds"), (1, "3 Gates"),
        (1, "A Tables"), (2, "A.1 Prices"), (1, "B Forms"), (2, "B.1 Orders"),
    ]  # fmt: skip


def test_running_heads_count_the_pages_whatever_they_say() -> None:
    """Books print the section on each page, and the number of the page on the outer side."""
    parts = [f"1.{number} Kinds of {thing}s" for number, thing in enumerate(WORDS[:6], start=1)]
    texts = [
        f"{part} {number}\n{page(part)}" if number % 2 else f"{number} Chapter 1 The machines\n{page(part)}"
        for number, part in enumerate(parts, start=5)
    ]
    assert [title for _, title in found(*texts)] == parts
    chapters = [f"{number} Care of {thing}s" for number, thing in enumerate(WORDS[:6], start=1)]
    assert [title for _, title in found(*book(*chapters))] == chapters


def test_contents_may_have_their_page_numbers_in_front() -> None:
    """ "8 Welcome" is no eighth chapter where the numbers before and after it leave some out."""
    names = ["Chapter 1: Water", "Pumps", "Seals", "Chapter 2: Wood", "Gates", "Locks", "Sluices"]
    numbers = dict(zip(names, (2, 3, 5, 7, 8, 10, 13), strict=True))
    at = {number: name for name, number in numbers.items()}
    texts = [page(at[number]) if number in at else "\n".join(prose(number)) for number in range(2, 14)]
    rows = (name if "Chapter" in name else f"{numbers[name]} {name}" for name in names)
    assert found("\n".join(("Contents", *rows)), *texts) == [(1 if "Chapter" in name else 2, name) for name in names]


def test_titles_told_by_their_place_alone_complete_only_long_sections_of_contents() -> None:
    """They are the least sure: where contents divide the text well enough they are left out."""
    names = [f"{number} Care of {thing}s" for number, thing in enumerate(WORDS[:4], start=1)]
    contents = "\n".join(("Contents", *(f"{name} ...... {at}" for name, at in zip(names, (2, 5, 6, 7), strict=True))))
    more = [page(f"Oil for {thing}s") for thing in WORDS[4:]]
    titles = [title for _, title in found(contents, page(names[0]), *more[:2], *book(*names[1:]), *more[2:])]
    assert titles == [*names, *(f"Oil for {thing}s" for thing in WORDS[6:])]


def test_entries_whose_page_number_is_no_count_are_placed_by_their_title() -> None:
    """Page "B-1" of an annex does not tell which page of the file it is; its title may wrap where it is printed."""
    names = [f"{number} Care of {thing}s" for number, thing in enumerate(WORDS[:5], start=1)]
    annexes = ["Appendix A Tables of pumps", "Appendix B Forms of orders"]
    rows = [
        *(f"{name} ...... {at}" for at, name in enumerate(names, start=2)),
        *(f"{a} ...... {a[9]}-1" for a in annexes),
    ]
    texts = (*book(*names), page("Appendix A|Tables of pumps"), *book("Prices"), page("Appendix B|Forms of orders"))
    headings = find_headings(pages_of("\n".join(("Contents", *rows)), *texts)).headings
    assert [(heading.title, heading.page_number) for heading in headings if heading.evidence == "contents"] == [
        *((name, at) for at, name in enumerate(names, start=2)), (annexes[0], 7), (annexes[1], 9),
    ]  # fmt: skip
