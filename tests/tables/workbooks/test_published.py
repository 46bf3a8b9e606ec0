"""Workbooks as people published them: none crashes; headers and row labels are found as readers find them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.timing import quickly
from torr_plugin.tables import serializers
from torr_plugin.tables.workbooks import SheetTable, read_workbook

LABELS = Path(__file__).with_name("labels.txt")

pytestmark = pytest.mark.full


@dataclass(frozen=True)
class Label:
    """What readers say of a workbook: numbers of header rows and header columns, the likeliest first."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def fits(self, found: SheetTable) -> bool:
        """Whether some reader says what was found."""
        return found.table.header_rows in self.rows and found.table.header_columns in self.columns


@cache
def labels() -> dict[str, Label]:
    """The labels by the names of workbooks."""
    lines = [line.split() for line in LABELS.read_text().splitlines() if not line.startswith("#")]
    return {name: Label(numbers(rows), numbers(columns)) for name, rows, columns in lines}


def numbers(text: str) -> tuple[int, ...]:
    """``2|1`` -> (2, 1)."""
    return tuple(map(int, text.split("|")))


@pytest.fixture(scope="module")
def books(shared_data: Path) -> Path:
    """The published workbooks."""
    return shared_data / "tableeval_xlsx.zip"


@cache
def tables(books: Path) -> dict[str, tuple[SheetTable, ...]]:
    """The tables of all workbooks by their names."""
    return dict(found(books))


def found(books: Path) -> Iterator[tuple[str, tuple[SheetTable, ...]]]:
    """Read every workbook."""
    with zipfile.ZipFile(books) as archive:
        for name in archive.namelist():
            yield Path(name).stem, read_workbook(archive.read(name))


def test_every_workbook_is_read_in_little_time(books: Path) -> None:
    assert len(quickly(lambda: tables(books), within=617)) == 617
    assert sum(map(len, tables(books).values())) == 620


def test_headers_and_row_labels_are_those_of_a_reader(books: Path) -> None:
    right = [label.fits(tables(books)[name][0]) for name, label in labels().items()]
    rows = [tables(books)[name][0].table.header_rows == label.rows[0] for name, label in labels().items()]
    columns = [
        tables(books)[name][0].table.header_columns in label.columns for name, label in labels().items()
    ]
    assert len(right) == 234
    assert sum(right) / len(right) > 0.94
    assert sum(rows) / len(rows) > 0.96
    assert sum(columns) / len(columns) > 0.95


def test_confidence_is_a_probability(books: Path) -> None:
    """In each band of confidence about as many are right as it says, or more: labels allow several."""
    found = [(label, tables(books)[name][0]) for name, label in labels().items()]
    pairs = [(each.confidence, label.fits(each)) for label, each in found]
    for low, high in ((0.0, 0.8), (0.8, 0.9), (0.9, 1.01)):
        band = [(sure, right) for sure, right in pairs if low <= sure < high]
        assert len(band) > 20
        assert sum(right for _, right in band) / len(band) > sum(sure for sure, _ in band) / len(band) - 0.1
    brier = sum((sure - right) ** 2 for sure, right in pairs) / len(pairs)
    assert brier < 0.06


@pytest.mark.parametrize("name", ["html", "markdown", "csv", "yaml"])
def test_formats_take_them_and_give_them_back(name: str, books: Path) -> None:
    serializer = serializers.get(name)
    for each in [table for group in list(tables(books).values())[::4] for table in group]:
        assert serializer.parse(serializer.serialize(each.table)).texts_only == each.table.texts_only
