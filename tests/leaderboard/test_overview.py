"""The overview without a browser: its board, its choices, its warnings, and that data stay data in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.analysis import format_interval, format_ranks
from torr_plugin.leaderboard.board import FIGURES
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sections import ShownSection
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import ModelWords, Study, study_of

from .made import make_run, with_analysis
from .pages import Page, read_script
from .rendered import opened, with_results

HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\" onfocus='x'"


@pytest.fixture(scope="module")
def study(simulated_run: Path) -> Study:
    return opened(simulated_run)


@pytest.fixture(scope="module")
def page(study: Study) -> Page:
    return shown(study)


def made(study: Study) -> dict[str, str]:
    """Path -> text of all that the overview consists of."""
    found = {}
    for file in overview.files(study):
        if isinstance(file, PageFile):
            values = {"study": study, "page": file, "root": "", **file.values}
            found[file.path] = Renderer().render(file.template, **values)
        else:
            assert isinstance(file, DataFile)
            found[file.path] = str(file.content)
    return found


def shown(study: Study) -> Page:
    found = Page(made(study)[study.paths.overview])
    assert found.problems == []
    return found


def rows(page: Page) -> dict[str, list[str]]:
    """Model -> the texts of its cells."""
    models = [attrs["data-model"] or "" for tag, attrs in page.tags if tag == "tr" and "data-model" in attrs]
    table = [row for row in page.rows if len(row) >= 7 and row[0].strip() != "Model"]
    return {model: [" ".join(cell.split()) for cell in row] for model, row in zip(models, table, strict=True)}


def fields(page: Page) -> set[str]:
    return {
        attrs["name"] or "" for tag, attrs in page.tags if tag in ("input", "select") and attrs.get("name")
    }


def test_a_row_has_every_figure_with_its_interval(study: Study, page: Page) -> None:
    analysis = study.analysis
    found = rows(page)
    assert list(found) == list(study.models)
    for model, cells in found.items():
        figures = [getattr(analysis, name)[model].overall for name in FIGURES] + [
            analysis.performance[model].datasets[name] for name in study.datasets
        ]
        for cell, figure in zip(cells[2:], figures, strict=True):
            assert cell.replace("*", "") == format_interval(figure.value, figure.low, figure.high)
            assert ("*" in cell) is (not figure.complete)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Study:
    run = make_run(tmp_path_factory.mktemp("single") / "run", datasets=["facts"])
    with_analysis(run, resamples=50)
    return study_of(open_source(run), set(), alone=True)


def test_the_figures_of_an_only_data_set_stand_there_once(single: Study) -> None:
    page = shown(single)
    for cells in rows(page).values():
        assert len(cells) == 8
    assert [attrs.get("data-name") for tag, attrs in page.tags if tag == "th" and "data-name" in attrs][
        -1
    ] == "best"
    assert single.paths.datasets["facts"] in page.attributes("href")


def test_models_and_data_sets_lead_to_their_pages(study: Study, page: Page) -> None:
    links = page.attributes("href")
    assert set(study.paths.models.values()) <= set(links)
    assert set(study.paths.datasets.values()) <= set(links)


def test_tiers_stand_beside_the_ranks(study: Study, page: Page) -> None:
    claimed = study.claims.places["overall"]
    assert {model: cells[1] for model, cells in rows(page).items()} == {
        model: f"Tier {claimed.tiers[model]} {format_ranks(claimed.ranks[model])}" for model in study.models
    }


def test_missing_scores_are_said_before_the_board(study: Study, page: Page) -> None:
    holes = study.analysis.holes
    assert holes.missing
    assert f"{holes.missing:,} of {holes.expected:,} scores are missing." in page.text
    assert page.text.index("scores are missing") < page.text.index("Tier, rank")


@pytest.mark.full
def test_a_model_that_answers_in_another_format_is_named(tmp_path: Path, page: Page) -> None:
    assert "in another format" not in page.text
    run = make_run(tmp_path / "run", datasets=["facts"])
    scores = pd.read_parquet(run / "scores.parquet")
    model = scores["model"].iloc[0]
    lenient = scores.assign(metric=scores["metric"].astype(str) + ".lenient", main=False)
    scores["score"] = scores["score"].mask(scores["model"] == model, 0.0)
    pd.concat([scores, lenient], ignore_index=True).to_parquet(run / "scores.parquet", index=False)
    with_analysis(run, resamples=20)
    named = shown(study_of(open_source(run), set(), alone=True))
    mean = lenient.loc[lenient["model"] == model, "score"].mean()
    assert f"{model} answers in another format" in named.text
    assert f"than the metrics of the data sets take: faithful 0.00, lenient {mean:.2f}." in named.text
    assert any(link.endswith("#def-lenient") for link in named.attributes("href"))


@pytest.mark.full
def test_a_model_that_ran_out_of_tokens_is_named(tmp_path: Path, page: Page) -> None:
    assert "ran out of tokens" not in page.text
    run = make_run(tmp_path / "run", datasets=["facts"])
    scores = pd.read_parquet(run / "scores.parquet")
    model = scores["model"].iloc[0]
    own = scores["model"] == model
    first = own & (scores["example"] == scores["example"].iloc[0])
    scores["ended"] = None
    scores.loc[own, "ended"] = "unfinished"
    scores.loc[first, "ended"] = "refused"
    scores.loc[own, "score"] = 0.0
    scores.to_parquet(run / "scores.parquet", index=False)
    with_analysis(run, resamples=20)
    named = shown(study_of(open_source(run), set(), alone=True))
    share = f"{100 * first.sum() / own.sum():.0f}%"
    ran_out = f"{model} ran out of tokens in {100 - int(share[:-1])}% of its answers"
    assert f"{ran_out} and refused {share} of its questions." in named.text
    assert any(link.endswith("#def-endings") for link in named.attributes("href"))


@pytest.mark.full
def test_choices_are_those_that_the_study_can_make(study: Study, page: Page) -> None:
    assert fields(page) == {"find", "family", "from", "to", "open", "dataset", "kept", "more"}
    unknown = replace(study, words=dict.fromkeys(study.models, ModelWords()))
    assert fields(shown(unknown)) == {"find", "dataset", "kept", "more"}
    alike = replace(study, words=dict.fromkeys(study.models, ModelWords("aster", 7.0, True)))
    assert fields(shown(alike)) == {"find", "dataset", "kept", "more"}
    source = replace(study.source, analysis=with_results(study.analysis, label_keeping=None))
    without = replace(study, source=source)
    assert fields(shown(without)) == {"find", "family", "from", "to", "open", "dataset", "more"}
    assert len(made(without)) == 2


def test_the_other_boards_lie_beside_the_page(study: Study, page: Page) -> None:
    form = next(attrs for tag, attrs in page.tags if tag == "form")
    files = made(study)
    path, board = read_script(files[str(form["data-all"])])
    assert path == form["data-all"]
    assert len(board["scopes"]) == 1 + len(study.datasets)
    _, kept = read_script(files[str(form["data-kept"])])
    assert kept["scopes"][0]["rows"] != board["scopes"][0]["rows"]


@pytest.mark.full
def test_one_model_has_nothing_to_be_chosen_or_told_apart_from(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", models=["alpha"], datasets=["wikitq"])
    page = shown(study_of(open_source(run), set(), alone=True))
    assert fields(page) <= {"kept", "more"}
    assert "separates" not in page.text
    assert "Tier, rank" not in page.text
    assert list(rows(page)) == ["alpha"]


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run",
        models=[HOSTILE, "__proto__", "constructor"],
        datasets=[HOSTILE, "b"],
        examples=3,
        name=HOSTILE,
    )
    with_analysis(run, resamples=20)
    study = study_of(open_source(run), set(), alone=True)
    study = replace(study, words={**study.words, HOSTILE: ModelWords(HOSTILE, 1.0, True)})
    page = shown(study)
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert page.attributes("style") == []
    assert not [attrs for tag, attrs in page.tags if tag == "script" and "src" not in attrs]
    assert all(attrs["src"] == "assets/icon.svg" for tag, attrs in page.tags if tag == "img")
    assert page.text.count(HOSTILE) >= 3
    assert set(rows(page)) == {HOSTILE, "__proto__", "constructor"}


def test_a_picture_of_a_section_is_written(study: Study) -> None:
    section = ShownSection("mine", "Mine", None, "<svg/>")
    files = made(replace(study, sections=(section,)))
    assert files[f"{study.paths.data}/section-mine.svg"] == "<svg/>"
    assert f"{study.paths.data}/section-mine.svg" in Page(files[study.paths.overview]).attributes("src")


@pytest.mark.full
def test_what_changed_since_the_last_version_leads_to_the_history(study: Study) -> None:
    page = shown(replace(study, changed_line="Since 2026-10-01: 2 models added <b>"))
    assert "2 models added <b>" in page.text
    assert "Since 2026-10-01" not in shown(study).text
