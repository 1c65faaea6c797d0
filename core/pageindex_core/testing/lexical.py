"""A stand-in for a model that answers from the words of its prompt alone.

It knows no prompt by heart: it finds the question, the offered options and the fenced texts in whatever it is sent, and
fills the JSON schema asked for. Options are ranked by the words they share with the question, rare words first, so what
it answers is a fair, dull reading of what it was shown. How well it does is no measure of a model; that every step
around it works is what it shows.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pageindex_core.llm.contract import schema_in
from pageindex_core.llm.prompts.fence import FENCED
from pageindex_core.testing.server import Answer, Answerer, content_text

QUESTION = re.compile(r"<question>(.*?)</question>|^\W*(?:question|query|frage)\W*:\s*(.+?)\s*$", re.I | re.M | re.S)
OPTION = re.compile(
    r"^[\s>*•|–-]*[\[(<{]?(?:id|node|node_id)?[:= \"]*"
    r"(?P<id>\d{4}|[A-Za-z]{0,3}\d{1,6}|(?<=\[)[A-Za-z](?=\]))[\])>}\"]?[.:|)\s–-]+",
    re.M,
)
"""A line that begins with an id: ``[0003] Title``, ``- 12: Title``, ``n7 | Title``, ``[A] Title``."""

_LABELLED = re.compile(rf"^(?P<label>\S+):\n{FENCED.pattern}", re.M | re.S)
"""A fenced text after the line that names it."""

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"\S.*?(?:[.!?。！？](?=\s|$)|$)", re.S)
_SHORTEST_WORD = 3
"""Shorter words say little in the scripts that have them; a run of CJK counts by its pairs of characters."""


def lexical(
    most: int = 3,
    *,
    find_question: Callable[[dict[str, Any]], str] | None = None,
    find_options: Callable[[dict[str, Any]], Mapping[str, str]] | None = None,
) -> Answerer:
    """Give an answerer that picks by shared words and summarises by first sentences.

    Args:
        most: how many options it picks at most.
        find_question: finds the question in a request; None looks for ``<question>`` or a line ``Question: …``, and
            else takes the last line of the last user message.
        find_options: finds id and text of each option; None takes the lines that hold an id of the schema's ``enum``,
            and else the lines that begin with an id.
    """
    question_of = find_question or question_in
    options_of = find_options or options_in

    def answer(request: dict[str, Any]) -> Answer:
        question = question_of(request)
        ranked = rank(question, options_of(request))
        schema = schema_of(request)
        if request.get("logprobs") and ranked:
            return _probabilities(ranked)
        if schema is not None:
            material = _Material(question, ranked[:most], texts_in(request), _evidence_in(request, question))
            value = _fill(schema, "", material)
            forced = forced_tool(request)
            if forced is not None:
                return {"content": None, "tool_calls": [{"name": forced["name"], "arguments": value}]}
            return json.dumps(value, ensure_ascii=False)
        return best_sentence(question, texts_in(request))

    return answer


def messages_in(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give role and text of each message."""
    return [(str(message.get("role")), content_text(message)) for message in request.get("messages", ())]


