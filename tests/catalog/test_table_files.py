"""Rows with files of the repository: from a hub that stands in, from a mirror, in versions and with twins."""

from __future__ import annotations

import base64
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.loading import MOST_BYTES, available_splits
from torr_plugin.core.errors import CardError, DataError
from torr_plugin.tables import workbooks

from ..conftest import Torr
from . import realhitbench
from .conftest import Changed

FACTS, PAIRS = "realhitbench.fact_checking", "realhitbench.structure_comprehending"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> realhitbench.Hub:
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    return realhitbench.Hub(tmp_path / "hub", monkeypatch)


def ids(name: str, split: str = "test") -> list[str]:
    return [each.id for each in read_examples(load_card(name), split)]


def test_each_row_gets_its_workbook(hub: realhitbench.Hub) -> None:
    examples = read_examples(load_card(FACTS), "test")
    assert [each.id for each in examples] == ["1", "3"]
    assert examples[0].table.grid[0][1].text == "2020"
    assert examples[0].groups == {
        "table": "boats",
        "type": "fact checking",
        "subtype": "value matching",
        "structure": "miscellaneous",
        "source": "Gov.UK",
    }


def test_html_stands_in_where_there_is_no_workbook(hub: realhitbench.Hub) -> None:
    hub.remove("tables/boats.xlsx")
    hub.asked.clear()
    assert read_examples(load_card(FACTS), "test")[0].table.grid[0][1].text == "of HTML"
    assert hub.asked == [["tables/*.xlsx", "html/*.html"]]


def test_a_pair_is_two_examples_of_one_table(hub: realhitbench.Hub) -> None:
    original, exchanged = read_examples(load_card(PAIRS), "test")
    assert (original.id, exchanged.id) == ("4-original", "4-exchanged")
    assert original.groups == {**exchanged.groups, "side": "original"}
    assert (exchanged.groups["pair"], exchanged.groups["side"], exchanged.groups["table"]) == (
        "4",
        "exchanged",
        "boats",
    )
    assert original.fields == exchanged.fields
    assert original.references == exchanged.references == ("12",)  # of the same question as fact checking
    assert original.groups["subtype"] == "value matching"
    assert original.table.grid[0][1:] == exchanged.table.grid[0][:0:-1]


def test_a_chart_comes_with_its_workbook(hub: realhitbench.Hub) -> None:
    (example,) = read_examples(load_card("realhitbench.chart_generation"), "test")
    assert (example.references, example.target) == (("[12, 7]\n",), "12")
    assert example.facts["chart_type"] == "BarChart"
    read = workbooks.read_xlsx(base64.b64decode(example.facts["workbook"]))
    assert [[cell.text for cell in row] for row in read.rows] == [
        [cell.text for cell in row] for row in realhitbench.BOATS.rows
    ]


def test_both_sides_of_a_pair_are_read_from_one_kind_of_file(hub: realhitbench.Hub) -> None:
    hub.remove("tables/boats_swap.xlsx")
    assert [each.table.grid[0][1].text for each in read_examples(load_card(PAIRS), "test")] == ["of HTML"] * 2


def test_rows_without_a_file_are_left_out_and_named(
    hub: realhitbench.Hub, caplog: pytest.LogCaptureFixture
) -> None:
    hub.remove("tables/ships.xlsx")
    with caplog.at_level(logging.WARNING):
        assert ids(FACTS) == ["1"]
    (line,) = caplog.messages
    assert line == (
        "torr: cards.realhitbench.fact_checking: 1 row left out, as there is no file tables/{name}.xlsx or "
        "html/{name}.html of ships"
    )


def test_no_file_at_all_is_an_error(hub: realhitbench.Hub) -> None:
    for path in list(hub.files()):
        hub.remove(path)
    with pytest.raises(
        DataError, match=r"fact_checking: none of its rows has a file tables/\{name\}\.xlsx or"
    ):
        ids(FACTS)


