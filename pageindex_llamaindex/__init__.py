"""Page trees as a LlamaIndex index and retriever: vectorless retrieval behind the calls people write for vectors.

::

    from pageindex_llamaindex import PageIndex

    index = PageIndex.from_documents(documents)     # or PageIndex.from_files("manual.pdf")
    for found in index.as_retriever(similarity_top_k=4).retrieve("How often is the filter replaced?"):
        print(found.score, found.node.metadata["section_path"], found.node.metadata["page_label"])

Importing this package also lets ``load_index_from_storage`` find ``PageIndex``; the framework looks in its registries
alone, so index and retriever are imported here; the others are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pageindex_core import __version__ as __version__
from pageindex_core.extras import needs_extra
from pageindex_core.lazy import lazy_names

with needs_extra("llamaindex", "llama_index"):
    from pageindex_llamaindex.index import PageIndex as PageIndex
    from pageindex_llamaindex.retriever import PageIndexRetriever as PageIndexRetriever

if TYPE_CHECKING:
    from pageindex_llamaindex.inside import VectorsInsideRetriever as VectorsInsideRetriever
    from pageindex_llamaindex.model import LlamaIndexModel as LlamaIndexModel
    from pageindex_llamaindex.node_parser import PageIndexNodeParser as PageIndexNodeParser
    from pageindex_llamaindex.reader import PageIndexReader as PageIndexReader
    from pageindex_llamaindex.tools import PageIndexToolSpec as PageIndexToolSpec
    from pageindex_llamaindex.vectors import VectorPassages as VectorPassages

_HOME = {
    "LlamaIndexModel": "model",
    "PageIndexNodeParser": "node_parser",
    "PageIndexReader": "reader",
    "PageIndexToolSpec": "tools",
    "VectorPassages": "vectors",
    "VectorsInsideRetriever": "inside",
}
__all__ = ["PageIndex", "PageIndexRetriever", *_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
