"""One verdict: terminal, ``analysis.json``, downloads and pages say the same of every pair and group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from scipy.special import ndtri

from tests.cli.in_process import here
from torr_plugin.analysis import analyse, format_size, ranked_models
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.verdicts import STANDINGS

from .pages import read_script
from .shown_everywhere import StudyEverywhere, words

FORMATS = {"html": 0.0, "markdown": 0.0, "csv": -0.08}
CHANGES = {"none": 0.0, "transpose": -0.1}
MODELS = {"ada": 0.62, "bea": 0.6, "cyd": 0.45, "dot": 0.3}


def simulated(seed: int = 2, examples: int = 60) -> pd.DataFrame:
    """Four models, the first two nearly equal; csv and transposing cost all of them."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in ("north", "south"):
        ease = rng.normal(size=examples)
        for model, skill in MODELS.items():
            own = ease + 0.4 * rng.normal(size=examples)
            for serializer, cost in FORMATS.items():
                for change, loss in CHANGES.items():
                    place = (own + 0.5 * rng.normal(size=examples)) / np.sqrt(1.41)
                    right = place < ndtri(skill + cost + loss)
                    config = f"{serializer}/{change}/default"
                    rows += [
                        (model, dataset, config, serializer, change, "default", f"e{e}", "em", float(score))
                        for e, score in enumerate(right)
                    ]
    columns = "model dataset config serializer perturbation design example metric score"
    return pd.DataFrame(rows, columns=columns.split())


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> StudyEverywhere:
    folder = tmp_path_factory.mktemp("verdict")
    scores = folder / "scores.parquet"
    simulated().to_parquet(scores)
    done = here("analyse", scores, "--out", folder / "files", "--no-charts", "--resamples", "50")
    assert done.exit_code == 0, done.stderr
    build_site([scores], folder / "site", charts=False)
    return StudyEverywhere(done.stdout, folder / "files", folder / "site")


def excludes_0(verdict: Mapping[str, Any]) -> bool:
    return verdict["low"] is not None and not verdict["low"] <= 0 <= verdict["high"]


def every_verdict(found: Any) -> list[dict[str, Any]]:
    """All that has an interval and a p-value, wherever it stands in an analysis."""
    if isinstance(found, dict):
        own = [found] if {"value", "low", "high", "p"} <= set(found) else []
        return own + [each for value in found.values() for each in every_verdict(value)]
    return [each for value in found for each in every_verdict(value)] if isinstance(found, list) else []


def test_a_verdict_is_its_interval_and_its_p(published: StudyEverywhere) -> None:
    found = every_verdict(published.analysis)
    assert len(found) > 100
    assert {verdict.get("differs", False) for verdict in found} == {True, False}
    for verdict in found:
        assert verdict.get("differs", False) == excludes_0(verdict) == (verdict["p"] <= 0.05)


def test_groups_and_ranks_follow_from_the_pairs(published: StudyEverywhere) -> None:
    analysis = published.analysis
    for place in ("overall", "north", "south"):
        better = {}
        for pair in analysis["pairs"]:
            own = pair["performance"]
            verdict = own["overall"] if place == "overall" else own["datasets"][place]
            if verdict.get("differs"):
                first, second = pair["models"]
                better[first, second] = verdict["value"] > 0
                better[second, first] = verdict["value"] < 0
        performance = {
            model: own["overall"] if place == "overall" else own["datasets"][place]
            for model, own in analysis["performance"].items()
        }
        groups: list[list[str]] = []
        for model in sorted(performance, key=lambda model: -performance[model]["value"]):
            if groups and not better.get((groups[-1][0], model)):
                groups[-1].append(model)
            else:
                groups.append([model])
        tiers = analysis["tiers"]
        assert (tiers["overall"] if place == "overall" else tiers["datasets"][place]) == groups
        ranks = analysis["rank_intervals" if place == "overall" else "rank_intervals_datasets"]
        ranks = ranks if place == "overall" else ranks[place]
        for model in performance:
            above = sum(bool(better.get((other, model))) for other in performance)
            below = sum(bool(better.get((model, other))) for other in performance)
            assert ranks[model] == [1 + above, len(performance) - below]
        share = analysis["separability"]["overall" if place == "overall" else "datasets"]
        share = share if place == "overall" else share[place]
        assert share["paired"] == pytest.approx(sum(better.values()) / share["pairs"])


