"""Korean statutes: chapters set apart, articles run in with their text."""

from __future__ import annotations

import pytest

from outline_cases import Flow, nested, outline_of_pdf, titles, tree_of_pdf
from pdf_builder import Run, build_pdf
from pdf_builder.items import Item

CLAUSE = (
    "사업자는 매년 봄에 펌프와 밸브를 점검하고 그 결과를 기록부에 적어야 하며 관계 기관이 요구하면 보여 주어야 한다."
)
ARTICLES = ("제1조(목적)", "제2조(정의)", "제3조(적용 범위)", "제4조(점검)", "제4조의2(기록)", "제5조(벌칙)")


def statute() -> Flow:
    """Give two chapters of three articles, whose titles open lines of plain text."""
    flow = Flow()
    for index, article in enumerate(ARTICLES):
        if index % 3 == 0:
            flow.heading(f"제{index // 3 + 1}장 {('총칙', '점검')[index // 3]}", 15, bold=False, x=270)
        flow.paragraph(f"{article} {CLAUSE} 제3조에 따라 점검한 결과도 같다. {CLAUSE}")
        flow.paragraph(f"① {CLAUSE}").paragraph(f"② 제1조에서 정한 사업자는 {CLAUSE}")
    return flow


def test_articles_run_in_with_their_text_are_sections_by_their_bracket_title() -> None:
    """Each article is a section of its chapter, named by number and bracket, without the text that follows."""
    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(statute().pages)))] == [
        (1, "제1장 총칙"), (2, "제1조(목적)"), (2, "제2조(정의)"), (2, "제3조(적용 범위)"),
        (1, "제2장 점검"), (2, "제4조(점검)"), (2, "제4조의2(기록)"), (2, "제5조(벌칙)"),
    ]  # fmt: skip


def test_references_to_articles_are_no_sections() -> None:
    """A line that happens to begin with "under article 3" is text: it lacks the bracket."""
    flow = statute()
    for _ in range(3):
        flow.paragraph(f"제3조에 따른 점검은 {CLAUSE}").paragraph(f"제2조제1항의 기록은 {CLAUSE}")

    assert not [
        title for title in titles(outline_of_pdf(build_pdf(flow.pages))) if title.startswith(("제3조에", "제2조제"))
    ]


def test_supplementary_articles_that_start_again_are_a_part_of_their_own() -> None:
    """부칙 restarts at article 1: its articles stand under it, not under the last chapter."""
    flow = statute().heading("부칙", 15, bold=False, x=280)
    for article in ("제1조(시행일)", "제2조(경과조치)"):
        flow.paragraph(f"{article} {CLAUSE} {CLAUSE}")

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))][-3:] == [
        (1, "부칙"), (2, "제1조(시행일)"), (2, "제2조(경과조치)"),
    ]  # fmt: skip


def test_supplementary_provisions_set_like_the_text_end_the_last_chapter() -> None:
    """Each act that changed a statute adds its own 부칙, indented, in the size of the text."""
    flow = statute()
    for act in ("<제18176호,2021. 5. 18.>", "<제20520호,2024. 10. 22.>"):
        flow.y += 12
        flow.line(f"부칙 {act}", x=130).paragraph(f"제1조(시행일) {CLAUSE}").paragraph(f"제2조(경과조치) {CLAUSE}")

    assert [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))][-7:] == [
        (2, "제5조(벌칙)"),
        (1, "부칙 <제18176호,2021. 5. 18.>"), (2, "제1조(시행일)"), (2, "제2조(경과조치)"),
        (1, "부칙 <제20520호,2024. 10. 22.>"), (2, "제1조(시행일)"), (2, "제2조(경과조치)"),
    ]  # fmt: skip


def test_the_title_of_a_statute_over_the_list_of_its_articles_holds_its_chapters() -> None:
    """The first row of a list without page numbers, larger than all others, names what is listed."""
    names = [f"제{number}조(점검 제{number}호)" for number in range(1, 13)]
    rows = [
        row for at, name in enumerate(names) for row in ([f"제{at // 6 + 1}장 점검 {at // 6}"] * (at % 6 == 0) + [name])
    ]
    items: list[Item] = [Run("펌프 점검에 관한 법", x=240, y=120, size=13)]
    items += [Run(row, x=72 if "장" in row else 90, y=160 + 18 * at) for at, row in enumerate(rows)]
    flow = Flow().heading("펌프 점검에 관한 법", 13, bold=False, x=240)
    for row in rows:
        if "장" in row:
            flow.y += 12
            flow.line(row)
        else:
            flow.paragraph(f"{row} {CLAUSE}")

    found = nested(tree_of_pdf(build_pdf([items, *flow.pages])))
    assert [(level, title) for level, title, _ in found][:3] == [(1, "펌프 점검에 관한 법"), (2, rows[0]), (3, rows[1])]
    assert [level for level, _, _ in found] == [1, *([2, *[3] * 6] * 2)]


@pytest.mark.parametrize("mark", ["①", "②"])
def test_circled_clauses_are_text(mark: str) -> None:
    """Numbered clauses within an article are not sections."""
    assert not [title for title in titles(outline_of_pdf(build_pdf(statute().pages))) if title.startswith(mark)]
