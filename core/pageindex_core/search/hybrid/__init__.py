"""Searches a library beside a user's own vector store; ``docs/hybrid.md`` says which way suits when."""
