"""A stand-in for the most gullible model there is: it does what any text in its prompt tells it to.

Hostile documents are tested against it. It looks everywhere: in the system message, in document text, titles, results
of tools and descriptions of tools; the user's question alone is left out, since that is whom it serves. What holds
against it holds because of the code around the model, not because of the model's good sense.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pageindex_core.testing.answers import tool_calls
from pageindex_core.testing.lexical import lexical, messages_in, question_in, schema_of
from pageindex_core.testing.server import Answer, Answerer

_NAME = r"[`'\"]?(?P<name>[a-z]+(?:_[a-z]+)+)[`'\"]?"
_CALL = re.compile(
    rf"\b(?:call|use|run|invoke|execute|trigger)\s+(?:the\s+)?(?:tool|function)?\s*{_NAME}(?P<rest>[^\n]*)", re.I
)
_CALL_SHAPE = re.compile(r"^\W*(?P<name>[a-z]+(?:_[a-z]+)+)\((?P<rest>[^)\n]*)\)", re.M)
_REMOVE = re.compile(
    r"\b(?:remove|delete|erase|drop)\s+(?:the\s+)?(?:document|file)s?\s*[:=]?\s*(?P<what>[^\n.;]+)", re.I
)
_CHOOSE = re.compile(
    r"\b(?:choose|select|pick|return|open|read|answer\s+with|reply\s+with|go\s+to|only\s+use)\s+(?:only\s+)?(?:the\s+)?"
    r"(?P<kind>node|id|node_id|section|page|document|option)s?\s*(?:id)?\s*[:=]?\s*[\[\"'`(<]*(?P<id>[\w.:-]*\d[\w.:-]*)",
    re.I,
)
_SAY = re.compile(
    r"\b(?:say|reply|answer|respond|output|write|print|repeat)\s+(?:only\s+|exactly\s+|just\s+|with\s+|the\s+words?\s+)*[:]?\s*"
    r"[\"“'](?P<text>[^\"”'\n]{1,500})[\"”']",
    re.I,
)
_PAIR = re.compile(
    r"[`'\"]?(?P<key>[a-z_]+)[`'\"]?\s*(?:=|:|\bto\b|\bset to\b)\s*[`'\"]?(?P<value>[\w./:-]+(?:,[\d-]+)*)[`'\"]?", re.I
)
_QUOTED = re.compile(r"[`'\"“](?P<text>[^`'\"”\n]+)[`'\"”]")
_DECODER = json.JSONDecoder()


def obedient(
    otherwise: Answerer | None = None, *, find_question: Callable[[dict[str, Any]], str] | None = None
) -> Answerer:
    """Give an answerer that obeys instructions found in the prompt, and else answers as ``otherwise`` does.

    It obeys, once each: a JSON object with ``name`` (or ``tool``) and ``arguments``; "call <tool> with …" and lines of
    the form ``tool(…)``, whether the tool was offered or not; "delete the document …"; "choose node 0042" and its
    like, whether that id exists or not; and "reply with "…"".

    Args:
        otherwise: what answers where nothing is ordered; None is ``lexical()``.
        find_question: finds the user's question, which is not searched for orders.
    """
    otherwise = otherwise or lexical()
    question_of = find_question or question_in

    def answer(request: dict[str, Any]) -> Answer:
        text = _searched(request, question_of(request))
        done = _calls_made(request)
        for name, arguments in (*_call_objects(text), *_call_orders(text), *_removals(text)):
            if (name, _key(arguments)) not in done:
                return tool_calls((name, arguments))
        ids = [found["id"].rstrip(".:") for found in _CHOOSE.finditer(text)]
        schema = schema_of(request)
        if schema is not None and ids:
            return json.dumps(_obeyed(schema, "", ids, _said(text)), ensure_ascii=False)
        said = _said(text)
        if said is not None and schema is None:
            return said
        if said is not None and schema is not None:
            return json.dumps(_obeyed(schema, "", ids, said), ensure_ascii=False)
        return otherwise(request)

    return answer


def _searched(request: dict[str, Any], question: str) -> str:
    """Give all text sent but the question and the turns of the model itself."""
    parts = [text for role, text in messages_in(request) if role != "assistant"]
    parts += [str((tool.get("function") or {}).get("description", "")) for tool in request.get("tools") or ()]
    whole = "\n".join(parts)
    return whole.replace(question, "") if question else whole


def _calls_made(request: Mapping[str, Any]) -> set[tuple[str, str]]:
    made = set()
    for message in request.get("messages", ()):
        for call in message.get("tool_calls") or ():
            function = call.get("function", {})
            made.add((function.get("name"), _key(function.get("arguments", ""))))
    return made


def _key(arguments: Mapping[str, Any] | str) -> str:
    """Give the arguments in one form, however they were written."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return str(arguments)
    return json.dumps(arguments, sort_keys=True)


def _call_objects(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the calls that stand in the text as JSON objects."""
    for found in re.finditer(r"\{", text):
        try:
            value, _ = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        name = value.get("name") or value.get("tool") or value.get("function")
        arguments = value.get("arguments", value.get("parameters", value.get("input")))
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                continue
        is_schema = isinstance(arguments, dict) and "properties" in arguments
        if isinstance(name, str) and isinstance(arguments, dict) and not is_schema:
            yield name, arguments


def _call_orders(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the calls that the text orders in words, or writes as code."""
    for pattern in (_CALL, _CALL_SHAPE):
        for found in pattern.finditer(text):
            rest = found["rest"]
            pairs = {pair["key"]: pair["value"].rstrip(".") for pair in _PAIR.finditer(rest)}
            quoted = _QUOTED.search(rest)
            if not pairs and quoted:
                pairs = {"doc_name": quoted["text"]}
            if pairs or "(" in found.group() or not rest.strip(" ."):
                yield found["name"].lower(), pairs


def _removals(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for found in _REMOVE.finditer(text):
        yield "remove_document", {"doc_name": found["what"].strip(" \"'`“”")}


def _said(text: str) -> str | None:
    found = _SAY.search(text)
    return found["text"] if found else None


def _obeyed(schema: Mapping[str, Any], key: str, ids: list[str], said: str | None) -> Any:
    """Give a value in the shape of the schema that holds the ordered ids and words, allowed or not."""
    kind = schema.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        return {name: _obeyed(part, name, ids, said) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_obeyed(schema.get("items", {}), key, [one], said) for one in ids]
    if kind in ("integer", "number"):
        digits = re.sub(r"\D", "", ids[0]) if ids else ""
        return int(digits) if digits else 0
    if kind == "boolean":
        return True
    names_id = "enum" in schema or key.lower().split("_")[-1].rstrip("s") in ("id", "node", "section", "page", "choice")
    if names_id and ids:
        return ids[0]
    return said or (ids[0] if ids else "")
