"""The core's holdings over the framework's stores: which library they are in, and what was stored brought back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llama_index.core.storage.storage_context import StorageContext
from llama_index.core.utils import get_tqdm_iterable

from pageindex_core.errors import LibraryError, OptionError
from pageindex_core.holdings import Holdings
from pageindex_core.holdings.parts import PartMap
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, ModelOptions, options_from_dict, options_to_dict
from pageindex_llamaindex.stored import NodeStore
from pageindex_llamaindex.struct import PageIndexStruct


def open_holdings(
    struct: PageIndexStruct,
    storage: StorageContext,
    library: Library | str | Path | None,
    options: IndexOptions | None,
    show_progress: bool,
    index_llm: Any,
    model_options: ModelOptions | None,
) -> Holdings:
    """Give the nodes and the library of an index; what the docstore has is indexed, where no library has it.

    Args:
        struct: What the index store has, or a new one; kept up to date.
        storage: Docstore and index store.
        library: A library, or the folder of one; None for that of the struct, or one in memory.
        options: How trees are built; None for those of the struct.
        show_progress: Whether to show a progress bar.
        index_llm: Finds structure and writes summaries; None works without one.
        model_options: What it does, and may cost.

    Raises:
        OptionError: a model, and no library to keep what it writes.
        SchemaVersionError: the struct was written by another version.
        LibraryError: the struct's library has to be passed in again.
    """
    struct.check_version()
    lives_in_docstore = struct.library is None
    opened = _open(struct, library)
    model = None
    if index_llm is not None:
        from pageindex_llamaindex.model import as_chat_model

        model = as_chat_model(index_llm)
        if struct.library is None:
            raise OptionError(
                "index_llm= needs library=.",
                "A docstore keeps documents and no trees, so what the model wrote would be paid for at every load.",
                "Name a folder: library='library'.",
            )
    how = options or options_from_dict(struct.options)
    struct.options = options_to_dict(how)

    def watch(members: list[Any], title: str) -> Iterable[Any]:
        shown: Iterable[Any] = get_tqdm_iterable(members, show_progress, title)
        return shown

    holdings = Holdings(
        NodeStore(storage, struct),
        opened,
        PartMap.from_text(struct.nodes),
        how,
        model,
        model_options,
        keeps_files=struct.library is not None,
        watch=watch,
    )
    if lives_in_docstore and holdings.parts.by_source:
        holdings.rebuild()
    return holdings


def _open(struct: PageIndexStruct, library: Library | str | Path | None) -> Library:
    """Open the library, and write its place into the struct."""
    place = struct.library if library is None else library
    if place is None:
        return open_library()
    if place == "":
        raise LibraryError(
            f"The library of index {struct.index_id} is not known.",
            "It was passed in as an object that has no folder.",
            "Pass it again: load_index_from_storage(storage_context, library=library).",
        )
    if isinstance(place, (str, Path)):
        struct.library = str(Path(place).absolute())
        return open_library(place)
    folder = getattr(place, "folder", None)
    struct.library = "" if folder is None else str(folder)
    return place
