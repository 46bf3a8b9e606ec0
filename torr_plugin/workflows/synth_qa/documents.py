"""Documents as the cards read them: canonical HTML (TableQuest, appendix F), and what reads back from it.

A table that HTML cannot hold, such as one of a header row alone in Markdown, would shift the numbers of those
after it: so questions are asked about what reads back.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

from ...catalog.document_files import document_files
from ...tables.documents import Document, read_filing, to_html


def canonical_html(source: Path, wanted: Container[str] | None = None) -> Iterator[tuple[str, str]]:
    """Name and HTML of every document; arguments and errors as of :func:`.document_files.document_files`."""
    for name, document in document_files(source, wanted):
        yield name, to_html(document)


def canonical_documents(source: Path, wanted: Container[str] | None = None) -> Iterator[tuple[str, Document]]:
    """Name and document as read back from its HTML; arguments and errors as above."""
    for name, content in canonical_html(source, wanted):
        yield name, read_filing(content)
