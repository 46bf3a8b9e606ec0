"""Properties and complexity of a card's tables, or of generated ones, and how far the annotation agrees."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..catalog import load_card, read_examples
from ..core import scales
from ..core.errors import DataError, InputError
from ..tables.properties import ALL, DETECTED, NEEDS_PICTURE, Agreement, Complexity, agreement, detect
from ..tables.readers import html

if TYPE_CHECKING:
    from ..tables import Table

_BATCH = 256


@dataclass(frozen=True, slots=True)
class TableProperties:
    """One table: its name, the properties detected, the data set's own annotation, if any, and complexity."""

    table: str
    detected: Mapping[str, bool]
    annotated: Mapping[str, object]
    complexity: Complexity


@dataclass(frozen=True, slots=True)
class PropertiesReport:
    """All tables, the agreement by property (empty without annotation), and notes on what is left out."""

    tables: tuple[TableProperties, ...]
    agreement: tuple[Agreement, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The report's figures: how many tables have each property, complexity, agreement with intervals."""
        return {
            "tables": len(self.tables),
            "detected": {name: sum(table.detected[name] for table in self.tables) for name in DETECTED},
            "complexity": {**self.complexity, "levels": self.levels},
            "agreement": {line.name: _figures(line) for line in self.agreement},
            "needs_picture": list(NEEDS_PICTURE),
            "notes": list(self.notes),
        }

    @property
    def complexity(self) -> dict[str, float]:
        """The means of the parts of complexity and of their ``total``, over tables."""
        rows = [_parts(table.complexity) for table in self.tables]
        return {name: fmean(row[name] for row in rows) for name in rows[0]} if rows else {}

    @property
    def levels(self) -> dict[str, int]:
        """How many tables are of each level of complexity, the lowest first."""
        found = Counter(table.complexity.level for table in self.tables)
        return {level: found[level] for level in scales.COMPLEXITY}

    def write(self, out: Path) -> None:
        """Write ``properties.parquet`` and ``.csv``, a row a table, and ``agreement.csv`` if there is any.

        The data set's own annotation is in columns ``annotated: NAME``, empty where there is none; the parts
        of complexity, their ``total`` and the level ``complexity`` are in columns of their names.
        """
        out.mkdir(parents=True, exist_ok=True)
        lines = [_row(table) for table in self.tables]
        annotated = [name for name in ALL if any(name in table.annotated for table in self.tables)]
        types = {
            "table": pa.string(),
            **dict.fromkeys([*DETECTED, *(f"annotated: {name}" for name in annotated)], pa.bool_()),
            **dict.fromkeys(self.complexity, pa.float64()),
            "complexity": pa.string(),
        }
        pq.write_table(
            pa.Table.from_pylist(lines, schema=pa.schema(list(types.items()))), out / "properties.parquet"
        )
        _write_csv(out / "properties.csv", list(types), lines)
        if self.agreement:
            figures = [{"property": line.name, **_figures(line)} for line in self.agreement]
            _write_csv(out / "agreement.csv", list(figures[0]), figures)


def properties_report(source: str, limit: int | None = None) -> PropertiesReport:
    """Detect the properties of every table of a card's test split, or of a ``tables.parquet``.

    Args:
        source: a card's name or file, a Parquet file that ``torr synth`` wrote, or the folder with it.
        limit: at most so many tables.

    Raises:
        InputError: no such card, no such file, no column of tables in it, a table that cannot be read.
    """
    found: list[TableProperties] = []
    for name, table, annotated in _tables(source):
        if limit is not None and len(found) >= limit:
            break
        found.append(TableProperties(name, detect(table), annotated, Complexity.of(table)))
    if not found:
        raise DataError(f"{source}: no tables; expected at least one")
    labelled = [table for table in found if any(name in table.annotated for name in ALL)]
    lines = (
        agreement([table.annotated for table in labelled], [table.detected for table in labelled])
        if labelled
        else ()
    )
    return PropertiesReport(tuple(found), lines, tuple(_notes(found, labelled, lines)))


def _tables(source: str) -> Iterator[tuple[str, Table, Mapping[str, object]]]:
    path = Path(source)
    if path.is_dir():
        path = path / "tables.parquet"
    if (path.name != source or path.suffix == ".parquet") and not path.exists():
        raise InputError(
            f"{path}: no such file; expected a card, a tables.parquet that torr synth wrote, or its folder"
        )
    if path.suffix == ".parquet":
        return _of_parquet(path)
    return _of_card(source)


def _of_card(name: str) -> Iterator[tuple[str, Table, Mapping[str, object]]]:
    """Every table once, in the data's order; questions on one table share it."""
    card = load_card(name)
    seen: set[str] = set()
    for example in read_examples(card, card.test_split):
        table = example.groups.get("table") or example.id
        if table not in seen:
            seen.add(table)
            yield table, example.table, example.properties.get("table", {})


def _of_parquet(path: Path) -> Iterator[tuple[str, Table, Mapping[str, object]]]:
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: cannot be read as Parquet: {str(error).splitlines()[0][:120]}") from None
    with file:
        missing = [name for name in ("table_id", "html") if name not in file.schema_arrow.names]
        if missing:
            raise InputError(
                f"{path}: no column {missing[0]!r}; expected what torr synth writes to tables.parquet"
            )
        wanted = [name for name in ("table_id", "html", "properties") if name in file.schema_arrow.names]
        for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
            for row in batch.to_pylist():
                try:
                    table = html(row["html"])
                except InputError as error:
                    raise DataError(f"{path}: table {row['table_id']!r}: {error}") from error
                yield str(row["table_id"]), table, _annotation(row.get("properties"), path)


def _annotation(text: object, path: Path) -> Mapping[str, object]:
    if text is None:
        return {}
    try:
        value = json.loads(str(text))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DataError(f"{path}: column 'properties' has {str(text)[:40]!r}, expected a JSON object")
    return value


def _notes(
    found: Sequence[TableProperties], labelled: Sequence[TableProperties], lines: Sequence[Agreement]
) -> Iterator[str]:
    yield f"{', '.join(NEEDS_PICTURE)}: needs the picture and is not detected"
    if not labelled:
        yield "the data set says nothing of its tables, so there is nothing to agree with"
    elif len(labelled) < len(found):
        yield f"{len(found) - len(labelled)} of {len(found)} tables have no annotation and are left out"
    short = [line for line in lines if line.n < len(labelled)]
    for left_out, names in _by_count(short, len(labelled)).items():
        yield f"{left_out} of {len(labelled)} tables are not annotated for {', '.join(names)}; left out there"


def _by_count(lines: Iterable[Agreement], count: int) -> dict[int, list[str]]:
    groups: dict[int, list[str]] = {}
    for line in lines:
        groups.setdefault(count - line.n, []).append(line.name)
    return groups


def _row(table: TableProperties) -> dict[str, Any]:
    annotated = {f"annotated: {name}": bool(table.annotated[name]) for name in ALL if name in table.annotated}
    measured = {**_parts(table.complexity), "complexity": table.complexity.level}
    return {"table": table.table, **table.detected, **annotated, **measured}


def _parts(complexity: Complexity) -> dict[str, float]:
    return {**complexity.parts, "total": complexity.total}


def _figures(line: Agreement) -> dict[str, Any]:
    low, high = line.kappa_interval()
    counts = {field.name: getattr(line, field.name) for field in fields(line) if field.name != "name"}
    measures = {"precision": line.precision, "recall": line.recall, "f1": line.f1, "kappa": line.kappa}
    figures = {**measures, "kappa_low": low, "kappa_high": high}
    return {"n": line.n, **counts, **{name: None if math.isnan(x) else x for name, x in figures.items()}}


def _write_csv(path: Path, columns: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