def schema_of(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the JSON schema asked for: as a parameter, as the form of a forced call, or written out; None for text."""
    forced = forced_tool(request)
    if forced is not None:
        form: Mapping[str, Any] = forced["parameters"]
        return form
    asked = request.get("response_format") or {}
    if asked.get("type") == "json_schema":
        schema: Mapping[str, Any] = asked["json_schema"]["schema"]
        return schema
    for _, text in messages_in(request):
        found = schema_in(text)
        if found is not None:
            return found
    return None


def forced_tool(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the one tool that has to be called, which is how many clients ask for JSON; None where there is none."""
    tools: Sequence[Mapping[str, Any]] = request.get("tools") or ()
    choice = request.get("tool_choice")
    if len(tools) != 1 or not (choice == "required" or isinstance(choice, Mapping)):
        return None
    function: Mapping[str, Any] = tools[0]["function"]
    return function


def question_in(request: Mapping[str, Any]) -> str:
    """Give the question of a prompt."""
    texts = [text for role, text in messages_in(request) if role == "user"]
    for text in texts:
        for found in QUESTION.finditer(FENCED.sub("", text)):
            return (found.group(1) or found.group(2)).strip()
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def options_in(request: Mapping[str, Any]) -> dict[str, str]:
    """Give the offered ids, each with the line it stands on."""
    text = "\n".join(text for role, text in messages_in(request) if role != "system")
    allowed = set(_enums(schema_of(request) or {}))
    options: dict[str, str] = {}
    for line in text.splitlines():
        found = OPTION.match(line)
        if found and (not allowed or found["id"] in allowed):
            options.setdefault(found["id"], line[found.end() :])
        elif not found and allowed:
            for word in re.findall(r"[\w.:-]+", line):
                if word in allowed:
                    options.setdefault(word, line)
    for left in allowed - set(options):
        options[left] = ""
    return options


def texts_in(request: Mapping[str, Any]) -> list[str]:
    """Give the fenced texts and the results of tools; where there are none, the user's messages."""
    messages = messages_in(request)
    texts = [found["text"] for _, text in messages for found in FENCED.finditer(text)]
    texts += [text for role, text in messages if role == "tool" and not FENCED.search(text)]
    return texts or [text for role, text in messages if role == "user"]


def rank(question: str, options: Mapping[str, str]) -> list[tuple[str, float]]:
    """Give the ids with the weight of the words that they share with the question, best first, order kept in ties."""
    words = {key: words_in(text) for key, text in options.items()}
    holders: dict[str, int] = {}
    for held in words.values():
        for word in held:
            holders[word] = holders.get(word, 0) + 1
    asked = words_in(question)
    scores = {
        key: sum(math.log(1 + len(options) / holders[word]) for word in asked & held) for key, held in words.items()
    }
    return sorted(scores.items(), key=lambda pair: -pair[1])


def words_in(text: str) -> set[str]:
    """Give the words of a text, case folded and without a plural's s; runs of CJK as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if re.search("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= _SHORTEST_WORD or word.isdigit():
            found.add(word.removesuffix("s"))
    return found


def _evidence_in(request: Mapping[str, Any], question: str) -> tuple[str, str]:
    """Give the label of the text that shares most with the question, and its best sentence; empty where none does."""
    texts = {
        found["label"]: found["text"].partition("\n")[2]  # below the line that says where it stands
        for role, text in messages_in(request)
        if role == "user"
        for found in _LABELLED.finditer(text)
    }
    sentences = {
        (label, sentence): sentence
        for label, text in texts.items()
        for sentence in (" ".join(found.split()) for found in _SENTENCE.findall(text))
    }
    keys = list(sentences)
    ranked = rank(question, {str(at): sentences[key] for at, key in enumerate(keys)})
    return keys[int(ranked[0][0])] if ranked and ranked[0][1] > 0 else ("", "")


def first_sentence(text: str) -> str:
    """Give the first sentence, on one line."""
    found = _SENTENCE.search(text)
    return " ".join(found.group().split()) if found else ""


def best_sentence(question: str, texts: Sequence[str]) -> str:
    """Give the sentence that shares most with the question; the first one where none shares anything."""
    sentences = [" ".join(found.split()) for text in texts for found in _SENTENCE.findall(text)]
    ranked = rank(question, {str(position): sentence for position, sentence in enumerate(sentences)})
    return sentences[int(ranked[0][0])] if ranked else ""


class _Material:
    """What a schema is filled with."""

    def __init__(
        self,
        question: str,
        picks: Sequence[tuple[str, float]],
        texts: Sequence[str],
        evidence: tuple[str, str] = ("", ""),
    ) -> None:
        self.question = question
        self.picks = [key for key, score in picks if score > 0] or [key for key, _ in picks[:1]]
        self.evidence = evidence
        self.found = bool(evidence[1]) or any(score > 0 for _, score in picks)
        self.texts = texts


def _fill(schema: Mapping[str, Any], key: str, material: _Material) -> Any:
    """Give a value that follows the schema."""
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0], key, material)
    kind = schema.get("type", "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        return {name: _fill(part, name, material) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return _fill_array(schema, key, material)
    if "enum" in schema:
        return next((pick for pick in material.picks if pick in schema["enum"]), schema["enum"][0])
    if kind in ("integer", "number"):
        return _fill_number(material)
    if kind == "boolean":
        return material.found
    if kind == "null":
        return None
    if _is_id(key):
        return material.picks[0] if material.picks else ""
    return best_sentence(material.question, material.texts) if key == "answer" else _first_of(material.texts)


def _fill_array(schema: Mapping[str, Any], key: str, material: _Material) -> list[Any]:
    items = schema.get("items", {"type": "string"})
    label, sentence = material.evidence
    if sentence and "quote" in items.get("properties", {}):
        return [{name: sentence if name == "quote" else label for name in items["properties"]}]
    if not _holds_id(items, key):
        return []
    one = [_Material(material.question, [(pick, 1.0)], material.texts) for pick in material.picks]
    return [_fill(items, key, each) for each in one]


def _holds_id(schema: Mapping[str, Any], key: str) -> bool:
    if schema.get("type") == "object":
        return any(_holds_id(part, name) for name, part in schema.get("properties", {}).items())
    return "enum" in schema or _is_id(key)


def _is_id(key: str) -> bool:
    last = key.lower().split("_")[-1]
    return last in ("id", "ids", "node", "nodes", "section", "sections", "page", "pages", "choice", "choices")


def _fill_number(material: _Material) -> int:
    digits = [re.sub(r"\D", "", pick) for pick in material.picks]
    return next((int(number) for number in digits if number), 0)


def _first_of(texts: Sequence[str]) -> str:
    return next((sentence for sentence in map(first_sentence, texts) if sentence), "")


def _enums(schema: Any) -> list[str]:
    """Give every string of every ``enum`` in a schema."""
    if isinstance(schema, Mapping):
        own = [value for value in schema.get("enum", ()) if isinstance(value, str)]
        return own + [value for part in schema.values() for value in _enums(part)]
    return [value for part in schema for value in _enums(part)] if isinstance(schema, list) else []


def _probabilities(ranked: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """Give the best option as one token, with the log probability of each from the softmax of the scores."""
    total = math.log(sum(math.exp(score) for _, score in ranked))
    return {"content": ranked[0][0], "logprobs": {key: score - total for key, score in ranked}}
