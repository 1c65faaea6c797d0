"""What is written down of holdings, so that they can be opened again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pageindex_core.errors import LibraryError, SchemaVersionError
from pageindex_core.library import AnyLibrary, as_library, folder_of
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, options_from_dict, options_to_dict

RECORD_VERSION = 1
"""Written into every record; one of another version is refused."""


@dataclass
class HoldingsRecord:
    """How an index builds its trees, and where its library is, as JSON values; kept up to date."""

    index_id: str = ""
    """What the index is called."""
    version: int = RECORD_VERSION
    library: str | None = None
    """Folder of the library; empty where it was passed in and has none; None where the store is the truth."""
    options: dict[str, Any] = field(default_factory=dict)

    def check_version(self) -> None:
        """Refuse what another version wrote.

        Raises:
            SchemaVersionError: it did.
        """
        if self.version != RECORD_VERSION:
            raise SchemaVersionError(
                f"The stored index {self.index_id} has version {self.version}.",
                f"This package reads version {RECORD_VERSION}.",
                "Build the index again, or install the package that wrote it.",
            )

    def open_library(self, given: AnyLibrary | None) -> Library:
        """Give the library that was passed in, else the one noted here, else one in memory; note where it is.

        Raises:
            LibraryError: the one noted here has to be passed in again.
        """
        place = self.library if given is None else given
        if place == "":
            raise LibraryError(
                f"The library of index {self.index_id} is not known.",
                "It was passed in as an object that has no folder.",
                "Pass it again: library=library, to what loads the index.",
            )
        library = as_library(place)
        if place is not None:
            folder = folder_of(library)
            self.library = "" if folder is None else str(folder.absolute())
        return library

    def build_options(self, given: IndexOptions | None) -> IndexOptions:
        """Give how trees are built: as is said now, else as noted here; and note it."""
        options = given or options_from_dict(self.options)
        self.options = options_to_dict(options)
        return options
