"""Time and memory that it takes to read a million scores in each tabular format.

python benchmarks/boards.py [--rows 1000000] [--json]

Each file is read in a fresh process; its peak of memory includes the interpreter and the libraries.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

MODELS = 100


def long_table(rows: int) -> pd.DataFrame:
    """A row a score: 100 models, the rest items of ten tasks."""
    random, items = np.random.default_rng(0), rows // MODELS
    item = np.arange(items)
    return pd.DataFrame(
        {
            "model": np.repeat([f"organisation/model-{at:03}" for at in range(MODELS)], items),
            "task": np.tile([f"task-{at % 10}" for at in item], MODELS),
            "item": np.tile([f"item-{at:07}" for at in item], MODELS),
            "score": random.integers(0, 2, rows),
        }
    )


def wide_table(rows: int) -> pd.DataFrame:
    """A row a model, a column an item."""
    long = long_table(rows)
    scores = long["score"].to_numpy().reshape(MODELS, -1)
    return pd.DataFrame(
        scores, index=pd.Index(long["model"].unique(), name="model"), columns=long["item"].unique()
    )


def write_long(path: Path, rows: int) -> Path:
    """CSV, TSV, JSONL or Parquet."""
    table = long_table(rows)
    if path.suffix == ".parquet":
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",", index=False)
    return path


def write_wide(path: Path, rows: int, *, models_are_rows: bool) -> Path:
    """CSV or Parquet, in either direction."""
    table = wide_table(rows) if models_are_rows else wide_table(rows).T.rename_axis("item")
    table.reset_index().to_parquet(path) if path.suffix == ".parquet" else table.to_csv(path)
    return path


def write_solved(path: Path, rows: int) -> Path:
    """A row a solved item, with the number of all items of its task."""
    table = long_table(rows)
    table["n"] = table.groupby("task")["item"].transform("nunique")
    solved = table[table["score"] == 1].drop(columns="score").rename(columns={"item": "solved_id"})
    solved.to_csv(path, index=False)
    return path


def write_details(path: Path, rows: int) -> Path:
    """lighteval's details of one model: two metrics, and a prompt of 500 characters a sample."""
    rows //= 2
    date = "2026-01-01T00-00-00.000000"
    path = path / "details" / "model" / date / f"details_task|0_{date}.parquet"
    path.parent.mkdir(parents=True)
    with pq.ParquetWriter(path, pa.schema(_DETAILS)) as writer:
        for start in range(0, rows, 50_000):
            some = range(start, min(start + 50_000, rows))
            docs = [{"id": str(at), "query": f"question {at} " + "x" * 500} for at in some]
            scores = [{"em": float(at % 3 == 0), "f1": at % 7 / 7} for at in some]
            writer.write_table(pa.table({"doc": docs, "metric": scores}, pa.schema(_DETAILS)))
    return path


_DETAILS = {
    "doc": pa.struct({"id": pa.string(), "query": pa.string()}),
    "metric": pa.struct({"em": pa.float64(), "f1": pa.float64()}),
}

FORMATS: dict[str, Callable[[Path, int], Path]] = {
    "long .csv": lambda folder, rows: write_long(folder / "t.csv", rows),
    "long .tsv": lambda folder, rows: write_long(folder / "t.tsv", rows),
    "long .jsonl": lambda folder, rows: write_long(folder / "t.jsonl", rows),
    "long .parquet": lambda folder, rows: write_long(folder / "t.parquet", rows),
    "models as rows .csv": lambda folder, rows: write_wide(folder / "t.csv", rows, models_are_rows=True),
    "models as rows .parquet": lambda folder, rows: write_wide(
        folder / "t.parquet", rows, models_are_rows=True
    ),
    "models as columns .csv": lambda folder, rows: write_wide(folder / "t.csv", rows, models_are_rows=False),
    "models as columns .parquet": lambda folder, rows: write_wide(
        folder / "t.parquet", rows, models_are_rows=False
    ),
    "solved ids .csv": lambda folder, rows: write_solved(folder / "t.csv", rows),
    "lighteval details": write_details,
}


def read(path: Path) -> None:
    """In the child: read a file, and print seconds, megabytes and rows."""
    from torr_plugin.integrations.logs.reading import read_scores

    wall, cpu = time.perf_counter(), time.process_time()
    rows = len(read_scores([path]).items)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    # of this process alone, where ru_maxrss begins with its parent's
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    megabytes = round(int(peak[1]) / 1024) if peak else None
    print(
        json.dumps(
            {"seconds": round(wall, 2), "cpu_seconds": round(cpu, 2), "peak_mb": megabytes, "rows": rows}
        )
    )


def main() -> None:
    """Write each format into a temporary folder, and have it read."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read)
        return
    found = {}
    for name, write in FORMATS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder), arguments.rows)
            command = [sys.executable, __file__, "--read", str(path)]
            found[name] = json.loads(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout
            )
        if not arguments.json:
            each = found[name]
            times = f"{each['seconds']:6.2f} s {each['cpu_seconds']:6.2f} s CPU"
            print(f"{name:28} {each['rows']:>9,} rows {times} {each['peak_mb']:6,} MB", flush=True)
    if arguments.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
