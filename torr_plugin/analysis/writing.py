"""Writes an analysis: ``analysis.json``, and its figures as tables for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .figures import STATISTICS

Row = Sequence[object]


def write_tables(analysis: Mapping[str, Any], out: str | Path) -> list[Path]:
    """Write ``analysis.json``, ``figures.csv`` and ``configurations.csv`` into a directory, which is made.

    Returns:
        The paths written.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(analysis, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    contents = {
        "analysis.json": text,
        "figures.csv": _csv(
            ("figure", "model", "dataset", "value", "low", "high", "complete"), figure_rows(analysis)
        ),
        "configurations.csv": _csv(("dataset", "config", "model", "score"), configuration_rows(analysis)),
    }
    return [_write(out / name, content) for name, content in contents.items()]


def figure_rows(analysis: Mapping[str, Any]) -> Iterable[Row]:
    """A row a figure: name, model, data set ("overall" for all), value, bounds, and if none is missing."""
    for name in STATISTICS:
        for model, figure in analysis[name].items():
            for dataset, own in {"overall": figure["overall"], **figure["datasets"]}.items():
                yield name, model, dataset, own["value"], own["low"], own["high"], own.get("complete", True)


def configuration_rows(analysis: Mapping[str, Any]) -> Iterable[Row]:
    """A row a mean score of a configuration: data set ("overall" for all), configuration, model, score."""
    for dataset, configurations in analysis["configurations"].items():
        for config, scores in configurations.items():
            for model, score in scores.items():
                yield dataset, config, model, score


def _csv(header: Row, rows: Iterable[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        # Python 3.10 cannot write a NUL, and no reader wants one
        writer.writerow(
            [
                cell.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(cell, str) else cell
                for cell in row
            ]
        )
    return buffer.getvalue()


def _write(path: Path, text: str) -> Path:
    """Write beside and rename, so that a file is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(text, encoding="utf-8", errors="replace")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
