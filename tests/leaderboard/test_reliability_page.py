"""The page of reliability: its curves and matrices are the analysis's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torr_plugin.analysis import format_interval
from torr_plugin.analysis.figures.generalizability import Generalizability
from torr_plugin.analysis.figures.reliability import CurvePoint, Curves
from torr_plugin.leaderboard.agreement import example_view, sameness, share_text, variance_view
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.formats import ALL_DATASETS
from torr_plugin.leaderboard.pages import reliability
from torr_plugin.leaderboard.single_model import WISHED
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.text import in_words

from .made import make_run, with_analysis
from .pages import read_script
from .rendered import rendered, scored

pytestmark = pytest.mark.full

MODELS = ("alpha", "beta", "gamma", "delta")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("reliability") / "run", models=MODELS, examples=10)
    with_analysis(path, resamples=60)
    return path


@pytest.fixture(scope="module")
def built(run: Path) -> tuple[Study, dict[str, Any], dict[str, Any]]:
    """The study, the page's values, the data of its curves."""
    return built_of(run)


def built_of(path: Path) -> tuple[Study, dict[str, Any], dict[str, Any]]:
    study = study_of(open_source(path), set(), alone=True)
    page, data = reliability.files(study)
    assert isinstance(page, PageFile)
    assert isinstance(data, DataFile)
    return study, dict(page.values), dict(read_script(data.content)[1])


def test_curves_are_the_analysis_s(built: tuple[Study, Any, dict[str, Any], Any]) -> None:
    study, values, data = built
    found = study.source.figures["reliability"]
    for place, name in enumerate(["overall", *study.datasets]):
        # all configurations with all examples make one ranking, which agrees with itself
        prompts = found[name]["prompts"][:-1]
        points = [*prompts, *found[name]["disjoint"]]
        rows = values["prompt_charts"][place].content.specification["datasets"]["rows"]
        assert [(row["x"], row["w"]) for row in rows] == [
            (p["k"], p["w"]) for p in points if p["w"] is not None
        ]
        texts = [row[1][0] for row in data["prompts"][place]["rows"]]
        assert texts == [format_interval(p["w"], p["low"], p["high"]).split(" ")[0] for p in prompts]
        assert data["examples"][place]["rows"][-1][-1][0] == "\N{EN DASH}"
        assert values["example_charts"][place].content.specification["datasets"]["rows"][-1]["x"] < 10


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0.5, 1.0), "agree at W = 0.500 [0.400, 0.600] from 5 examples and are always the same from 10"),
        ((1.0, 1.0), "are always the same, from 5"),
    ],
)
def test_what_never_differs_is_said_once(values: tuple[float, ...], said: str) -> None:
    half = {1.0: 0.0, 0.5: 0.1}
    points = [
        CurvePoint(k=1, n=n, w=w, low=w - half[w], high=w + half[w], rankings=10, chance=0.1)
        for n, w in zip((5, 10), values, strict=True)
    ]
    (line,) = example_view(Curves(examples=points), pooled=False).lines
    assert line.startswith(f"With 1 configuration, drawn rankings {said} examples")


def test_each_w_says_which_rankings_it_is_of(
    small_study: Study, built: tuple[Study, dict[str, Any], Any]
) -> None:
    study, values, data = small_study, *shown_of(small_study)
    (alone,) = (one for one in values["short"] if one.path == "#configurations")
    assert f"W of all {in_words(int(study.configurations))} rankings, as found: " in alone.figure
    each = "examples of each data set"
    assert (
        values["prompts"]
        .lines[0]
        .startswith(f"Ten drawn rankings, each from 1 configuration and 5 {each}, agree at W = ")
    )
    assert data["prompts"][1]["lines"][0].startswith(
        "Ten drawn rankings, each from 1 configuration and 5 examples, agree at W = "
    )
    assert all(f"from 5 {each}" in line for line in values["examples"].lines)
    assert [data["examples"][place]["head"][0] for place in (0, 1)] == ["Examples per data set", "Examples"]
    charts = [panel.content.specification["layer"] for panel in built[1]["example_charts"]]
    titles = [layers[0]["encoding"]["x"]["title"] for layers in charts]
    assert titles == [f"{each} per ranking", *["examples per ranking"] * 2]
    assert f"35 configurations and 5 {each} the" in values["variance"].lines[1]
    assert " of each data set" not in str([view["lines"] for view in data["variance"][1:]])


