"""A model whose client refuses all of one format and some answers of another, by HELM's own commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...timing import PATIENCE
from .harness import LIMIT, RECIPE, runs_of, scores_of, torr_in

pytestmark = pytest.mark.release

CLIENT = """\
import zlib

from helm.common.request import ErrorFlags, RequestResult
from torr_plugin.integrations.helm.client import TorrClient


class Flaky(TorrClient):
    def make_request(self, request):
        if "<table>" in request.prompt:
            hard = ErrorFlags(is_retriable=False, is_fatal=True)
            return RequestResult(False, [], [], cached=False, error="no such key", error_flags=hard)
        if zlib.crc32(request.prompt.encode()) % 2:
            soft = ErrorFlags(is_retriable=False, is_fatal=False)
            return RequestResult(False, [], [], cached=False, error="filtered", error_flags=soft)
        return super().make_request(request)
"""
DEPLOYMENTS = """\
model_deployments:
  - name: acme/flaky
    model_name: acme/flaky
    tokenizer_name: torr/characters
    max_sequence_length: 100000
    client_spec: {class_name: flaky.Flaky, args: {model: torr-lexical}}
"""
METADATA = """\
models:
  - name: acme/flaky
    display_name: Flaky
    description: Fails.
    creator_organization_name: Acme
    access: open
    release_date: 2026-01-01
    tags: []
"""
GROUP = "small_bundled_aggregation"


def test_a_model_that_fails_has_holes(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(RECIPE.replace("torr.concat", "torr.html"))
    (tmp_path / "flaky.py").write_text(CLIENT)
    (tmp_path / "prod_env").mkdir()
    (tmp_path / "prod_env" / "model_deployments.yaml").write_text(DEPLOYMENTS)
    (tmp_path / "prod_env" / "model_metadata.yaml").write_text(METADATA)
    torr_in(tmp_path, "helm-entries", "small.yaml", "--model", "acme/flaky", "--out", "s.conf")
    helm_run = Path(sys.executable).with_name("helm-run")
    done = subprocess.run(
        [helm_run, "--conf-paths", "s.conf", "--suite", "s", "-m", str(LIMIT), "--groups-to-run", GROUP],
        cwd=tmp_path,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert "no such key" in done.stdout + done.stderr

    finished = [run for run in runs_of(tmp_path, "s").values() if (run / "stats.json").exists()]
    assert len(finished) == 2  # HELM gives up a run at the first error that it calls fatal
    scores = [scores_of(run) for run in finished]
    missing = [example for each in scores for example, found in each.items() if found["torr_missing"]]
    assert 0 < len(missing) < 2 * LIMIT
    for found in [found for each in scores for found in each.values()]:
        assert (found["torr_score"] is None) == found["torr_missing"]
