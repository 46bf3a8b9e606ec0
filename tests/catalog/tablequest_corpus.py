"""Two made-up filings and six questions about them, as the cards tablequest.* read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ACME = """<html><body><h1>Acme Corp.</h1>
<p>Our commitments were the following (in millions):</p>
<table>
<tr><th></th><th>2023</th><th>2022</th></tr>
<tr><td>Leases</td><td>$ 410</td><td>$ 380</td></tr>
<tr><td>Purchases</td><td>311</td><td>(20)</td></tr>
<tr><td>Total</td><td>$ 721</td><td>$ 360</td></tr>
</table>
<p>Our staff, by region, is shown below.</p>
<table>
<tr><th>Region</th><th>Staff</th></tr>
<tr><td>North</td><td>1,205</td></tr>
<tr><td>South</td><td>733</td></tr>
</table></body></html>"""
BOLT = """<html><body><p>Units sold, in thousands:</p>
<table>
<tr><th>Product</th><th>2021</th><th>2022</th><th>2023</th></tr>
<tr><td>Screws</td><td>48</td><td>61</td><td>70</td></tr>
</table></body></html>"""

QUESTIONS: list[dict[str, Any]] = [
    {"id": "a1", "document": "acme", "level": "extraction", "table": 0, "company": "Acme", "year": "2023"}
    | {"question": "What were total commitments in 2023?", "answer": "$721 million"},
    {"id": "a2", "document": "acme", "level": "extraction", "table": 1, "company": "Acme", "year": "2023"}
    | {"question": "How many staff are in the South?", "answer": "733"},
    {
        "id": "b1",
        "document": "bolt.html",
        "level": "extraction",
        "table": None,
        "company": None,
        "year": "2023",
    }
    | {"question": "Screws in 2022?", "answer": "61 thousand"},
    {"id": "a3", "document": "acme", "level": "calculation", "table": 0, "company": "Acme", "year": "2023"}
    | {"question": "How much more were commitments in 2023 than in 2022?", "answer": "$361 million"},
    {
        "id": "b2",
        "document": "bolt.html",
        "level": "calculation",
        "table": 0,
        "company": "Bolt",
        "year": "2023",
    }
    | {"question": "Screws in all three years together?", "answer": "179 thousand"},
    {"id": "b3", "document": "bolt.html", "level": "analysis", "table": 0, "company": "Bolt", "year": "2023"}
    | {"question": "Assess the trend of screws.", "answer": "Sales rose each year, more slowly in 2023."},
]


def write(folder: Path, questions: list[dict[str, Any]] | None = None, **documents: str) -> Path:
    """The mirror's two files; ``folder`` is what TORR_DATA names."""
    place = folder / "tablequest"
    place.mkdir(parents=True, exist_ok=True)
    texts = {"acme.html": ACME, "bolt.html": BOLT, **documents}
    pq.write_table(pa.Table.from_pylist(questions or QUESTIONS), place / "questions.parquet")
    pq.write_table(
        pa.table({"path": list(texts), "content": list(texts.values())}), place / "documents.parquet"
    )
    return folder