def test_downloads_have_the_same_groups_ranks_and_pairs(published: StudyEverywhere) -> None:
    analysis = published.analysis
    tiers = pd.read_csv(next(published.files.rglob("tiers.csv")))
    for place, own in tiers.groupby("dataset"):
        expected = analysis["tiers"]["overall" if place == "overall" else "datasets"]
        expected = expected if place == "overall" else expected[place]
        assert own.groupby("tier")["model"].apply(list).tolist() == expected
    pairs = pd.read_csv(next(published.files.rglob("pairs.csv")))
    shown = pairs[(pairs["figure"] == "performance") & (pairs["dataset"] == "overall")]
    found = [pair["performance"]["overall"] for pair in analysis["pairs"]]
    assert shown["value"].tolist() == [own["value"] for own in found]
    assert shown["differs"].tolist() == [own.get("differs", False) for own in found]
    models = pd.read_csv(published.data / "models.csv").set_index("model")
    for number, group in enumerate(analysis["tiers"]["overall"], 1):
        assert models.index[models["group"] == number].tolist() == group
    for model, ranks in analysis["rank_intervals"].items():
        assert models.loc[model, ["first_rank", "last_rank"]].tolist() == ranks
        ends = [analysis["performance"][model]["overall"][key] for key in ("value", "low", "high")]
        assert models.loc[model, ["right", "right_low", "right_high"]].tolist() == ends


def test_the_download_of_formats_has_the_verdicts_of_the_analysis(published: StudyEverywhere) -> None:
    rows = pd.read_csv(published.data / "formats.csv", keep_default_na=False)
    for model in ("", *MODELS):
        overall = rows[(rows["model"] == model) & (rows["dataset"] == "overall")]
        choice = published.analysis["serializers"]["choice"]
        levels = (choice["models"][model] if model else choice["average"])["overall"]
        shown = overall[overall["question"] == "formats"]
        assert shown["name"].tolist() == [level["name"] for level in levels]
        assert shown["difference"].astype(float).tolist() == [-level["behind"]["value"] for level in levels]
        differs = [str(level["behind"].get("differs", False)) for level in levels]
        assert shown["differs"].astype(str).str.capitalize().tolist() == differs
        changes = published.analysis["perturbations"]
        (row,) = overall[overall["question"] == "layout changes"].to_dict("records")
        own = changes["differences"]["overall"][model] if model else changes["average"]["overall"]
        verdict = own["transpose"]
        assert [float(row[key]) for key in ("difference", "low", "high")] == [
            verdict[key] for key in ("value", "low", "high")
        ]


def test_the_findings_are_those_of_terminal_and_site(published: StudyEverywhere) -> None:
    found = published.analysis["findings"]
    assert [each["question"] for each in found] == ["models", "formats", "layout changes"]
    said = words(published.page("index").select_one("#findings"))
    terminal = " ".join(published.terminal.split())
    for each in found:
        text = "".join(part["text"] for part in each["parts"])
        assert " ".join(text.split()) in terminal
        assert re.sub(r"\s", "", text) in re.sub(r"\s", "", said)
    text = terminal
    assert "csv costs" in text
    assert "transpose costs" in text


def test_the_first_page_has_the_groups_of_the_analysis(published: StudyEverywhere) -> None:
    rows = published.page("index").select("#board tbody tr")
    shown: list[list[str]] = []
    for row in rows:
        if "group" in (row.get("class") or []):
            shown.append([])
        else:
            shown[-1].append(words(row.select_one("a bdi") or row.select_one("a")))
    assert shown == published.analysis["tiers"]["overall"]


