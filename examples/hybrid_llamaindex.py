"""Page trees beside a vector index of LlamaIndex that you have already: three ways, one screen.

Run: python examples/hybrid_llamaindex.py    (with the extra llamaindex)
"""

from __future__ import annotations

from pathlib import Path

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore

from offline import best_embedding
from pageindex_llamaindex import PageIndex, PageIndexNodeParser, VectorsInsideRetriever

MANUAL = Path(__file__).parent / "sample" / "manual.pdf"
QUESTION = "How much may the shaft seal leak after the packing has been renewed?"
EMBED = best_embedding()


class SmallEmbedding(BaseEmbedding):
    """The embedding of this example; yours is whatever your index uses."""

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return EMBED(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return EMBED([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return EMBED([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return EMBED([query])[0]


def tell(way: str, found: list[NodeWithScore]) -> None:
    """Print where each node is from."""
    print(way)
    for each in found:
        metadata = each.node.metadata
        page = metadata.get("page_start", metadata["page_label"])
        print(f"  page {page:>4}  {metadata.get('section_path', '(a chunk)')}")


index = PageIndex.from_files(MANUAL)
library = index.library

# Your vector index, as it is: here one chunk a page, with the metadata that a PDF reader gives.
source = library.list()[0]
chunks = [
    Document(
        text=page.text,
        metadata={"file_path": source.source_id, "file_name": source.name, "page_label": page.page_label or ""},
        excluded_embed_metadata_keys=["file_path", "file_name"],
    )
    for page in library.pages(source.doc_id)
]
vectors = VectorStoreIndex.from_documents(chunks, embed_model=SmallEmbedding())

# The default: sections, ranked by words and by the index together.
hybrid = index.as_retriever(retriever_mode="hybrid", vectors=vectors, similarity_top_k=3)
tell("Fused", hybrid.retrieve(QUESTION))

# 1. Structure first, vectors inside: your own chunks, those in the sections found first.
inside = VectorsInsideRetriever(index.as_retriever(), vectors, similarity_top_k=3)
tell("Vectors inside sections", inside.retrieve(QUESTION))

# 2. Vectors first, structure inside: the index chooses what is read; mode "tree" or "agent" would read it with a model.
shortlisted = index.as_retriever(vectors=vectors, shortlist="pages", similarity_top_k=3)
tell("Structure inside the pages that vectors choose", shortlisted.retrieve(QUESTION))

# 3. Side by side: an index of sections under the retriever's own ids, fused by the framework, none counted twice.
ours = PageIndex.from_documents(chunks)
sections = VectorStoreIndex(PageIndexNodeParser().get_nodes_from_documents(chunks), embed_model=SmallEmbedding())
both = [ours.as_retriever(similarity_top_k=3), sections.as_retriever(similarity_top_k=3)]
fusion = QueryFusionRetriever(
    both,
    llm=MockLLM(),
    mode="relative_score",
    retriever_weights=[0.7, 0.3],
    num_queries=1,
    similarity_top_k=3,
    use_async=False,
)
tell("Side by side", fusion.retrieve(QUESTION))
