"""Long lines are broken where a reader and a copied command bear it, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.own_tables.places import COMMAND, fill
from tests.cli.in_process import here
from torr_plugin.cli.console.tables import say_in_columns

LONG = "/scratch/" + "a-long-folder/" * 8 + "file.json"


def test_a_path_longer_than_the_terminal_stays_whole(capsys: pytest.CaptureFixture[str]) -> None:
    say_in_columns(f"A note about {LONG}, which is read in pieces of eighty columns, all of them.")
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["A note about", f"{LONG},"]
    assert len(lines) == 3


def test_the_next_command_is_one_line_to_copy(place_of_tables: Path) -> None:
    mirror = place_of_tables / ("a folder, " * 9).strip()
    done = here(*COMMAND, "--to", mirror)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.splitlines()[-1] == f"Next: TORR_DATA='{mirror}' torr run towns.yaml"


@pytest.fixture
def place_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
