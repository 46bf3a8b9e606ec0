"""A mirror in which unitxt's own recipes of ToRR run: what is lacking is filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DATASETS = ("wikitq", "tab_fact", "scigen", "numeric_nlg")
"""The data sets of ToRR whose tables are in the mirror at hand."""

INSTEAD = {("numeric_nlg", "train"): "validation"}
"""Splits that a mirror may lack, and which of its splits stands for them."""


def complete_mirror(source: Path, target: Path, datasets: tuple[str, ...] = DATASETS) -> None:
    """Write the train and test splits of some data sets as unitxt's recipes need them.

    numericNLG's train split may be missing: there its validation split stands for it. Tables of WikiTQ with a
    cell that begins with a quotation mark are left out (3 of 1,963): their rows come out uneven in unitxt,
    which then fails for the whole data set wherever it transposes or shuffles columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for dataset in datasets:
        (target / dataset).mkdir(parents=True, exist_ok=True)
        for split in ("train", "validation", "test"):
            file = source / dataset / f"{split}.parquet"
            if not file.is_file():
                file = source / dataset / f"{INSTEAD.get((dataset, split), split)}.parquet"
            if file.is_file():
                kept = [row for row in pq.read_table(file).to_pylist() if _readable(row)]
                pq.write_table(pa.Table.from_pylist(kept), target / dataset / f"{split}.parquet")


def _readable(row: dict[str, Any]) -> bool:
    table = row.get("table")
    if not isinstance(table, dict) or "rows" not in table:
        return True
    return not any(cell.startswith('"') for line in table["rows"] for cell in line)
