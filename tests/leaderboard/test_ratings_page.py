"""The page of ratings: the figures of `torr rate`, and what may be said of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis import format_interval
from torr_plugin.analysis.ratings import RatingOptions, Ratings, rate
from torr_plugin.analysis.ratings.judges import JudgeFigures, JudgeReport, SelfPreference
from torr_plugin.analysis.ratings.planning import Needed
from torr_plugin.analysis.ratings.ratings import PairShare
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.battles.rated import RatedBattles, rate_battles
from torr_plugin.leaderboard.battles.views import (
    judge_table,
    judges_table,
    length_line,
    level_table,
    needed_table,
    rating_lines,
    rating_table,
    rating_text,
    win_matrix,
)
from torr_plugin.leaderboard.charts.ratings import rating_rows
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import downloads, method, overview, ratings
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.views import as_data
from torr_plugin.recipes import JudgeEntry, Recipe, plan
from torr_plugin.workflows import ask_judge
from torr_plugin.workflows.study import run_study

from .battling import with_battles
from .conftest import Only
from .made import make_run, with_analysis
from .pages import read, read_script
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
    options = RatingOptions(
        resamples=settings.resamples, level=settings.level, seed=settings.seed, style=("length",)
    )
    assert found == rate(frame, options)


def test_the_table_has_every_model_best_first(page: Any, found: Ratings, study: Study) -> None:
    for place, (model, figure) in enumerate(found.bradley_terry.items()):
        row = page.row(model)
        assert " ".join(rating_text(figure)) == row[3]
        assert " ".join(rating_text(found.elo[model])) == row[5]
        assert rating_table(found, study.paths.models).rows[place][0].text == model
    assert page.problems == []


def test_each_level_has_its_ratings(found: Ratings) -> None:
    view = level_table(found, {})
    assert view.head == ("Model", "All", "Extraction", "Calculation", "Analysis")
    for row in view.rows:
        assert (row[2].text, row[2].bounds) == rating_text(
            found.levels["extraction"].bradley_terry[row[0].text]
        )


def test_the_matrix_has_shares_and_numbers_of_battles(found: Ratings) -> None:
    view = win_matrix(found)
    models = view.head[1:]
    assert [row[0].text for row in view.rows] == list(models)
    for row in view.rows:
        for other, cell in zip(models, row[1:], strict=True):
            if other != row[0].text:
                won = found.win_rates[row[0].text][other]
                assert (cell.text, cell.bounds) == (f"{100 * won.value:.0f}%", str(won.battles))


def test_the_chart_has_both_ratings_of_every_model(found: Ratings) -> None:
    rows = rating_rows(found)
    assert {(row["label"], row["series"]) for row in rows} == {
        (model, series) for model in found.bradley_terry for series in ("Bradley-Terry", "Elo")
    }
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


def test_data_of_a_level_are_its_ratings(study: Study, found: Ratings) -> None:
    (file,) = [each for each in ratings.files(study) if isinstance(each, DataFile)]
    path, data = read_script(file.content)
    assert path == f"{study.paths.scripts}/ratings.js"
    assert len(data) == 1 + len(found.levels)
    for part, level in zip(data[1:], found.levels.values(), strict=True):
        assert part["table"] == as_data(rating_table(level, study.paths.models))


def test_each_level_has_a_chart_of_its_ratings(study: Study, found: Ratings) -> None:
    (page,) = [each for each in ratings.files(study) if isinstance(each, PageFile)]
    panels = page.values["rating_charts"]
    assert [panel.label for panel in panels] == [ratings.ALL_QUESTIONS, *found.levels]
    for panel, part in zip(panels, (found, *found.levels.values()), strict=True):
        assert panel.content.specification["datasets"]["rows"] == rating_rows(part)


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
    share = PairShare(value=paired, paired=paired, pairs=3)
    assert lines_of(found, separability=share).endswith(f"{said} told apart by their ratings.")


def test_length_matters_only_where_its_interval_excludes_0(found: Ratings) -> None:
    def said(low: float, high: float) -> str:
        worth = {"length": Interval(value=(low + high) / 2, low=low, high=high)}
        assert found.bradley_terry_style is not None
        return length_line(found.bradley_terry_style.model_copy(update={"covariates": worth}))

    assert said(8, 16) == "Longer answers win more often: twice the length is worth 12 [8, 16] points."
    assert said(-16, -8).startswith("Shorter answers win more often")
    assert said(-1, 3) == "Length is not shown to matter: twice the length is worth 1 [-1, 3] points."


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


def test_a_judge_that_is_a_model_of_the_study_is_known_under_any_name(tmp_path: Path) -> None:
    recipe = Recipe.model_validate(
        {
            "name": "judged",
            "cards": ["bundled.cell_lookup"],
            "configurations": "html/none/default",
            "examples": {"count": 4},
            "models": [{"model": "torr-judge", "name": "ours"}, "torr-lexical"],
        }
    )
    run_study(plan(recipe), recipe.models, tmp_path / "run")
    ask_judge(tmp_path / "run", JudgeEntry(model="torr-judge", name="strict", kind="pair"))
    rated = opened(tmp_path / "run").rated
    assert rated is not None
    assert rated.found is not None
    assert rated.found.judges is not None
    preference = rated.found.judges.by_judge["strict"].self_preference
    assert preference is not None
    assert preference.model == "ours"


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


def test_a_model_that_always_wins_has_ratings_without_style(study: Study) -> None:
    battles = study.source.battles
    assert battles is not None
    always = battles.assign(winner="model_a", verdict="model_a", level="")
    found = problem_of(study, always).found
    assert found is not None
    assert found.bradley_terry_style is None
    assert found.bradley_terry["alpha"].value is None


def test_method_and_overview_say_what_ratings_are(study: Study, tmp_path: Path) -> None:
    out = rendered(method.files, study, tmp_path)
    rendered(overview.files, study, out)
    said, first = read(out / study.paths.method), read(out / study.paths.overview)
    kinds = ("battle", "orders", "bradley-terry", "elo", "rating-intervals", "judge", "ratings-scores")
    assert {f"def-{kind}" for kind in kinds} <= set(said.attributes("id"))
    assert said.problems == first.problems == []
    assert {study.paths.ratings, f"{study.paths.method}#def-ratings-scores"} <= set(first.attributes("href"))
    silent = replace(study, source=replace(study.source, battles=None))
    rendered(method.files, silent, out)
    rendered(overview.files, silent, out)
    assert "definitions-ratings" not in read(out / study.paths.method).attributes("id")
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


def test_each_judge_has_ratings_of_its_own_verdicts(study: Study, found: Ratings, page: Any) -> None:
    assert study.rated is not None
    battles = study.source.battles
    assert battles is not None
    view = judges_table(found, study.rated.by_judge, {})
    assert view.head == ("Model", "All judges", "judge-one", "judge-two")
    settings = study.analysis.settings
    options = RatingOptions(resamples=settings.resamples, level=settings.level, seed=settings.seed)
    alone = rate(battles[battles["judge"] == "judge-two"], options)
    for row in view.rows:
        assert (row[3].text, row[3].bounds) == rating_text(alone.bradley_terry[row[0].text])
    assert "Which models does each judge rate higher?" in page.text


def test_a_judge_without_a_winner_has_no_ratings_of_its_own(study: Study) -> None:
    battles = study.source.battles
    assert battles is not None
    silent = battles["judge"] == "judge-two"
    rated = problem_of(study, battles.assign(winner=battles["winner"].mask(silent, None)))
    assert list(rated.by_judge) == ["judge-one"]
    assert problem_of(study, battles[~silent]).by_judge == {}


def test_a_judge_s_own_answers_are_compared_with_the_other_judges_verdicts() -> None:
    share = Interval(value=0.6, low=0.5, high=0.7)
    own = SelfPreference(model="a", own=share)
    apart = own.model_copy(
        update={"others": share, "difference": Interval(value=0.081, low=-0.02, high=0.18)}
    )
    figures = {"verdicts": 4, "battles": 2, "unclear": 0.25, "failed": 0.0, "ties": 0.5}
    by_judge = {
        name: JudgeFigures(**figures, self_preference=preference)
        for name, preference in (("a", own), ("b", apart), ("c", None))
    }
    rows = judge_table(JudgeReport(agreement=None, by_judge=by_judge)).rows
    said = [(row[-1].text, row[-1].bounds) for row in rows]
    assert said == [("60%", "no other judge"), ("+8", "[-2, +18]"), ("\N{EN DASH}", "")]
    assert rows[0][3].text == "25%"


def test_questions_for_a_wished_separability(found: Ratings) -> None:
    needed = [Needed(separability=0.9, questions=1200, battles=3600)]
    far = Needed(separability=0.95, questions=None, battles=None)
    rows = needed_table([*needed, far]).rows
    assert [cell.text for cell in rows[0]] == ["90%", "1,200", "3,600"]
    assert [cell.text for cell in rows[1]] == ["95%", "more than can be predicted", "\N{EN DASH}"]
    assert len(needed_table(found.needed).rows) == len(found.needed)


def test_downloads_have_battles_and_ratings(study: Study, found: Ratings, tmp_path: Path) -> None:
    files = {
        file.path.rpartition("/")[2]: file for file in downloads.files(study) if isinstance(file, DataFile)
    }
    assert Ratings.model_validate_json(files["ratings.json"].content) == found
    parquet = tmp_path / "battles.parquet"
    content = files["battles.parquet"].content
    assert isinstance(content, bytes)
    parquet.write_bytes(content)
    assert study.source.battles is not None
    for name in ("question", "winner", "reason"):
        there = pd.read_parquet(parquet)[name].astype(object)
        assert there.where(there.notna(), None).tolist() == study.source.battles[name].tolist()


def test_a_study_without_battles_has_neither_page_nor_assets(
    small_study: Study, small_run: Path, tmp_path: Path, only: Only
) -> None:
    assert list(ratings.files(small_study)) == []
    only(downloads)
    index = build_site([small_run], tmp_path / "site", charts=False).parent
    found = {path.name for path in index.rglob("*") if path.is_file()}
    assert not found & {"battles.js", "ratings.js", "battles.css", "ratings.json", "battles.csv"}
    (page,) = index.rglob("downloads.html")
    assert "battles" not in page.read_text(encoding="utf-8").lower()
    assert "ratings" not in page.read_text(encoding="utf-8").lower()
