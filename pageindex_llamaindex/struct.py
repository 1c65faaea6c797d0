"""What LlamaIndex's index store keeps of a ``PageIndex``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from llama_index.core.data_structs.data_structs import IndexStruct
from llama_index.core.data_structs.registry import INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS
from llama_index.core.data_structs.struct_type import IndexStructType

from pageindex_core.errors import LibraryError, SchemaVersionError
from pageindex_core.library import as_library, folder_of
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, options_from_dict, options_to_dict

STRUCT_VERSION = 1
"""Written into every stored index; an index of another version is refused."""


@dataclass
class PageIndexStruct(IndexStruct):
    """Which nodes an index holds, how its trees are built, and where its library is."""

    version: int = STRUCT_VERSION
    library: str | None = None
    """Folder of the library; empty where it was passed in and has none; None where the docstore is the truth."""
    options: dict[str, Any] = field(default_factory=dict)
    nodes: str = "{}"
    """The nodes of each source: ``PartMap.to_text``."""

    @classmethod
    def get_type(cls) -> IndexStructType:
        """Give the name under which the framework's registries know this struct; their enumeration is closed."""
        return cast("IndexStructType", "pageindex")

    def check_version(self) -> None:
        """Refuse what another version wrote.

        Raises:
            SchemaVersionError: it did.
        """
        if self.version != STRUCT_VERSION:
            raise SchemaVersionError(
                f"The stored index {self.index_id} has version {self.version}.",
                f"This package reads version {STRUCT_VERSION}.",
                "Build the index again, or install the package that wrote it.",
            )

    def open_library(self, library: Library | str | Path | None) -> Library:
        """Give the library that was passed in, else the one noted here, else one in memory; note where it is.

        Raises:
            LibraryError: the one noted here has to be passed in again.
        """
        place = self.library if library is None else library
        if place == "":
            raise LibraryError(
                f"The library of index {self.index_id} is not known.",
                "It was passed in as an object that has no folder.",
                "Pass it again: load_index_from_storage(storage_context, library=library).",
            )
        if isinstance(place, (str, Path)):
            self.library = str(Path(place).absolute())
        elif place is not None:
            self.library = str(folder_of(place) or "")
        return as_library(place)

    def build_options(self, given: IndexOptions | None) -> IndexOptions:
        """Give how trees are built: as is said now, else as noted here; and note it."""
        options = given or options_from_dict(self.options)
        self.options = options_to_dict(options)
        return options


INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS[PageIndexStruct.get_type()] = PageIndexStruct
