"""A study's charts as files, drawn while its pages are made."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Timer
from time import monotonic, sleep
from typing import Any

import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import AnalysisResults, analysis_results
from torr_plugin.analysis.charts import workers
from torr_plugin.analysis.charts.drawing import Drawn
from torr_plugin.analysis.figures.model_scores import MODEL_SCORES
from torr_plugin.leaderboard.chart_files import ChartsInBackground, draw_in_background

pytestmark = pytest.mark.full


def test_a_chart_that_fails_is_said_and_the_others_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = analysis_results(cube_frame([[[0.5, 1.0, 0.2]], [[0.2, 0.1, 0.4]]]), resamples=5)
    plain = results.to_json()
    plain["rank_intervals"] = {}
    draw = workers.draw_chart

    def draw_two(stem: str, spec: dict[str, Any]) -> None:
        if Path(stem).name in ("performance_robustness", "difficulty"):
            draw(stem, spec)
        else:
            for ending in workers.ENDINGS:
                Path(stem + ending).write_text(stem)

    monkeypatch.setattr(workers, "draw_chart", draw_two)
    charts = ChartsInBackground(tmp_path / "charts", AnalysisResults.from_json(plain), {})
    with workers.chart_workers(0) as here, draw_in_background([charts], {}, here):
        assert charts.has("difficulty")
        assert not charts.has("rank_intervals")
        found = charts.all()
    assert {chart.name for chart in found.files} >= {"performance_robustness", "difficulty"}
    (line,) = found.failed
    assert line.startswith("no chart rank_intervals: KeyError")
    assert all(
        (tmp_path / "charts" / f"{chart.name}.{ending}").stat().st_size == size
        for chart in found.files
        for ending, size in chart.sizes.items()
    )


def test_the_picture_for_a_paper_has_the_sites_tiers(tmp_path: Path) -> None:
    results = analysis_results(cube_frame([[[0.5, 1.0, 0.2]], [[0.2, 0.1, 0.4]]]), resamples=5)
    tiers = {model: 71 + number for number, model in enumerate(results[MODEL_SCORES].ranked())}
    charts = ChartsInBackground(tmp_path, results, tiers)
    with workers.chart_workers(0) as here, draw_in_background([charts], {}, here):
        assert charts.all().failed == ()
    drawn = (tmp_path / "performance_robustness.svg").read_text(encoding="utf-8")
    assert "(71)" in drawn
    assert "(72)" in drawn


def test_a_chart_is_known_while_others_are_being_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = analysis_results(cube_frame([[[0.5, 1.0, 0.2]], [[0.2, 0.1, 0.4]]]), resamples=5)
    looked, drawn = Event(), list[str]()

    def draw(stem: str, spec: dict[str, Any]) -> None:
        if drawn:
            looked.wait(30)
        drawn.append(Path(stem).name)
        for ending in workers.ENDINGS:
            Path(stem + ending).write_text(stem)

    monkeypatch.setattr(workers, "draw_chart", draw)
    charts = ChartsInBackground(tmp_path / "charts", results, {})
    with workers.chart_workers(0) as here, draw_in_background([charts], {}, here):
        end = monotonic() + 30
        while not drawn and monotonic() < end:
            sleep(0.001)
        first = drawn[0]
        assert charts.has(first)
        assert drawn == [first]
        looked.set()
        assert len(charts.all().files) == len(drawn) > 1


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), RuntimeError("no room")])
def test_whatever_ends_the_drawing_no_page_waits_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("torr_plugin.leaderboard.chart_files.draw", fail)
    results = analysis_results(cube_frame([[[0.5, 1.0]], [[0.2, 0.1]]]), resamples=5)
    charts = ChartsInBackground(tmp_path, results, {})
    with workers.chart_workers(0) as here, draw_in_background([charts], {}, here):
        assert not charts.has("difficulty")
        (line,) = charts.all().failed
    assert line.startswith(f"no chart: {type(error).__name__}")


def test_of_a_study_whose_charts_are_not_begun_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()

    def draw(*_: object, **__: object) -> Drawn:
        begun.set()
        go_on.wait(30)
        return Drawn((), ())

    monkeypatch.setattr("torr_plugin.leaderboard.chart_files.draw", draw)
    results = analysis_results(cube_frame([[[0.5, 1.0]], [[0.2, 0.1]]]), resamples=5)
    studies = [ChartsInBackground(tmp_path / name, results, {}) for name in ("one", "other")]

    def interrupted() -> None:
        with workers.chart_workers(0) as here, draw_in_background(studies, {}, here):
            begun.wait(30)
            Timer(0.1, go_on.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [study.all().files for study in studies] == [(), ()]
    assert not studies[1].has("difficulty")


def test_charts_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    results = analysis_results(cube_frame([[[0.5, 1.0]], [[0.2, 0.1]]]), resamples=5)
    (tmp_path / "file").write_text("")
    charts = ChartsInBackground(tmp_path / "file" / "charts", results, {})
    with workers.chart_workers(0) as here, draw_in_background([charts], {}, here):
        found = charts.all()
    assert found.files == ()
    (line,) = found.failed
    assert line.startswith("no chart: NotADirectoryError")