def verdict_of(analysis: Mapping[str, Any], one: str, other: str) -> tuple[Mapping[str, Any], bool]:
    """The verdict on a pair, and whether the first of them is ahead."""
    pairs = {tuple(pair["models"]): pair["performance"]["overall"] for pair in analysis["pairs"]}
    first = (one, other) in pairs
    verdict = pairs[(one, other) if first else (other, one)]
    return verdict, (verdict["value"] > 0) == first


def test_a_models_page_calls_better_exactly_what_its_interval_excludes(published: StudyEverywhere) -> None:
    checked = 0
    for path in published.site.glob("*/models/*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        model = words(page.h1)
        for row in page.select("#pairs tbody tr"):
            said, points = (words(cell) for cell in row.select("td")[:2])
            verdict, ahead = verdict_of(published.analysis, model, words(row.th))
            expected = ("better" if ahead else "worse") if verdict.get("differs") else STANDINGS["alike"]
            assert said == expected
            low, high = map(float, re.findall(r"[+-]?\d+(?:\.\d+)?", points)[-2:])
            assert (low > 0 or high < 0) == verdict.get("differs", False)
            checked += 1
    assert checked == len(MODELS) * (len(MODELS) - 1)


def test_compare_says_the_verdict_on_every_pair(published: StudyEverywhere) -> None:
    names = ranked_models(published.analysis)
    for number, one in enumerate(names):
        path = published.data / "pages" / "compare" / f"{number}.js"
        _, found = read_script(path.read_text(encoding="utf-8"))
        for other in (name for name in names if name != one):
            what, said, claimed, *figures = found[str(names.index(other))][0]
            verdict, ahead = verdict_of(published.analysis, one, other)
            assert (what, claimed) == ("All questions", verdict.get("differs", False))
            size = format_size(abs(verdict["value"]), *sorted((abs(verdict["low"]), abs(verdict["high"]))))
            assert not claimed or said == f"{one if ahead else other} is better, by {size}"
            assert claimed or said.startswith("no difference shown (")
            for name, figure in zip((one, other), figures, strict=True):
                assert figure == f"{100 * published.analysis['performance'][name]['overall']['value']:.0f}%"


def test_bold_and_groups_on_the_formats_page_are_what_the_analysis_calls_worse(
    published: StudyEverywhere,
) -> None:
    page, analysis = published.page("formats"), published.analysis
    choice = analysis["serializers"]["choice"]
    shown: list[list[str]] = []
    bold = set()
    for row in page.select("#formats > .scroll tbody tr"):
        if "group" in (row.get("class") or []):
            shown.append([])
            continue
        shown[-1].append(words(row.th))
        bold |= {words(row.th)} if row.select_one("td.real") else set()
    worse = [level["name"] for level in choice["average"]["overall"] if level["behind"].get("differs")]
    assert worse
    assert (shown[-1], bold) == (worse, set(worse))
    assert shown[0][0] == choice["average"]["overall"][0]["name"]
    (row,) = page.select("#layouts > .scroll tbody tr")
    average = analysis["perturbations"]["average"]["overall"]["transpose"]
    assert bool(row.select_one("td.real")) == average.get("differs", False)
    assert words(row.select("td")[-1]).startswith("costs")
    unlike = {words(item.a) for item in page.select("#formats > ul li")}
    assert unlike == {
        model
        for model, own in choice["models"].items()
        if any(level["behind"].get("differs") and level["name"] not in worse for level in own["overall"])
    }


def test_a_group_of_models_does_not_depend_on_what_else_was_asked() -> None:
    """Nothing is shared between questions: without formats and changes the groups are the same."""
    scores = simulated(5, 30)
    whole = analyse(scores, resamples=20, rankings=2, repeats=2)
    nameless = scores.drop(columns=["serializer", "perturbation", "design"])
    nameless["config"] = nameless["config"].str.replace("/", " ")
    bare = analyse(nameless, resamples=20, rankings=2, repeats=2)
    assert "serializers" not in bare
    assert whole["tiers"] == bare["tiers"]
    assert whole["pairs"] == bare["pairs"]
