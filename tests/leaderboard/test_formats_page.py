"""The page of formats: advice, matrices, and that its figures are the analysis's."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis import Options
from torr_plugin.analysis.result import Interval, Verdict
from torr_plugin.leaderboard.candidates import (
    Candidate,
    advice,
    candidates_view,
    choice_of,
    glance_view,
    price,
    summary,
)
from torr_plugin.leaderboard.charts.format_prices import format_prices
from torr_plugin.leaderboard.charts.inline import chart_svg
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.heat_maps import difference_matrix
from torr_plugin.leaderboard.pages import formats
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.views import View, ViewCell, as_data, figure_cell, signed

from .made import make_run, with_analysis
from .pages import read, read_script
from .rendered import rendered

FEW = Options(resamples=50, seed=3)


def figure(value: float | None, half: float = 0.02, *, differs: bool = False) -> Verdict:
    if value is None:
        return Verdict(value=None, low=None, high=None)
    return Verdict(value=value, low=value - half, high=value + half, differs=differs)


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


def priced(*tokens: float | None) -> list[Candidate]:
    """Formats f0, f1 ... a hundredth apart, with these prompt tokens."""
    return [
        Candidate(f"f{n}", figure(0.7 - n / 100), figure(n / 100, 0.01), worse=False, tokens=count)
        for n, count in enumerate(tokens)
    ]


def test_of_those_not_shown_to_be_worse_the_one_with_the_shortest_prompts_is_advised() -> None:
    found = priced(200.0, 100.0, 300.0)
    assert choice_of(found).name == "f1"
    assert advice(found, examples="244 examples") == (
        "No format is shown to be worse than another; the prompts of f1 are the shortest.",
        "f2 takes 3.00 times as many tokens.",
        "Furthest behind is f2: 0.020 [0.010, 0.030] (on 244 examples).",
    )
    assert choice_of(priced(101.0, 100.0, 90.0)).name == "f2"
    assert choice_of(priced(101.0, 100.0, 300.0)).name == "f0", "a hundredth is no reason"
    cheap_but_worse = [*found[:2], Candidate("f2", figure(0.6), figure(0.1), worse=True, tokens=50.0)]
    assert choice_of(cheap_but_worse).name == "f1"
    assert price(cheap_but_worse[0], cheap_but_worse) == "4.00\N{MULTIPLICATION SIGN}"
    assert advice(cheap_but_worse)[-1] == "f2 costs 0.100 [0.080, 0.120]."


def test_the_best_mean_is_advised_where_its_prompts_are_the_shortest_or_tokens_are_unknown() -> None:
    first, *_ = advice(priced(100.0, 200.0, 300.0))
    assert first == "No format is shown to be worse than another; the prompts of f0 are the shortest."
    unknown = priced(100.0, None, 50.0)
    assert choice_of(unknown).name == "f0"
    assert glance_view({"m": priced(None, None)}, {"m": ViewCell("m")}).rows[0][1].text == "any"
    assert price(unknown[1], unknown) == "\N{EN DASH}"


def test_one_worse_format_leaves_the_others() -> None:
    found = [some_format("html", 0.0), some_format("json", 0.01), some_format("df", 0.041, worse=True)]
    assert advice(found) == (
        "Use html, which has the highest mean score; json is not shown to be worse.",
        "df costs 0.041 [0.031, 0.051].",
    )


def test_of_many_worse_ones_the_worst_are_named() -> None:
    worse = [some_format(f"f{place}", place / 50, worse=True) for place in range(1, 6)]
    first, costs = advice([some_format("html", 0.0), *worse])
    assert first == "Use html: every other format is worse."
    assert costs.startswith("f5 costs 0.100 [0.090, 0.110], f4 costs")
    assert costs.endswith("2 more cost less.")


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.booleans())
def test_advice_and_table_agree_on_what_is_worse(worse: list[bool], known: bool) -> None:
    names = [f"format{place}" for place in range(len(worse) + 1)]
    found = [
        Candidate(name, figure(0.7), figure(0.01 * n), bad, tokens=100.0 + 7 * (n % 3) if known else None)
        for n, (name, bad) in enumerate(zip(names, [False, *worse], strict=True))
    ]
    verdicts = {row[0].text: row[-1].text for row in candidates_view(found).rows}
    assert verdicts == {
        names[0]: "best mean",
        **{n: "worse" if w else "not shown to be worse" for n, w in zip(names[1:], worse, strict=True)},
    }
    assert verdicts[choice_of(found).name] != "worse"
    (row,) = glance_view({"m": found}, {"m": ViewCell("m")}, ["m"]).rows
    use = choice_of(found).name if known or any(worse) else "any"
    assert (row[1].text, row[1].style) == (use, "at-limit")


def test_where_all_means_are_equal_any_may_be_used() -> None:
    found = [Candidate(name, figure(0.5), figure(0.0), worse=False) for name in ("html", "csv")]
    assert advice(found) == ("All 2 formats have the same mean score.",)
    (row,) = glance_view({"m": found}, {"m": ViewCell("m")}).rows
    assert (row[1].text, row[1].bounds, row[-1].bounds) == ("any", "none shown to be worse", "html, csv")
    dearer = [replace(one, tokens=10.0 - n) for n, one in enumerate(found)]
    assert advice(dearer)[0].endswith("the same mean score; the prompts of csv are the shortest.")


def test_ties_are_worded_as_ties() -> None:
    """Of the best means, of the lowest, of the shortest prompts and of the longest."""

    def one(name: str, behind: float, tokens: float | None = None, *, worse: bool = False) -> Candidate:
        return Candidate(name, figure(0.7 - behind), figure(behind, 0.01), worse, tokens=tokens)

    found = [one("csv", 0.0), one("html", 0.0), one("df", 0.1), one("xml", 0.1)]
    assert advice(found) == (
        "No format is shown to be worse than another.",
        "Furthest behind are df and xml: 0.100 [0.090, 0.110].",
    )
    assert [row[-1].text for row in candidates_view(found).rows][:3] == [
        *("best mean", "best mean", "not shown to be worse"),
    ]
    assert glance_view({"m": found}, {"m": ViewCell("m")}).rows[0][3].text == "df, xml"
    found[2:] = [one("df", 0.1, worse=True), one("xml", 0.1)]
    assert advice(found)[0] == (
        "Use any of csv and html, which have the highest mean score; xml is not shown to be worse."
    )
    priced = [one("csv", 0.0, 200), one("html", 0.0, 100), one("df", 0.1, 101), one("xml", 0.1, 200)]
    assert advice(priced)[:2] == (
        "No format is shown to be worse than another; the prompts of html are as short as any (within 2%).",
        "csv and xml take 2.00 times as many tokens.",
    )
    assert summary({"a": priced, "b": priced})[0].startswith(
        "Use html for every model: its prompts are as short as any (within 2%) of the formats not shown to "
        "be worse than the best."
    )


def test_all_models_in_a_sentence() -> None:
    same = {"a": priced(10.0, 20.0), "b": priced(30.0, 40.0)}
    assert summary(same) == (
        "Use f0 for every model: its prompts are the shortest of the formats not shown to be worse than the "
        "best.",
        "No format is shown to be worse than another, for any single model.",
    )
    differ = {**same, "c": priced(9.0, 5.0)}
    assert summary(differ)[0].startswith("Use f0 for 2 of 3 models and f1 for 1 of 3 models: their")
    assert summary({"a": priced(None, None), "b": priced(None, None)})[0].startswith("No format is shown")
    assert summary({"a": priced(10.0, 20.0)}) == ()


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert signed(figure(-0.0001))[0] == "0.000"
    assert signed(figure(None)) == ("\N{EN DASH}", "")


@given(st.floats(-1, 1), st.floats(0.001, 0.5))
def test_shades_are_the_same_on_both_sides_of_nothing(value: float, half: float) -> None:
    a, b = figure(value, half, differs=True), figure(-value, half, differs=True)
    found = {"m": {"a": a, "b": b, "c": figure(value, half)}}
    view = difference_matrix(found, {"m": ViewCell("m")}, ["a", "b", "c"], {})
    ((_, one, other, unclaimed),) = view.rows
    swapped = other.style.replace("less", "x").replace("more", "less").replace("x", "more")
    assert value == 0 or one.style == swapped
    assert "real" in one.style
    assert unclaimed.style == "num even"


def test_data_leaves_away_what_a_cell_has_not() -> None:
    named = ViewCell("x", href="y.html", whole="x"), ViewCell("x", href="y.html", whole="long.x")
    view = View(("a",), ((*named, ViewCell("1", style="num")),), ("said",))
    assert as_data(view) == {
        "head": ["a"],
        "rows": [
            [
                ["x", "", "", None, "", "y.html"],
                ["x", "", "", None, "long.x", "y.html"],
                ["1", "", "num"],
            ]
        ],
        "lines": ["said"],
    }


def test_the_choice_shown_is_the_analysis_s(study: Study) -> None:
    _, data = page_of(study)
    choice = study.source.figures["serializers"]["choice"]["models"]
    assert len(data["formats"]) == len(study.models)
    for model, of_model in zip(study.models, data["formats"], strict=True):
        for place, found in zip(["overall", *study.datasets], of_model, strict=True):
            said = choice[model]
            rows = said["overall"] if place == "overall" else said["datasets"][place]
            names = {study.short[row["name"]]: row["name"] for row in rows}
            assert [row[0][0] for row in found["rows"]] == list(names)
            worse = {names[row[0][0]] for row in found["rows"] if row[3][0] == "worse"}
            assert worse == {row["name"] for row in rows if row["behind"].get("differs")}


@pytest.mark.full
def test_perturbations_that_may_change_the_truth_are_named(tmp_path: Path) -> None:
    kept = {"card": "c", "keeps_labels": ["none", "shuffle_cols"]}
    run = make_run(tmp_path / "run", datasets=["wikitq", "sums", "unsaid"])
    study = opened(run)
    said = {"wikitq": kept, "sums": {**kept, "keeps_labels": ["shuffle_rows"]}, "unsaid": {"card": "c"}}
    study.source.study["datasets"] = said  # type: ignore[index]
    values, _ = page_of(study)
    assert values["changing"] == {"shuffle_rows": ("wikitq",), "shuffle_cols": ("sums",)}


@pytest.mark.full
def test_a_perturbation_changes_no_truth_where_it_was_not_asked(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    scores = pd.read_parquet(run / "scores.parquet")
    only_one = (scores["perturbation"] != "shuffle_rows") | (scores["dataset"] == "wikitq")
    scores[only_one].to_parquet(run / "scores.parquet")
    assert opened(run).changing == {"shuffle_rows": ("wikitq",)}


def test_win_rates_count_ties_as_halves(study: Study) -> None:
    values, data = page_of(study)
    assert values["titles"]["wins"] == ["All models and data sets", *study.models, *study.datasets]
    rates = study.source.figures["serializers"]["pairwise_win_rates"]["datasets"][study.datasets[-1]]
    rows = data["wins-format"][-1]["rows"]
    assert {row[0][0]: row[1][:2] for row in rows} == {
        study.short[name]: [figure_cell(Interval(**one)).text, figure_cell(Interval(**one)).bounds]
        for name, one in rates.items()
    }
    assert sum(one["value"] for one in rates.values()) == pytest.approx(len(rates) / 2)


def test_a_scores_file_without_parts_still_has_its_page(tmp_path: Path, study: Study) -> None:
    columns = ["model", "dataset", "config", "example", "metric", "score"]
    path = tmp_path / "scores.csv"
    frame = study.source.scores[columns].copy()
    frame["config"] = frame["config"].str.replace("/", "-")
    frame.to_csv(path, index=False)
    values, data = page_of(opened(path))
    assert {name for name, view in values["views"].items() if view} == {"map"}
    assert values["titles"]["map"] == ["All models"]
    assert len(values["views"]["map"].rows) == len(study.models)
    assert not any(data["formats"])


def uneven(**changed: Any) -> pd.DataFrame:
    """Two models in three formats and 20 examples, of which csv was asked about 8; prompts have tokens."""
    rng = np.random.default_rng(4)
    tokens = {"html": 900.0, "json": 600.0, "csv": 300.0}
    rows = [
        {"model": model, "dataset": "d", "example": f"e{e:02}", "config": f"{form}/none/default"}
        | {"metric": "em", "score": float(rng.random() < 0.6), "prompt_tokens": tokens[form]}
        for model in ("high", "low")
        for form in tokens
        for e in range(20)
        if form != "csv" or e < 8
    ]
    return pd.DataFrame(rows).assign(**changed)


def of_scores(folder: Path, scores: pd.DataFrame) -> Study:
    path = folder / "scores.parquet"
    scores.to_parquet(path)
    return opened(path)


@pytest.mark.full
def test_data_sets_without_a_common_format_stand_by_themselves(tmp_path: Path) -> None:
    """The page opens on one that has rows, and says why; a data set of a single format is no choice."""
    first = uneven()[~uneven()["config"].str.startswith("csv")]
    second = first.assign(
        dataset="e", config=first["config"].replace({"html/none/default": "xml/none/default"})
    )
    second["config"] = second["config"].replace({"json/none/default": "df/none/default"})
    third = first[first["config"].str.startswith("html")].assign(dataset="a")
    study = of_scores(tmp_path, pd.concat([third, first, second]))
    values, data = page_of(study)
    assert values["titles"]["use"] == ["d", "e"]
    assert [row[1].text for row in values["views"]["glance"].rows] == ["json", "json"]
    assert values["views"]["formats"].caption == (
        f"Formats for {study.models[0]}, d, over 20 examples, best mean first"
    )
    assert [view["caption"] for view in data["glance"]] == [
        f"What to use for each model, {place}, over 20 examples" for place in "de"
    ]
    page = read(rendered(formats.files, study, tmp_path / "site") / study.paths.formats)
    assert (
        "No two formats can be compared over all data sets, so each data set stands by itself." in page.text
    )
    assert [name for name in page.attributes("value") if name in "ade"][:2] == ["d", "e"]


def test_without_tokens_there_is_no_column_of_them_and_no_chart(tmp_path: Path) -> None:
    values, _ = page_of(of_scores(tmp_path, uneven().drop(columns="prompt_tokens")))
    assert values["charts"] == ()
    assert "Prompt tokens" not in values["views"]["glance"].head


def test_each_chart_has_a_name_for_every_dot_where_none_covers_another(tmp_path: Path) -> None:
    values, _ = page_of(of_scores(tmp_path, uneven()))
    assert [model for model, _ in values["charts"]] == ["high", "low"] or len(values["charts"]) == 2
    for _, chart in values["charts"]:
        rows = chart.specification["datasets"]["rows"]
        assert {row["name"] for row in rows if row["named"]} == {"html", "json"}
        assert all(name in chart.description for name in ("html", "json", "900", "600"))


def test_what_may_be_used_lies_over_what_is_worse() -> None:
    found = [replace(one, worse=one.name == "f1") for one in priced(200.0, 448.0, 448.0)]
    ((_, chart),) = format_prices({"m": found}, {"m": "m"})
    assert [row["name"] for row in chart.specification["datasets"]["rows"]] == ["f1", "f0", "f2"]


def test_an_axis_in_thousands_begins_with_0() -> None:
    ((_, chart),) = format_prices({"m": priced(2000.0, 4000.0)}, {"m": "m"})
    ticks = re.findall(r">(\d+k?)</text>", chart_svg(chart))
    assert ticks[0] == "0"
    assert "1k" in ticks or "2k" in ticks


@pytest.mark.full
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 20)), min_size=2, max_size=6, unique=True))
def test_no_two_names_in_a_chart_stand_in_one_place(dots: list[tuple[int, int]]) -> None:
    found = [
        Candidate(f"f{n}", figure(0.5), figure(lost / 40, 0.01), worse=False, tokens=100.0 * tokens)
        for n, (tokens, lost) in enumerate(dots)
    ]
    ((_, chart),) = format_prices({"m": found}, {"m": "m"})
    named = [row for row in chart.specification["datasets"]["rows"] if row["named"]]
    assert named
    for one, other in combinations(named, 2):
        across, down = (abs(one[f"label_{axis}"] - other[f"label_{axis}"]) for axis in "xy")
        assert across > 13 or down > 12
