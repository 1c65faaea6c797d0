"""Uses an installed ``pageindex-rag`` without extras: index a Markdown text, search it, check what was loaded."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import tempfile
from pathlib import Path

import pageindex_core
from pageindex_core import index_source, open_library, search

MANUAL = b"""# Pump manual

## Maintenance

### Filter

Replace the filter every 400 hours of operation.

### Bearings

Grease the bearings once a year.
"""


def main() -> int:
    """Run the road once, from bytes to a cited hit."""
    assert pageindex_core.__version__ == importlib.metadata.version("pageindex-rag")
    for framework in ("langchain_core", "llama_index"):
        assert importlib.util.find_spec(framework) is None, f"{framework} came with the base installation"
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(Path(folder) / "library")
        index_source(MANUAL, library, name="pump.md", source_id="pump.md")
        hits = search(library, "How often is the filter replaced?", k=1).hits
        library.close()
    assert [hit.section_path[-1] for hit in hits] == ["Filter"], hits
    assert "400 hours" in hits[0].text, hits
    print(f"pageindex-rag {pageindex_core.__version__}: {' > '.join(hits[0].section_path)}, page {hits[0].page_start}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
