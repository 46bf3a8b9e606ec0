"""The site of a study of ToRR's shape, at a quarter of its size: memory and sizes (in full: benchmarks)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from benchmarks.site import build, sizes
from torr_plugin.running import Run

from ..pages import read_example, read_script
from ..simulated import simulate

pytestmark = pytest.mark.release  # peak memory depends on the machine and on what else runs there

EXAMPLES = 25


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """14 models, 10 data sets, 35 configurations, 25 examples."""
    return simulate(tmp_path_factory.mktemp("full") / "run", examples=EXAMPLES)


@lru_cache(maxsize=1)
def test_a_full_study_fits(run: Path, tmp_path: Path) -> None:
    built = build(run, tmp_path / "site")
    found = sizes(tmp_path / "site")
    assert built.peak_mib < 700
    assert found["site_mb"] < 12
    assert found["overview_mb"] < 1.5
    prompts, answers = set(), 0
    for path in (tmp_path / "site").glob("data/*/pages/examples/[0-9]*.js"):
        _, file = read_script(path.read_text(encoding="utf-8"))
        for example in (read_example(file, place) for place in range(len(file["examples"]))):
            prompts |= {example["texts"][messages[0][1]] for messages in example["prompts"].values()}
            answers += sum(told >= 0 for row in example["answers"] for told in row)
    assert prompts == set(Run.open(run).requests()["prompt"].to_pylist())
    assert answers == 14 * 10 * 35 * EXAMPLES
