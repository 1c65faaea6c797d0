"""Chinese, Japanese and Korean numbering, legal and technical: levels come from the forms, text stays text."""

from __future__ import annotations

from itertools import count

from outline_cases import Flow, nested, tree_of_pdf
from pdf_builder import build_pdf

PARTS = {
    "zh": (
        ("经营者", "管理机构", "主管部门", "检查人员", "施工单位"),
        ("应当在每年春季", "必须于开工之前", "应于暴雨过后", "可以在河水较低时", "应当及时"),
        ("检查水泵和阀门", "更换滤网与仪表", "清理锅炉", "核对合同和许可证", "测量水位", "登记涡轮机", "记录电表"),
        ("并将结果记入登记簿。", "以备主管机关查阅。", "并且不得遗漏任何一项。", "由证人在场签字。"),
    ),
    "ja": (
        ("事業者は", "管理者は", "検査員は", "施工者は", "操作員は"),
        ("毎年春に", "作業の前に", "大雨の後に", "川の水位が低い時に", "遅滞なく"),
        ("ポンプと弁を点検し", "濾過器と計器を交換し", "ボイラーを清掃し", "契約と許可を確認し", "水位を測定し"),
        ("その結果を台帳に記入する。", "求めに応じて示す。", "一つも漏らしてはならない。", "証人の前で署名する。"),
    ),
    "ko": (
        ("사업자는 ", "관리자는 ", "검사원은 ", "시공자는 ", "운전원은 "),
        ("매년 봄에 ", "작업 전에 ", "큰비가 온 뒤에 ", "강물이 낮을 때 ", "지체 없이 "),
        ("펌프와 밸브를 점검하고 ", "여과기와 계기를 교체하고 ", "보일러를 청소하고 ", "계약을 확인하고 "),
        ("결과를 기록부에 적는다. ", "요구하면 보인다. ", "하나도 빠뜨리지 않는다. ", "증인 앞에서 서명한다. "),
    ),
}


class Writer(Flow):
    """A flow that knows what to say in a language."""

    language = "zh"

    def say(self, sentences: int, opening: str = "") -> Writer:
        """Set a paragraph of sentences that do not repeat soon, after an opening on the same line."""
        told = []
        for number in count(self.said):
            if len(told) == sentences:
                break
            told.append(
                "".join(part[number * (step + 2) % len(part)] for step, part in enumerate(PARTS[self.language]))
            )
        self.said += sentences
        self.paragraph(opening + "".join(told).strip())
        return self


def writer(language: str) -> Writer:
    flow = Writer()
    flow.language = language
    return flow


def rows(flow: Flow) -> list[tuple[int, str]]:
    return [(level, title) for level, title, _ in nested(tree_of_pdf(build_pdf(flow.pages)))]


def test_chinese_statute() -> None:
    """编 over 章 over 条; the items （一）（二） of an article are its text."""
    flow = writer("zh")
    expected = []
    articles = iter("一二三四五六七八")
    for part, name in (("一", "总则"), ("二", "分则")):
        flow.heading(f"第{part}编 {name}", 18, bold=False, x=250)
        expected.append((1, f"第{part}编 {name}"))
        for chapter, about in (("一", "一般规定"), ("二", "检查")):
            flow.heading(f"第{chapter}章 {about}{name}", 15, bold=False, x=250)
            expected.append((2, f"第{chapter}章 {about}{name}"))
            for _ in range(2):
                article = f"第{next(articles)}条"
                flow.say(2, f"{article}　").say(1, "（一）").say(1, "（二）")
                expected.append((3, article))

    assert [(level, title.split("　")[0]) for level, title in rows(flow)] == expected


def test_chinese_thesis() -> None:
    """第一章 over 1.1 over 1.1.1: Han numerals and Arabic ones of one document nest."""
    flow = writer("zh")
    expected = []
    for number, (numeral, name) in enumerate((("一", "绪论"), ("二", "方法"), ("三", "结论")), 1):
        chapter = [
            (1, f"第{numeral}章 {name}", 18), (2, f"{number}.1 研究{name}", 14),
            (3, f"{number}.1.1 细节{name}", 12), (2, f"{number}.2 小结{name}", 14),
        ]  # fmt: skip
        for level, title, size in chapter:
            flow.heading(title, size, bold=False).say(5)
            expected.append((level, title))
        flow.new_page()

    assert rows(flow) == expected


