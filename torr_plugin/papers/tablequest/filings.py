"""The rows of the bundled cards on filings: short annual reports of companies that do not exist.

Twenty reports of three pages with nine questions each, three of each level. A generator that the package once
had made them; answers of extraction and calculation held by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ...tables.documents import Document

if TYPE_CHECKING:
    from ...catalog.generated import Row

_FILE = Path(__file__).with_suffix(".parquet")


def filing_rows(random: Random, number: int) -> Iterator[Row]:
    """Nine questions about a report, the levels in turn; none past the last report, whatever the seed.

    ``table`` is the first table of the document, ``evidence_table`` the number of the one asked about.
    """
    for document, rows in _reports()[number : number + 1]:
        for row in rows:
            yield {**row, "document": document, "table": document.tables[0]}


@cache
def _reports() -> list[tuple[Document, list[dict[str, str]]]]:
    """Each report with the rows about it, in order."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in pq.read_table(_FILE).to_pylist():
        found.setdefault(row.pop("document"), []).append(row)
    return [(Document.of_json(text), rows) for text, rows in found.items()]
