"""The page of formats: advice, matrices, and that its figures are the analysis's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis import Options, analyse
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.figures.deviations import Deviations, deviations
from torr_plugin.analysis.figures.factor_cubes import factor_cubes
from torr_plugin.analysis.figures.perturbation_impact import impact_by_serializer
from torr_plugin.analysis.result import Contrast, Interval
from torr_plugin.leaderboard.candidates import Candidate, advice, candidates_view
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.formats import cost_view
from torr_plugin.leaderboard.heat_maps import difference_matrix
from torr_plugin.leaderboard.pages import formats
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.views import View, ViewCell, as_data, signed

from .made import make_run, with_analysis
from .pages import read_script

CORRECTED = "after this site\N{RIGHT SINGLE QUOTATION MARK}s correction"
FEW = Options(resamples=50, seed=3)


def figure(value: float | None, half: float = 0.02) -> Interval:
    if value is None:
        return Interval(value=None, low=None, high=None)
    return Interval(value=value, low=value - half, high=value + half)


def some_format(name: str, behind: float, *, worse: bool = False) -> Candidate:
    return Candidate(name, figure(0.7 - behind), figure(behind, 0.01), worse)


def opened(path: Path) -> Study:
    return study_of(open_source(path), set(), alone=True)


def page_of(study: Study) -> tuple[dict[str, Any], dict[str, Any]]:
    page, data = formats.files(study)
    assert isinstance(page, PageFile)
    assert isinstance(data, DataFile)
    return dict(page.values), dict(read_script(data.content)[1])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    run = make_run(tmp_path_factory.mktemp("formats") / "run", examples=12)
    with_analysis(run, resamples=60, keeps_labels={"wikitq": ["none", "shuffle_cols"]})
    return opened(run)


def test_two_that_cannot_be_told_apart_are_both_advised() -> None:
    found = [some_format("html", 0.0), some_format("json", 0.01), some_format("df", 0.041, worse=True)]
    assert advice(found) == (
        f"Use html or json: {CORRECTED} they do not differ significantly.",
        "df costs 0.041 [0.031, 0.051].",
    )


def test_where_none_is_worse_any_may_be_used() -> None:
    (line,) = advice([some_format("html", 0.0), some_format("json", 0.01), some_format("df", 0.02)])
    assert line.startswith(f"Use any of the 3 formats: {CORRECTED} none is shown")


def test_of_many_worse_ones_the_worst_are_named() -> None:
    worse = [some_format(f"f{place}", place / 50, worse=True) for place in range(1, 6)]
    first, costs = advice([some_format("html", 0.0), *worse])
    assert first == "Use html: every other format is worse."
    assert costs.startswith("f5 costs 0.100 [0.090, 0.110], f4 costs")
    assert costs.endswith("2 more cost less.")


def test_an_older_analysis_claims_no_test() -> None:
    found = [
        Candidate("html", figure(0.7), None, worse=False),
        Candidate("df", figure(0.6), None, worse=False),
    ]
    assert "not tested" in advice(found)[0]
    assert candidates_view(found).head == ("Format", "Mean score")


@given(st.lists(st.booleans(), min_size=1, max_size=7))
def test_advice_and_table_agree_on_what_is_worse(worse: list[bool]) -> None:
    names = [f"format{place}" for place in range(len(worse) + 1)]
    found = [
        some_format(names[0], 0.0),
        *(some_format(name, 0.01, worse=bad) for name, bad in zip(names[1:], worse, strict=True)),
    ]
    verdicts = {row[0].text: row[-1].text for row in candidates_view(found).rows}
    assert verdicts == {
        names[0]: "best",
        **{n: "worse" if w else "no significant difference" for n, w in zip(names[1:], worse, strict=True)},
    }
    advised = advice(found)[0]
    if not all(worse) and any(worse):
        assert all((verdicts[name] != "worse") == (name in advised) for name in names)


def with_p(value: float | None) -> Contrast:
    return Contrast(**dict(figure(value)), p=None if value is None else 0.01)


def test_a_perturbation_costs_only_where_that_may_be_claimed() -> None:
    differences = {"rows": with_p(-0.05), "cols": with_p(-0.04), "better": with_p(0.05), "none": with_p(None)}
    view = cost_view(differences, changing=["rows"], claimed={"rows", "better"})
    assert [[cell.text for cell in row] for row in view.rows] == [
        ["rows", "-0.050", "costs"],
        ["cols", "-0.040", "no effect shown"],
        ["better", "+0.050", "helps"],
    ]
    assert [row[0].bounds for row in view.rows] == ["may change the truth", "", ""]


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert signed(figure(-0.0001))[0] == "0.000"
    assert signed(figure(None)) == ("\N{EN DASH}", "")


@given(st.floats(-1, 1), st.floats(0.001, 0.5))
def test_shades_are_the_same_on_both_sides_of_nothing(value: float, half: float) -> None:
    found = {"m": {"a": figure(value, half), "b": figure(-value, half), "c": figure(value, half)}}
    view = difference_matrix(found, {"m": "m.html"}, ["a", "b", "c"], lambda _, name: name != "c")
    ((_, one, other, unclaimed),) = view.rows
    swapped = other.style.replace("less", "x").replace("more", "less").replace("x", "more")
    assert value == 0 or one.style == swapped
    assert "real" in one.style
    assert unclaimed.style == "num even"


def of_serializers(cubes: list[Cube]) -> dict[str, Deviations]:
    compared = factor_cubes(cubes, "serializer")
    assert compared is not None
    return deviations(compared, FEW)


def test_deviations_are_those_of_plain_loops_and_add_up_to_nothing() -> None:
    rng = np.random.default_rng(5)
    cubes = [random_cube(f"d{number}", rng) for number in range(2)]
    found = of_serializers(cubes)
    expected = []
    for cube in cubes:
        of_model = []
        for model in range(3):
            means = [
                np.mean([cube.scores[model, c, e] for c in range(4) for e in range(5) if c // 2 == part])
                for part in range(2)
            ]
            of_model.append([mean - np.mean(means) for mean in means])
        expected.append(of_model)
        got = [[found[cube.dataset].models[m][s].value for s in ("a", "b")] for m in cube.models]
        assert got == pytest.approx(np.array(of_model))
    overall = [[found["overall"].models[m][s].value for s in ("a", "b")] for m in cubes[0].models]
    assert np.array(overall) == pytest.approx(np.mean(expected, axis=0))
    together = [found["overall"].all_models[s].value for s in ("a", "b")]
    assert together == pytest.approx(np.mean(expected, axis=(0, 1)))
    assert sum(together) == pytest.approx(0)


def random_cube(name: str, rng: np.random.Generator) -> Cube:
    """Three models, two serializers in two perturbations each, five examples."""
    configs = ("a/none", "a/x", "b/none", "b/x")
    parts = {
        "serializer": {config: config[0] for config in configs},
        "perturbation": {config: config[2:] for config in configs},
    }
    return Cube(name, "em", ("k", "l", "m"), configs, tuple("12345"), rng.random((3, 4, 5)), parts)


def only_a(name: str) -> Cube:
    """One whose configurations are all of serializer "a"."""
    cube = random_cube(name, np.random.default_rng(0))
    perturbations = {config: f"{config[0]}{config[2:]}" for config in cube.configurations}
    parts = {"serializer": dict.fromkeys(cube.configurations, "a"), "perturbation": perturbations}
    return Cube(**{**vars(cube), "parts": parts})


def test_one_serializer_has_no_deviations_and_others_keep_theirs() -> None:
    assert of_serializers([only_a("d")]) == {}
    other = random_cube("e", np.random.default_rng(1))
    assert list(of_serializers([only_a("d"), other])) == ["e"]


def test_a_model_may_be_called_all_models() -> None:
    cube = Cube(**{**vars(random_cube("d", np.random.default_rng(2))), "models": ("all_models", "l", "m")})
    found = of_serializers([cube])["d"]
    assert set(found.models) == set(cube.models)
    assert found.all_models["a"] != found.models["all_models"]["a"]


def test_what_perturbations_change_in_a_serializer_is_said_of_the_data_sets_that_have_it() -> None:
    rng = np.random.default_rng(3)
    cubes = [random_cube("d", rng), random_cube("e", rng)]
    renamed = {config: "abc"["ab".index(config[0]) + 1] for config in cubes[1].configurations}
    shuffled = {"a/none": "none", "b/none": "none", "a/x": "shuffle", "b/x": "shuffle"}
    serializers = (cubes[0].parts["serializer"], renamed)
    cubes = [
        Cube(**{**vars(cube), "parts": {"serializer": kinds, "perturbation": shuffled}})
        for cube, kinds in zip(cubes, serializers, strict=True)
    ]
    found = impact_by_serializer(cubes, FEW)
    assert {name: list(by_place) for name, by_place in found.items()} == {
        "a": ["d"],
        "b": ["overall", "d", "e"],
        "c": ["e"],
    }
    scores = cubes[0].scores[0]
    assert found["a"]["d"]["k"]["shuffle"].value == pytest.approx((scores[1] - scores[0]).mean())


def test_data_leaves_away_what_a_cell_has_not() -> None:
    view = View(("a",), ((ViewCell("x", href="y.html"), ViewCell("1", style="num")),), ("said",))
    assert as_data(view) == {
        "head": ["a"],
        "rows": [[["x", "", "", None, None, "y.html"], ["1", "", "num"]]],
        "lines": ["said"],
    }


def test_the_choice_shown_is_the_analysis_s(study: Study) -> None:
    values, data = page_of(study)
    sentences = study.claims.sentences
    choice = study.source.figures["serializers"]["choice"]
    assert len(data["formats"]) == len(study.models)
    for model, of_model in zip(study.models, data["formats"], strict=True):
        for place, found in zip(values["places"], of_model, strict=True):
            said = choice[model]
            rows = said["overall"] if place.name == "overall" else said["datasets"][place.name]
            assert [row[0][0] for row in found["formats"]["rows"]] == [row["serializer"] for row in rows]
            worse = {row[0][0] for row in found["formats"]["rows"] if row[3][0] == "worse"}
            claimed = {name[3] for name in sentences.made if name[:3] == ("worse", model, place.name)}
            assert worse == claimed <= {row["serializer"] for row in rows if row["worse"]}
            assert found["best"] == rows[0]["serializer"]


def test_costs_of_a_format_are_those_of_an_analysis_of_it_alone(study: Study) -> None:
    _, data = page_of(study)
    best = data["formats"][0][0]["best"]
    scores = study.source.scores
    alone = analyse(scores[scores["serializer"] == best], resamples=60)
    expected = alone["perturbations"]["differences"]["overall"][study.models[0]]
    rows = data["formats"][0][0]["costs"]["rows"]
    assert {row[0][0]: row[1][:2] for row in rows} == {
        name: list(signed(Interval(**one))) for name, one in expected.items()
    }


def test_perturbations_that_may_change_the_truth_are_named(tmp_path: Path) -> None:
    kept = {"card": "c", "keeps_labels": ["none", "shuffle_cols"]}
    run = make_run(tmp_path / "run", datasets=["wikitq"])
    study = opened(run)
    study.source.study["datasets"] = {"wikitq": kept}  # type: ignore[index]
    values, _ = page_of(study)
    assert values["changing"] == {"shuffle_rows": ("wikitq",)}


def test_win_rates_come_with_the_level_of_chance(study: Study) -> None:
    values, data = page_of(study)
    serializers = values["parts"][0]
    assert serializers.win_titles == ("All models and data sets", *study.models, *study.datasets)
    assert serializers.wins[0].lines == ("By chance (dashed line) each would win 0.333.",)
    rates = study.source.figures["serializers"]["win_rates"]["datasets"][study.datasets[-1]]
    rows = data["parts"]["serializer"]["chart"][-1]
    assert {row["name"]: row["value"] for row in rows} == {name: one["value"] for name, one in rates.items()}


def test_a_scores_file_without_parts_still_has_its_page(tmp_path: Path, study: Study) -> None:
    columns = ["model", "dataset", "config", "example", "metric", "score"]
    path = tmp_path / "scores.csv"
    frame = study.source.scores[columns].copy()
    frame["config"] = frame["config"].str.replace("/", "-")
    frame.to_csv(path, index=False)
    values, data = page_of(opened(path))
    assert values["chosen"] is None
    assert values["parts"] == ()
    assert values["maps"] == []
    assert len(values["strips"].rows) == len(study.models)
    assert data["formats"] == []
