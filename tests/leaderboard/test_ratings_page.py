"""The page of ratings: the figures of `torr rate`, and what may be said of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis import format_interval
from torr_plugin.analysis.ratings import RatingOptions, Ratings, rate
from torr_plugin.analysis.ratings.ratings import PairShare
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.battles.rated import RatedBattles, rate_battles
from torr_plugin.leaderboard.battles.views import (
    rating_lines,
    rating_table,
    rating_text,
)
from torr_plugin.leaderboard.files import PageFile
from torr_plugin.leaderboard.pages import method, overview, ratings
from torr_plugin.leaderboard.study import Study

from .battling import with_battles
from .conftest import Only
from .made import make_run, with_analysis
from .pages import read
from .rendered import opened, rendered

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    run = make_run(
        tmp_path_factory.mktemp("rated") / "run",
        datasets=("wikitq",),
        serializers=("html",),
        perturbations=("none",),
        examples=4,
    )
    with_analysis(run, resamples=20)
    with_battles(run)
    return opened(run)


@pytest.fixture(scope="module")
def found(study: Study) -> Ratings:
    assert study.rated is not None
    assert study.rated.found is not None
    return study.rated.found


@pytest.fixture(scope="module")
def page(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = rendered(ratings.files, study, tmp_path_factory.mktemp("page"))
    return read(out / study.paths.ratings)


def test_ratings_are_those_of_torr_rate(study: Study, found: Ratings) -> None:
    settings = study.analysis.settings
    frame = pd.read_parquet(study.source.path / "battles.parquet")
    options = RatingOptions(resamples=settings.resamples, level=settings.level, seed=settings.seed)
    assert found == rate(frame, options)


def test_the_table_has_every_model_best_first(page: Any, found: Ratings, study: Study) -> None:
    for place, (model, figure) in enumerate(found.bradley_terry.items()):
        row = page.row(model)
        assert " ".join(rating_text(figure)) == row[2]
        assert " ".join(rating_text(found.elo[model])) == row[3]
        assert rating_table(found, study.paths.models).rows[place][0].text == model
    assert page.problems == []


def test_each_level_has_its_ratings(study: Study, found: Ratings) -> None:
    (page,) = ratings.files(study)
    assert isinstance(page, PageFile)
    for name, part in found.levels.items():
        for row in page.values["levels"][name].rows:
            assert (row[2].text, row[2].bounds) == rating_text(part.bradley_terry[row[0].text])


def lines_of(found: Ratings, **changed: Any) -> str:
    return " ".join(rating_lines(found.model_copy(update=changed)))


def test_only_what_tests_separate_is_called_first(found: Ratings) -> None:
    alone = {"alpha": (1, 1), "beta": (2, 3), "gamma": (2, 3)}
    assert lines_of(found, rank_intervals=alone).startswith("alpha is rated higher than every other model.")
    open_ = {"alpha": (1, 2), "beta": (1, 2), "gamma": (3, 3)}
    said = lines_of(found, rank_intervals=open_)
    assert said.startswith(
        "No single model is rated highest. No other is shown to be rated higher than alpha and beta."
    )
    none = dict.fromkeys(alone, (1, 3))
    alike = found.separability.model_copy(update={"paired": 0.0})
    assert lines_of(found, rank_intervals=none, separability=alike).startswith(
        "No single model is rated highest: none is shown to be rated lower than another."
    )


@pytest.mark.parametrize(
    ("paired", "said"),
    [(0.0, "No two models are"), (2 / 3, "2 of the 3 pairs of models are"), (1.0, "All pairs of models are")],
)
def test_pairs_that_are_told_apart_are_counted(found: Ratings, paired: float, said: str) -> None:
    share = PairShare(paired=paired, pairs=3)
    assert lines_of(found, separability=share).endswith(f"{said} told apart by their ratings.")


def test_what_ratings_leave_out_is_counted(study: Study, page: Any) -> None:
    assert study.rated is not None
    frame = study.source.battles
    assert frame is not None
    failed = int(frame["verdict"].isna().sum())
    unclear = int((frame["verdict"] == "unclear").sum())
    assert failed > 0 < unclear
    said = f"{failed + unclear} of {len(frame)} verdicts left out, as they name no winner"
    assert f"{said}: {unclear} unclear, {failed} failed." in page.text


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Interval(value=1164.4, low=1101.6, high=1230.9), ("1164", "[1102, 1231]")),
        (Interval(value=1000.0, low=1000.0, high=1000.0), ("1000", "[no width]")),
        (Interval(value=None, low=1200.0, high=None), ("\N{EN DASH}", "[1200, \N{EN DASH}]")),
        (Interval(value=None, low=None, high=None), ("\N{EN DASH}", "")),
    ],
)
def test_a_rating_reads_as_in_the_terminal(figure: Interval, text: tuple[str, str]) -> None:
    assert rating_text(figure) == text


def problem_of(study: Study, battles: pd.DataFrame) -> RatedBattles:
    return rate_battles(battles, study.analysis.settings)


def test_battles_that_cannot_be_rated_are_said(study: Study, tmp_path: Path) -> None:
    battles = study.source.battles
    assert battles is not None
    undecided = problem_of(study, battles.assign(winner=None))
    assert undecided.found is None
    assert "found no winner in 48 rows" in undecided.problem
    pair = battles[battles["model_b"] == "beta"]
    strangers = pair.assign(model_a="one", model_b="two")
    apart = problem_of(study, pd.concat([pair, strangers], ignore_index=True))
    assert apart.found is None
    assert "2 groups that never battled each other" in apart.problem
    study.__dict__["rated"], kept = apart, study.rated
    out = rendered(ratings.files, study, tmp_path)
    study.__dict__["rated"] = kept
    assert (
        "There are no ratings: battles: the models fall into 2 groups" in read(out / study.paths.ratings).text
    )


def test_method_and_overview_say_what_ratings_are(study: Study, tmp_path: Path) -> None:
    out = rendered(method.files, study, tmp_path)
    rendered(overview.files, study, out)
    said, first = read(out / study.paths.method), read(out / study.paths.overview)
    assert "def-ratings-scores" in said.attributes("id")
    assert said.problems == first.problems == []
    assert {study.paths.ratings, f"{study.paths.method}#def-ratings-scores"} <= set(first.attributes("href"))
    silent = replace(study, source=replace(study.source, battles=None))
    rendered(method.files, silent, out)
    rendered(overview.files, silent, out)
    assert "def-ratings-scores" not in read(out / study.paths.method).attributes("id")
    assert study.paths.ratings not in read(out / study.paths.overview).attributes("href")


def test_judges_are_shown_with_what_sways_them(page: Any, found: Ratings) -> None:
    report = found.judges
    assert report is not None
    assert report.agreement is not None
    for judge, figures in report.by_judge.items():
        row = page.row(judge)
        assert row[1] == str(figures.verdicts)
        assert figures.first_shown is not None
        assert row[6].startswith(f"{100 * (figures.first_shown.value or 0):.0f}% [")
    alpha = report.agreement.ordinal
    assert f"beyond chance is {format_interval(alpha.value, alpha.low, alpha.high)}" in page.text


def test_a_study_without_battles_has_neither_page_nor_assets(
    small_study: Study, small_run: Path, tmp_path: Path, only: Only
) -> None:
    assert list(ratings.files(small_study)) == []
    only(method)
    index = build_site([small_run], tmp_path / "site", charts=False).parent
    found = {path.name for path in index.rglob("*") if path.is_file()}
    assert not found & {"battles.js", "battles.css", "battles.parquet"}
    (page,) = index.rglob("method.html")
    assert "battles" not in page.read_text(encoding="utf-8").lower()
    assert "ratings" not in page.read_text(encoding="utf-8").lower()
