"""Takes a prompt's name, gives its versioned text; takes document text, gives it fenced and packed."""

from __future__ import annotations

from pageindex_core.llm.prompts.fence import fence, new_mark, without_marks

__all__ = ["fence", "new_mark", "without_marks"]
