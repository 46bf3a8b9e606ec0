"""A site of many models: every two of them have their verdict, the same as in the downloads."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis import format_points, format_size
from torr_plugin.analysis.output import write_analysis
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import compare, model
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.verdicts import compared

from .pages import read, read_script
from .rendered import noise, rendered, scored

NAMES = [f"m{number:02}" for number in range(45)]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    def score(model: str, example: int, fmt: str, change: str) -> float:
        return float(noise(model, example, fmt, change) < 0.9 - NAMES.index(model) / 60)

    return scored(tmp_path_factory.mktemp("study"), score, NAMES, changes=("none",))


@pytest.fixture(scope="module")
def beside(study: Study) -> dict[str, dict[str, Any]]:
    """Number of a model -> number of another one -> the lines on both, as the page loads them."""
    files = [file for file in compare.files(study) if isinstance(file, DataFile)]
    found = dict(read_script(file.content) for file in files)
    return {path.rsplit("/", 1)[1].removesuffix(".js"): value for path, value in found.items()}


def test_the_line_on_every_two_models_is_that_of_the_download(
    study: Study, beside: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("analysis")
    write_analysis(study.analysis.results, out, charts=())
    table = pd.read_csv(out / "pairs.csv")
    table = table[(table["figure"] == "performance") & (table["dataset"] == "overall")]
    assert len(table) == 990
    numbers = {name: str(number) for number, name in enumerate(study.models)}
    assert 0 < table["differs"].sum() < 990
    for row in table.itertuples():
        for one, other, sign in ((row.model, row.other, 1), (row.other, row.model, -1)):
            first, *more = beside[numbers[one]][numbers[other]]
            ends = sorted((sign * row.low, sign * row.high))
            if row.differs:
                assert row.value > 0
                size = format_size(row.value, row.low, row.high)
                said = f"{study.short[row.model]} is better, by {size}"
            else:
                points = "{} [{}]".format(
                    *format_points(0.0 + sign * row.value, *(0.0 + end for end in ends))
                )
                said = f"no difference shown ({points})"
            assert first[:3] == ["All questions", said, row.differs]
            near = abs(study.models.index(one) - study.models.index(other)) <= 5
            assert [line[0] for line in more] == (["Flips"] if near else [])


def test_the_page_says_what_is_compared(study: Study, tmp_path_factory: pytest.TempPathFactory) -> None:
    site = rendered(
        lambda study: (file for file in compare.files(study) if isinstance(file, PageFile)),
        study,
        tmp_path_factory.mktemp("site"),
    )
    page = read(site / study.paths.compare)
    assert page.problems == []
    assert "with all others over all questions, and by flips with the 5 next in the ranking" in page.text
    assert page.row("All questions")[1] == compared(study, *study.models[:2])[0].said


def test_the_page_of_a_model_lists_those_next_to_it(
    study: Study, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site = rendered(model.files, study, tmp_path_factory.mktemp("site"))
    for place, count in ((0, 5), (20, 10), (44, 5)):
        page = read(site / study.paths.models[study.models[place]])
        assert page.problems == []
        rows = [row for row in page.rows if row[-1].startswith("compare with")]
        assert len(rows) == count
        assert "compare it with any other" in page.text
