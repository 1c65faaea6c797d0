"""The agents' tools as plain work on library reads; ``pageindex_core.tools`` offers them to every host."""
