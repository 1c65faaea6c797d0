"""One prompt of the ``standard`` mode and the JSON of its reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Job
from pageindex_core.outline.model.propose import EXPAND_URGENCY


def reply_value(
    name: str, texts: Mapping[str, str], schema: Mapping[str, Any], asking: Asking, about: str, page_number: int
) -> Job[Any]:
    """Give the JSON of a reply to one prompt; None, with a note, where there is none.

    Args:
        name: The prompt's name.
        texts: See ``Asking.request``.
        schema: Of the reply.
        asking: The account of this document.
        about: What goes without when it fails, for the note.
        page_number: The first page that the prompt shows.
    """
    request = asking.request(name, "structure", schema, texts)
    reply = yield from asking.ask(request, about, page_number, EXPAND_URGENCY)
    if reply is None:
        return None
    if reply.value is None:
        asking.miss(about, "the reply holds no JSON.", page_number)
    return reply.value
