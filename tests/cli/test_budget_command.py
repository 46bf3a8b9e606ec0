"""``torr budget`` on a run: what options cost in requests and tokens, with the label-keeping ones alone."""

from __future__ import annotations

import json

import pytest

from ..conftest import Torr

RECIPE = """\
name: small
seed: 1
cards: [cards.bundled.cell_lookup]
configurations:
  - serializers: [html, csv]
    perturbations: [none, transpose, shuffle_rows]
examples: {count: 6}
demonstrations: {shots: 0}
models: [torr-majority, torr-lexical, torr-random-cell]
analysis: {resamples: 100}
"""


def test_a_run_says_what_its_options_cost(torr: Torr, tmp_path) -> None:
    (tmp_path / "small.yaml").write_text(RECIPE)
    done = torr("run", "small.yaml", "--out", "run")
    assert done.returncode == 0, done.stderr
    told = torr("budget", "run", "--target", "0.8", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["models"] == 3
    assert found["study"]["requests_per_model"] == 36
    assert found["cost"]["requests"] == 1
    for option in [found["study"], *found["options"]]:
        per_request = option["prompt_tokens"] / option["requests"]
        assert per_request == pytest.approx(found["cost"]["prompt_tokens"], rel=0.01)
        assert per_request > 50, "a prompt holds a table"
    if found["cost"]["estimated"]:
        assert "estimated, four characters each" in told.stderr
    kept = torr("budget", "run", "--label-keeping")
    assert kept.returncode == 0, kept.stderr
    assert "Label-keeping perturbations alone." in kept.stdout
    assert max(map(len, kept.stdout.splitlines())) <= 80
