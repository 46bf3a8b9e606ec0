"""Two models beside each other: one verdict a line, the same from either side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.navigation import navigation
from torr_plugin.leaderboard.pages import compare
from torr_plugin.leaderboard.rendering import Renderer
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.verdicts import compared

from .made import make_run, with_analysis
from .pages import Page, read_script
from .rendered import noise, scored, with_results

ODD = "b<script>&'\""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = make_run(tmp_path_factory.mktemp("run") / "run", models=["alpha", ODD, "gamma"])
    with_analysis(path, resamples=50)
    return study_of(open_source(path), set(), alone=True)


def published(study: Study) -> tuple[Page, dict[str, Any]]:
    """The page as it is read, and what lies beside it by name."""
    files = list(compare.files(study))
    (page,) = [file for file in files if isinstance(file, PageFile)]
    data = dict(read_script(file.content) for file in files if isinstance(file, DataFile))
    rendered = Renderer().render(page.template, study=study, page=page, root="../", **page.values)
    return Page(rendered), {path.rsplit("/", 1)[1]: value for path, value in data.items()}


def test_the_page_shows_the_two_best_before_any_choice(study: Study) -> None:
    page, _ = published(study)
    assert page.problems == []
    lines = compared(study, *study.models[:2])
    assert [line.what for line in lines] == ["All questions", *study.datasets, "Flips"]
    for line in lines:
        assert page.row(line.what)[1:] == [line.said, *line.figures]


def test_every_pair_is_loaded_from_either_side(study: Study) -> None:
    _, data = published(study)
    for number in range(len(study.models)):
        found = data[f"{number}.js"]
        assert sorted(found) == [str(n) for n in range(len(study.models)) if n != number]
        for place, lines in found.items():
            for line, turned in zip(lines, data[f"{place}.js"][str(number)], strict=True):
                assert line[0] == turned[0]
                assert line[2] == turned[2]
                assert line[3:] == turned[:2:-1]
                assert not line[2] or line[1] == turned[1], "the better one is named from either side"


def test_the_better_model_is_named(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, *_: float(example % 4 == 0 or model == "a"), "ab")
    for pair in (("a", "b"), ("b", "a")):
        line = compared(study, *pair)[0]
        assert line.claimed
        assert line.said.startswith("a is better, by 75 points [")


def test_where_none_is_better_the_difference_has_its_sign(tmp_path: Path) -> None:
    study = scored(
        tmp_path, lambda model, example, *_: float(example % 2 and (model, example) != ("b", 1)), "ab"
    )
    signs = [compared(study, *pair)[0].said for pair in (("a", "b"), ("b", "a"))]
    assert signs[0].startswith("no difference shown (+2 [")
    assert signs[1].startswith("no difference shown (-2 [")


def test_of_two_models_the_more_robust_flips_less(tmp_path: Path) -> None:
    def score(model: str, example: int, fmt: str, change: str) -> float:
        blind = model == "a" and example % 10
        return float(noise("", example, "" if blind else fmt, "" if blind else change) < 0.5)

    line = compared(scored(tmp_path, score, "ab", formats=("html", "csv", "json")), "b", "a")[-1]
    assert line.what == "Flips"
    assert line.said.startswith("a flips less, by ")


def test_flips_of_what_is_always_wrong_say_little(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda *cell: float(cell[0] == "a" and noise(*cell) < 0.5), "ab")
    line = compared(study, "a", "b")[-1]
    assert (line.said, line.claimed) == ("says little", False)


def test_an_analysis_without_pairs_is_said(study: Study) -> None:
    older = with_results(study.analysis, pairs=[])
    page, data = published(replace(study, source=replace(study.source, analysis=older)))
    assert page.problems == []
    assert page.row("All questions")[1] == "not compared"
    assert {line[1] for found in data.values() for lines in found.values() for line in lines} == {
        "not compared"
    }


def test_names_are_text(study: Study) -> None:
    page, _ = published(study)
    scripts = [attrs for tag, attrs in page.tags if tag == "script" and not attrs.get("src")]
    assert [attrs.get("type") for attrs in scripts] == ["application/json"]


def test_one_model_has_nothing_beside_it(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.5), "a")
    assert list(compare.files(study)) == []
    assert "compare" not in [name for name, _, _ in navigation(study)]
