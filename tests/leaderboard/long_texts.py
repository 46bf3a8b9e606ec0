"""Runs whose prompts and answers are too long to be shown whole."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from torr_plugin.recipes import request_schema

from .battling import with_battles
from .made import make_run, with_analysis

LINES = [f"Line {number} of the report has the number {number * 7:,}.\n" for number in range(40_000)]
REPORT = "".join(LINES)


def run_with_long_texts(path: Path) -> Path:
    """Two examples about a report of two million characters, one of them asked in two messages."""
    make_run(
        path,
        datasets=("wikitq",),
        examples=2,
        predict=lambda model, example: "It is 7. " * 100_000,
        prompt=lambda config, example: f"{config}\n{REPORT}\nWhere is {example} now?\nAnswer:",
    )
    (shard,) = (path / "requests").glob("*.parquet")
    rows = pq.read_table(shard).to_pylist()
    for row in rows:
        row["facts"] = json.dumps({"evidence": "Line 23456 of the report"})
        if row["example"] == "wikitq-1":
            messages = [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": row["prompt"]},
            ]
            row["messages"] = row["prompt"] = json.dumps(messages)
    pq.write_table(pa.Table.from_pylist(rows, schema=request_schema()), shard)
    with_analysis(path, resamples=20)
    return path


def run_with_long_answers(path: Path) -> Path:
    """Battles of three models, each of which answers with 100,000 characters without a space."""
    make_run(
        path,
        datasets=("wikitq",),
        serializers=("html",),
        perturbations=("none",),
        examples=1,
        predict=lambda model, example: model[0] * 100_000,
    )
    with_analysis(path, resamples=20)
    with_battles(path, judges=("judge",))
    return path
