"""Page trees as a LlamaIndex index and retriever: vectorless retrieval behind the calls people write for vectors.

::

    from pageindex_llamaindex import PageIndex

    index = PageIndex.from_documents(documents)     # or PageIndex.from_files("manual.pdf")
    for found in index.as_retriever(similarity_top_k=4).retrieve("How often is the filter replaced?"):
        print(found.score, found.node.metadata["section_path"], found.node.metadata["page_label"])

Importing this package also lets ``load_index_from_storage`` find ``PageIndex``; the framework looks in its registries
alone, so the classes are imported here and not when they are first used.
"""

from __future__ import annotations

from pageindex_core import __version__ as __version__
from pageindex_llamaindex.index import PageIndex
from pageindex_llamaindex.retriever import PageIndexRetriever

__all__ = ["PageIndex", "PageIndexRetriever"]