def test_chinese_official_document() -> None:
    """一、 over （一）, over numbered paragraphs that are text."""
    flow = writer("zh")
    expected = []
    for first in ("一、总体要求", "二、主要任务", "三、保障措施"):
        flow.heading(first, 14, bold=False).say(4)
        expected.append((1, first))
        for second in (f"（一）加强{first[2:]}", f"（二）落实{first[2:]}"):
            flow.heading(second, 12, bold=False).say(14).say(3, "1. ").say(3, "2. ")
            expected.append((2, second))

    assert rows(flow) == expected


def test_japanese_statute() -> None:
    """章 over 節 over 条; captions in brackets, paragraphs ２ and items 一 are text."""
    flow = writer("ja")
    expected = []
    articles = count(1)
    for chapter, name in ((1, "総則"), (2, "点検")):
        flow.heading(f"第{chapter}章　{name}", 15, bold=False, x=230)
        expected.append((1, f"第{chapter}章 {name}"))
        for section, about in ((1, "範囲"), (2, "方法")):
            flow.heading(f"第{section}節　{name}の{about}", 12, bold=False, x=230)
            expected.append((2, f"第{section}節 {name}の{about}"))
            for _ in range(2):
                article = f"第{next(articles)}条"
                flow.line(f"（{name}の{about}）").say(2, f"{article}　").say(2, "２　").say(1, "一　")
                expected.append((3, article))

    assert [(level, title.split("　")[0]) for level, title in rows(flow)] == expected


def test_subsections_of_a_statute_stand_between_its_sections_and_articles() -> None:
    """編 over 章 over 節 over 款 over 目 over 条, and 附則 beside the parts."""
    flow = writer("ja")
    articles = count(1)
    expected = []
    titles = ("第一編　商行為", "第一章　運送", "第一節　物品", "第一款　契約", "第一目　締結", "第二目　解除",
              "第二款　責任", "第二節　旅客", "第二章　保険", "第二編　海商", "附　則")  # fmt: skip
    for title, level in zip(titles, (1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 1), strict=True):
        flow.heading(title, 12, bold=False, x=230)
        expected.append((level, " ".join(title.split())))
        for _ in range(2):
            article = f"第{next(articles)}条"
            flow.say(2, f"{article}　").say(1, "２　")
            expected.append((level + 1, article))

    assert [(level, " ".join(title.split("　")) if title[0] == "附" else title.split("　")[0])
            for level, title in rows(flow)] == expected  # fmt: skip


def test_japanese_manual() -> None:
    """第1章 over 1.1 over 1.1.1; steps (1) to (4) are text."""
    flow = writer("ja")
    expected = []
    for number, name in enumerate(("準備", "運転", "保守"), 1):
        chapter = [
            (1, f"第{number}章 {name}", 18), (2, f"{number}.1 {name}の点検", 14),
            (3, f"{number}.1.1 {name}用ポンプ", 12), (2, f"{number}.2 {name}の手順", 14),
        ]  # fmt: skip
        for level, title, size in chapter:
            flow.heading(title, size, bold=False).say(5)
            expected.append((level, title))
        for step, what in enumerate(("弁を開く", "水を入れる", "弁を閉じる", "記録する"), 1):
            flow.line(f"({step}) {name}の{what}")
        flow.new_page()

    assert rows(flow) == expected


def test_korean_manual() -> None:
    """제1장 over 1. over 가., over numbered paragraphs 1) and 2) that are text."""
    flow = writer("ko")
    expected = []
    for chapter, name in ((1, "운전"), (2, "보수")):
        flow.heading(f"제{chapter}장 {name}", 18, bold=False).say(3)
        expected.append((1, f"제{chapter}장 {name}"))
        for number, about in ((1, "점검"), (2, "기동")):
            flow.heading(f"{number}. {name} {about} 절차", 14, bold=False).say(4)
            expected.append((2, f"{number}. {name} {about} 절차"))
            for letter, what in (("가", "순서"), ("나", "기록")):
                flow.heading(f"{letter}. {name} {about} {what}", 12, bold=False).say(4).say(2, "1) ").say(2, "2) ")
                expected.append((3, f"{letter}. {name} {about} {what}"))

    assert rows(flow) == expected


def test_text_that_comes_back_is_no_list_of_titles() -> None:
    """Full lines of Chinese have fewer characters than a short title: wording that repeats stays text."""
    flow = writer("zh")
    clause = "经营者应当在每年春季检查水泵和阀门并将结果记入登记簿供主管机关随时查阅不得遗漏任何一项记录。"
    titles = ["第一章 总则", "第二章 检查", "第三章 记录", "第四章 附则"]
    for title in titles:
        flow.heading(title, 15, bold=False)
        for _ in range(8):
            flow.paragraph(clause * 3)

    assert rows(flow) == [(1, title) for title in titles]
