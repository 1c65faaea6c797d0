"""An agent of LangChain with the library's tools: it looks for a place, reads the page, and answers."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from offline import langchain as offline
from pageindex_langchain import PageIndex, PageIndexToolkit

QUESTION = "What is the delivery time of a new sleeve?"
CALLS = (
    {"name": "find_in_document", "args": {"doc_name": "manual.pdf", "query": "delivery of a new sleeve"}, "id": "1"},
    {"name": "get_page_content", "args": {"doc_name": "manual.pdf", "pages": "28-29"}, "id": "2"},
)
"""What a model would decide to call, one after the other; the offline one has it written down."""


def main() -> None:
    """Index the manual, let the agent answer, and print what it did."""
    index = PageIndex.from_files(offline.MANUAL)
    model = offline.QuotingChatModel(messages=iter([AIMessage("", tool_calls=[call]) for call in CALLS]))
    agent = create_agent(model, PageIndexToolkit(library=index.library).get_tools())

    for message in agent.invoke({"messages": [HumanMessage(QUESTION)]})["messages"]:
        if isinstance(message, ToolMessage):
            print(f"{message.name}: {message.status}, {len(message.text)} characters")
    print("=", message.text)


if __name__ == "__main__":
    main()
