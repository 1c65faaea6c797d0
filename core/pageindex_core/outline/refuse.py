"""What is never a heading, whatever its style: captions, list items, sentences, table rows."""

from __future__ import annotations

import re
from functools import lru_cache

from pageindex_core.folding import width_of
from pageindex_core.outline.numbering import WORDED_KINDS, parse_number
from pageindex_core.records import Line

_REMEMBERED = 2048
"""Texts whose answer is remembered: cells and labels come back."""

MAX_HEADING_CHARS = 200
"""Longer runs are text. Item 5 of an annual report, the longest common heading, has 130 characters."""

_ASCII_NOT_LETTER = bytes(code for code in range(128) if not chr(code).isalpha())
_CAPTION = re.compile(
    r"(?:table|figure|fig|exhibit|chart|graph|box|listing|algorithm|equation|abbildung|abb|tabelle|tableau|image|photo|"
    r"example|plate|scheme|tabela|figura|gráfico|quadro|mapa|tabla|cuadro|tabella|schéma|graphique|exemple|remarque|"
    r"рис|рисунок|табл|таблица|theorem|lemma|corollary|definition|théorème|lemme|corollaire|définition|satz|hilfssatz|"
    r"folgerung|korollar|beispiel|bemerkung|proposition|remark|conjecture|hinweis|avertissement|teorema|lema|definición|"
    r"ejemplo|exemplo|esempio|definição|definizione|теорема|лемма|следствие|определение|пример|листинг|замечание|"
    r"(?:lösung|solution|answer)\s+(?:zu|to|of)\s+\w+)\b\.?\s*[(\[]?(?:[A-Z][.\s-]?)?\d|"
    r"(?:表|图|圖|図|그림|표|定理|定义|定義|引理|推论|命题|命題|補題|例|例题|例題|算法|代码|정리|정의|예제|보조정리)\s*[\dA-Z]|"
    r"(?:source|sources|note|notes)\s*:",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[•●○◦▪■□◆◇►▶–—\-*·✓➢✔†‡>]\s*\S|§(?!\s*\d)\s*\S")
_SENTENCE_ENDS = (".", ";", ",", ":", "!", "。", "；", "，", "、")
_EAST_SENTENCE = re.compile(r"[。．；，、]$|。(?=[^」』）)”’\s])")
"""How a line of Chinese or Japanese text ends, or goes on behind the stop of a sentence: it has no words to count."""
_LEAST_CELLS = 6
_CELLS = 0.6
"""From how many words on, and from what share of single letters among them, a line shows letters and names nothing."""
_FIGURE = re.compile(r"[$€£¥(]?-?\d[\d,.]*\)?%?|[$€£¥%—–-]+|\(?\d+\)?")
_FIGURE_SIGN = re.compile(r"[\d$€£¥%—–-]")
"""Every figure has one of these."""
_SIGNAL_WORD = re.compile(
    r"(?:note|notes|warning|caution|danger|notice|important|tip|tips|hint|attention|remark|example|hinweis|warnung|"
    r"vorsicht|achtung|gefahr|tipp|anmerkung|attention|avertissement|remarque|astuce|conseil|danger|nota|advertencia|"
    r"precaución|aviso|peligro|consejo|sugerencia|atenção|cuidado|dica|perigo|avviso|attenzione|pericolo|suggerimento|"
    r"примечание|внимание|предупреждение|осторожно|совет|opmerking|waarschuwing|uwaga|wskazówka|"
    r"注意|警告|危险|危険|提示|说明|注記|ヒント|重要|주의|경고|참고)\s*[!:：.]?",
    re.IGNORECASE,
)
"""ANSI Z535.6 signal words and their like: they open a box of text, not a section."""
_FORMULA = re.compile(r"[=≜≈≤≥∈∉⊂⊆∪∩∑∏∫√∞→⇒⇔∀∃−×∂∇\\](?:(?<!\\)|\w)")
"""Signs that titles in words do without, and commands of TeX."""
_SIGN = re.compile(r"[=≜≈≤≥∈∉⊂⊆∪∩∑∏∫√∞→⇒⇔∀∃−×∂∇]")
"""The signs alone: manuals head their sections with names of commands."""
_OPENING = "\"'“”‘’«»‹›„([{（【《〈「『¿¡#§$.&@■□◆●"
"""What a title may open with besides letters and digits."""
_SENTENCE_GOES_ON = frozenset(
    ("of", "to", "and", "or", "in", "on", "for", "by", "with", "from", "through", "under", "at", "as", "is", "are",
     "was", "were", "has", "have", "will", "shall", "may", "above", "below", "that", "which",
     "der", "des", "dem", "den", "und", "oder", "Abs.", "Absatz", "Satz", "du", "et", "de", "del", "al", "y", "e")
)  # fmt: skip
"""Words with which a sentence goes on after a number that it mentions."""

_LEADER = re.compile(r"[.·…‥](?:\s?[.·…‥]){4}")
"""What leads from a title to its page number, in lists."""
_URL = re.compile(r"https?://|www\.|@\w+\.\w|\.(?:com|org|net|gov)\b", re.IGNORECASE)


def is_caption(text: str) -> bool:
    """Whether a text labels a table, figure or the like."""
    return _CAPTION.match(text) is not None


def is_bullet(text: str) -> bool:
    """Whether a text is an item of an unnumbered list."""
    return _BULLET.match(text) is not None


@lru_cache(maxsize=_REMEMBERED)
def may_be_title(text: str) -> bool:
    """Whether the wording alone allows a heading."""
    number = parse_number(text)
    if number is not None and (number.is_supplement or ("§" in number.label and not number.title)):
        return True
    dense = (number.title or text if number is not None else text).replace(" ", "")
    letters = _letters(dense)
    if letters < 2 or letters < 0.4 * len(dense) or len(text) > MAX_HEADING_CHARS:
        return False
    if not text[0].isalnum() and (text[0] not in _OPENING or is_bullet(text)):
        return False  # an icon, a mark, a formula
    words = text.split()
    opening = number.title if number is not None and number.kind in ("decimal", "paren", "letter", "roman") else text
    if opening[:1].islower() and not (
        number is not None and number.depth > 1 and len(opening.split()) <= 3 and text[-1] != "."
    ):
        return False
    if number is not None and number.kind in WORDED_KINDS and number.title.partition(" ")[0] in _SENTENCE_GOES_ON:
        return False  # "Item 15 of this report"
    if number is None and text[0] in "(（" and text[-1] in ")）":
        return False  # a remark: "(in millions)", "(unaudited)"
    if text.count("(") != text.count(")"):
        return False
    if text.endswith((":", "：")) and len(text) < 60 and not (len(words) > 1 and text.isupper()):
        return False  # a label; press releases set titles in capitals so
    if text.endswith(("––", "--", "..")) or (number is None and text.count(",") >= 4):
        return False  # a row of a form, a list of names
    if number is None and text.endswith((".", "。", ";")) and (text.isupper() or len(words) > 4):
        return False
    if text.endswith(_SENTENCE_ENDS) and len(words) > 7 and not text.isupper():
        return False
    if not text.isascii() and _EAST_SENTENCE.search(text) and (number is None or number.kind not in WORDED_KINDS):
        return False
    if len(words) >= _LEAST_CELLS and sum(len(word) == 1 for word in words) >= _CELLS * len(words):
        return False
    # Searching the whole text for signs takes longest.
    formula = _FORMULA if number is None or number.kind != "decimal" or number.depth == 1 else _SIGN
    if formula.search(text) or _LEADER.search(text) or (("." in text or "/" in text) and _URL.search(text)):
        return False
    return not (is_caption(text) or (len(words) <= 2 and _SIGNAL_WORD.fullmatch(text)))


def may_be_declared(text: str) -> bool:
    """Whether what a file or a text declares a heading may be one: its word is taken, unless it cannot be meant."""
    fits = len(text) <= MAX_HEADING_CHARS and not is_caption(text) and not is_bullet(text)
    return fits and _letters(text) >= 2


def _letters(text: str) -> int:
    """How many letters a text has."""
    if text.isascii():  # a seventh of the time
        return len(text.encode().translate(None, _ASCII_NOT_LETTER))
    return sum(map(str.isalpha, text))


def is_table_row(line: Line) -> bool:
    """Whether one line holds several cells: far wider than its characters need, or mostly figures."""
    text = line.text
    if len(_FIGURE_SIGN.findall(text)) >= 3:
        words = text.split()
        figures = sum(1 for word in words if not word[0].isalpha() and _FIGURE.fullmatch(word))
        if figures >= 3 and figures >= 0.4 * len(words):
            return True
    if line.box is None or not line.font_size or line.letterspaced:
        return False
    width = line.box.x1 - line.box.x0
    wide = width_of(text)
    return (
        width > 1.15 * wide * line.font_size * (0.72 if text.isupper() else 0.6) + 20 and len(text.split(None, 1)) > 1
    )
