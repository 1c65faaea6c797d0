"""Texts that a caller's own store keeps, and the documents in a library that are made of them.

``pieces`` names such texts and makes documents of them, ``keeping`` keeps the library in step with the store,
``record`` says what has to be written down to open both again, ``parts`` tells which piece a hit is from, and
``selection`` which hits the caller wants.
"""

from typing import TYPE_CHECKING

from pageindex_core.lazy import lazy_names

if TYPE_CHECKING:
    from pageindex_core.holdings.keeping import Holdings as Holdings, PieceStore as PieceStore
    from pageindex_core.holdings.pieces import LAYOUT_KEYS as LAYOUT_KEYS, Piece as Piece

# Whoever wants to know parts alone does not load what builds trees.
_HOME = {"Holdings": "keeping", "PieceStore": "keeping", "LAYOUT_KEYS": "pieces", "Piece": "pieces"}
__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
