"""Writes an analysis: ``analysis.json``, its figures as tables for a spreadsheet, and as charts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.atomic_files import atomic_path
from .added import PLUGINS, added_table
from .table_files import FORMATS, Format, written, written_as
from .tables import TABLES, Row

BASE = ("figures", "configurations")
"""The tables that every study has."""

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


@dataclass(frozen=True)
class TableFile:
    """A table in one format.

    Attributes:
        path: in the folder of all tables, with slashes, e.g. ``label_keeping/figures.csv``.
        rows: how many, without the header.
        content: of the file.
    """

    path: str
    rows: int
    content: bytes


def tables_as(analysis: Mapping[str, Any], formats: Sequence[Format] = FORMATS) -> Iterator[TableFile]:
    """Every table of an analysis, in several formats: one after the other, each format of it.

    Args:
        analysis: what ``analyse`` returns.
        formats: ``csv`` for spreadsheets (a name that one would take for a formula gets an apostrophe),
            ``json`` (records; names and numbers as they are) and ``parquet`` (columns typed).

    Returns:
        The tables of ``TABLES``, the same of the label-keeping part in ``label_keeping/``, and those of added
        analyses in ``plugins/``.
    """
    for stem, header, rows in _tables(analysis):
        for name, content in zip(formats, written_as(header, rows, formats), strict=True):
            yield TableFile(f"{stem}.{name}", len(rows), content)


def write_tables_as(
    analysis: Mapping[str, Any], out: str | Path, formats: Sequence[Format] = FORMATS
) -> list[Path]:
    """Write :func:`tables_as` into a directory, which is made.

    Returns:
        The paths written.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    return [write_file(Path(out) / file.path, file.content) for file in tables_as(analysis, formats)]


def analysis_json(analysis: Mapping[str, Any]) -> bytes:
    """The contents of ``analysis.json``."""
    text = json.dumps(analysis, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    return text.encode("utf-8", "replace")


def write_tables(analysis: Mapping[str, Any], out: str | Path) -> list[Path]:
    """Write ``analysis.json``, ``figures.csv`` and ``configurations.csv`` into a directory, which is made.

    Returns:
        The paths written.

    Raises:
        OSError: the directory cannot be made or written; its ``filename`` says which path.
    """
    out = Path(out)
    base = [written(TABLES[name].header, list(TABLES[name].rows(analysis)), "csv") for name in BASE]
    named = zip((f"{name}.csv" for name in BASE), base, strict=True)
    files = [("analysis.json", analysis_json(analysis)), *named]
    return [write_file(out / name, content) for name, content in files]


def write_analysis(analysis: Mapping[str, Any], out: str | Path, *, charts: bool = True) -> Written:
    """Write everything into a directory, which is made.

    ``analysis.json``, a CSV file a table of ``TABLES``, ``plugins/<name>.csv`` of added analyses, and
    ``charts/<name>.svg`` and ``.png``; the figures
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
    paths = [write_file(out / "analysis.json", analysis_json(analysis))]
    paths += write_tables_as(analysis, out, ["csv"])
    left_out: tuple[str, ...] = ()
    if charts:
        from .charts import draw

        drawn = draw({out / "charts" / folder: part for folder, part in parts(analysis).items()})
        paths, left_out = [*paths, *drawn.paths], drawn.left_out
    return Written(tuple(paths), left_out)


def parts(analysis: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Folder -> what its files are of: the whole study, and its label-keeping part where there is one."""
    kept = {LABEL_KEEPING: analysis[LABEL_KEEPING]} if LABEL_KEEPING in analysis else {}
    return {"": analysis, **kept}


def _tables(analysis: Mapping[str, Any]) -> Iterator[tuple[str, Row, Sequence[Row]]]:
    """Path without ending, header and rows."""
    for folder, part in parts(analysis).items():
        for name, table in TABLES.items():
            if not table.lacking(part):
                yield f"{folder}/{name}".lstrip("/"), table.header, list(table.rows(part))
    for name, found in analysis.get(PLUGINS, {}).items():
        added = added_table(name, found)
        if added is not None:
            yield f"{PLUGINS}/{name}", *added


def write_file(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all; its directory is made.

    Raises:
        OSError: the file cannot be written; its ``filename`` says which path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as unfinished:
        unfinished.write_bytes(content)
    return path
