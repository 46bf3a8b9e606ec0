"""A figure that names a page appears there, and among the downloads, by its own object alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.analysis.made import known_study
from torr_plugin.analysis import Figure, FigureChart, FigureTable
from torr_plugin.analysis.charts.vega import SCHEMA, heading, nominal, quantitative, specification
from torr_plugin.analysis.figure import figures
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.navigation import LABELS
from torr_plugin.leaderboard.pages import downloads, formats, method

from .conftest import Only
from .made import make_run
from .pages import read

TEXT = "<script>window.pwned=1</script>"


class Perfect(Figure[dict[str, float]]):
    """The share of scores that are 1."""

    key = "perfect"
    title = "perfect scores"
    explanation = f"How often a score is 1. {TEXT}"
    page = "method"
    tables = (
        FigureTable("perfect", ("model", "share"), lambda result: result.items(), "share of perfect scores"),
    )
    charts = (
        FigureChart(
            "perfect",
            lambda result, context: specification(
                {"mark": "bar", "encoding": {"y": nominal("model"), "x": quantitative("share")}},
                [{"model": model, "share": share} for model, share in result.items()],
                heading("Perfect scores", [context.basis], 300),
            ),
        ),
    )

    def compute(self, study: Any) -> dict[str, float] | None:
        shares = (study.rows["score"] == 1).groupby(study.rows["model"]).mean()
        return {str(model): float(share) for model, share in shares.items()}

    def lines(self, result: dict[str, float]) -> list[str]:
        return [f"most often perfect: {max(result, key=result.__getitem__)}"]


class Broken(Perfect):
    key = "broken"

    def lines(self, result: dict[str, float]) -> list[str]:
        raise KeyError("gone")


class Nowhere(Perfect):
    key, page = "nowhere", "configurations"


@pytest.mark.full
def test_a_figure_that_names_a_page_is_there(
    tmp_path: Path, only: Only, caplog: pytest.LogCaptureFixture
) -> None:
    only(method, downloads)
    run = make_run(tmp_path / "run", models=["alpha", TEXT])
    figures.add(Perfect(), origin="it")
    figures.add(Broken(), origin="it")
    figures.add(Nowhere(), origin="it")
    try:
        build_site([run], tmp_path / "site", charts=False)
    finally:
        figures.remove("perfect")
        figures.remove("broken")
        figures.remove("nowhere")
    source = (tmp_path / "site" / "a-small-study" / "method.html").read_text()
    page = read(tmp_path / "site" / "a-small-study" / "method.html")
    assert page.problems == []
    assert TEXT not in source
    assert "figure-perfect" in page.attributes("id")
    for said in (
        "Perfect scores",
        "How often a score is 1.",
        "most often perfect: ",
        "Share of perfect scores",
    ):
        assert said in page.text, said
    assert [each for each in page.attributes("id") if each.startswith("chart-")] == ["chart-figure-perfect"]
    assert SCHEMA not in source
    assert "Figure 'broken' of plugin 'it'" in page.text
    assert "its section was left out" in page.text
    assert "Figure 'nowhere' of plugin 'it' failed: ValueError: unknown page 'configurations'" in page.text
    warned = [each.getMessage() for each in caplog.records]
    assert [each.split(" of ")[0] for each in warned] == ["figure 'broken'", "figure 'nowhere'"]
    offered = read(tmp_path / "site" / "a-small-study" / "downloads.html")
    assert "Share of perfect scores" in offered.text
    assert (tmp_path / "site/data/a-small-study/plugins/perfect.csv").is_file()


@pytest.mark.full
def test_text_pictures_and_both_are_compared_on_the_page_of_formats(tmp_path: Path, only: Only) -> None:
    only(formats)
    scores, _ = known_study(datasets=("a",), tables=4)
    text = scores[scores["serializer"] == "html"]
    both = text.assign(serializer="image+html", config="image+html/none/x", score=1 - text["score"])
    pd.concat([scores, both]).to_parquet(tmp_path / "scores.parquet")
    build_site([tmp_path / "scores.parquet"], tmp_path / "site", charts=False)
    (path,) = (tmp_path / "site").glob("*/formats.html")
    page = read(path)
    assert page.problems == []
    assert "figure-modalities" in page.attributes("id")
    assert "both_less_text" in page.text
    assert "as a picture" in page.text


@pytest.mark.parametrize("figure", figures.values(), ids=lambda figure: figure.key)
def test_figures_name_pages_that_there_are(figure: Figure[Any]) -> None:
    assert figure.page in ("", *dict(LABELS))
