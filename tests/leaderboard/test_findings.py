"""The sentences above the board, held against the figures that they are about."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.analysis import AnalysisResults, format_interval
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard.board import board
from torr_plugin.leaderboard.findings import StudyFinding, study_findings
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import Study, study_of
from torr_plugin.leaderboard.views import signed

from .made import make_run
from .rendered import with_results
from .simulated import MODELS, simulate


@pytest.fixture(scope="module")
def study(small_study: Study) -> Study:
    return small_study


def said(study: Study) -> dict[str, StudyFinding]:
    found = study_findings(study, board(study.analysis))
    return {finding.title: finding for finding in found}


def words(finding: StudyFinding) -> str:
    return "".join(part.text for part in finding.parts)


def interval(figure: Interval) -> str:
    return format_interval(figure.value, figure.low, figure.high)


def test_each_has_its_page_and_ends_as_a_sentence(study: Study) -> None:
    found = said(study)
    assert len(found) == 5
    assert all(words(finding).endswith(".") and "  " not in words(finding) for finding in found.values())
    pages = {study.paths.formats, f"{study.paths.overview}#pairs", *study.paths.models.values()}
    assert {finding.path for finding in found.values()} <= pages


def test_the_best_model_and_whom_it_is_not_separated_from(study: Study) -> None:
    first, *others = board(study.analysis).rows
    text = words(said(study)["Best performance"])
    assert text.startswith(
        f"{first.model} scores {interval(study.analysis.performance[first.model].overall)}"
    )
    claims = study.claims.sentences
    same = [row.model for row in others if ("performance", frozenset((first.model, row.model))) not in claims]
    assert all(model in text for model in same[:3])
    assert ("significantly above every other model" in text) is (not same)


def test_the_most_robust_model(study: Study) -> None:
    robustness = {name: found.overall for name, found in study.analysis.robustness_5.items()}
    model = max(robustness, key=lambda name: robustness[name].value or 0.0)
    torrs = interval(study.analysis.robustness[model].overall)
    text = words(said(study)["Highest robustness"])
    start = f"{model} has the highest robustness, {interval(robustness[model])} "
    assert text.startswith(f"{start}(ToRR\N{RIGHT SINGLE QUOTATION MARK}s: {torrs})")


def test_nobody_is_called_more_robust_by_a_test_that_was_not_made(study: Study) -> None:
    figures = study.analysis.results.to_json()
    for pair in figures["pairs"]:
        del pair["robustness_5"]
    analysis = StudyResults(AnalysisResults.from_json(figures))
    text = words(said(replace(study, source=replace(study.source, analysis=analysis)))["Highest robustness"])
    assert "has the highest robustness" in text
    assert "significantly" not in text


def test_a_weak_model_is_not_praised_for_being_always_wrong(study: Study) -> None:
    """The least able model with the highest robustness: the sentence says both."""
    model = board(study.analysis).rows[-1].model
    full = study.analysis.robustness_5[model].model_copy(
        update={"overall": Interval(value=1.0, low=1.0, high=1.0)}
    )
    robustness = {**study.analysis.robustness_5, model: full}
    analysis = with_results(study.analysis, robustness_5=robustness)
    changed = replace(study, source=replace(study.source, analysis=analysis))
    text = words(said(changed)["Highest robustness"])
    assert text.startswith(model)
    assert "scores lowest" in text
    assert interval(analysis.robustness_solvable[model].overall) in text
    unsolved = full.model_copy(update={"overall": Interval(value=None, low=None, high=None)})
    solvable = {**study.analysis.robustness_solvable, model: unsolved}
    analysis = with_results(analysis, robustness_solvable=solvable)
    text = words(said(replace(study, source=replace(study.source, analysis=analysis)))["Highest robustness"])
    assert text.endswith("scores lowest.")


def test_how_far_the_format_moves_a_score(study: Study) -> None:
    ranges = study.analysis.configuration_range
    assert ranges is not None
    widest = max(
        (found.overall.range.value or 0, name)
        for name, found in ranges.items()
        if found.overall and found.overall.range
    )
    found = ranges[widest[1]].overall
    assert found is not None
    assert found.range is not None
    assert found.best is not None
    assert found.best.config is not None
    matters = any(
        hypothesis[:3] == ("worse", widest[1], "overall") for hypothesis in study.claims.sentences.made
    )
    text = words(said(study)["The format matters" if matters else "Best and worst configuration"])
    assert ("no format is shown" in text) is not matters
    assert f"{widest[1]} moves by {interval(found.range)}" in text
    assert found.best.config.removeprefix("torr.").removesuffix("/default") in text


def test_the_costliest_change(study: Study) -> None:
    parts = study.analysis.perturbations
    assert parts is not None
    assert parts.differences is not None
    changes = parts.differences["overall"]
    kinds = next(iter(changes.values()))
    worst = min(kinds, key=lambda name: sum(found[name].value or 0.0 for found in changes.values()))
    costs = {model: found[worst] for model, found in changes.items()}
    ranked = sorted(costs, key=lambda model: -(costs[model].value or 0.0))

    def change(model: str) -> str:
        return " ".join(signed(costs[model]))

    claims = study.claims.sentences
    real = sum((own.value or 0.0) < 0 and ("change", model, worst) in claims for model, own in costs.items())
    text = words(said(study)["The costliest change" if real else "Changes to the table"])
    assert f"{worst} lowers the mean score most: it changes by {change(ranked[0])} ({ranked[0]})" in text
    assert f" to {change(ranked[-1])} ({ranked[-1]});" in text
    assert text.endswith(f"the loss is significant for {real} of {len(costs)} models.")


def test_what_no_test_shows_is_not_claimed(study: Study) -> None:
    """The same figures with p-values of 1: what is seen is said, and that it may be chance."""
    figures = study.analysis.results.to_json()
    for rows in figures["serializers"]["choice"].values():
        for row in rows["overall"]:
            row["behind"]["p"] = 1.0
    for found in figures["perturbations"]["differences"]["overall"].values():
        for figure in found.values():
            figure["p"] = 1.0
    for pair in figures["pairs"]:
        for name in study.analysis.compared_figures:
            pair[name]["overall"]["p"] = 1.0
    analysis = StudyResults(AnalysisResults.from_json(figures))
    found = said(replace(study, source=replace(study.source, analysis=analysis)))
    assert "no format is shown" in words(found["Best and worst configuration"])
    assert f"significant for 0 of {len(study.models)} models" in words(found["Changes to the table"])
    for title in ("Best performance", "Highest robustness"):
        assert "not shown to be above" in words(found[title])


def test_what_a_change_costs_one_model(tmp_path: Path) -> None:
    run = simulate(tmp_path / "run", models=MODELS[:1], datasets=["facts"], examples=6, rows=3, resamples=50)
    found = said(study_of(open_source(run), set(), alone=True))
    text = words(found.get("The costliest change") or found["Changes to the table"])
    assert re.search(r" lowers the mean score most: by 0\.\d+ \[\S+, \S+\](, which may be chance)?\.$", text)


def test_every_figure_has_its_interval(study: Study) -> None:
    """Shares and counts of pairs are exact."""
    for title, finding in said(study).items():
        if title != "How many pairs differ":
            for part in finding.parts:
                assert part.sort != "words" or not re.search(r"\d\.\d", part.text), part
                assert part.sort != "number" or re.fullmatch(r"\S+ \[\S+, \S+\]", part.text), part


def test_how_many_pairs_are_separated(study: Study) -> None:
    pairs = study.analysis.separability.overall
    assert pairs.pairs_separated is not None
    text = words(said(study)["How many pairs differ"])
    separated = sum(pair.paired for pair in pairs.pairs_separated)
    assert f"separates {separated} of {pairs.pairs} pairs" in text


def test_a_figure_that_lacks_scores_is_marked(study: Study) -> None:
    """As in the table below, which says what the mark means."""
    analysis = study.analysis
    best = board(analysis).rows[0].model
    figures = analysis.performance[best]
    lacking = figures.overall.model_copy(update={"complete": False})
    performance = {**analysis.performance, best: figures.model_copy(update={"overall": lacking})}
    holed = with_results(analysis, performance=performance)
    source = replace(study.source, analysis=holed)
    assert f"{interval(lacking)}* on average" in words(
        said(replace(study, source=source))["Best performance"]
    )


def test_one_model_in_one_configuration_has_no_more_than_its_score(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run", models=["alpha"], datasets=["wikitq"], serializers=["html"], perturbations=["none"]
    )
    found = said(study_of(open_source(run), set(), alone=True))
    assert list(found) == ["Best performance"]
    assert words(found["Best performance"]).endswith("on average.")
