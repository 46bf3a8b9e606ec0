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
from torr_plugin.analysis import analyse
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.verdicts import STANDINGS

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
    for folder in (published.files, published.data):
        tiers = pd.read_csv(next(folder.rglob("tiers.csv")))
        for place, own in tiers.groupby("dataset"):
            expected = analysis["tiers"]["overall" if place == "overall" else "datasets"]
            expected = expected if place == "overall" else expected[place]
            assert own.groupby("tier")["model"].apply(list).tolist() == expected
        pairs = pd.read_csv(next(folder.rglob("pairs.csv")))
        shown = pairs[(pairs["figure"] == "performance") & (pairs["dataset"] == "overall")]
        expected = [pair["performance"]["overall"] for pair in analysis["pairs"]]
        assert shown["value"].tolist() == [own["value"] for own in expected]
        assert shown["differs"].tolist() == [own.get("differs", False) for own in expected]
        choice = pd.read_csv(next(folder.rglob("choice.csv")))
        average = choice[choice["model"].isna() & (choice["dataset"] == "overall")]
        levels = analysis["serializers"]["choice"]["average"]["overall"]
        assert average["serializer"].tolist() == [level["name"] for level in levels]
        assert average["worse"].tolist() == [level["behind"].get("differs", False) for level in levels]


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


def test_a_models_page_calls_better_exactly_what_its_interval_excludes(published: StudyEverywhere) -> None:
    pairs = {tuple(pair["models"]): pair for pair in published.analysis["pairs"]}
    checked = 0
    for path in published.site.glob("*/models/*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        model = words(page.h1)
        for row in page.select("#pairs tbody tr"):
            other, said = words(row.th), words(row.select_one("td"))
            first = (model, other) in pairs
            verdict = pairs[(model, other) if first else (other, model)]["performance"]["overall"]
            ahead = (verdict["value"] > 0) == first
            expected = ("better" if ahead else "worse") if verdict.get("differs") else STANDINGS["alike"]
            assert said == expected
            low, high = map(float, re.findall(r"[+-]?\d\.\d+", words(row.select("td")[1]))[-2:])
            assert (low > 0 or high < 0) == verdict.get("differs", False) or 0 in (low, high)
            checked += 1
    assert checked == len(MODELS) * (len(MODELS) - 1)


def test_bold_on_the_formats_page_is_what_the_analysis_calls_worse(published: StudyEverywhere) -> None:
    page, analysis = published.page("formats"), published.analysis
    head, *rows = page.select("table[data-view=away] tr")
    names = [words(cell) for cell in head.select("th")][1:]
    choice = analysis["serializers"]["choice"]
    assert words(rows[0].select_one("th, td")) == "Average over models"
    for row in rows:
        model = words(row.select_one("th, td"))
        found = choice["average"] if model == "Average over models" else choice["models"][model]
        worse = {level["name"] for level in found["overall"] if level["behind"].get("differs")}
        cells = zip(names, row.select("th, td")[1:], strict=True)
        assert {name for name, cell in cells if "real" in (cell.get("class") or [])} == worse
    rows = page.select("table[data-view=impact] tbody tr")
    for row in rows:
        model, cell = words(row.select_one("th, td")), row.select("th, td")[1]
        changes = analysis["perturbations"]
        models = {**changes["differences"]["overall"], "Average over models": changes["average"]["overall"]}
        own = models[model]
        assert ("real" in (cell.get("class") or [])) == own["transpose"].get("differs", False)


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
