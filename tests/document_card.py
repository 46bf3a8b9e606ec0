"""A card on documents, with its mirror, made on the spot: harbour reports of a few blocks, and questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from torr_plugin.tables import Cell, Table
from torr_plugin.tables.documents import Document, TextBlock

PORTS = ("Aldin", "Brekka", "Corvo", "Dunmar")


def report(number: int, tables: int = 3) -> Document:
    """A report of a port: headings, paragraphs of two sentences, tables on ships by year; deterministic."""
    blocks: list[TextBlock | Table] = [TextBlock(f"Port of {PORTS[number % 4]}", "heading", 1)]
    for place in range(tables):
        year = 2019 + place
        blocks += [
            TextBlock(f"Traffic in {year}. The following table gives the ships of {year} by quarter."),
            ships(number, place),
            TextBlock(f"(a) Counts of {year} include tugs.", "note"),
        ]
    return Document(tuple(blocks), f"Report {number}")


def ships(number: int, place: int) -> Table:
    """A table with a merged header: ships in and out by quarter."""
    rows = [
        (Cell("Quarter", rowspan=2), Cell("Ships", colspan=2)),
        (Cell("In"), Cell("Out")),
        *[
            (Cell(f"Q{q}"), Cell(str(1000 * number + 100 * place + 10 * q)), Cell(str(q + 7 * place)))
            for q in range(1, 5)
        ],
    ]
    return Table(tuple(rows), header_rows=2, header_columns=1, title=f"Ships in {2019 + place}")


def questions(documents: int, tables: int = 3) -> list[dict[str, Any]]:
    """One question about each table but the last, and one that names no table."""
    rows = []
    for number in range(documents):
        for place in range(tables):
            known = place < tables - 1
            rows.append(
                {
                    "id": f"q{number}-{place}",
                    "document": f"report-{number}",
                    "question": f"How many ships came in in Q2 of {2019 + place}?",
                    "answer": ships(number, place).grid[3][1].text,
                    "table": place if known else None,
                }
            )
    return rows


CARD: dict[str, Any] = {
    "__type__": "table_card",
    "__description__": "Questions about made-up reports of ports.",
    "__tags__": {"language": "en"},
    "licence": "made in a test",
    "skills": {
        "knowledge_extraction": "required",
        "textual_reasoning": "partial",
        "numerical_reasoning": "none",
    },
    "main_metric": "exact_match",
    "keeps_labels": ["shuffle_rows", "transpose"],
    "test_split": "test",
    "demo_split": "test",
    "loader": {
        "__type__": "load_tables",
        "mirror": "ports",
        "hub": {"path": "example/ports"},
        "columns": ["id", "document", "question", "answer", "table"],
        "splits": {"test": {"mirror": "questions", "hub": ["test"]}},
        "files": {
            "mirror": "documents",
            "name": "document",
            "column": "content",
            "paths": ["{name}.json"],
        },
    },
    "preprocess_steps": [
        {
            "__type__": "read_example",
            "id": "id",
            "document": {"reader": "json", "columns": {"content": "content", "table": "table"}},
            "inputs": {"question": "question"},
            "references": ["answer"],
            "groups": {"document": "document"},
        }
    ],
    "task": "tasks.torr.document_qa",
    "templates": [
        {
            "__type__": "input_output_template",
            "instruction": "Answer the question about the report.",
            "input_format": "{document}\n\nQuestion: {question}",
            "target_prefix": "Answer: ",
            "output_format": "{target}",
            "postprocessors": ["processors.to_string_stripped"],
        }
    ],
}


def write(
    folder: Path,
    documents: Sequence[Document],
    rows: Sequence[Mapping[str, Any]],
    card: Mapping[str, Any] = CARD,
) -> Path:
    """Write ``ports.json``, and the mirror ``ports`` beside it; the card's path."""
    mirror = folder / "ports"
    mirror.mkdir(parents=True, exist_ok=True)
    files = [
        {"path": f"report-{number}.json", "content": each.to_json().encode()}
        for number, each in enumerate(documents)
    ]
    pq.write_table(pa.Table.from_pylist(files), mirror / "documents.parquet")
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), mirror / "questions.parquet")
    path = folder / "ports.json"
    path.write_text(json.dumps(card), encoding="utf-8")
    return path
