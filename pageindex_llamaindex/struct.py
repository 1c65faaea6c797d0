"""What LlamaIndex's index store keeps of a ``PageIndex``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, cast

from llama_index.core.data_structs.data_structs import IndexStruct
from llama_index.core.data_structs.registry import INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS
from llama_index.core.data_structs.struct_type import IndexStructType

from pageindex_core.errors import SchemaVersionError
from pageindex_core.records import Span
from pageindex_llamaindex.nodes import Part

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
    """The nodes of each source, packed, since an index of many thousand pages writes this after every change."""

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

    def unpack_nodes(self) -> dict[str, tuple[Part, ...]]:
        """Give the nodes of each source, in order."""
        return {
            source_id: tuple(Part(node_id, ref, source_id, Span(*span)) for node_id, ref, *span in rows)
            for source_id, rows in json.loads(self.nodes).items()
        }

    def pack_nodes(self, by_source: Mapping[str, Sequence[Part]]) -> None:
        """Keep the nodes of each source."""
        self.nodes = json.dumps(
            {
                source_id: [[part.node_id, part.ref_doc_id, *astuple(part.span)] for part in parts]
                for source_id, parts in by_source.items()
            }
        )


INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS[PageIndexStruct.get_type()] = PageIndexStruct
