"""Downloads: five files and the recipe, of the size that the page says."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse, tables
from torr_plugin.analysis.charts import specifications
from torr_plugin.analysis.table_files import as_csv
from torr_plugin.leaderboard.downloads import Offer, offers
from torr_plugin.leaderboard.pages import method
from torr_plugin.leaderboard.study import Study

from .battling import with_battles
from .made import make_run, with_analysis
from .pages import read
from .rendered import opened, rendered

HOSTILE = "<img src=x onerror=alert(1)>=\"'\n"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    run = make_run(tmp_path_factory.mktemp("offered") / "run", models=("alpha", "beta", "=1+1"))
    with_analysis(run, resamples=50)
    with_battles(run)
    return opened(run)


def by_name(study: Study) -> dict[str, Offer]:
    return {offer.name: offer for offer in offers(study)}


def test_there_are_five_and_the_recipe(study: Study, tmp_path: Path) -> None:
    found = by_name(study)
    assert list(found) == [
        *("scores.parquet", "analysis.json", "models.csv", "formats.csv", "battles.parquet", "recipe.yaml")
    ]
    page = read(rendered(method.files, study, tmp_path) / study.paths.method)
    for name, offer in found.items():
        assert page.row(name)[2] == offer.size
        assert f"../{study.paths.data}/{name}" in page.attributes("href")
    silent = replace(study, source=replace(study.source, battles=None))
    assert "battles.parquet" not in by_name(silent)


def test_the_scores_give_the_same_figures_again(study: Study) -> None:
    found = by_name(study)
    analysis = json.loads(found["analysis.json"].content)
    scores = pd.read_parquet(io.BytesIO(found["scores.parquet"].content))
    again = analyse(scores, resamples=50, seed=analysis["settings"]["seed"])
    for name in ("performance", "robustness", "pairs", "rank_intervals_datasets"):
        assert again[name] == analysis[name]


def test_battles_are_those_of_the_study(study: Study) -> None:
    there = pd.read_parquet(io.BytesIO(by_name(study)["battles.parquet"].content))
    battles = study.source.battles
    assert battles is not None
    for name in ("question", "winner", "reason"):
        own = there[name].astype(object)
        assert own.where(own.notna(), None).tolist() == battles[name].tolist()


def test_no_name_is_a_formula_of_a_spreadsheet(study: Study) -> None:
    for name in ("models.csv", "formats.csv"):
        text = by_name(study)[name].content.decode()
        models = {row["model"] for row in csv.DictReader(io.StringIO(text, newline=""))}
        assert models - {""} == {"alpha", "beta", "'=1+1"}


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (17_400, "17 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
    ],
)
def test_sizes_as_people_say_them(count: int, text: str) -> None:
    assert Offer("a", "b", bytes(count)).size == text


def test_a_chart_says_over_which_examples_its_figures_are(toon: Study) -> None:
    found, _ = specifications(toon.source.figures)
    said = {name: " ".join(one["title"]["subtitle"]) for name, one in found.items()}
    basis = "4 models, 1 data set, 6 configurations and 244 examples, not all in every configuration"
    five = f"{basis}; over 5 of 6 configurations. "
    begins = {
        "serializer_range": f"{basis}. ",
        "model_scores": f"{basis}; ToRR's robustness, worst and best over 109 of 244 examples. ",
        "performance_datasets": f"{basis}. ",
        "performance_robustness": f"{basis} ",
        "configuration_agreement": five,
        "reliability_prompts": five,
        "reliability_examples": five,
    }
    assert {name: said[name][: len(text)] for name, text in begins.items()} == begins


def test_torr_s_robustness_has_its_name(toon: Study) -> None:
    spec = specifications(toon.source.figures)[0]["model_scores"]
    assert spec["title"]["text"] == "Performance and ToRR's robustness of each model"
    assert {row["panel"] for row in spec["datasets"]["rows"]} == {
        *("performance", "ToRR's robustness", "worst", "best")
    }


def test_hostile_names_are_whole() -> None:
    rows = cube_frame([[[0.5, 1.0]], [[0.2, 0.1]]])
    frame = rows.assign(model=rows["model"].replace("m0", HOSTILE))
    found = {table.stem: table for table in tables(analyse(frame, resamples=5))}
    shown = found["rank_intervals"]
    text = as_csv(shown.header, shown.rows).decode()
    assert {row["model"] for row in csv.DictReader(io.StringIO(text, newline=""))} == {HOSTILE, "m1"}


def test_cells_of_any_kind_can_be_written() -> None:
    """A plugin's table may hold anything, and have two columns of one name."""
    rows = [("\udc80", 1, float("nan"), None), ([1], 2.5, 10**30, None), (None, True)]
    assert len(as_csv(("a", "a", "b", "c"), rows).splitlines()) == 4
