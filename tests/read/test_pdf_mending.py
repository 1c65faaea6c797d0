"""Text that is drawn oddly and read as it is meant: doubles, spaced titles, initials; and text that cannot be read."""

from __future__ import annotations

import pytest

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Pages
from pdf_builder import Run, build_pdf, lines, text_width_pt

TITLE = "The Bookkeeper of Hill"


def read(*pages: list[Run]) -> Pages:
    return read_pages(open_source(build_pdf(pages)))


def texts(*items: Run) -> list[str]:
    return [line.text for line in read(list(items)).pages[0].lines]


def twice(parts: list[str], shift: float, *, in_a_row: bool, size: float = 16) -> list[Run]:
    """Give each part of a title twice: one after the other, or the whole title before its twin."""
    x = 72.0
    first, second = [], []
    for part in parts:
        if part.strip():
            first.append(Run(part, x=x, y=100, size=size))
            second.append(Run(part, x=x + shift, y=100, size=size))
        x += text_width_pt(Run(part, size=size))
    return [run for pair in zip(first, second, strict=True) for run in pair] if in_a_row else first + second


@pytest.mark.parametrize("in_a_row", [True, False], ids=["in a row", "later"])
@pytest.mark.parametrize("shift", [0.2, 0.6])
@pytest.mark.parametrize("parts", [list(TITLE), [word + " " for word in TITLE.split()], [TITLE]],
                         ids=["letter", "word", "line"])  # fmt: skip
def test_a_title_drawn_twice_is_read_once(parts: list[str], shift: float, in_a_row: bool) -> None:
    """Bold made by drawing letters, words or lines again is no second text, and real double letters stay."""
    assert texts(*twice(parts, shift, in_a_row=in_a_row)) == [TITLE]


def test_letters_drawn_again_far_aside_are_read_once() -> None:
    """A shadow of 1.5 points at 16 points doubles no letter."""
    assert texts(*twice(list(TITLE), 1.5, in_a_row=False)) == [TITLE]


def test_a_line_drawn_again_after_others_is_read_once() -> None:
    """The twin of a title may come at the end of the page; the same words at another place are another line."""
    body = [run for row in range(12) for run in lines("Body text.", y=130 + 14 * row)]
    title = Run(TITLE, y=100, size=16)

    assert texts(title, *body, Run(TITLE, x=72.4, y=100, size=16)) == [TITLE, *["Body text."] * 12]


def test_a_chinese_title_drawn_twice_is_read_once_and_its_doubled_words_stay() -> None:
    """Repetition inside a Chinese title is text, drawing it again is not."""
    title = Run("第一章 总则总则", y=100, size=16)

    assert texts(title, Run(title.text, x=72.4, y=100, size=16)) == [title.text]


def test_numbers_and_words_of_double_letters_are_kept() -> None:
    """Equal neighbours that do not lie upon each other are text: 1122, aardvark, that that."""
    rows = ["1122 3344", "aardvark book", "that that is"]

    assert texts(*lines(*rows, size=16)) == rows


@pytest.mark.parametrize(
    ("spaced", "read_as"),
    [
        ("C H A P T E R", "CHAPTER"),
        ("C H A P T E R   O N E", "CHAPTER ONE"),
        ("1 .   S C O P E", "1. SCOPE"),
        ("A B C D E", "A B C D E"),
        ("a b d e x", "a b d e x"),
        ("x = y + z a", "x = y + z a"),
        ("I A M", "I A M"),
    ],
)
def test_spaced_titles_are_words_and_single_letters_are_not(spaced: str, read_as: str) -> None:
    """Letters set apart in capitals make words; an alphabet, a formula and a few initials stay as they are."""
    assert texts(Run(spaced, y=100, size=14)) == [read_as]


def test_letters_placed_one_by_one_make_words() -> None:
    """Space between letters that is no character is seen in their places."""
    placed = [(place, letter) for place, letter in enumerate("CHAPTER ONE") if letter != " "]
    runs = [Run(letter, x=72 + 20 * place, y=100, size=16) for place, letter in placed]

    assert texts(*runs) == ["CHAPTER ONE"]


