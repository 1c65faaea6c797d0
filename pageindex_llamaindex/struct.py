"""What LlamaIndex's index store keeps of a ``PageIndex``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from llama_index.core.data_structs.data_structs import IndexStruct
from llama_index.core.data_structs.registry import INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS
from llama_index.core.data_structs.struct_type import IndexStructType

from pageindex_core.holdings.record import HoldingsRecord


@dataclass
class PageIndexStruct(IndexStruct, HoldingsRecord):
    """Which nodes an index holds, how its trees are built, and where its library is."""

    nodes: str = "{}"
    """The nodes of each source: ``PartMap.to_text``."""

    @classmethod
    def get_type(cls) -> IndexStructType:
        """Give the name under which the framework's registries know this struct; their enumeration is closed."""
        return cast("IndexStructType", "pageindex")


INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS[PageIndexStruct.get_type()] = PageIndexStruct
