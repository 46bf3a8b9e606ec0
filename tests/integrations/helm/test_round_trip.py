"""What HELM ran, imported: the requests, answers, scores and figures of ``torr run``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..importing.test_round_trip import assert_same
from .conftest import Both
from .harness import torr_in

pytestmark = pytest.mark.full


def test_an_imported_suite_is_the_run_of_torr(both: Both, tmp_path: Path) -> None:
    folder = both.folder / "benchmark_output"
    report = json.loads(torr_in(tmp_path, "import", "helm", folder, "--out", "imported", "--json"))
    assert_same(tmp_path / "imported", both.run)
    # HELM's own scores are those that we give
    assert report["compared"]["differing"] == 0
    assert report["compared"]["compared"] == report["results"] > 0
