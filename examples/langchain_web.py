"""An async web handler that streams: first the sources, then the answer, word by word, one JSON object a line.

Run it, and ask:  curl -N 'http://127.0.0.1:8000/ask?q=May+mineral+oil+and+ester+be+mixed'
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator

import uvicorn
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from offline import langchain as offline
from pageindex_langchain import PageIndex

PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from these pages.\n\n{pages}"), ("human", "{question}")])

retriever = PageIndex.from_files(offline.MANUAL).as_retriever(search_kwargs={"k": 3})
chain = PROMPT | offline.QuotingChatModel() | StrOutputParser()


async def answer(question: str) -> AsyncIterator[str]:
    """Give the lines of a response as they come; other requests are served meanwhile."""
    found = await retriever.ainvoke(question)
    yield json.dumps({"sources": [document.metadata["page_label"] for document in found]}) + "\n"
    pages = "\n\n".join(document.page_content for document in found)
    async for piece in chain.astream({"pages": pages, "question": question}):
        yield json.dumps({"text": piece}) + "\n"


async def ask(request: Request) -> Response:
    """Answer ``/ask?q=…``."""
    question = request.query_params.get("q", "").strip()
    if not question:
        return JSONResponse({"error": "Ask with ?q=…"}, status_code=400)
    return StreamingResponse(answer(question), media_type="application/x-ndjson")


app = Starlette(routes=[Route("/ask", ask)])

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