def shown_of(study: Study) -> tuple[dict[str, Any], dict[str, Any]]:
    """The page's values, and the data of its curves."""
    page, curves, *_ = reliability.files(study)
    assert isinstance(page, PageFile)
    assert isinstance(curves, DataFile)
    return dict(page.values), dict(read_script(curves.content)[1])


def test_a_half_asked_format_and_one_data_set_are_said_as_they_are(toon: Study) -> None:
    """Five formats take part: ten draws of one are the sentence above again."""
    values, _ = shown_of(toon)
    assert not any("1 configuration" in line for line in values["prompts"].lines)
    assert "5 configurations and 244 examples the" in values["variance"].lines[1]
    assert any("configuration (csv/none/default)" in line for line in values["variance"].lines)
    assert "each data set" not in str(values["frontier"].specification)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one model on two data sets, with an analysis."""
    path = make_run(tmp_path_factory.mktemp("alone") / "run", models=["only"], examples=12)
    with_analysis(path, resamples=200)
    return path


def page_of(path: Path) -> tuple[Study, dict[str, Any]]:
    study = study_of(open_source(path), set(), alone=True)
    (page,) = reliability.files(study)
    assert isinstance(page, PageFile)
    assert page.template == "reliability_alone.html"
    return study, dict(page.values)


def test_one_model_is_shown_what_one_model_allows(alone: Path) -> None:
    study, values = page_of(alone)
    found = study.source.figures
    rows = {row[0].text: row for row in values["spread"].rows}
    assert list(rows) == [ALL_DATASETS, *study.datasets]
    for name in study.datasets:
        own = found["configuration_range"]["only"]["datasets"][name]["range"]
        assert rows[name][0].href == study.paths.datasets[name]
        assert rows[name][1].whisker is not None
        assert rows[name][5].text == format_interval(own["value"], own["low"], own["high"]).split(" ")[0]
    assert not any(cell.text == "\N{EN DASH}" for row in rows.values() for cell in row)


def test_examples_for_a_narrower_interval_go_with_the_square(alone: Path) -> None:
    """By hand: the half width now times the root of the examples now over those then."""
    study, values = page_of(alone)
    rows = {row[0].text: row for row in values["widths"].rows}
    figures = study.analysis.performance["only"]
    halves = {name: (one.high - one.low) / 2 for name, one in figures.datasets.items()}  # type: ignore[operator]
    for name, half in halves.items():
        for cell, wished in zip(rows[name][2:], WISHED, strict=True):
            n = int(cell.text.replace(",", ""))
            assert half * (12 / n) ** 0.5 <= wished * (1 + 1e-9)
            assert n == 1 or half * (12 / (n - 1)) ** 0.5 > wished
    together = sum(half**2 for half in halves.values()) ** 0.5 / 2
    n = int(rows[ALL_DATASETS][2 + WISHED.index(0.05)].text.replace(",", ""))
    assert together * (12 / n) ** 0.5 <= 0.05 < together * (12 / (n - 1)) ** 0.5


def test_one_model_s_page_says_once_what_needs_two(alone: Path, tmp_path: Path) -> None:
    study, _ = page_of(alone)
    text = (rendered(reliability.files, study, tmp_path / "site") / study.paths.reliability).read_text(
        encoding="utf-8"
    )
    assert text.count("needs two models or more; this study has one") == 1
    assert "Kendall" not in text
    single = make_run(tmp_path / "run", models=["only"], datasets=["one"], examples=1)
    study, values = page_of(single)
    assert len(values["spread"].rows) == len(values["widths"].rows) == 1


def test_a_data_set_has_components_though_all_together_do_not(run: Path, tmp_path: Path) -> None:
    frame = open_source(run).scores
    first, second = frame["dataset"].unique()[:2]
    single = frame["example"] == frame.loc[frame["dataset"] == second, "example"].iloc[0]
    path = tmp_path / "scores.csv"
    frame[(frame["dataset"] == first) | ((frame["dataset"] == second) & single)].to_csv(path, index=False)
    _, values, data = built_of(path)
    assert values["variance_titles"] == [first]
    assert values["not_varied"] == [ALL_DATASETS, second]
    assert len(data["variance"]) == 1
    assert values["variance"].rows[0][1].text.endswith("%")


@pytest.mark.parametrize(
    ("w", "low", "said"),
    [
        (1.0, 1.0, "always the same"),
        (0.998, 1.0, "nearly always the same"),
        (0.998, 0.95, ""),
        (1.0, None, ""),
    ],
)
def test_rankings_are_always_the_same_only_where_all_are(w: float, low: float | None, said: str) -> None:
    assert sameness(CurvePoint(k=5, n=10, w=w, low=low, high=1.0, rankings=10, chance=None)) == said


def test_a_small_share_is_not_none() -> None:
    assert [share_text(share) for share in (0.0, 0.0017, 0.005, 0.2)] == ["0%", "<1%", "<1%", "20%"]


@pytest.mark.parametrize(
    ("half", "unsure"),
    [(0.01, "about 17%."), (0.1, "about 17%; which of the two takes off more is open, by their intervals.")],
)
def test_what_a_larger_study_would_bring_follows_from_its_size(half: float, unsure: str) -> None:
    """4 configurations with 10 examples: 0.1 / 4, 0.1 / 10 and 0.1 / 40 make 0.0375, by hand."""
    names = ("model", "model:configuration", "model:example", "residual")
    components = {name: {"value": 0.1, "low": 0.1 - half, "high": 0.1 + half, "share": 0.1} for name in names}
    found = Generalizability.model_validate(
        {
            "components": components,
            "coefficient": {"value": 0.9, "low": 0.8, "high": 0.95},
            "models": 3,
            "configurations": 4,
            "examples": 10.0,
        }
    )
    lines = variance_view(found, False, 10).lines
    assert "10% lies between models" in lines[0]
    assert "67% comes from configurations" in lines[0]
    assert "27% from examples" in lines[0]
    assert "7% from what neither explains" in lines[0]
    assert "configurations would take about 37% off it" in lines[0]
    assert lines[0].endswith(f"twice as many examples {unsure}")
    few = variance_view(found, True, 2).lines[0]
    assert "29% comes from configurations" in few, "examples count as many as they do in the mean"
    assert "with one example of each, 10% lies between models" in few
    assert "0.90" in lines[1]


def test_the_page_begins_with_what_the_analysis_says_in_short(
    built: tuple[Study, dict[str, Any], Any],
) -> None:
    study, values, _ = built
    said = {one.path: one for one in values["short"]}
    figures = study.source.figures
    coefficient = figures["generalizability"]["overall"]["coefficient"]
    found = format_interval(coefficient["value"], coefficient["low"], coefficient["high"])
    assert found in said["#variance"].figure
    assert found.split()[0] in said["#variance"].text
    apart = sum(pair.performance.overall.differs for pair in study.analysis.pairs)
    assert said["#separability"].text.startswith((f"{apart} of the", "All", "No two", "The two"))


def test_of_models_that_are_all_alike_only_that_is_said(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, *cell: example % 2)
    page = next(iter(reliability.files(study)))
    assert isinstance(page, PageFile)
    assert [one.text for one in page.values["short"]] == [
        "No two of the three models are told apart by their mean scores."
    ]
    assert page.values["configurations"] is None
    assert [cell.text for row in page.values["separability"].rows for cell in row[1:3]] == ["0", "3"]
