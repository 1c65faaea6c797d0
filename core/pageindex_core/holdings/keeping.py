"""Which pieces of a caller's store an index holds, and the trees in the library that were made of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from pageindex_core.errors import InputError, OptionError
from pageindex_core.holdings.parts import Part, PartMap
from pageindex_core.holdings.pieces import Piece, file_pieces, index_pieces
from pageindex_core.holdings.record import HoldingsRecord
from pageindex_core.library import AnyLibrary, discard
from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import ChatModel
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.pipeline import Failure, index_source
from pageindex_core.read import find_sources, open_source, read_pages
from pageindex_core.records import Paths

logger = logging.getLogger(__name__)

Watch = Callable[[list[Any], str], Iterable[Any]]
"""Gives the members of a list, telling somebody how far it has come with what."""


class PieceStore(Protocol):
    """**Protocol:** a store that keeps pieces, one hash for each of the caller's documents, and what an index holds."""

    def load(self, piece_ids: Iterable[str]) -> list[Piece]:
        """Give pieces, in this order."""
        ...

    def put(self, pieces: Sequence[Piece]) -> None:
        """Add pieces, or replace those of the same ids."""
        ...

    def drop(self, piece_id: str) -> None:
        """Remove a piece, where there is one of this id."""
        ...

    def hash_of(self, ref_id: str) -> str | None:
        """Give the hash of a document."""
        ...

    def set_hashes(self, hashes: Mapping[str, str]) -> None:
        """Keep hashes of documents."""
        ...

    def record(self, parts: PartMap) -> None:
        """Keep which pieces the index holds."""
        ...


def _unwatched(members: Any, title: str) -> Any:
    return members


