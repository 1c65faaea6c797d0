"""What the manual looks like: styles, flowables and page frames."""

from __future__ import annotations

from dataclasses import dataclass, field

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph
from reportlab.platypus.doctemplate import ActionFlowable

PAGE_WIDTH_PT, PAGE_HEIGHT_PT = A4
LEFT_PT, RIGHT_PT, TOP_PT, BOTTOM_PT = 92.0, 72.0, 86.0, 78.0
TEXT_WIDTH_PT = PAGE_WIDTH_PT - LEFT_PT - RIGHT_PT

BLUE = HexColor(0x17365D)
TINT = HexColor(0xE6EDF5)
GREY = HexColor(0x666666)
BOX_COLORS = {"warning": HexColor(0xC0392B), "caution": HexColor(0xD68910), "note": HexColor(0x2E6DA4)}

STATION = "Kestrel Weir Hydroelectric Station"
TITLE = "Operation and Maintenance Manual"
NUMBER = "KW-OM-001"
ISSUE = "Issue 4, March 2025"

BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=11, leading=15.2, spaceAfter=8, alignment=TA_JUSTIFY,
    allowWidows=0, allowOrphans=0,
)  # fmt: skip
ITEM = ParagraphStyle(
    "item",
    BODY,
    leftIndent=22,
    bulletIndent=6,
    bulletFontName="Times-Roman",
    bulletFontSize=11,
    spaceAfter=4,
    alignment=0,
)
BOX = ParagraphStyle("box", BODY, fontName="Helvetica", fontSize=9.5, leading=13, spaceAfter=0, alignment=0)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=9, leading=11.5)
HEAD_CELL = ParagraphStyle("head cell", CELL, fontName="Helvetica-Bold", textColor=white)
CAPTION = ParagraphStyle("caption", fontName="Helvetica-Bold", fontSize=9.5, leading=13, spaceBefore=8, spaceAfter=5)
FRONT_TITLE = ParagraphStyle("front", fontName="Helvetica-Bold", fontSize=20, leading=26, textColor=BLUE, spaceAfter=14)
HEADINGS = {
    1: ParagraphStyle("h1", fontName="Helvetica-Bold", fontSize=22, leading=28, textColor=BLUE, spaceAfter=16),
    2: ParagraphStyle(
        "h2", fontName="Helvetica-Bold", fontSize=14, leading=18, textColor=BLUE,
        spaceBefore=14, spaceAfter=6, keepWithNext=1,
    ),
    3: ParagraphStyle(
        "h3", fontName="Helvetica-Bold", fontSize=11.5, leading=15,
        spaceBefore=8, spaceAfter=4, keepWithNext=1,
    ),
}  # fmt: skip


@dataclass(slots=True)
class Places:
    """Where each key was drawn, learned in one pass and printed in the next."""

    labels: dict[str, str] = field(default_factory=dict)
    """Printed page number by key."""


