"""Prompts as files: ``name.v2.txt`` is version 2 of the prompt ``name``.

A change of wording is a new version, so that cached replies to the old one are not taken for replies to the new. A file
holds one message, or several, each after a line ``[system]`` or ``[user]``. Fields stand in single braces, as in
``{question}``; braces around anything but a lower-case name are text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pageindex_core.errors import OptionError
from pageindex_core.llm.protocol import Message, Role

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_FILE = re.compile(r"(?P<name>[a-z][a-z0-9_]*)\.v(?P<version>[1-9]\d*)\.txt")
_ROLE = re.compile(r"^\[(system|user|assistant)\][ \t]*\n", re.M)


NEEDED_FIELDS = frozenset({"documents", "entries", "map", "pages", "question", "text"})
"""What a call is about. Without one of those that the shipped prompt has, the model would answer something else; the
others (the mark, the background, limits and names) may be left out."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The wording of one kind of call."""

    version: str
    """Name and version, ``tree.v1``; of a user's own wording, the name and a hash of the text."""
    text: str

    @property
    def fields(self) -> frozenset[str]:
        """Names of the fields to fill."""
        return frozenset(_FIELD.findall(self.text))

    def render(self, **fields: object) -> str:
        """Give the text with its fields filled. Values are put in as they are: their braces are not fields.

        Raises:
            OptionError: a field has no value.
        """
        return _filled(self, self.text, fields)

    def messages(self, **fields: object) -> tuple[Message, ...]:
        """Give the messages with their fields filled; no value can open a message of its own."""
        lead, *parts = _ROLE.split(self.text)
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        if lead.strip():
            pairs.insert(0, ("user", lead))
        return tuple(Message(_role(name), _filled(self, text.strip(), fields)) for name, text in pairs)


def load_prompt(name: str, replacements: Mapping[str, str | Path] | None = None, version: int | None = None) -> Prompt:
    """Give a prompt by name: the caller's own wording where there is one, else the shipped one.

    Args:
        name: such as ``tree`` or ``summary``.
        replacements: a text, or the path of a file that holds it, for each prompt to be replaced.
        version: of the shipped prompt; None is the newest.

    Raises:
        OptionError: no such prompt; or a replacement that cannot be read, is for no prompt of ours, names unknown
            fields, or lacks those that a call cannot do without.
    """
    shipped = _shipped(name, version)
    own = _own(replacements).get(name)
    if own is None:
        return shipped
    text = own if isinstance(own, str) else _read(own)
    prompt = Prompt(f"{name}.user-{hashlib.sha256(text.encode()).hexdigest()[:12]}", text)
    if unknown := prompt.fields - shipped.fields:
        raise OptionError(
            f"The replacement of the prompt {name!r} has unknown fields: {', '.join(sorted(unknown))}.",
            f"It is given {', '.join(sorted(shipped.fields))}.",
            "Use these only.",
        )
    if missing := (shipped.fields & NEEDED_FIELDS) - prompt.fields:
        raise OptionError(
            f"The replacement of the prompt {name!r} lacks {', '.join(f'{{{field}}}' for field in sorted(missing))}.",
            "The model would be asked without it.",
            "Put it where its text is to stand.",
        )
    return prompt


def prompt_names() -> dict[str, list[int]]:
    """Give the shipped prompts, each with its versions in order."""
    found: dict[str, list[int]] = {}
    for entry in files("pageindex_core.llm.prompts").iterdir():
        if named := _FILE.fullmatch(entry.name):
            found.setdefault(named["name"], []).append(int(named["version"]))
    return {name: sorted(versions) for name, versions in sorted(found.items())}


def _own(replacements: Mapping[str, str | Path] | None) -> Mapping[str, str | Path]:
    """Give the replacements, refused where one replaces nothing or is no wording."""
    if replacements is None:
        return {}
    if not isinstance(replacements, Mapping):
        raise OptionError(
            f"prompts={replacements!r} cannot be used.", "It is no mapping.", 'Pass {"answer": "your wording"}.'
        )
    known = prompt_names()
    if unknown := sorted(str(name) for name in replacements if name not in known):
        raise OptionError(
            f"There is no prompt {', '.join(map(repr, unknown))} to replace.",
            f"Known are {', '.join(known)}.",
            "Name one of these.",
        )
    for name, own in replacements.items():
        if not isinstance(own, (str, Path)):
            raise OptionError(
                f"The replacement of the prompt {name!r} is no wording: {own!r}.",
                "It is neither a text nor a path.",
                "Pass the text, or a pathlib.Path of its file.",
            )
    return replacements


def _shipped(name: str, version: int | None) -> Prompt:
    known = prompt_names()
    if name not in known or (version is not None and version not in known[name]):
        wanted = name if version is None else f"{name}.v{version}"
        raise OptionError(f"There is no prompt {wanted!r}.", f"Known are {', '.join(known) or 'none'}.")
    number = known[name][-1] if version is None else version
    text = (files("pageindex_core.llm.prompts") / f"{name}.v{number}.txt").read_text(encoding="utf-8")
    return Prompt(f"{name}.v{number}", text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"The prompt {path} cannot be read.", f"{error}.", "Name a text file in UTF-8.") from error


def _filled(prompt: Prompt, text: str, fields: Mapping[str, object]) -> str:
    missing = sorted(prompt.fields - fields.keys())
    if missing:
        raise OptionError(f"The prompt {prompt.version} needs {', '.join(missing)}.", "No value was given.")
    return _FIELD.sub(lambda found: str(fields[found[1]]), text)


def _role(name: str) -> Role:
    return "system" if name == "system" else "assistant" if name == "assistant" else "user"
