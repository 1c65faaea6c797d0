"""The words that number parts, chapters, sections and articles, in the languages of statutes, standards and manuals."""

from __future__ import annotations

from collections.abc import Mapping

_KINDS = {
    "part": """
        part title book volume teil buch titel partie livre titre parte libro tomo título titulo livro titolo boek deel
        avdelning avd. osa część księga dział tytuł část kniha rész könyv partea cartea titlul часть книга раздел
        частина книга μέρος μερος βιβλίο βιβλιο τίτλος τιτλος kısım kitap phần buku
    """,
    "chapter": """
        chapter kapitel chapitre capítulo capitulo capitolo capo hoofdstuk kapittel kap. luku rozdział kapitola hlava
        fejezet capitolul глава розділ κεφάλαιο κεφαλαιο bölüm chương bab unit module lesson
    """,
    "section": """
        section sec. abschnitt sección seccion secção seção sezione afdeling avsnitt jakso oddział oddíl díl szakasz
        secțiunea отдел підрозділ параграф τμήμα τμημα mục bagian
    """,
    "subsection": """
        subsection subtitle subchapter unterabschnitt untertitel subsección subsecção subseção sous-section
        sottosezione подраздел
    """,
    "article": """
        article artikel art. art artículo articulo artigo articolo rule clause regel artikkel článek článok čl. članak
        člen articolul cikk статья стаття член статия άρθρο αρθρο madde điều pasal
    """,
    "item": "item",
    "note": "note",
    "appendix": """
        appendix annex anhang annexe anlage schedule attachment exhibit anexo allegato bijlage bilaga bilag vedlegg
        liite załącznik příloha melléklet anexa приложение додаток παράρτημα παραρτημα lampiran
    """,
}

WORDS: Mapping[str, str] = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""The kind of each word, in small letters."""

BEHIND = ("kap\\.", "luku", "osa", "bölüm", "kısım", "fejezet", "rész")
BEHIND_STOP = ("Kapitel", "Abschnitt", "Unterabschnitt", "Teil")
BEHIND_ORDINAL = (*BEHIND_STOP, "Titel", "Untertitel", "Buch")
"""Words that their number stands before, as patterns: "3 luku"; with a stop, "2. Abschnitt"; in words, "Erstes Buch".
A title may begin with others of them ("2. Titel")."""

_ORDINALS = """
    one first erste erster erstes premier première ier primero primera primeiro primeira primo prima первая pierwsza
    two second zweite zweiter zweites deuxième seconde segundo segunda secondo seconda вторая druga
    three third dritte dritter drittes troisième tercero tercera terceiro terceira terzo terza третья trzecia
    four fourth vierte vierter viertes quatrième cuarto cuarta quarto quarta четвертая czwarta
    five fifth fünfte fünfter fünftes cinquième quinto quinta пятая piąta
    six sixth sechste sechster sechstes sixième sexto sexta sesto sesta шестая szósta
    seven seventh siebte siebter siebtes siebente siebenter siebentes septième séptimo séptima sétimo settimo седьмая
    eight eighth achte achter achtes huitième octavo octava oitavo ottavo восьмая
    nine ninth neunte neunter neuntes neuvième noveno novena nono девятая
    ten tenth zehnte zehnter zehntes dixième décimo décima decimo десятая
    eleven eleventh elfte elfter elftes onzième
    twelve twelfth zwölfte zwölfter zwölftes douzième
    thirteen
    fourteen
    fifteen
    sixteen
    seventeen
    eighteen
    nineteen
    twenty
"""

INSERTED = ("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "novies", "decies")
"""What laws add to the number of what was inserted later, in order."""

ORDINALS: Mapping[str, int] = {
    "preliminar": 0,
    "préliminaire": 0,
    **{word: value for value, row in enumerate(_ORDINALS.strip().splitlines(), start=1) for word in row.split()},
}
"""Numbers in words, in small letters."""
