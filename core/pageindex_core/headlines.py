"""Headlines of the lists that a document prints of itself, in the languages we know them in.

Each is folded: no case, no spaces, no punctuation. The outline finds contents by them, and search tells by them what
only repeats titles.
"""

from __future__ import annotations

CONTENTS = frozenset(
    [
        "contents",
        "tableofcontents",
        "inhalt",
        "inhaltsverzeichnis",
        "sommaire",
        "tabledesmatières",
        "tabledematières",
        "sumário",
        "sommario",
        "contenido",
        "contenidos",
        "tabladecontenido",
        "tabladecontenidos",
        "índicegeneral",
        "indicegenerale",
        "inhoud",
        "inhoudsopgave",
        "innehåll",
        "indhold",
        "spistreści",
        "obsah",
        "содержание",
        "оглавление",
        "içindekiler",
        "índice",
        "indice",
        "目录",
        "目次",
        "目錄",
        "차례",
        "목차",
        "contentsindex",
    ]
)
"""Of tables of contents."""

LISTS = frozenset(
    [
        "tables",
        "figures",
        "listoftables",
        "listofsymbols",
        "listofabbreviations",
        "listoffigures",
        "listofillustrations",
        "listofexhibits",
        "tablesandfigures",
        "tabellenverzeichnis",
        "abbildungsverzeichnis",
        "listedestableaux",
        "listedesfigures",
        "listadetabelas",
        "listadefiguras",
        "listadeilustrações",
        "listadequadros",
        "elencodelletabelle",
        "elencodellefigure",
        "índicedetablas",
        "índicedefiguras",
        "表目录",
        "图目录",
        "表格目录",
        "插图目录",
        "表格索引",
        "插图索引",
        "表格清单",
        "插图清单",
        "表目錄",
        "圖目錄",
        "表目次",
        "図目次",
        "표목차",
        "그림목차",
    ]
)
"""Of lists of tables and of figures."""

INDEXES = frozenset(["index", "subjectindex", "stichwortverzeichnis", "sachregister", "索引", "색인", "찾아보기"])
"""Of the index at the end."""
