"""What travels between the stages.

Every stage takes records from here and gives records from here, so that a stage can be read, tested and replaced alone.
All records are immutable. They stand in the order in which they arise: ``document``, ``tree``, ``stored``, ``results``,
``answers``.

Conventions, everywhere:

* ``page_number`` counts physical pages from 1; ``page_label`` is what is printed or stored ("iv", "A-3").
* Boxes and ``y`` positions are in points (1/72 inch), origin at the top left of the page *as displayed*
  (rotation and crop applied), ``y`` growing downwards.
* ``line_index`` counts the lines of one page from 0; ``line_number`` counts the lines of a source text
  from 1 and exists for Markdown and plain text only.
* A very long line of a source text is several ``Line`` records, so that pages and windows can be cut within it. All
  but the first have ``continues`` set: they share its line number and follow it with nothing between, so that
  ``join_lines`` gives the source's own text again.
"""

from __future__ import annotations

from pageindex_core.records.answers import (
    Answer as Answer,
    Citation as Citation,
    Event as Event,
    EventKind as EventKind,
)
from pageindex_core.records.document import (
    Bookmark as Bookmark,
    Box as Box,
    Evidence as Evidence,
    Heading as Heading,
    Line as Line,
    Link as Link,
    Metadata as Metadata,
    Note as Note,
    Page as Page,
    Pages as Pages,
    Paths as Paths,
    join_lines as join_lines,
)
from pageindex_core.records.results import (
    FoundBy as FoundBy,
    Hit as Hit,
    PageBox as PageBox,
    SearchResult as SearchResult,
    Span as Span,
    Step as Step,
    Trace as Trace,
    Unit as Unit,
)
from pageindex_core.records.stored import (
    DocumentInfo as DocumentInfo,
    IndexedDocument as IndexedDocument,
    Scope as Scope,
    Status as Status,
)
from pageindex_core.records.tree import (
    Outline as Outline,
    PageTree as PageTree,
    Section as Section,
    TocSource as TocSource,
)
