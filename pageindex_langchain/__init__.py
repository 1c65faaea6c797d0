"""Page trees as a LangChain retriever: vectorless retrieval behind the calls people write for a vector store.

::

    from pageindex_langchain import PageIndex

    index = PageIndex.from_documents(docs)          # or PageIndex.from_files("manual.pdf")
    retriever = index.as_retriever(search_kwargs={"k": 4})
    for document in retriever.invoke("How often is the filter replaced?"):
        print(document.metadata["section_path"], document.metadata["page"], document.page_content)

Names are loaded when first used, so that importing the package costs milliseconds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pageindex_core import __version__ as __version__
from pageindex_core.extras import needs_extra
from pageindex_core.lazy import lazy_names

if TYPE_CHECKING:
    from pageindex_langchain.index import PageIndex as PageIndex
    from pageindex_langchain.inside import VectorsInsideRetriever as VectorsInsideRetriever
    from pageindex_langchain.loader import PageIndexLoader as PageIndexLoader
    from pageindex_langchain.model import LangChainModel as LangChainModel
    from pageindex_langchain.retriever import PageIndexRetriever as PageIndexRetriever
    from pageindex_langchain.tools import PageIndexToolkit as PageIndexToolkit
    from pageindex_langchain.transformer import PageTreeTransformer as PageTreeTransformer
    from pageindex_langchain.vectors import VectorPassages as VectorPassages

_HOME = {
    "LangChainModel": "model",
    "PageIndex": "index",
    "PageIndexLoader": "loader",
    "PageIndexRetriever": "retriever",
    "PageIndexToolkit": "tools",
    "PageTreeTransformer": "transformer",
    "VectorPassages": "vectors",
    "VectorsInsideRetriever": "inside",
}
__all__ = list(_HOME)

__getattr__, __dir__ = lazy_names(__name__, _HOME, partial(needs_extra, "langchain", "langchain_core"))
