"""A small mirror made on the spot, in the hub versions' schemas; words and numbers of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = Sequence[Mapping[str, Any]]

WIDE = {"header": ["a", "b"], "rows": [["1", "2"]] * 101, "name": "t/wide.csv"}
SMALL = {"header": ["Boat", "Seats"], "rows": [["Tern", "12"], ["Gull", "7"]], "name": "t/small.csv"}

WIKITQ: Rows = [
    {"id": "q-1", "question": "which boat has more seats?", "answers": ["Tern"], "table": SMALL},
    {"id": "q-2", "question": "which boats are there?", "answers": ["Tern", "Gull"], "table": SMALL},
    {"id": "q-3", "question": "how many rows?", "answers": ["101"], "table": WIDE},
]
TAB_FACT: Rows = [
    {
        "id": number,
        "table_id": "boats.csv",
        "table_text": "boat#seats\ntern#12\ngull#7\n",
        "table_caption": "boats of the bay",
        "statement": statement,
        "label": label,
    }
    for number, (statement, label) in enumerate(
        [("tern have 12 seat", 1), ("gull have more seat than tern", 0)]
    )
]
SCIGEN: Rows = [
    {
        "paper_id": "1",
        "table_caption": "Table 1: Accuracy.",
        "table_column_names": "['Model', 'Acc']",
        "table_content_values": content,
        "text": "The large model is better.",
    }
    for content in ("[]", "[['small', '71.0'], ['[BOLD] large', '83.5']]")
]
NUMERIC_NLG: Rows = [
    {
        "table_id_paper": "P1table_2",
        "caption": "Scores.",
        "table_html_clean": "<table><thead><tr><th></th><th>F1</th></tr></thead>"
        "<tbody><tr><td>ours</td><td>0.8</td></tr></tbody></table>",
        "description": "Ours gets 0.8.",
    }
]
HCTQA: Rows = [
    {
        "dataset_type": kind,
        "table_id": f"psa--{number}",
        "question_id": f"psa--{number}--M0",
        "table_csv_format": ",0,1,2\n0,Port,2020,__\n1,__,In,Out\n2,North,1,2\n3,South,3,4\n",
        "question": "What went in and out of the port North in 2020?",
        "answer": "{1 | 2}",
    }
    for number, kind in enumerate(["realWorldHCTs", "syntheticHCTs"])
]

FILES: Mapping[str, Rows] = {
    "wikitq/test": WIKITQ,
    "wikitq/train": WIKITQ[:1],
    "tab_fact/test": TAB_FACT,
    "tab_fact/train": TAB_FACT,
    "scigen/test": SCIGEN,
    "scigen/train": SCIGEN,
    "numeric_nlg/test": NUMERIC_NLG,
    "numeric_nlg/validation": NUMERIC_NLG,
    "hctqa/real": HCTQA,
}
REAL = ("hctqa.real", "numeric_nlg", "scigen", "tab_fact", "wikitq")
BUNDLED = ("bundled.aggregation", "bundled.cell_lookup", "bundled.fact_verification")


def write(folder: Path, files: Mapping[str, Rows] = FILES) -> Path:
    """A mirror at ``folder``."""
    for name, rows in files.items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return folder
