"""The first page without a browser: its table, its choices, its warnings, and that data stay data in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.analysis import format_percent
from torr_plugin.leaderboard.board import boards
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import overview
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.sections import ShownSection
from torr_plugin.leaderboard.sentences import study_findings
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import ModelWords, Study, study_of

from .made import make_run, with_analysis
from .pages import Page, read_script
from .rendered import noise, opened, scored

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
    table = [row for row in page.rows if len(row) >= 4 and row[0].strip() != "Model"]
    return {model: [" ".join(cell.split()) for cell in row] for model, row in zip(models, table, strict=True)}


def fields(page: Page) -> set[str]:
    return {
        attrs["name"] or "" for tag, attrs in page.tags if tag in ("input", "select") and attrs.get("name")
    }


def test_a_row_has_every_figure_with_its_interval(study: Study, page: Page) -> None:
    found = rows(page)
    assert list(found) == list(study.models)
    for row in next(boards(study)).rows:
        cells = [cell.replace("*", "").replace(" %", "%") for cell in found[row.model]]
        assert cells[0].startswith(row.model)
        assert cells[1] == f"{row.right.value} {row.right.bounds}"
        assert row.flips is not None
        assert row.formats is not None
        assert cells[3] == row.flips.value
        assert row.formats.worst in cells[4]
        assert row.formats.best in cells[4]
        assert cells[5:] == [figure.value for figure in row.datasets]
        assert ("*" in found[row.model][1]) is (not row.right.complete)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Study:
    run = make_run(tmp_path_factory.mktemp("single") / "run", datasets=["facts"])
    with_analysis(run, resamples=50)
    return study_of(open_source(run), set(), alone=True)


def test_an_only_data_set_has_no_column(single: Study) -> None:
    page = shown(single)
    assert all(len(cells) == 5 for cells in rows(page).values())


def test_formats_that_round_alike_are_not_told_apart(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    scores = pd.read_parquet(run / "scores.parquet")
    scores.loc[scores["model"] == "alpha", "score"] = 1.0
    scores.to_parquet(run / "scores.parquet", index=False)
    with_analysis(run, resamples=50)
    found = rows(shown(study_of(open_source(run), set(), alone=True)))
    assert found["alpha"][4] == "any format 100"
    assert "→" in found["beta"][4]


def test_models_and_data_sets_lead_to_their_pages(study: Study, page: Page) -> None:
    links = page.attributes("href")
    assert set(study.paths.models.values()) <= set(links)
    assert set(study.paths.datasets.values()) <= set(links)


def test_each_group_has_a_heading(study: Study, page: Page) -> None:
    titles = [group.title for group in next(boards(study)).groups]
    assert [row[0] for row in page.rows if len(row) == 1] == titles


def test_missing_scores_are_said_before_the_board(study: Study, page: Page) -> None:
    holes = study.analysis.holes
    assert holes.missing
    assert f"{holes.missing:,} of {holes.expected:,} scores are missing." in page.text
    assert page.text.index("scores are missing") < page.text.index("Worst \N{RIGHTWARDS ARROW} best format")


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
    assert (
        f"than the metrics of the data sets take: 0% right, read leniently {100 * mean:.0f}%." in named.text
    )
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


def test_choices_are_those_that_the_study_can_make(study: Study, page: Page) -> None:
    assert fields(page) == {"find", "open", "show"}
    unknown = replace(study, words=dict.fromkeys(study.models, ModelWords()))
    assert fields(shown(unknown)) == {"find", "show"}
    alike = replace(study, words=dict.fromkeys(study.models, ModelWords(family="aster", open=True)))
    assert fields(shown(alike)) == {"find", "show"}


def test_what_is_known_of_a_model_stands_below_its_name(study: Study) -> None:
    known = ModelWords(maker="Aster Labs", licence="Apache-2.0", size=7.0, open=True, price=0.2)
    first, second = study.models[:2]
    found = rows(shown(replace(study, words={**study.words, first: known, second: ModelWords()})))
    assert found[first][0] == f"{first} Aster Labs \N{MIDDLE DOT} Apache-2.0 \N{MIDDLE DOT} 7B"
    assert found[first][-1] == "$0.20"
    assert (found[second][0], found[second][-1]) == (second, "\N{EN DASH}")


def test_the_rows_of_other_parts_lie_beside_the_page(study: Study, page: Page) -> None:
    form = next(attrs for tag, attrs in page.tags if tag == "form")
    path, found = read_script(made(study)[str(form["data-boards"])])
    assert path == form["data-boards"]
    parts = list(boards(study))
    options = [attrs["value"] for tag, attrs in page.tags if tag == "option"]
    assert options[-len(parts) + 1 :] == [part.name for part in parts[1:]]
    for (html, notes), part in zip(found, parts, strict=True):
        table = Page(f"<table><tbody>{html}</tbody></table>")
        assert table.problems == []
        assert notes == list(part.notes)
        shown_models = [attrs["data-model"] for tag, attrs in table.tags if "data-model" in attrs]
        assert shown_models == [row.model for row in part.rows]


def test_one_model_has_a_first_screen_of_its_own(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", models=["alpha"], datasets=["wikitq", "facts"])
    study = study_of(open_source(run), set(), alone=True)
    page = shown(study)
    mean = study.analysis.performance["alpha"].overall
    assert f"{format_percent(mean.value, mean.low, mean.high)} right" in page.text
    for heading in ("Where it is right", "In which format", "What changes of the layout"):
        assert heading in page.text
    assert page.row("facts")[1].startswith(
        format_percent(study.analysis.performance["alpha"].datasets["facts"].value)[:-1]
    )
    assert fields(page) == set()
    assert not [attrs for _, attrs in page.tags if "data-model" in attrs], "no table of one row"


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
    study = replace(
        study, words={**study.words, HOSTILE: ModelWords(maker=HOSTILE, licence=HOSTILE, link=HOSTILE)}
    )
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


def test_a_format_with_braces_in_its_name_keeps_them(tmp_path: Path) -> None:
    study = scored(
        tmp_path,
        lambda name, example, fmt, change: (
            float(noise(name, example, fmt, change) < 0.6) if fmt != "a{}x" or example < 15 else None
        ),
        formats=("html", "csv", "a{}x"),
        changes=("none",),
    )
    assert "a{}x was asked on 15 of" in " ".join(study.analysis.notes)
    assert all("{}" not in one.text for one in study_findings(study))
