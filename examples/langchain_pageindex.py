"""Answer questions about a manual: a whole small RAG application, from loading to the answer and its sources."""

from __future__ import annotations

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from offline import langchain as offline
from pageindex_langchain import PageIndex

PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Answer from these pages and from nothing else.\n\n{pages}"), ("human", "{question}")]
)
QUESTIONS = ("For whom are broken shear pins kept?", "May mineral oil and ester be mixed?")


def main() -> None:
    """Load, index, and answer each question with its sources."""
    pages = offline.load_pages(offline.MANUAL)
    index = PageIndex.from_documents(pages)
    retriever = index.as_retriever(search_kwargs={"k": 3})
    chain = PROMPT | offline.QuotingChatModel() | StrOutputParser()

    for question in QUESTIONS:
        found = retriever.invoke(question)
        context = "\n\n".join(document.page_content for document in found)
        print("?", question)
        print("=", chain.invoke({"pages": context, "question": question}))
        for document in found:
            print("  source: printed page", document.metadata["page_label"])


if __name__ == "__main__":
    main()