class ManualTemplate(BaseDocTemplate):
    """Cover, front matter in roman numbers, body in arabic numbers, with running heads."""

    def __init__(self, path: str, places: Places, *, bookmarks: bool, links: bool) -> None:
        super().__init__(
            path, pagesize=A4, invariant=1, title=f"{STATION}: {TITLE}", author="Maddle Valley Power Cooperative"
        )
        self.places, self.bookmarks, self.links = places, bookmarks, links
        self.chapter = ""
        self.first_body_page: int | None = None
        frame = Frame(LEFT_PT, BOTTOM_PT, TEXT_WIDTH_PT, PAGE_HEIGHT_PT - TOP_PT - BOTTOM_PT, 0, 0, 0, 0)
        self.addPageTemplates(
            [
                PageTemplate("cover", [frame], onPage=draw_cover),
                PageTemplate("front", [frame], onPageEnd=self.draw_frame),
                PageTemplate("body", [frame], onPage=self.begin_body, onPageEnd=self.draw_frame),
            ]
        )

    @property
    def printed_label(self) -> str:
        """The number printed on the page that is being drawn."""
        if self.first_body_page is not None:
            return str(self.page - self.first_body_page + 1)
        return ["", "i", "ii", "iii", "iv", "v", "vi"][self.page - 1]

    def beforeDocument(self) -> None:
        """Start the page labels (reportlab calls this by name); the body's range follows with its first page."""
        self.canv.addPageLabel(0)
        self.canv.addPageLabel(1, style="ROMAN_LOWER", start=1)

    def begin_body(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        """Open the arabic page labels on the first page of the body."""
        if self.first_body_page is None:
            self.first_body_page = self.page
            canvas.addPageLabel(self.page - 1, style="ARABIC", start=1)

    def draw_frame(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        """Draw running head and foot."""
        right = PAGE_WIDTH_PT - RIGHT_PT
        canvas.saveState()
        canvas.setFont("Helvetica", 8.5)
        canvas.setFillColor(GREY)
        canvas.setStrokeColor(GREY)
        canvas.setLineWidth(0.4)
        canvas.drawString(LEFT_PT, PAGE_HEIGHT_PT - 52, STATION)
        canvas.drawRightString(right, PAGE_HEIGHT_PT - 52, self.chapter)
        canvas.line(LEFT_PT, PAGE_HEIGHT_PT - 58, right, PAGE_HEIGHT_PT - 58)
        canvas.line(LEFT_PT, 58, right, 58)
        canvas.drawString(LEFT_PT, 45, f"{NUMBER}   {ISSUE}")
        canvas.drawRightString(right, 45, self.printed_label)
        canvas.restoreState()

    def mark(self, canvas: Canvas, key: str, height_pt: float, title: str = "", level: int = 0) -> None:
        """Make the current place a target, remember its printed page, and bookmark it if it has a title."""
        canvas.bookmarkHorizontal(key, 0, height_pt)
        self.places.labels[key] = self.printed_label
        if title and self.bookmarks:
            canvas.addOutlineEntry(title, key, level, closed=level > 0)


class SetChapter(ActionFlowable):
    """Sets the running head."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def apply(self, doc: ManualTemplate) -> None:
        """Take effect from the page that is being filled."""
        doc.chapter = self.text


class Target(Paragraph):
    """A heading or caption that can be linked to."""

    def __init__(
        self, text: str, style: ParagraphStyle, doc: ManualTemplate, key: str, title: str = "", level: int = 0
    ) -> None:
        super().__init__(text, style)
        self.place = (doc, key, title, level)

    def draw(self) -> None:
        """Draw the text, and a rule under a chapter title."""
        doc, key, title, level = self.place
        doc.mark(self.canv, key, self.height, title, level)
        super().draw()
        if self.style.name == "h1":
            self.canv.setStrokeColor(BLUE)
            self.canv.setLineWidth(1.2)
            self.canv.line(0, -4, self.width, -4)


class ContentsLine(Flowable):
    """One entry of the contents or of the list of tables: title, dot leaders, page number, and a link over all."""

    def __init__(self, doc: ManualTemplate, key: str, number: str, title: str, level: int) -> None:
        super().__init__()
        self.doc, self.key, self.number, self.title, self.level = doc, key, number, title, level
        self.width, self.height = TEXT_WIDTH_PT, {1: 21.0, 2: 15.5, 3: 14.0}[level]

    def draw(self) -> None:
        """Draw the entry; the page number is known from the pass before."""
        font, size = ("Helvetica-Bold", 10.5) if self.level == 1 else ("Helvetica", 9.5 if self.level == 2 else 9)
        indent = {1: 0.0, 2: 14.0, 3: 34.0}[self.level]
        label = self.doc.places.labels.get(self.key, "0")
        canvas = self.canv
        canvas.setFont(font, size)
        canvas.setFillColor(BLUE if self.level == 1 else Color(0, 0, 0))
        text = f"{self.number}  {self.title}"
        canvas.drawString(indent, 4, text)
        canvas.drawRightString(self.width, 4, label)
        start = indent + stringWidth(text, font, size) + 5
        canvas.setFont("Helvetica", 9)
        dots = int((self.width - 24 - start) / stringWidth(" .", "Helvetica", 9))
        canvas.drawRightString(self.width - 20, 4, " ." * dots)
        if self.doc.links:
            canvas.linkRect("", self.key, (indent, 0, self.width, self.height - 2), relative=1)


class SectionDrawing(Flowable):
    """A longitudinal section through intake, penstock and unit."""

    def __init__(self) -> None:
        super().__init__()
        self.width, self.height = TEXT_WIDTH_PT, 190.0

    def draw(self) -> None:
        """Draw water, structures and their names."""
        canvas = self.canv
        canvas.setStrokeColor(BLUE)
        canvas.setFillColor(HexColor(0xCFE2F3))
        canvas.setLineWidth(0.8)
        _polygon(canvas, (0, 150), (118, 150), (118, 96), (0, 110))
        _polygon(canvas, (300, 58), (431, 58), (431, 22), (300, 22))
        canvas.setFillColor(HexColor(0xD9D9D9))
        _polygon(canvas, (100, 96), (118, 160), (122, 160), (104, 96))
        _polygon(canvas, (118, 128), (276, 84), (276, 66), (118, 106))
        _polygon(canvas, (262, 96), (318, 96), (318, 44), (262, 44))
        _polygon(canvas, (278, 150), (302, 150), (302, 110), (278, 110))
        canvas.setLineWidth(3)
        canvas.line(290, 110, 290, 70)
        canvas.setLineWidth(0.8)
        canvas.line(250, 110, 340, 110)
        canvas.setFillColor(Color(0, 0, 0))
        canvas.setFont("Helvetica", 8)
        for x, y, text in (
            (6, 156, "Headwater 14.26 m SD"),
            (92, 166, "Screen"),
            (160, 122, "Penstock, 38 m"),
            (308, 140, "Generator"),
            (324, 84, "Kaplan turbine"),
            (330, 64, "Tailwater 0.20 m SD"),
            (220, 34, "Draft tube"),
        ):
            canvas.drawString(x, y, text)


def _polygon(canvas: Canvas, first: tuple[float, float], *others: tuple[float, float]) -> None:
    path = canvas.beginPath()
    path.moveTo(*first)
    for point in others:
        path.lineTo(*point)
    path.close()
    canvas.drawPath(path, stroke=1, fill=1)


def draw_cover(canvas: Canvas, _: BaseDocTemplate) -> None:
    """Draw the cover."""
    canvas.saveState()
    canvas.setFillColor(BLUE)
    canvas.rect(0, PAGE_HEIGHT_PT - 330, PAGE_WIDTH_PT, 330, stroke=0, fill=1)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 30)
    canvas.drawString(LEFT_PT, PAGE_HEIGHT_PT - 190, "Kestrel Weir")
    canvas.drawString(LEFT_PT, PAGE_HEIGHT_PT - 226, "Hydroelectric Station")
    canvas.setFont("Helvetica", 17)
    canvas.drawString(LEFT_PT, PAGE_HEIGHT_PT - 268, TITLE)
    canvas.setStrokeColor(HexColor(0x6FA8DC))
    for wave in range(7):
        canvas.setLineWidth(2.6 - wave * 0.3)
        y = PAGE_HEIGHT_PT - 372 - wave * 17
        path = canvas.beginPath()
        path.moveTo(0, y)
        for x in range(0, int(PAGE_WIDTH_PT), 150):
            path.curveTo(x + 50, y + 20 - wave * 2, x + 100, y - 20 + wave * 2, x + 150, y)
        canvas.drawPath(path)
    canvas.setFillColor(Color(0, 0, 0))
    canvas.setFont("Helvetica", 11)
    for row, text in enumerate(
        ("Two Kaplan units, 920 kW", "River Maddle at Stanbeck", "", f"Document {NUMBER}", ISSUE)
    ):
        canvas.drawString(LEFT_PT, 230 - row * 17, text)
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawString(LEFT_PT, 96, "Maddle Valley Power Cooperative")
    canvas.restoreState()
