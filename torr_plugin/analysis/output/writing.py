"""Writes an analysis: ``analysis.json``, its figures as tables for a spreadsheet, and as charts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import write_file
from .tables import TABLES, Row

BASE = ("figures", "configurations")
"""The tables that every study has."""

_FORMULA = ("=", "+", "-", "@", "\t")
"""What a spreadsheet takes for the beginning of a formula."""

LABEL_KEEPING = "label_keeping"
"""The key of the figures over label-keeping perturbations alone; so are the folders of their files called."""


@dataclass(frozen=True)
class Written:
    """What was written, and what the study lacks.

    Attributes:
        paths: the files.
        left_out: what there is no chart of, and why, a line a reason.
    """

    paths: tuple[Path, ...]
    left_out: tuple[str, ...]


def write_tables(analysis: Mapping[str, Any], out: str | Path) -> list[Path]:
    """Write ``analysis.json``, ``figures.csv`` and ``configurations.csv`` into a directory, which is made.

    Returns:
        The paths written.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    out = Path(out)
    return [_write_json(analysis, out), *(_write_table(name, analysis, out) for name in BASE)]


def write_analysis(analysis: Mapping[str, Any], out: str | Path, *, charts: bool = True) -> Written:
    """Write everything into a directory, which is made.

    ``analysis.json``, a CSV file a table of ``TABLES``, and ``charts/<name>.svg`` and ``.png``; the figures
    over label-keeping perturbations alone, where there are such, in ``label_keeping/`` and
    ``charts/label_keeping/``.

    Args:
        analysis: what ``analyse`` returns.
        out: the directory.
        charts: draw them; takes seconds.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    out = Path(out)
    paths = [_write_json(analysis, out)]
    parts = {"": analysis, **({LABEL_KEEPING: analysis[LABEL_KEEPING]} if LABEL_KEEPING in analysis else {})}
    for folder, part in parts.items():
        names = [name for name, table in TABLES.items() if not table.lacking(part)]
        paths += [_write_table(name, part, out / folder) for name in names]
    left_out: list[str] = []
    if charts:
        from ..charts import draw

        drawn, left_out = draw({out / "charts" / folder: part for folder, part in parts.items()})
        paths += drawn
    return Written(tuple(paths), tuple(left_out))


def _write_json(analysis: Mapping[str, Any], out: Path) -> Path:
    text = json.dumps(analysis, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    return _write(out / "analysis.json", text)


def _write_table(name: str, analysis: Mapping[str, Any], out: Path) -> Path:
    table = TABLES[name]
    return _write(out / f"{name}.csv", _csv(table.header, table.rows(analysis)))


def _csv(header: Row, rows: Iterable[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue()


def _text(name: str) -> str:
    """A name as a cell: a spreadsheet must not take it for a formula."""
    # Python 3.10 cannot write a NUL, and up to 3.12 a carriage return stands unquoted and ends the row
    text = name.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r", "\N{REPLACEMENT CHARACTER}")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write(path: Path, text: str) -> Path:
    return write_file(path, text.encode("utf-8", "replace"))
