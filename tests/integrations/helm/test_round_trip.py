"""What HELM ran, imported: the requests, answers, scores and figures of ``torr run``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..importing.test_round_trip import assert_same
from .conftest import Both
from .harness import command

pytestmark = pytest.mark.helm


def test_an_imported_suite_is_the_run_of_torr(both: Both, tmp_path: Path) -> None:
    folder = both.folder / "benchmark_output"
    command("torr", "import", "helm", folder, "--out", "imported", cwd=tmp_path)
    assert_same(tmp_path / "imported", both.run)


def test_helm_s_own_scores_of_ours_equal_ours(both: Both, tmp_path: Path) -> None:
    suite = both.folder / "benchmark_output" / "runs" / "s"
    said = command("torr", "import", "helm", suite, "--out", "imported", "--json", cwd=tmp_path)
    report = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    assert report["compared"]["differing"] == 0
    assert report["compared"]["compared"] == report["results"] > 0


def test_an_instance_that_helm_lacks_is_a_hole(both: Both, tmp_path: Path) -> None:
    import shutil

    suite = tmp_path / "suite"
    shutil.copytree(both.folder / "benchmark_output" / "runs" / "s", suite)
    path = next(suite.glob("torr:*torr_majority*")) / "scenario_state.json"
    state = json.loads(path.read_text())
    del state["request_states"][0]
    path.write_text(json.dumps(state))
    said = command("torr", "import", "helm", suite, "--out", "imported", cwd=tmp_path)
    assert "1 cells have no result and are holes" in " ".join(said.split())
    analysis = json.loads((tmp_path / "imported" / "analysis.json").read_text())
    assert analysis["holes"]["missing"] == 1
