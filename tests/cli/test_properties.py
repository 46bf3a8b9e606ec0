"""``torr properties``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.cli.console.reports import property_rows, show_properties
from torr_plugin.core.errors import InputError
from torr_plugin.tables.properties import DETECTED, Agreement, names
from torr_plugin.workflows.properties import PropertiesReport, properties_report

NESTED = (
    "<table><thead><tr><th rowspan=2>Area</th><th colspan=2>2019</th><th colspan=2>2020</th></tr>"
    "<tr><th>M</th><th>F</th><th>M</th><th>F</th></tr></thead>"
    "<tr><th>N</th><td>1</td><td>2</td><td>3</td><td>4</td></tr></table>"
)
PLAIN = "<table><tr><th>City</th><th>Area</th></tr><tr><td>Doha</td><td>132</td></tr></table>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    told = {names.MULTI_LEVEL_COLUMN: True, names.STANDARD: False}
    columns = {
        "table_id": ["t1", "t2"],
        "html": [NESTED, PLAIN],
        "properties": [json.dumps(told), json.dumps({names.MULTI_LEVEL_COLUMN: True})],
    }
    pq.write_table(pa.table(columns), tmp_path / "tables.parquet")
    return tmp_path


def test_tables_of_a_folder_are_detected_and_compared(folder: Path) -> None:
    report = properties_report(str(folder))
    assert [table.table for table in report.tables] == ["t1", "t2"]
    lines = {line.name: line for line in report.agreement}
    assert (lines[names.MULTI_LEVEL_COLUMN].tp, lines[names.MULTI_LEVEL_COLUMN].fn) == (1, 1)
    assert (lines[names.STANDARD].n, lines[names.STANDARD].tn) == (1, 1)
    assert any("Split Header Cell" in note for note in report.notes)
    assert any(note.startswith("1 of 2 tables are not annotated for Standard") for note in report.notes)


def test_files_hold_a_row_a_table_and_a_row_a_property(folder: Path) -> None:
    properties_report(str(folder)).write(folder / "out")
    frame = pq.read_table(folder / "out" / "properties.parquet")
    assert frame.column_names[: 1 + len(DETECTED)] == ["table", *DETECTED]
    assert frame["annotated: Standard Relational Table"].to_pylist() == [False, None]
    assert frame[names.MULTI_LEVEL_COLUMN].to_pylist() == [True, False]
    assert frame["complexity"].to_pylist() == ["medium", "low"]
    assert frame["total"].to_pylist() == [25.0, 0.0]
    with (folder / "out" / "agreement.csv").open(encoding="utf-8") as file:
        figures = {line["property"]: line for line in csv.DictReader(file)}
    assert (figures[names.MULTI_LEVEL_COLUMN]["tp"], figures[names.MULTI_LEVEL_COLUMN]["recall"]) == (
        "1",
        "0.5",
    )


def test_without_annotation_the_counts_are_shown(folder: Path) -> None:
    pq.write_table(pa.table({"table_id": ["t"], "html": [NESTED]}), folder / "tables.parquet")
    report = properties_report(str(folder))
    assert report.agreement == ()
    assert {"property": names.MULTI_LEVEL_COLUMN, "tables": 1, "of": 1} in property_rows(report)


def test_a_folder_or_path_without_tables_says_what_is_expected(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "none", "no-such-file.parquet"):
        shown = CliRunner().invoke(app, ["properties", str(source)])
        assert shown.exit_code == 2
        with pytest.raises(InputError, match="no such file; expected a card,"):
            properties_report(str(source))


def test_the_command_prints_within_80_columns_and_json(folder: Path) -> None:
    shown = CliRunner().invoke(app, ["properties", str(folder)])
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80
    asked = CliRunner().invoke(app, ["properties", str(folder), "--json", "--limit", "1"])
    figures = json.loads(asked.stdout)
    assert figures["tables"] == 1
    assert figures["needs_picture"] == ["Split Header Cell"]
    assert figures["complexity"]["header_hierarchy"] == figures["complexity"]["implicit_multi_table"] == 50.0
    assert figures["complexity"]["levels"] == {"low": 0, "medium": 1, "high": 0}
    assert "tables: 1 low, 1 medium, 0 high" in " ".join(shown.output.split())


def test_the_agreement_on_thousands_of_tables_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    lines = tuple([Agreement(name, tp=1122, fp=131, fn=96, tn=1768) for name in DETECTED])
    show_properties(PropertiesReport((), lines, ()), "x")
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"table_id": ["t"]}, "no column 'html'"),
        ({"table_id": ["t"], "html": ["<p>"]}, "table 't'"),
        ({"table_id": ["t"], "html": [PLAIN], "properties": ["[1]"]}, "expected a JSON object"),
        ({"table_id": pa.array([], pa.string()), "html": pa.array([], pa.string())}, "no tables"),
    ],
)
def test_bad_files_are_refused_with_the_place(
    tmp_path: Path, columns: dict[str, list[str]], message: str
) -> None:
    pq.write_table(pa.table(columns), tmp_path / "tables.parquet")
    with pytest.raises(InputError, match=message) as error:
        properties_report(str(tmp_path / "tables.parquet"))
    assert "tables.parquet" in str(error.value)


def test_what_is_no_parquet_and_no_card_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_text("x")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        properties_report(str(tmp_path / "x.parquet"))
    with pytest.raises(InputError, match="unknown card"):
        properties_report("cards.hctqa.reel")


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
def test_a_card_gives_each_of_its_tables_once() -> None:
    report = properties_report("cards.hctqa.real.pak", limit=8)
    assert len({table.table for table in report.tables}) == len(report.tables) == 8
    assert report.agreement
