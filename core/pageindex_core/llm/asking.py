"""Asks for work that can do without an answer, and keeps account of what was missed.

Indexing never depends on a single reply: a section whose summary fails keeps the quoted one, a leaf that cannot be
divided stays whole. So a failed call gives None and a note. Refused keys and used-up quotas alone stop the work, since
no later call can do better; a budget that is used up, or a server that stays away, ends the asking for this run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pageindex_core.errors import (
    BudgetExceededError,
    ModelAccessError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pageindex_core.llm.prompts import Prompt, load_prompt, new_mark
from pageindex_core.llm.protocol import ModelReply, ModelRequest
from pageindex_core.llm.schedule import Ask, Job
from pageindex_core.records import Note

FAILURES_IN_A_ROW = 8
"""So many calls that found the server away, with no answer between them, end the asking. Each was tried several times
by the adapter already; a document of a thousand sections would else wait for a thousand timeouts."""

CUT_IN_A_ROW = 8
"""After so many replies in a row that were cut though their text was small, no text is read again in smaller parts: the
model does not come to an end."""

MOST_NOTES = 20
"""So many single failures are named; the others are counted in one note."""


@dataclass(slots=True)
class Asking:
    """The account of one document's model calls. Used by one schedule, hence by one thread."""

    prompts: Mapping[str, str | Path] = field(default_factory=dict)
    """The caller's own wordings, by the name of the prompt they replace."""
    ended: str | None = None
    """Why no more calls are made; None while they are."""
    _failures_in_a_row: int = 0
    _cut_in_a_row: int = 0
    _skipped: Counter[str] = field(default_factory=Counter)
    _notes: list[Note] = field(default_factory=list)
    _dropped: Counter[tuple[int, str]] = field(default_factory=Counter)
    _loaded: dict[str, Prompt] = field(default_factory=dict)

    def request(
        self,
        name: str,
        purpose: str,
        schema: Mapping[str, Any],
        texts: Mapping[str, str],
        *,
        fields: Mapping[str, object] | None = None,
        max_output_tokens: int | None = None,
    ) -> ModelRequest:
        """Give the request that a prompt makes of texts from a document.

        Args:
            name: The prompt's name.
            purpose: See ``ModelRequest``.
            schema: Of the reply.
            texts: Values from the document, which the prompt places in fences whose mark none of them holds.
            fields: Values of ours, which it places outside.
            max_output_tokens: See ``ModelRequest``.
        """
        prompt = self._loaded.get(name)
        if prompt is None:
            prompt = self._loaded[name] = load_prompt(name, self.prompts)
        messages = prompt.messages(mark=new_mark(*texts.values()), **(fields or {}), **texts)
        return ModelRequest(messages, purpose, prompt.version, schema, max_output_tokens=max_output_tokens)

    def ask(
        self, request: ModelRequest, about: str, page_number: int | None = None, urgency: int = 0
    ) -> Job[ModelReply | None]:
        """Give the reply, or None where there is none to be had.

        Args:
            request: The call.
            about: What goes without when it fails, for the note: "the summary of 'Pumps'".
            page_number: The page concerned.
            urgency: See ``Ask``.

        Raises:
            ModelAccessError: the provider refuses us.
        """
        if self.ended:
            self._skipped[request.purpose] += 1
            return None
        try:
            reply: ModelReply | None = yield Ask(request, urgency, lambda: self.ended is None)
        except ModelAccessError:
            raise
        except BudgetExceededError as error:
            self._end(str(error), request)
            return None
        except (ModelTimeoutError, ModelUnavailableError) as error:
            self._failures_in_a_row += 1
            self.miss(about, str(error), page_number)
            if self._failures_in_a_row >= FAILURES_IN_A_ROW:
                self._end(f"The last {FAILURES_IN_A_ROW} calls failed; {error}")
            return None
        except ModelError as error:
            self.miss(about, str(error), page_number)
            return None
        if reply is None:  # its turn came after the end
            self._skipped[request.purpose] += 1
            return None
        self._failures_in_a_row = 0
        return reply

    def may_ask_again(self, *, is_cut: bool, is_last: bool) -> bool:
        """Count a reply, and say whether what it was for may be asked in smaller parts.

        Args:
            is_cut: It was cut at its limit.
            is_last: There are no smaller parts.
        """
        if not is_cut:
            self._cut_in_a_row = 0
        elif is_last:
            self._cut_in_a_row += 1
        return is_cut and not is_last and self._cut_in_a_row < CUT_IN_A_ROW

    def miss(self, about: str, why: str, page_number: int | None = None) -> None:
        """Note that something goes without what a model was asked for."""
        self._notes.append(Note("model_reply_missed", f"The model gave nothing for {about}: {why}", page_number))

    def note(self, code: str, message: str, page_number: int | None = None) -> None:
        """Note something else that was decided."""
        self._notes.append(Note(code, message, page_number))

    def drop(self, count: int, about: str, page_number: int) -> None:
        """Count headings that were named, from a page on, and are not printed where they were said to be."""
        self._dropped[page_number, about] += count

    @property
    def is_complete(self) -> bool:
        """Whether every call was made: what is missing would be missing again."""
        return self.ended is None

    def notes(self) -> tuple[Note, ...]:
        """What has to be told about this document, the single failures first, by pages: replies come in any order."""
        missed = sorted(
            (note for note in self._notes if note.code == "model_reply_missed"),
            key=lambda note: (note.page_number or 0, note.message),
        )
        told = [*missed[:MOST_NOTES], *(note for note in self._notes if note.code != "model_reply_missed")]
        if len(missed) > MOST_NOTES:
            told.append(
                Note("model_replies_missed", f"{len(missed) - MOST_NOTES} more replies were useless or missing.")
            )
        if self._dropped:
            (_, first), *others = sorted(self._dropped)
            where = f"{first} and {len(others)} more" if others else first
            message = (
                f"{self._dropped.total()} headings that the model named for {where} are not printed where it said."
            )
            told.append(Note("headings_dropped", message))
        if self.ended:
            what = ", ".join(f"{count} of purpose {purpose}" for purpose, count in sorted(self._skipped.items()))
            told.append(
                Note("model_ended", f"{self.ended} Calls not made: {what or 'none'}; index again to complete the rest.")
            )
        return tuple(told)

    def _end(self, why: str, request: ModelRequest | None = None) -> None:
        self.ended = self.ended or why
        if request is not None:
            self._skipped[request.purpose] += 1
