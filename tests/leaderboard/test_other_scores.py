"""The scores beside the main one on a data set's page."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from torr_plugin.analysis.number_format import ABSENT
from torr_plugin.leaderboard.other_scores import other_scores
from torr_plugin.leaderboard.pages.dataset import files
from torr_plugin.leaderboard.study import Study
from torr_plugin.running import Run

from .made import make_run, with_analysis, with_metrics
from .pages import read
from .rendered import opened, rendered

JUDGE = "judge.<b>one</b>"
OTHERS = {
    "half": lambda score: score / 2,
    "length": lambda score: 40 * score,
    JUDGE: lambda score: 1.0 if score > 0.5 else math.nan,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("others") / "run")
    with_metrics(path, "tab_fact", OTHERS)
    with_analysis(path, resamples=20)
    return path


@pytest.fixture(scope="module")
def study(run: Path) -> Study:
    return opened(run)


def test_means_are_of_the_scores_and_holes_are_marked(run: Path, study: Study) -> None:
    found = other_scores(study, "tab_fact", study.models)
    assert found is not None
    assert found.head == ("Model", "half", JUDGE)  # a length is no score from 0 to 1
    scores = Run.open(run).scores()
    own = scores[(scores["dataset"] == "tab_fact") & (scores["metric"] == "half")]
    for model, half, judged in found.rows:
        rows = own[own["model"] == model.text]
        mean = rows.groupby("example", observed=True)["score"].mean().mean()
        assert half.text == f"{100 * mean:.0f}%"
        assert half.bounds
        # the judge says nothing of wrong answers; where it says nothing at all there is no mean
        assert judged.text in ("100%*", "100%", ABSENT)
    assert any(judged.text.endswith("*") for _, _, judged in found.rows)
    assert found.lines == (
        "A judge\N{RIGHT SINGLE QUOTATION MARK}s verdicts are called judge. and its name.",
    )


def test_a_data_set_with_one_metric_has_none(study: Study) -> None:
    alone = next(name for name in study.datasets if name != "tab_fact")
    assert other_scores(study, alone, study.models) is None


def test_the_page_shows_them(study: Study, tmp_path: Path) -> None:
    folder = rendered(files, study, tmp_path)
    page = read(folder / study.paths.datasets["tab_fact"])
    assert page.problems == []
    assert "others" in page.attributes("id")
    assert JUDGE in page.text.replace("\u200b", "")
