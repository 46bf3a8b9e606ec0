"""Two models beside each other: the words, the figures, and what the page loads for any pair."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis import format_interval
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import compare
from torr_plugin.leaderboard.pages.compare import UNIT, p_text
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.verdicts import verdict
from torr_plugin.leaderboard.views import as_data

from .made import make_run, with_analysis
from .pages import Page, read_script
from .rendered import scored, with_results

ODD = "b<script>&'\""


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, ""), (0.0, "p < 0.001"), (0.00099, "p < 0.001"), (0.0121, "p = 0.012"), (1.0, "p = 1.00")],
)
def test_p_values_are_short(p: float | None, text: str) -> None:
    assert p_text(p) == text


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(tmp_path_factory.mktemp("run") / "run", models=["alpha", ODD, "gamma"])
    with_analysis(path, resamples=50)
    return path


@pytest.fixture(scope="module")
def study(run: Path) -> Study:
    return study_of(open_source(run), set(), alone=True)


def published(study: Study) -> tuple[Page, dict[str, Any]]:
    """The page as it is read, and what lies beside it by name."""
    files = list(compare.files(study))
    (page,) = [file for file in files if isinstance(file, PageFile)]
    data = dict(read_script(file.content) for file in files if isinstance(file, DataFile))
    rendered = Renderer().render(page.template, study=study, page=page, root="../", **page.values)
    return Page(rendered), {path.rsplit("/", 1)[1]: value for path, value in data.items()}


def test_the_page_shows_the_two_best_before_any_choice(run: Path, study: Study) -> None:
    page, _ = published(study)
    assert page.problems == []
    analysis = json.loads((run / "analysis.json").read_text())
    first = analysis["pairs"][0]
    assert tuple(first["models"]) == study.models[:2]
    assert verdict(study, *study.models[:2]) in page.text
    row = page.row("All data sets")
    ends = [first["performance"]["overall"][key] for key in ("value", "low", "high")]
    assert row[1].lstrip("+") == format_interval(*ends)
    best = analysis["performance"][study.models[0]]["overall"]
    assert row[3] == format_interval(best["value"], best["low"], best["high"])


def test_every_pair_is_loaded_from_either_side(study: Study) -> None:
    _, data = published(study)
    figures = study.analysis.compared_figures
    for number, model in enumerate(study.models):
        found = data[f"{number}.js"]
        assert sorted(found["beside"]) == [str(n) for n in range(len(study.models)) if n != number]
        for place, plain in found["beside"].items():
            other = study.models[int(place)]
            views = [compare.difference_view(study, what, model, other) for what in figures]
            said, *tables, maps = plain
            assert [said, *tables] == [verdict(study, model, other), *map(as_data, views)]
            assert len(maps) == 1 + len(study.datasets)
            mirrored = data[f"{place}.js"]["beside"][str(number)]
            for view, turned in zip(tables, mirrored[1:-1], strict=True):
                for row, back in zip(view["rows"], turned["rows"], strict=True):
                    assert row[0] == back[0]
                    assert row[1][0].lstrip("+-") == back[1][0].lstrip("+-")
                    assert row[3:] == back[:2:-1]


def test_a_difference_is_called_one_only_where_the_analysis_says_so(study: Study) -> None:
    assert len(study.analysis.compared_figures) > 1
    for what in study.analysis.compared_figures:
        for other in study.models[1:]:
            view = compare.difference_view(study, what, study.models[0], other)
            words = set(view.head[-2:])
            for place, row in zip(("overall", *study.datasets), view.rows, strict=True):
                assert row[2].style == ("so claimed" if row[2].text in words else "so"), "in either direction"
                own = study.pairs.of(what, study.models[0], other, place)
                differs = own is not None and own.differs
                assert (row[2].text in words) is differs
                assert differs or row[2].text in ("not shown", "not compared", "too few differ to say")


def test_the_better_model_is_named_and_the_sentence_has_the_tables_direction(tmp_path: Path) -> None:
    """From either side."""
    study = scored(tmp_path, lambda model, example, *_: float(example % 4 == 0 or model == "a"), "ab")
    for one, other, said, sign in (("a", "b", "higher", "+"), ("b", "a", "lower", "-")):
        row = compare.difference_view(study, "performance", one, other).rows[0]
        assert verdict(study, one, other).startswith(f"{one} scores {said} than {other}, by 0.75 [0.6")
        assert row[1].text.startswith(sign)
        assert row[2].text == "a"


def test_where_none_is_better_the_difference_has_its_sign(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, *_: float(example % 2), "ab")
    for one, other in (("a", "b"), ("b", "a")):
        row = compare.difference_view(study, "performance", one, other).rows[0]
        said = verdict(study, one, other)
        assert said.startswith(f"{one} and {other} are not shown to differ in performance")
        assert f": their difference is {row[1].text} {row[1].bounds} over" in said
        assert row[2].text == "not shown"


def test_the_data_are_those_of_the_scores(run: Path, study: Study) -> None:
    _, data = published(study)
    scores = pd.read_parquet(run / "scores.parquet")
    means = scores.groupby(["model", "dataset", "example"])["score"].mean()
    for number, model in enumerate(study.models):
        for place, dataset in enumerate(study.datasets):
            names = data["examples.js"][place]
            assert sorted(names) == sorted(means[model][dataset].index)
            kept = dict(zip(names, data[f"{number}.js"]["examples"][place], strict=True))
            for name, mean in means[model][dataset].items():
                assert abs(kept[name] - mean * UNIT) <= 0.5 + 1e-6


def test_neighbours_are_linked_and_names_are_text(study: Study) -> None:
    page, _ = published(study)
    links = [link for link in page.attributes("href") if "compare.html#" in link]
    assert len(links) == len(study.models) - 1
    assert all(link.startswith("../a-small-study/compare.html#a=") for link in links)
    assert any("b%3Cscript%3E%26%27%22" in link for link in links)
    assert sum(tag == "script" for tag, attrs in page.tags if not attrs.get("src")) == len(
        [1 for tag, attrs in page.tags if tag == "script" and attrs.get("type") == "application/json"]
    )


def test_an_analysis_without_pairs_is_said(study: Study, run: Path) -> None:
    older = with_results(study.analysis, pairs=[])
    page, _ = published(replace(study, source=replace(study.source, analysis=older)))
    assert page.problems == []
    assert "cannot be compared" in page.text


@pytest.mark.full
def test_one_model_has_nothing_beside_it(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", models=["alone"])
    with_analysis(path, resamples=50)
    study = study_of(open_source(path), set(), alone=True)
    assert list(compare.files(study)) == []
    assert "Compare" not in [entry.label for entry in navigation(study)]
