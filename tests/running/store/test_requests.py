"""Requests that follow from answers: stored beside the planned ones, kept when those are written again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.running.asked_models import Plan
from tests.running.made import entry, prompts
from torr_plugin.core.errors import RunError
from torr_plugin.running import Run, execute
from torr_plugin.running.store import shards

ECHO = entry("test-echo")


def following(model: str, *texts: str) -> list[object]:
    return [dataclasses.replace(each, model=model, stage=1) for each in Plan(list(texts)).requests()]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    execute(Plan(["say a", "say b"]), [ECHO], tmp_path / "run")
    return Run.open(tmp_path / "run")


def rows(run: Run) -> list[tuple[object, ...]]:
    found = run.requests().to_pylist()
    return [(row["stage"], row["model"], row["prompt"]) for row in found]


def test_they_are_read_behind_the_planned_ones(run: Run) -> None:
    folder = run.path / "requests"
    shards.append_requests(folder, following("test-echo", "more a"))
    shards.append_requests(folder, [*following("other/Model", "x"), *following("test-echo", "more b")])
    assert rows(run) == [
        (0, None, "say a"),
        (0, None, "say b"),
        (1, "other/Model", "x"),
        (1, "test-echo", "more a"),
        (1, "test-echo", "more b"),
    ]
    (first, second) = shards.later_tables(folder, "test-echo", ["prompt"])
    assert [*first["prompt"].to_pylist(), *second["prompt"].to_pylist()] == ["more a", "more b"]
    assert [table.num_rows for table in shards.planned_tables(folder)] == [2]
    asked = prompts(run, "other/Model").values()
    assert [prompt[0].content for prompt in asked] == ["say a", "say b", "x"]
    assert len(run.keys("test-echo")) == 4


def test_they_survive_that_planned_ones_are_written_again(run: Run) -> None:
    folder = run.path / "requests"
    shards.append_requests(folder, following("test-echo", "more a"))
    before = rows(run)
    (folder / "part-000000.parquet").write_bytes(b"")
    whole, notes = shards.set_aside_damaged(folder, 2)
    assert (whole, len(notes)) == (False, 1)
    Run.create_or_resume(run.path, Plan(["say a", "say b"]), [ECHO])
    assert rows(Run.open(run.path)) == before


def test_a_damaged_one_costs_no_planned_one(run: Run) -> None:
    folder = run.path / "requests"
    shards.append_requests(folder, following("test-echo", "more a"))
    shards.append_requests(folder, following("test-echo", "more b"))
    planned = (folder / "part-000000.parquet").stat().st_mtime_ns
    (folder / "later-test-echo-000000.parquet").write_bytes(b"half")
    with pytest.raises(RunError, match=r"later-test-echo-000000.parquet: damaged"):
        run.requests()
    resumed = Run.create_or_resume(run.path, Plan(["say a", "say b"]), [ECHO])
    assert len(resumed.notes) == 1
    assert "its requests are made again from the answers before them" in resumed.notes[0]
    assert [row[2] for row in rows(resumed)] == ["say a", "say b", "more b"]
    assert (folder / "part-000000.parquet").stat().st_mtime_ns == planned


def test_planned_ones_are_one_file_and_the_several_of_earlier_versions_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "ROWS_A_SHARD", 1)
    execute(Plan(["say a", "say b"]), [ECHO], tmp_path / "run")
    (file,) = (tmp_path / "run" / "requests").iterdir()
    assert pq.read_metadata(file).num_row_groups == 2
    run, table = Run.open(tmp_path / "run"), pq.read_table(file)
    before = rows(run)
    for number in range(2):
        pq.write_table(table.slice(number, 1), file.with_name(f"part-{number:06d}.parquet"))
    assert rows(run) == before
    assert execute(Plan(["say a", "say b"]), [ECHO], tmp_path / "run").notes == ()
    (file.with_name("part-000001.parquet")).write_bytes(b"")
    assert execute(Plan(["say a", "say b"]), [ECHO], tmp_path / "run").answered == 2
    assert rows(run) == before
