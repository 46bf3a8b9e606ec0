"""What stands beside the main figures: noise, own cells, tables, detectable differences, cells not asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import format_value
from torr_plugin.leaderboard.pages import dataset, model, overview, reliability
from torr_plugin.leaderboard.standings import standings
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.verdicts import detectable

from .pages import Page
from .rendered import opened, rendered

pytestmark = pytest.mark.full

CONFIGS = [f"{f}/{p}/default" for f in ("html", "csv", "json") for p in ("none", "transpose")]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Questions share tables, some were asked again, csv was not asked of all, and one model failed often."""
    rng = np.random.default_rng(4)
    rows = []
    for name, skill in (("high", 0.9), ("low", 0.4)):
        for e in range(24):
            for config in CONFIGS:
                if config.startswith("csv") and e % 2:
                    continue
                parts = dict(zip(("serializer", "perturbation", "design"), config.split("/"), strict=True))
                failed = name == "low" and e % 4 == 0 and config.startswith("json")
                for replicate in range(1 + (e % 3 == 0)):
                    score = None if failed else float(rng.random() < skill)
                    cell = {"model": name, "dataset": "d", "config": config, "example": f"e{e}", **parts}
                    more = {"metric": "em", "main": True, "cluster": f"t{e // 2}", "replicate": replicate}
                    rows.append({**cell, **more, "score": score})
    path = tmp_path_factory.mktemp("beside") / "scores.parquet"
    pd.DataFrame(rows).to_parquet(path)
    return opened(path)


@pytest.fixture(scope="module")
def site(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    for page in (overview, model, dataset, reliability):
        rendered(page.files, study, out)
    return out


def page_of(site: Path, path: str) -> Page:
    page = Page((site / path).read_text(encoding="utf-8"))
    assert page.problems == []
    return page


def test_the_headline_is_over_five_configurations_and_torrs_beside_it(study: Study) -> None:
    assert study.analysis.compares_robustness
    for row in standings(study.analysis, study.tied_groups):
        ours, torrs = study.analysis.robustness_5[row.model], study.analysis.robustness[row.model]
        assert row.headline_robustness.numbers[0] == ours.overall.value
        assert row.robustness.numbers[0] == torrs.overall.value
        assert (ours.overall.value or 0) >= (torrs.overall.value or 0)


def test_noise_is_shown_where_prompts_were_asked_again(study: Study, site: Path) -> None:
    found = study.analysis.noise
    assert found is not None
    assert "no prompt was asked twice" not in page_of(site, study.paths.overview).text
    for path in (study.paths.datasets["d"], study.paths.models["high"]):
        page = page_of(site, path)
        assert "no prompt was asked twice" not in page.text
        own = found.noise["high"].overall
        value = format_value(own.value, own.low, own.high)
        twice = found.pass_k["high"].overall[2]
        right = format_value(twice.value, twice.low, twice.high)
        rows = [row for row in page.rows if len(row) == 6 and value in row[4] and right in row[5]]
        assert rows, path
        assert "Right all 2 times" in page.text


def test_cells_that_failed_and_cells_not_asked_are_told_apart(study: Study, site: Path) -> None:
    holes = study.analysis.holes
    assert (holes.failed, holes.not_asked) == (12, 48)
    text = " ".join(page_of(site, study.paths.overview).text.split())
    assert f"12 of {holes.expected} scores are missing." in text
    assert "48 scores were not asked for, by design" in text


def test_models_that_lose_many_cells_are_named_with_both_figures(study: Study, site: Path) -> None:
    own = study.analysis.own_cells["high"].overall
    assert own.dropped is not None
    assert own.dropped > 0.05
    page = page_of(site, study.paths.models["high"])
    (row,) = [row for row in page.rows if len(row) == 6 and row[1].strip() == f"{100 * own.dropped:.0f}%"]
    value = format_value(own.performance.value, own.performance.low, own.performance.high)
    assert row[3].strip().startswith(value)


def test_a_data_set_says_its_tables_and_what_could_be_detected(study: Study, site: Path) -> None:
    text = " ".join(page_of(site, study.paths.datasets["d"]).text.split())
    tables, difference = study.analysis.tables["d"], detectable(study, "d")
    assert f"{tables.tables}; design effect {tables.design_effect:.2f}" in text
    assert f"Detectable difference {difference} for the two models that are hardest to tell apart" in text
    # the only data set: Reliability says the same
    assert difference in page_of(site, study.paths.reliability).text
