"""A small study that the real command ran once, for all tests of commands that read a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from .in_process import here

RECIPE = """\
name: quick
cards: [cards.bundled.cell_lookup, cards.hctqa.synthetic]
configurations: {serializers: [html, torr.csv], perturbations: [none, transpose, shuffle_rows]}
examples: {count: 10}
demonstrations: {shots: 1}
models:
- {model: torr-lexical, family: baselines, size: 2, open: true}
- {model: torr-majority, family: baselines, size: 1, open: false}
- torr-random-cell
analysis: {resamples: 20}
"""
REQUESTS = 2 * 6 * 10  # of each model


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its run: whoever changes it copies it. ``quick.yaml`` and what was printed lie beside it."""
    place = tmp_path_factory.mktemp("quick")
    (place / "quick.yaml").write_text(RECIPE)
    done = here("run", place / "quick.yaml", "--out", place / "run", "--json")
    assert done.exit_code == 0, done.stderr
    (place / "printed.json").write_text(done.stdout)
    return place / "run"
