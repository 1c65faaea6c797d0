"""Which nodes an index holds, and the trees in the library that were made of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from llama_index.core.schema import BaseNode
from llama_index.core.storage.storage_context import StorageContext
from llama_index.core.utils import get_tqdm_iterable

from pageindex_core.errors import DocumentNotFoundError, LibraryError, OptionError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import ChatModel
from pageindex_core.options import IndexOptions, ModelOptions, options_from_dict, options_to_dict
from pageindex_llamaindex.nodes import Part, PartMap
from pageindex_llamaindex.stored import index_stored, is_file_page, source_of
from pageindex_llamaindex.struct import PageIndexStruct


class Holdings:
    """The nodes, struct and library of one index, changed together, by one thread at a time.

    Args:
        struct: What the index store has, or a new one; kept up to date.
        storage: Docstore and index store.
        library: A library, or the folder of one; None for that of the struct, or one in memory.
        options: How trees are built; None for those of the struct.
        show_progress: Whether to show a progress bar.
        model: Finds structure and writes summaries; None works without one.
        model_options: What the model does, and may cost.

    Raises:
        OptionError: a model, and no library to keep what it writes.
        SchemaVersionError: the struct was written by another version.
        LibraryError: the struct's library has to be passed in again.
    """

    def __init__(
        self,
        struct: PageIndexStruct,
        storage: StorageContext,
        library: Library | str | Path | None,
        options: IndexOptions | None,
        show_progress: bool,
        model: ChatModel | None = None,
        model_options: ModelOptions | None = None,
    ) -> None:
        struct.check_version()
        self.struct = struct
        self.model = model
        self.model_options = model_options
        self.options = options or options_from_dict(struct.options)
        self.parts = PartMap()
        self.changing = threading.RLock()
        self._storage = storage
        self._show_progress = show_progress
        lives_in_docstore = struct.library is None
        self.library = self._open(library)
        if model is not None and struct.library is None:
            raise OptionError(
                "index_llm= needs library=.",
                "A docstore keeps documents and no trees, so what the model wrote would be paid for at every load.",
                "Name a folder: library='library'.",
            )
        struct.options = options_to_dict(self.options)
        self._take(struct.unpack_nodes())
        if lives_in_docstore and self.held:
            stored = self.parts.by_source.items()
            self._index({source_id: self._load(part.node_id for part in parts) for source_id, parts in stored})

    def _open(self, library: Library | str | Path | None) -> Library:
        """Open the library, and write its place into the struct."""
        place = self.struct.library if library is None else library
        if place is None:
            return open_library()
        if place == "":
            raise LibraryError(
                f"The library of index {self.struct.index_id} is not known.",
                "It was passed in as an object that has no folder.",
                "Pass it again: load_index_from_storage(storage_context, library=library).",
            )
        if isinstance(place, (str, Path)):
            self.struct.library = str(Path(place).absolute())
            return open_library(place)
        folder = getattr(place, "folder", None)
        self.struct.library = "" if folder is None else str(folder)
        return place

    def nodes_of(self, ref_doc_ids: Iterable[str]) -> list[str]:
        """Give the ids of the nodes held of framework documents."""
        wanted = set(ref_doc_ids)
        return [part.node_id for part in self.parts.every() if part.ref_doc_id in wanted]

    def change(
        self, nodes: Sequence[BaseNode] = (), *, replaced: Iterable[str] = (), removed: Iterable[str] = ()
    ) -> None:
        """Take up nodes and let go of others, indexing every source that this touches once.

        Args:
            nodes: To add. One whose id is held already takes that one's place.
            replaced: Ids of nodes that leave the index and the docstore, unless they are among ``nodes``.
            removed: Ids of nodes that leave the index alone; those not held are left out.
        """
        with self.changing:
            held = self.held
            fresh = {node.node_id: node for node in nodes}
            sources = {node_id: source_of(node) for node_id, node in fresh.items()}
            cleared = set(replaced)
            gone = {*removed, *(cleared - fresh.keys())}
            touched = [held[node_id].source_id for node_id in (*fresh, *gone) if node_id in held]
            members = {
                source_id: self._members(source_id, fresh, sources, gone)
                for source_id in dict.fromkeys((*sources.values(), *touched))
            }
            kept = {node.node_id for group in members.values() for node in group}
            before = {part.node_id for source_id in members for part in self.parts.by_source.get(source_id, ())}
            for node_id in cleared | (before - kept - gone):
                self._storage.docstore.delete_document(node_id, raise_error=False)
            self._storage.docstore.add_documents(nodes, allow_update=True)
            # Another index may have put earlier pages into the library; of what leaves here nothing stays there.
            self._index(members, keep_pages=not gone)

    def release(self, source_id: str) -> None:
        """Forget the nodes of a source that the library has from elsewhere now."""
        with self.changing:
            for part in self.parts.by_source.get(source_id, ()):
                self._storage.docstore.delete_document(part.node_id, raise_error=False)
            self._record({source: parts for source, parts in self.parts.by_source.items() if source != source_id})

    def _members(
        self, source_id: str, fresh: Mapping[str, BaseNode], sources: Mapping[str, str], gone: set[str]
    ) -> list[BaseNode]:
        """Give the nodes that a source will consist of, in order."""
        held = [part.node_id for part in self.parts.by_source.get(source_id, ())]
        staying = [node_id for node_id in held if node_id not in gone and sources.get(node_id, source_id) == source_id]
        coming = [node_id for node_id, source in sources.items() if source == source_id]
        old = {node.node_id: node for node in self._load(node_id for node_id in staying if node_id not in fresh)}
        members = [fresh.get(node_id) or old[node_id] for node_id in dict.fromkeys((*staying, *coming))]
        # A file read here replaces what a reader made of it, and the other way round.
        from_file = bool(members) and is_file_page(fresh[coming[0]] if coming else members[0])
        return [node for node in members if is_file_page(node) == from_file]

    def _load(self, node_ids: Iterable[str]) -> list[BaseNode]:
        return self._storage.docstore.get_nodes(list(node_ids))

    def _index(self, members: Mapping[str, Sequence[BaseNode]], *, keep_pages: bool = False) -> None:
        """Index documents from their nodes, and record in the struct which nodes those are."""
        by_source = dict(self.parts.by_source)
        try:
            for source_id, nodes in get_tqdm_iterable(list(members.items()), self._show_progress, "Indexing documents"):
                if nodes:
                    by_source[source_id] = index_stored(
                        nodes, self.library, self.options, self.model, self.model_options, keep_pages=keep_pages
                    )
                else:
                    with suppress(DocumentNotFoundError):  # removed in the library itself
                        self.library.remove(source_id)
                    del by_source[source_id]
        finally:
            self._record(by_source)

    def _record(self, by_source: dict[str, tuple[Part, ...]]) -> None:
        self._take(by_source)
        self.struct.pack_nodes(by_source)
        self._storage.index_store.add_index_struct(self.struct)

    def _take(self, by_source: dict[str, tuple[Part, ...]]) -> None:
        self.parts.by_source = by_source
        self.held = {part.node_id: part for part in self.parts.every()}