@pytest.mark.parametrize("baseline", [122, 124], ids=["own line", "on the last line"])
@pytest.mark.parametrize("first", [True, False], ids=["drawn first", "drawn last"])
def test_an_initial_is_joined_to_its_word(first: bool, baseline: float) -> None:
    """A letter three lines high belongs before the first of the lines beside it, wherever it is drawn."""
    initial = Run("O", y=baseline, size=34)
    text = ["nce upon a time there was", "a pump that moved water", "through the valves."]
    beside = [Run(row, x=100, y=100 + 12 * place) for place, row in enumerate(text)]
    below = lines("The story goes on.", y=150)
    page = read([initial, *beside, *below] if first else [*beside, *below, initial]).pages[0]

    assert [line.text for line in page.lines] == ["Once upon a time there was", *text[1:], "The story goes on."]
    assert {line.font_size for line in page.lines} == {10.0}


@pytest.mark.parametrize("place", [0, 4, 6], ids=["first", "after its paragraph", "last"])
def test_an_initial_behind_a_quotation_mark_leads_its_paragraph(place: int) -> None:
    """Speech that opens a chapter has mark and letter enlarged together, whenever they are drawn."""
    text = ["he pump has stopped, said", "the engineer, and went to", "see about it, with the", "lamp in his hand."]
    runs = [Run(row, x=112 if at < 3 else 72, y=100 + 12 * at) for at, row in enumerate(text)]
    runs += lines("The others stayed.", "They waited.", y=170)  # type: ignore[arg-type]

    assert texts(*runs[:place], Run("“T", y=124, size=34), *runs[place:])[:2] == [f"“T{text[0]}", text[1]]


def test_an_initial_over_which_two_lines_were_joined_leads_their_paragraph() -> None:
    """A letter four lines high, drawn between the last lines beside and below it, leaves both as they are."""
    text = ["nce upon a time there was", "a pump that moved water", "through the many valves", "of the old house."]
    runs = [Run(row, x=112 if at < 3 else 72, y=100 + 12 * at) for at, row in enumerate(text)]

    assert texts(*runs[:3], Run("O", y=137, size=48), *runs[3:]) == [f"O{text[0]}", *text[1:]]


def test_a_large_letter_over_a_list_is_a_line_of_its_own() -> None:
    """The letter that heads a part of a glossary has nothing beside it, and stays."""
    assert texts(Run("B", y=100, size=30), *lines("Ball: a round thing.", y=130)) == ["B", "Ball: a round thing."]


SENTENCES = [
    "The quick brown fox jumps over the lazy dog and runs along the river",
    "until the evening sun sets behind the distant mountains of the island",
    "where several other animals have been waiting for it since the morning",
]


def shifted(text: str, by: int) -> str:
    """Give what a font without character names makes of a text: every letter some places further."""
    return "".join(chr((ord(char) - 97 + by) % 26 + 97) if char.islower() else char for char in text)


@pytest.mark.parametrize("by", [1, 2, 3])
def test_garbage_is_left_out_noted_by_page_and_bookmarks_stay(by: int) -> None:
    """Pages whose letters are others than shown give no lines, one note each, and keep what the bookmarks say."""
    good = lines(*SENTENCES)
    bad = lines(*(shifted(row, by) for row in SENTENCES))
    pdf = build_pdf([good, bad, [*bad, Run("Readable title here", y=300, font="Times")]], bookmarks=[(1, "Animals", 2)])
    pages = read_pages(open_source(pdf))

    assert [[line.text for line in page.lines] for page in pages.pages] == [SENTENCES, [], ["Readable title here"]]
    assert [(note.code, note.page_number) for note in pages.notes] == [("text_unreadable", 2), ("text_unreadable", 3)]
    assert [mark.title for mark in pages.bookmarks] == ["Animals"]


@pytest.mark.parametrize(
    "rows",
    [
        ["BZX84-C5V6 LM317T NE555P CD4011BE", "TL072CP LF353N UA741CN MC1458", "BC547B BC557C BD139 TIP31C"] * 3,
        ["f = g o h, y = f(x), d(x, y) < k, p q v w b c", "u v w x y z k h g f d c b"] * 8,
        ["deadbeef cafebabe 8badf00d feedface", "0ddba11c 1badb002 abadcafe"] * 6,
    ],
    ids=["part numbers", "formulas", "hexadecimal"],
)
def test_codes_and_formulas_are_no_garbage(rows: list[str]) -> None:
    """What is no prose in any language is still what the page shows."""
    pages = read(lines(*rows))

    assert [line.text for line in pages.pages[0].lines] == rows
    assert pages.notes == ()
