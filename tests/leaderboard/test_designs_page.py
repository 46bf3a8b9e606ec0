"""The page of designs: its figures are the analysis's, and it claims no more than its correction bears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.leaderboard.design_views import compared_formats
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import designs, examples, formats
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.views import signed

from .pages import read, read_script
from .rendered import opened, rendered

COST = {"suc": 0.0, "suc_no_marks": 0.0, "suc_no_demonstration": 0.6, "self_augmented+suc": -0.2}


def scores_of(
    formats: tuple[str, ...] = ("html", "xml"),
    models: tuple[str, ...] = ("alpha", "<b>beta"),
    datasets: tuple[str, ...] = ("lookup", "size"),
    without: frozenset[tuple[str, str]] = frozenset(),
) -> pd.DataFrame:
    """Forty examples under each design in each format, but for some; marks change nothing."""
    rng = np.random.default_rng(3)
    rows = []
    for dataset in datasets:
        for model in models:
            ability = rng.random(40)
            for name in formats:
                for design, cost in COST.items():
                    if (name, design) in without:
                        continue
                    config = f"{name}/none/{design}"
                    rows += [
                        (model, dataset, config, name, "none", design, f"e{i}", "em", float(a > 0.3 + cost))
                        for i, a in enumerate(ability)
                    ]
    columns = "model dataset config serializer perturbation design example metric score"
    return pd.DataFrame(rows, columns=columns.split())


def study_of_scores(folder: Path, scores: pd.DataFrame) -> Study:
    path = folder / "scores.parquet"
    scores.to_parquet(path)
    return opened(path)


def page_of(study: Study) -> tuple[dict[str, Any], dict[str, Any]]:
    page, data = designs.files(study)
    assert isinstance(page, PageFile)
    assert isinstance(data, DataFile)
    return dict(page.values), dict(read_script(data.content)[1])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    without = frozenset({("xml", "self_augmented+suc")})
    return study_of_scores(tmp_path_factory.mktemp("designs"), scores_of(without=without))


def test_what_designs_change_is_the_analysis_s(study: Study) -> None:
    _, data = page_of(study)
    found = study.analysis.designs
    assert found is not None
    for m, model in enumerate(study.models):
        for p, place in enumerate(["overall", *study.datasets]):
            shown = {row[0][0]: row for row in data["changes"][m][p]["rows"]}
            expected = found.differences[place][model]
            assert set(shown) == set(expected)
            for design, own in expected.items():
                assert tuple(shown[design][1][:2]) == signed(own)
                assert shown[design][0][1] == "less suc"
                said = shown[design][2][0]
                assert (said in ("lower", "higher")) is own.differs
    at_all = {row[0][0]: row for row in data["changes"][0][0]["rows"]}
    assert at_all["suc_no_demonstration"][2][0] == "lower"
    assert at_all["suc_no_marks"][2][0] == "no difference shown"
    lines = data["changes"][0][0]["lines"]
    assert lines[0].startswith("Against suc, suc_no_demonstration costs 0.")
    assert "self_augmented+suc gains" in lines[1]


def test_designs_are_advised_over_the_formats_that_all_of_them_have(study: Study) -> None:
    values, data = page_of(study)
    chosen = data["choice"][0][0]
    assert chosen["head"] == ["Design", "Behind the best", "Mean score", "Verdict"]
    assert chosen["rows"][0][0][0] == "self_augmented+suc"
    assert chosen["lines"][-1] == "Means are over html, the format that all of these designs were asked in."
    found = study.analysis.designs
    assert found is not None
    assert compared_formats(study.source.scores, found) == dict.fromkeys(
        ("overall", "lookup", "size"), ("html",)
    )
    assert values["base_lines"] == (
        "suc is the base of self_augmented+suc, suc_no_demonstration and suc_no_marks.",
        "Asked beside the base in html alone: self_augmented+suc.",
    )


def test_one_model_and_one_format_leave_out_what_they_lack(tmp_path: Path) -> None:
    study = study_of_scores(tmp_path, scores_of(("html",), ("only",), ("lookup",)))
    values, data = page_of(study)
    assert values["titles"] == ["lookup"]
    assert data["changes"][0][0]["head"] == ["Design", "Change", "Verdict"]
    page = read(rendered(designs.files, study, tmp_path / "site") / study.paths.designs)
    assert page.problems == []
    assert "All models" not in page.text
    assert [name for name in page.attributes("id") if name.endswith(("-model", "-format"))] == []


def test_a_study_without_designs_has_no_page(small_study: Study) -> None:
    assert list(designs.files(small_study)) == []


def test_names_are_shown_as_text(study: Study, tmp_path: Path) -> None:
    path = rendered(designs.files, study, tmp_path) / study.paths.designs
    assert "<b>beta" not in path.read_text(encoding="utf-8")
    assert "<b>beta" in read(path).text


def test_the_page_of_formats_says_at_which_design_it_compares(study: Study, tmp_path: Path) -> None:
    page = read(rendered(formats.files, study, tmp_path) / study.paths.formats)
    assert "Formats are compared at the design suc alone." in page.text


def test_examples_know_the_bases_of_designs_for_their_flips(study: Study) -> None:
    (page,) = (
        file for file in examples.files(study) if isinstance(file, PageFile) and file.current == "examples"
    )
    assert page.values["page_data"]["bases"]["self_augmented+suc"] == "suc"