@pytest.mark.full
def test_a_mirror_reads_as_the_hub_does(
    torr: Torr, hub: realhitbench.Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.remove("tables/boats_swap.xlsx")
    names = [FACTS, PAIRS]
    of_hub = [read_examples(load_card(name), "test") for name in names]
    done = torr("data", "pull", *names, "--to", tmp_path / "m", "--json")
    assert {row["file"]: row["rows"] for row in json.loads(done.stdout)["files"]} == {
        "realhitbench/qa.parquet": 5,
        "realhitbench/qa_long.parquet": 2,
        "realhitbench/tables.parquet": 4,  # a workbook of each table, and HTML of the pair
    }
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    monkeypatch.setenv("TORR_DATA", str(tmp_path / "m"))
    hub.asked.clear()
    assert [read_examples(load_card(name), "test") for name in names] == of_hub
    assert hub.asked == []
    assert available_splits(load_card(FACTS).loader) == ["test", "long"]
    again = torr("data", "pull", *names, "--to", tmp_path / "m", "--json")
    assert {row["state"] for row in json.loads(again.stdout)["files"]} == {"there"}
    verified = json.loads(torr("data", "verify", *names, "--to", tmp_path / "m", "--json").stdout)["splits"]
    assert [(row["split"], row["state"], row["examples"]) for row in verified] == [
        ("test", "good", 2),
        ("long", "good", 1),
        ("files", "good", 4),
        ("test", "good", 2),
        ("long", "good", 2),
        ("files", "good", 4),
    ]


def test_a_mirror_of_questions_alone_says_what_is_missing(
    torr: Torr, hub: realhitbench.Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torr("data", "pull", FACTS, "--to", tmp_path / "m")
    place = tmp_path / "m" / "realhitbench" / "tables.parquet"
    place.unlink()
    monkeypatch.setenv("TORR_DATA", str(tmp_path / "m"))
    said = (
        f"cards.{FACTS}: split 'files': expected {place}, which 'torr data pull cards.{FACTS}' makes; "
        f"the folder {tmp_path / 'm'} that TORR_DATA names has realhitbench"
    )
    with pytest.raises(DataError) as error:
        read_examples(load_card(FACTS), "test")
    assert str(error.value) == said
    assert available_splits(load_card(FACTS).loader) == []
    assert torr("data", "verify", FACTS, "--to", tmp_path / "m").returncode == 1


def test_a_damaged_file_of_files_is_found(torr: Torr, hub: realhitbench.Hub, tmp_path: Path) -> None:
    torr("data", "pull", FACTS, "--to", tmp_path)
    place = tmp_path / "realhitbench" / "tables.parquet"
    place.write_bytes(place.read_bytes()[:-9])
    done = torr("data", "verify", FACTS, "--to", tmp_path)
    assert done.returncode == 1
    assert f"torr: {place}: its checksum is not the manifest's" in done.stderr


@pytest.mark.parametrize("name", ["../boats", "a/../b", "a//b", "a/", "", "/etc/passwd", ".hidden"])
def test_a_name_that_leads_elsewhere_is_refused(hub: realhitbench.Hub, name: str) -> None:
    hub.write_questions({"FileName": name})
    with pytest.raises(
        DataError, match=r"column 'FileName': found .*, expected a file's name without suffix"
    ):
        ids(FACTS)


def test_a_file_that_is_too_large_is_refused(hub: realhitbench.Hub) -> None:
    with hub.folder.joinpath("tables", "boats.xlsx").open("ab") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(DataError, match=r"tables/boats\.xlsx has more than 64000000 bytes"):
        ids(FACTS)


def test_a_hub_out_of_reach_is_said(hub: realhitbench.Hub) -> None:
    hub.failing = OSError("no route")
    with pytest.raises(
        DataError, match=r"RealHiTBench, split 'files'\) are not on this machine, and HF_HUB_OFFLINE is set"
    ):
        ids(FACTS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "QA_final.json: found NoneType, expected a list of rows"),
        ('{"queries": {}}', "found dict"),
    ],
)
def test_questions_that_are_elsewhere_in_the_file(hub: realhitbench.Hub, content: str, said: str) -> None:
    hub.folder.joinpath("QA_final.json").write_text(content)
    with pytest.raises(DataError, match=said):
        ids(FACTS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"loader.files.paths": ["tables/all.xlsx"]}, "files.paths"),
    ],
)
def test_a_card_that_takes_what_is_not_there_is_refused(
    changed_card: Changed, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(CardError, match=said):
        load_card(changed_card(FACTS.replace(".", "/"), change))
