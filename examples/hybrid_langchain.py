"""Page trees beside a vector store of LangChain that you have already: three ways, one screen.

Run: python examples/hybrid_langchain.py    (with the extra langchain, and langchain-classic for the third way)
"""

from __future__ import annotations

from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from offline import best_embedding
from pageindex_langchain import PageIndex, PageTreeTransformer, VectorsInsideRetriever

MANUAL = Path(__file__).parent / "sample" / "manual.pdf"
QUESTION = "How much may the shaft seal leak after the packing has been renewed?"


class SmallEmbeddings(Embeddings):
    """The embedding of this example; yours is whatever your store uses."""

    embed_documents = staticmethod(best_embedding())

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        return self.embed_documents([text])[0]


def tell(way: str, documents: list[Document]) -> None:
    """Print where each Document is from."""
    print(way)
    for document in documents:
        metadata = document.metadata
        print(f"  page {metadata['page'] + 1:2}  {metadata.get('section_path', '(a chunk)')}")


index = PageIndex.from_files(MANUAL)

# Your vector store, as it is: here one chunk a page, with the source and page that a PDF loader gives.
source = index.library.list()[0]
pages = index.library.pages(source.doc_id)
chunks = [Document(page.text, metadata={"source": source.source_id, "page": page.page_number - 1}) for page in pages]
store = InMemoryVectorStore.from_documents(chunks, SmallEmbeddings())

# The default: sections, ranked by words and by the store together.
hybrid = index.as_retriever(search_kwargs={"mode": "hybrid", "vectors": store, "k": 3})
tell("Fused", hybrid.invoke(QUESTION))

# 1. Structure first, vectors inside: your own chunks, those in the sections found first.
inside = VectorsInsideRetriever(retriever=index.as_retriever(), vectors=store, k=3)
tell("Vectors inside sections", inside.invoke(QUESTION))

# 2. Vectors first, structure inside: the store chooses what is read; mode="tree" or "agent" would read it with a model.
shortlisted = index.as_retriever(search_kwargs={"vectors": store, "shortlist": "pages", "k": 3})
tell("Structure inside the pages that vectors choose", shortlisted.invoke(QUESTION))

# 3. Side by side: a store of sections under the retriever's own ids, fused by the framework, none counted twice.
sections = InMemoryVectorStore.from_documents(PageTreeTransformer().transform_documents(chunks), SmallEmbeddings())
both = [PageIndex.from_documents(chunks).as_retriever(), sections.as_retriever()]
tell("Side by side", EnsembleRetriever(retrievers=both, weights=[0.7, 0.3], id_key="node_id").invoke(QUESTION)[:3])
