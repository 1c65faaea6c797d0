"""Takes a prompt's name, gives its versioned text; takes document text, gives it fenced and packed."""

from __future__ import annotations

from pageindex_core.llm.prompts.fence import fence, new_mark, without_marks
from pageindex_core.llm.prompts.load import Prompt, load_prompt, prompt_names
from pageindex_core.llm.prompts.pack import pack

__all__ = ["Prompt", "fence", "load_prompt", "new_mark", "pack", "prompt_names", "without_marks"]
