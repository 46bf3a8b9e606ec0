"""The other metrics of a card on the examples page: every score of them, and lists by each."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.examples import scores as cube
from torr_plugin.leaderboard.examples.scores import configurations, scores_by_dataset
from torr_plugin.leaderboard.pages import examples
from torr_plugin.running import Run

from .conftest import Only
from .hostile import WORDS
from .made import make_run, with_analysis, with_metrics
from .published import Published

pytestmark = pytest.mark.full

OTHERS = {"half": lambda score: score / 2, "__proto__": lambda score: 1 - score}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("metrics") / "run", failing={"gamma": "ValueError: no"})
    with_metrics(
        path, "tab_fact", {**OTHERS, "length": lambda score: 40 * score, "below": lambda score: -score}
    )
    with_analysis(path, resamples=20)
    return path


@pytest.fixture(scope="module")
def published(run: Path) -> Published:
    return Published(run)


def test_every_score_by_another_metric_is_published(run: Path, published: Published) -> None:
    scores = Run.open(run).scores()
    names = list(published.known.datasets["tab_fact"].others)
    assert names == list(OTHERS)
    found = {
        (model, dataset, config.name, example, metric): detail["others"][place][m][c]
        for (dataset, example), detail in published.examples.items()
        if dataset == "tab_fact"
        for place, metric in enumerate(names)
        for m, model in enumerate(published.known.study.models)
        for c, config in enumerate(published.known.configs)
    }
    columns = ["model", "dataset", "config", "example", "metric", "score"]
    expected = {
        tuple(row[:5]): row[5]
        for row in scores[scores["metric"].isin(names)][columns].itertuples(index=False, name=None)
    }
    assert {key: value for key, value in found.items() if value is not None} == pytest.approx(
        expected, abs=1e-4
    )


def test_a_data_set_of_one_metric_has_nothing_of_others(published: Published) -> None:
    assert published.known.datasets["wikitq"].others == ()
    assert all(not detail["others"] for (name, _), detail in published.examples.items() if name == "wikitq")


def test_what_is_not_between_0_and_1_is_named_and_not_shown(published: Published) -> None:
    assert published.known.datasets["tab_fact"].hidden == ("length", "below")


def test_of_very_many_metrics_the_first_are_shown(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cube, "MOST_METRICS", 1)
    found = Published(run).known.datasets["tab_fact"]
    assert (list(found.others), found.hidden) == (["half"], ("__proto__", "length", "below"))


def test_an_example_that_nobody_answered_stays_in_every_list(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", datasets=("tab_fact",))
    scores = pd.read_parquet(path / "scores.parquet")
    scores[scores["example"] != "tab_fact-2"].to_parquet(path / "scores.parquet", index=False)
    with_metrics(path, "tab_fact", OTHERS)
    published = Published(path)
    assert published.examples["tab_fact", "tab_fact-2"]["others"] == [[], []]


def test_a_metric_without_any_score_is_no_metric(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    with_metrics(copy, "wikitq", {"nothing": lambda score: math.nan})
    found = Published(copy).known.datasets["wikitq"]
    assert (found.others, found.hidden) == ((), ())


def test_scores_without_main_have_one_metric_each() -> None:
    rows = [("m", "d", "c", "e", "one", 1.0), ("m", "d", "c", "f", "one", 0.0)]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "metric", "score"])
    frame = frame.astype(dict.fromkeys(frame.columns[:5], "category"))
    found = scores_by_dataset(frame, ["m"], configurations(frame, (), ()))
    assert found["d"].others == {}
    assert found["d"].scores.tolist() == [[[1.0, 0.0]]]


def test_scores_by_others_leave_less_room_for_texts(run: Path, tmp_path: Path) -> None:
    bare = make_run(tmp_path / "bare")
    budget = 3 * sum(len(file.content) for file in Published(bare).files.values())
    few = 2 * 3 * 6 * 9 * 3  # bytes of the two metrics' scores
    assert Published(run, budget=budget).known.left_out == 0
    assert Published(run, budget=few).known.left_out == 12


def test_names_of_metrics_are_text(tmp_path: Path, only: Only) -> None:
    only(examples)
    path = make_run(tmp_path / "run", datasets=("tab_fact",), examples=2)
    names = [word for word in dict.fromkeys(WORDS) if word.strip()][:12]
    with_metrics(path, "tab_fact", dict.fromkeys(names, lambda score: score / 3))
    page = build_site([path], tmp_path / "site", charts=False).parent / "a-small-study" / "examples.html"
    assert "<script>window.pwned" not in page.read_text(encoding="utf-8")
    assert len(Published(path).known.datasets["tab_fact"].others) == len(names)
