"""Answer questions about a manual: a whole small RAG application, from loading to the answer and its sources."""

from __future__ import annotations

from llama_index.core.prompts import PromptTemplate

from offline import llamaindex as offline
from pageindex_llamaindex import PageIndex

PROMPT = PromptTemplate("Answer from these pages and from nothing else.\n\n{context_str}\n\nQuery: {query_str}")
QUESTIONS = ("For whom are broken shear pins kept?", "May mineral oil and ester be mixed?")


def main() -> None:
    """Load, index, and answer each question with its sources."""
    pages = offline.load_pages(offline.MANUAL)
    index = PageIndex.from_documents(pages)
    engine = index.as_query_engine(llm=offline.QuotingLLM(), similarity_top_k=3, text_qa_template=PROMPT)

    for question in QUESTIONS:
        answer = engine.query(question)
        print("?", question)
        print("=", answer)
        for source in answer.source_nodes:
            print("  source: printed page", source.node.metadata["page_label"])


if __name__ == "__main__":
    main()
