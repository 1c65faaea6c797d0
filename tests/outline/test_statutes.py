"""Statutes as their countries print them: signs and words of articles, numbers above their titles, parts in words."""

from __future__ import annotations

import pytest

from outline_cases import Flow, nested, prose, tree_of_pdf
from pdf_builder import Run, build_pdf, paragraph, text_width_pt
from pdf_builder.items import PAGE_WIDTH_PT, Item


def centred(flow: Flow, text: str, *, bold: bool) -> None:
    """Set a line of the text's size in the middle."""
    run = Run(text, bold=bold)
    flow.line(" ", size=1)
    flow.pages[-1].append(Run(text, (PAGE_WIDTH_PT - text_width_pt(run)) / 2, flow.y, bold=bold))
    flow.y += 13


@pytest.mark.parametrize(
    ("chapters", "article", "title"),
    [
        (("Erster Abschnitt", "Zweiter Abschnitt"), "§ {}", "{}"),
        (("Titolo I", "Titolo II"), "Art. {}", "({})"),
        (("CAPÍTULO I", "CAPÍTULO II"), "Artículo {}", "{}"),
        (("Hoofdstuk 1", "Hoofdstuk 2"), "Artikel {}.", "{}"),
    ],
    ids=["German", "Italian", "Spanish", "Dutch"],
)
def test_articles_have_the_title_that_stands_below_their_number(
    chapters: tuple[str, str], article: str, title: str
) -> None:
    """In the middle, as large as the text and no bolder; chapters hold the articles, which count on through them."""
    flow = Flow()
    expected = []
    names = iter(("Water", "Pipes under Roads", "Pumps", "Seals of Pumps", "Filters", "Meters"))
    number = 0
    for chapter, subject in zip(chapters, ("General", "Costs"), strict=True):
        flow.y += 20
        centred(flow, chapter, bold=True)
        centred(flow, subject, bold=True)
        expected.append((1, f"{chapter} {subject}"))
        for _ in range(3):
            number += 1
            flow.y += 12
            lines = article.format(number), title.format(next(names))
            for line in lines:
                centred(flow, line, bold=False)
            expected.append((2, " ".join(lines)))
            flow.y += 6
            flow.text(70)

    assert [(level, found) for level, found, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == expected


def test_sections_by_their_sign_are_headings_and_references_to_them_are_not() -> None:
    """A line of text may begin with the sign of a section that it speaks of."""
    flow = Flow()
    for number, name in enumerate(("Water", "Pipes", "Pumps", "Seals"), start=1):
        flow.heading(f"§ {number} {name}", 10).text(50)
        flow.line("This holds for all that is said of water, of pipes, of pumps and of their seals in")
        flow.line("§ 2 of this act and in what the council has said of it since then, if anything was said.")

    assert [found for _, found, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == [
        "§ 1 Water",
        "§ 2 Pipes",
        "§ 3 Pumps",
        "§ 4 Seals",
    ]


def test_text_below_the_number_of_an_article_stays_text() -> None:
    """A full line is centred below it by chance, in the right column too."""
    pages: list[list[Item]] = [[]]
    number = 0
    for x in (54.0, 307.0):
        y = 100.0
        for _ in range(4):
            number += 1
            label = Run(f"Article {number}", size=9, bold=True)
            pages[0].append(Run(label.text, x + (234 - text_width_pt(label)) / 2, y, 9, bold=True))
            text = paragraph(prose(60, 37 * number), y + 14, x, 234, size=9)
            pages[0] += text
            y += 14 + 12 * len(text) + 24

    found = [title for _, title, _ in nested(tree_of_pdf(build_pdf(pages)))]
    assert found == [f"Article {number}" for number in range(1, 9)]


def test_references_to_articles_are_no_headings() -> None:
    """Lines of a few words that speak of one, in German, and dates that begin with a word for parts elsewhere."""
    flow = Flow()
    for number, name in enumerate(("Water", "Pipes", "Pumps"), start=1):
        flow.heading(f"{number} {name}", 14).text(60)
        for line in (f"§ {number} Abs. 2 BGB", f"Del {number} al 7 de mayo", f"Artikel {number} des Grundgesetzes"):
            flow.y += 8
            flow.line(line)
        flow.y += 8
        flow.text(30)

    assert [title for _, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))] == ["1 Water", "2 Pipes", "3 Pumps"]
