"""The page of designs: its figures are the analysis's, and it claims no more than its correction bears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard.candidates import Candidate, advice, glance_view
from torr_plugin.leaderboard.claims.of_model import model_findings
from torr_plugin.leaderboard.claims.of_study import study_findings
from torr_plugin.leaderboard.design_views import change_view, compared_formats, design_candidates
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import designs, examples, formats
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.views import ViewCell, signed

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
                assert said in ("lower", "higher", "no difference shown", "not known")
                assert said not in ("lower", "higher") or own.claimed
    at_all = {row[0][0]: row for row in data["changes"][0][0]["rows"]}
    assert at_all["suc_no_demonstration"][2][0] == "lower"
    assert at_all["suc_no_marks"][2][0] == "no difference shown"
    lines = data["changes"][0][0]["lines"]
    assert lines[0].startswith("Against suc, suc_no_demonstration costs 0.")
    assert "self_augmented+suc gains" in lines[1]


@pytest.mark.full
def test_one_difference_is_called_the_same_wherever_it_stands(tmp_path: Path) -> None:
    """The model's best design and its base: behind the best, and what the design changes."""
    study = study_of_scores(tmp_path, scores_of(models=("alpha", "beta", "gamma")))
    found, claims = study.analysis.designs, study.claims.sentences
    assert found is not None
    said = 0
    for model in study.models:
        for place in ("overall", *study.datasets):
            best, *others = design_candidates(found, model, place, claims)
            rows = change_view(found, model, place, claims, study.claims.bold).rows
            verdicts = {row[0].text: row[2].text for row in rows}
            for other in others:
                if found.bases.get(best.name) == other.name:
                    assert other.worse is (verdicts[best.name] == "higher")
                    said += other.worse
    assert said


def test_cells_within_formats_are_coloured_where_the_correction_bears_it(study: Study) -> None:
    values, data = page_of(study)
    view = data["changes"][0][0]
    assert view["head"] == ["Design", "Over formats", "Verdict", "html", "xml"]
    rows = {row[0][0]: row for row in view["rows"]}
    assert "less-" in rows["suc_no_demonstration"][3][2]
    assert rows["suc_no_marks"][3][2] == "num even"
    assert rows["self_augmented+suc"][4][0] == "\N{EN DASH}"
    assert "highlighted figure in 20" in values["bold_rule"]


def test_a_design_of_one_format_is_tested_once(study: Study) -> None:
    found = study.claims.bold.every
    of_alpha = {name[3:] for name in found if name[:3] == ("design", "alpha", "lookup")}
    assert len(of_alpha) == 3 + 2 * 2
    assert {name for name in of_alpha if name[0] == "self_augmented+suc"} == {("self_augmented+suc",)}


def test_designs_are_advised_over_the_formats_that_all_of_them_have(study: Study) -> None:
    values, data = page_of(study)
    chosen = data["choice"][0][0]
    assert chosen["head"] == ["Design", "Behind the best", "Mean score", "Chance to be the best", "Verdict"]
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


def test_the_table_has_a_row_for_each_design_of_each_format(study: Study) -> None:
    _, data = page_of(study)
    table = data["table"][0]
    assert table["head"] == ["Format, design", "lookup", "size", "Average"]
    assert [row[0][0] for row in table["rows"]] == [
        *("html, suc", "html, self_augmented+suc", "html, suc_no_demonstration", "html, suc_no_marks"),
        *("xml, suc", "xml, suc_no_demonstration", "xml, suc_no_marks"),
    ]
    scores = study.source.scores
    own = scores[
        (scores.model == study.models[0]) & (scores.serializer == "html") & (scores.dataset == "size")
    ]
    means = own.groupby("design")["score"].mean()
    row = table["rows"][2]
    assert float(row[2][0]) == pytest.approx(means["suc_no_demonstration"], abs=0.006)
    assert float(row[2][1]) == pytest.approx(means["suc_no_demonstration"] - means["suc"], abs=0.006)