class Holdings:
    """The pieces and the library of one index, changed together, by one thread at a time.

    Args:
        store: Keeps the pieces.
        library: Keeps the trees that are made of them.
        parts: Which pieces the index holds, as the store was told; kept up to date.
        options: How trees are built.
        model: Finds structure and writes summaries; None works without one.
        model_options: What the model does, and may cost.
        keeps_files: Whether the library keeps files that are read here, instead of the store their pages.
        watch: For progress bars.
    """

    def __init__(
        self,
        store: PieceStore,
        library: Library,
        parts: PartMap,
        options: IndexOptions,
        model: ChatModel | None = None,
        model_options: ModelOptions | None = None,
        *,
        keeps_files: bool = False,
        watch: Watch = _unwatched,
    ) -> None:
        self.library = library
        self.parts = parts
        self.changing = threading.RLock()
        self._store = store
        self._options = options
        self._model = model
        self._model_options = model_options
        self._keeps_files = keeps_files
        self._watch = watch

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "changing"}  # locks stay at home

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.changing = threading.RLock()

    @classmethod
    def reopened(
        cls,
        record: HoldingsRecord,
        store: PieceStore,
        parts: PartMap,
        *,
        library: AnyLibrary | None = None,
        options: IndexOptions | None = None,
        model: ChatModel | None = None,
        model_options: ModelOptions | None = None,
        watch: Watch = _unwatched,
    ) -> Self:
        """Give holdings as they were written down. Where the store is the truth, the trees are made anew.

        Args:
            record: What was written down, or a new one.
            store: See the class, as for ``parts``, ``model``, ``model_options`` and ``watch``.
            parts: Which pieces the index holds.
            library: A library, or the path of one; None for that of the record, or one in memory.
            options: How trees are built; None for those of the record.
            model: Needs a library, which keeps what the model wrote.
            model_options: What it does, and may cost.
            watch: For progress bars.

        Raises:
            SchemaVersionError: the record was written by another version.
            LibraryError: the record's library has to be passed in again.
            OptionError: a model, and no library.
        """
        record.check_version()
        was_in_store = record.library is None
        opened = record.open_library(library)
        if model is not None and record.library is None:
            raise OptionError(
                "A model that works while documents are added needs a library.",
                "A store of texts keeps no trees, so what the model wrote would be paid for at every load.",
                "Name a folder: library='library'.",
            )
        how = record.build_options(options)
        keeps_files = record.library is not None
        holdings = cls(store, opened, parts, how, model, model_options, keeps_files=keeps_files, watch=watch)
        if was_in_store and parts.by_source:
            holdings.rebuild()
        return holdings

    @property
    def held(self) -> dict[str, Part]:
        """What is held, by the id of the piece."""
        return {part.piece_id: part for part in self.parts.every()}

    def unknown(self, piece_ids: Iterable[str]) -> list[str]:
        """Give those of the ids by which no piece is held."""
        held = self.held
        return [piece_id for piece_id in piece_ids if piece_id not in held]

    def rebuild(self) -> None:
        """Make the trees of all that is held anew, in a library that is empty."""
        stored = self.parts.by_source.items()
        self._index({source_id: self._store.load(part.piece_id for part in parts) for source_id, parts in stored})

    def stale(self, hashes: Mapping[str, str]) -> set[str]:
        """Give which of the caller's documents are new, or have another hash than the one that is kept."""
        held = {part.ref_id for part in self.parts.every()}
        return {one for one, hash_ in hashes.items() if one not in held or self._store.hash_of(one) != hash_}

    def replace(self, pieces: Sequence[Piece], hashes: Mapping[str, str]) -> None:
        """Take up documents with these hashes, letting go of what was held of them."""
        with self.changing:
            self.change(pieces, replaced=self.parts.named(hashes))
            self._store.set_hashes(hashes)

    def remove(self, ref_id: str) -> bool:
        """Let go of one of the caller's documents, or of one that the library has by itself; tell if it was there."""
        with self.changing:
            piece_ids = self.parts.named([ref_id])
            if piece_ids:
                self.change(removed=piece_ids)
                return True
        return discard(self.library, ref_id)

    def add_files(self, paths: Paths, metadata: Mapping[str, Any] | None = None) -> tuple[Failure, ...]:
        """Take up files, replacing those that changed; give those that cannot be read, which are left out."""
        failures: list[Failure] = []
        pieces: list[Piece] = []
        hashes: dict[str, str] = {}
        with self.changing:
            for path in self._watch(find_sources(paths), "Reading files"):
                try:
                    pieces += self._read(path, metadata, hashes)
                except InputError as error:
                    logger.warning("%s was left out: %s", path, error)
                    failures.append(Failure(str(path), error))
            self.replace(pieces, hashes)
        return tuple(failures)

    def _read(self, path: Path, metadata: Mapping[str, Any] | None, hashes: dict[str, str]) -> Sequence[Piece]:
        """Give the pages of a file, and note its hash; none where it is unchanged, or the library keeps it."""
        source = open_source(path, metadata=metadata)
        if self._keeps_files:
            index_source(
                source, self.library, options=self._options, model=self._model, model_options=self._model_options
            )
            self._release(source.source_id)
            return ()
        hash_ = f"{source.fingerprint} {sorted(source.metadata.items())!r}"
        if source.source_id in self.parts.by_source and self._store.hash_of(source.source_id) == hash_:
            return ()
        pieces = file_pieces(read_pages(source, self._options.reading))
        hashes[source.source_id] = hash_
        return pieces

    def _release(self, source_id: str) -> None:
        """Forget the pieces of a source that the library has from elsewhere now."""
        for part in self.parts.by_source.get(source_id, ()):
            self._store.drop(part.piece_id)
        self._record({source: parts for source, parts in self.parts.by_source.items() if source != source_id})

    def change(
        self, pieces: Sequence[Piece] = (), *, replaced: Iterable[str] = (), removed: Iterable[str] = ()
    ) -> None:
        """Take up pieces and let go of others, indexing every source that this touches once.

        Args:
            pieces: To add. One whose id is held already takes that one's place.
            replaced: Ids of pieces that leave the index and the store, unless they are among ``pieces``.
            removed: Ids of pieces that leave the index alone; those not held are left out.
        """
        with self.changing:
            held = self.held
            fresh = {piece.piece_id: piece for piece in pieces}
            sources = {piece_id: piece.source_id for piece_id, piece in fresh.items()}
            cleared = set(replaced)
            gone = {*removed, *(cleared - fresh.keys())}
            touched = [held[piece_id].source_id for piece_id in (*fresh, *gone) if piece_id in held]
            members = {
                source_id: self._members(source_id, fresh, sources, gone)
                for source_id in dict.fromkeys((*sources.values(), *touched))
            }
            kept = {piece.piece_id for group in members.values() for piece in group}
            before = {part.piece_id for source_id in members for part in self.parts.by_source.get(source_id, ())}
            for piece_id in cleared | (before - kept - gone):
                self._store.drop(piece_id)
            self._store.put(pieces)
            # Another index may have put earlier pages into the library; of what leaves here nothing stays there.
            self._index(members, keep_pages=not gone)

    def _members(
        self, source_id: str, fresh: Mapping[str, Piece], sources: Mapping[str, str], gone: set[str]
    ) -> list[Piece]:
        """Give the pieces that a source will consist of, in order."""
        held = [part.piece_id for part in self.parts.by_source.get(source_id, ())]
        staying = [one for one in held if one not in gone and sources.get(one, source_id) == source_id]
        coming = [piece_id for piece_id, source in sources.items() if source == source_id]
        old = {piece.piece_id: piece for piece in self._store.load(one for one in staying if one not in fresh)}
        members = [fresh.get(piece_id) or old[piece_id] for piece_id in dict.fromkeys((*staying, *coming))]
        # A file read here replaces what a framework loaded of it, and the other way round.
        from_file = bool(members) and (fresh[coming[0]] if coming else members[0]).is_file_page
        return [piece for piece in members if piece.is_file_page == from_file]

    def _index(self, members: Mapping[str, Sequence[Piece]], *, keep_pages: bool = False) -> None:
        """Index documents from their pieces, and record which pieces those are."""
        by_source = dict(self.parts.by_source)
        try:
            for source_id, pieces in self._watch(list(members.items()), "Indexing documents"):
                if pieces:
                    by_source[source_id] = index_pieces(
                        pieces, self.library, self._options, self._model, self._model_options, keep_pages=keep_pages
                    )
                else:
                    discard(self.library, source_id)  # it may have been removed in the library itself
                    del by_source[source_id]
        finally:
            self._record(by_source)

    def _record(self, by_source: Mapping[str, tuple[Part, ...]]) -> None:
        self.parts.by_source = by_source
        self._store.record(self.parts)