def test_one_model_and_one_format_leave_out_what_they_lack(tmp_path: Path) -> None:
    study = study_of_scores(tmp_path, scores_of(("html",), ("only",), ("lookup",)))
    values, data = page_of(study)
    assert values["titles"] == ["lookup"]
    assert "interaction" not in values["shown"]
    assert data["changes"][0][0]["head"] == ["Design", "In html", "Verdict"]
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


def test_what_is_said_of_formats_is_of_the_base_design_and_of_designs_within_formats(study: Study) -> None:
    said = {one.path: one.text for one in study_findings(study)}
    of_designs = said[study.paths.designs]
    assert of_designs.startswith(
        "suc_no_demonstration lowers the score of both models against suc in the same formats, at most by "
    )
    assert said[study.paths.formats] == "Every model has the same mean score in all formats."
    found = model_findings(study, study.models[0])
    texts = [each.text for each in (*found.strengths, *found.weaknesses)]
    assert any(text.endswith("compared with suc in the same formats.") for text in texts)


@pytest.mark.full
def test_formats_are_compared_in_words_at_one_design(tmp_path: Path) -> None:
    scores = scores_of()
    worse = (scores["serializer"] == "xml") & (scores["example"].str[1:].astype(int) < 30)
    scores.loc[worse, "score"] = 0.0
    study = study_of_scores(tmp_path, scores)
    found = {one.title: one.text for one in study_findings(study)}
    text = found["The format matters"]
    assert text.startswith("With the design suc, xml costs ")
    assert "suc_no" not in text


def test_the_page_of_formats_says_at_which_design_it_compares(study: Study, tmp_path: Path) -> None:
    page = read(rendered(formats.files, study, tmp_path) / study.paths.formats)
    assert "Formats are compared at the design suc alone." in page.text


def test_examples_know_the_bases_of_designs_for_their_flips(study: Study) -> None:
    (page,) = (
        file for file in examples.files(study) if isinstance(file, PageFile) and file.current == "examples"
    )
    assert page.values["page_data"]["bases"]["self_augmented+suc"] == "suc"


@pytest.mark.full
def test_where_nothing_can_be_compared_the_page_says_so(tmp_path: Path) -> None:
    """One data set has the base alone in a second format, the other has no base."""
    scores = scores_of()
    kept = (scores["dataset"] == "lookup") & ((scores["design"] == "suc") | (scores["serializer"] == "html"))
    kept |= (scores["dataset"] == "size") & (scores["design"] != "suc")
    study = study_of_scores(tmp_path, scores[kept])
    values, data = page_of(study)
    assert values["titles"] == ["All data sets", "lookup", "size"]
    assert data["changes"][0][0]["lines"] == ["No design was asked beside its base here."]
    assert data["interaction"][1]["lines"] == ["No two designs were asked in the same two formats here."]
    page = read(rendered(designs.files, study, tmp_path / "site") / study.paths.designs)
    assert page.problems == []


def test_of_several_with_the_same_mean_none_is_named_alone() -> None:
    def one(name: str, behind: float) -> Candidate:
        value = Interval(value=behind, low=0.0, high=behind)
        return Candidate(
            name, Interval(value=0.5 - behind, low=0.4, high=0.6), value, worse=False, chance=0.4
        )

    alike = [one("suc", 0.0), one("suc_no_role", 0.0), one("suc_no_marks", 0.1)]
    ((_, best, chance, behind, furthest, others),) = glance_view({"m": alike}, {"m": ViewCell("m")}).rows
    assert (best.text, best.bounds, chance.text) == ("suc", "and 1 other with an equal mean", "40%")
    assert behind.text == "0.000"
    assert (furthest.text, furthest.bounds) == ("suc_no_marks", "0.100 [0.000, 0.100]")
    assert others.bounds == "suc_no_role, suc_no_marks"
    assert advice(alike[:2], "design") == ("All 2 designs have the same mean score.",)
