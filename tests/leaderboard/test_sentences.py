"""The sentences of a site, held against what is claimed and against the figures that they are about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import AnalysisResults, format_interval
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard.agreement import configuration_view
from torr_plugin.leaderboard.claims import pair_hypothesis
from torr_plugin.leaderboard.claims.of_model import ModelFindings, model_findings
from torr_plugin.leaderboard.claims.of_reliability import reliability_findings
from torr_plugin.leaderboard.claims.of_study import study_findings
from torr_plugin.leaderboard.claims.sentences import Sentence, name, names, phrases
from torr_plugin.leaderboard.claims.verdicts import verdict, weak
from torr_plugin.leaderboard.files import DataFile, PageFile
from torr_plugin.leaderboard.pages import formats as formats_page
from torr_plugin.leaderboard.pages.compare import difference_view
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.study import Study

from .made import make_run, with_analysis
from .pages import read_script
from .rendered import noise, opened, scored, with_results


def said(study: Study) -> dict[str, Sentence]:
    return {one.title: one for one in study_findings(study)}


def changed(study: Study, **results: Any) -> Study:
    return replace(study, source=replace(study.source, analysis=with_results(study.analysis, **results)))


def with_json(study: Study, change: Callable[[dict[str, Any]], None]) -> Study:
    figures = study.analysis.results.to_json()
    change(figures)
    analysis = StudyResults(AnalysisResults.from_json(figures))
    return replace(study, source=replace(study.source, analysis=analysis))


def interval(figure: Interval) -> str:
    return format_interval(figure.value, figure.low, figure.high)


# What was untrue


def test_no_model_is_called_most_robust_where_no_test_finds_a_difference(small_study: Study) -> None:
    def level(figures: dict[str, Any]) -> None:
        for pair in figures["pairs"]:
            for figure in ("robustness", "robustness_5"):
                pair[figure]["overall"]["p"] = 1.0

    found = said(with_json(small_study, level))
    assert "Most robust" not in found
    text = found["No model is shown to be most robust"].text
    assert "but is not shown to differ from" in text
    assert not found["No model is shown to be most robust"].claims


def test_a_constant_answerer_is_never_praised(tmp_path: Path) -> None:
    """It is right on the same examples whatever the format, and so perfectly robust."""

    def score(model: str, example: int, fmt: str, change: str) -> float:
        return float(example % 6 == 0) if model == "a" else float(noise(model, example, fmt, change) < 0.6)

    study = scored(tmp_path, score)
    assert study.analysis.robustness["a"].overall.value == 1.0
    assert pair_hypothesis("robustness", "a", "b") in study.claims.sentences
    for finding in study_findings(study):
        assert "robust" not in finding.text or "a changes" not in finding.text
    assert not any("robust" in one.text for model in "abc" for one in model_findings(study, model).strengths)
    assert not any("robust" in one.text for model in "abc" for one in model_findings(study, model).weaknesses)
    assert "robust" not in verdict(study, "a", "b")
    robust = difference_view(study, study.analysis.compared_figures[1], "a", "b")
    assert [row[2].text for row in robust.rows] == ["says little"]


@pytest.mark.full
def test_the_weakest_model_is_not_called_robust_without_saying_that_it_is(tmp_path: Path) -> None:
    right = {"a": 0.7, "b": 0.65, "c": 0.05}
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < right[cell[0]]))
    found = said(study)["Most robust"]
    assert re.match(r"The scores of c \(robustness .*\) differ less between configurations than ", found.text)
    but = "It also scores lowest, and what is rarely right can change little."
    perhaps = "No prompt was asked twice, so answer noise may be part of it."
    assert found.text.endswith(f"{but} {perhaps}")
    assert [one.text for one in model_findings(study, "c").strengths] == [
        f"More robust than every other model. {but}"
    ]
    assert [one.text for one in model_findings(study, "a").weaknesses] == [
        f"Less robust than c. {but.replace('It', 'That model', 1)}"
    ]
    right["b"] = 0.08
    near = said(scored(tmp_path, lambda *cell: float(noise(*cell) < right[cell[0]])))
    assert near["No model is shown to be most robust"].text.startswith("c has the highest robustness")
    assert near["No model is shown to be most robust"].text.endswith(but)


@pytest.mark.full
@pytest.mark.parametrize(
    ("means", "said"),
    [
        ((0.93, 0.88), ("highest, and what is rarely wrong can change little.", "lowest.")),
        ((0.7, 0.2), ("", "lowest, and what is rarely right can change little.")),
        ((0.5, 0.5), ("", "")),
    ],
)
def test_a_robustness_may_come_of_the_mean_where_that_is_alone_and_near_an_end(
    means: tuple[float, float], said: tuple[str, str], tmp_path: Path
) -> None:
    def change(figures: dict[str, Any]) -> None:
        for model, own in figures["performance"].items():
            own["overall"]["value"] = dict(zip("ab", means, strict=True)).get(model)

    scores = {"a": 0.7, "b": 0.6, "c": 0.5}
    study = with_json(scored(tmp_path, lambda *cell: float(noise(*cell) < scores[cell[0]])), change)
    expected = tuple(f" It also scores {each}" if each else "" for each in said)
    assert tuple(weak(study, model) for model in "ab") == expected
    assert weak(study, "c") == ""


@pytest.mark.full
@pytest.mark.parametrize(("right", "limited"), [(0.96, True), (0.8, False)])
def test_what_is_rarely_wrong_is_not_called_robust_without_saying_so(
    right: float, limited: bool, tmp_path: Path
) -> None:
    """The scores of the best model hardly differ between configurations, those of the others do."""

    def score(model: str, example: int, *cell: str) -> float:
        if model == "a":
            return float((noise(model, example, "", "") < right) != (noise(model, example, *cell) < 0.02))
        return float(noise(model, example, *cell) < 0.5)

    found = said(scored(tmp_path, score))["Most robust"]
    assert found.claims
    assert ("It also scores highest, and what is rarely wrong can change little." in found.text) is limited


@pytest.mark.full
def test_the_title_follows_the_formats(tmp_path: Path) -> None:
    alike = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.6))
    title = "No difference between formats was found"
    assert "no format is shown to be worse than another" in said(alike)[title].text
    worse = scored(tmp_path, lambda *cell: float(noise(*cell) < (0.2 if cell[2] == "csv" else 0.8)))
    found = said(worse)["The format matters"]
    assert re.match(r"csv costs [abc] \S+ \[\S+, \S+\] compared with html; ", found.text)
    assert found.text.endswith("for every model, at least one format is shown to be worse.")
    assert {claim.hypothesis[0] for claim in found.claims} == {"worse"}
    equal = scored(tmp_path, lambda model, example, fmt, change: float(noise(model, example, "", "") < 0.6))
    assert said(equal)[title].text == "Every model has the same mean score in all formats."


def test_a_perturbation_is_not_compared_as_if_it_were_a_format(tmp_path: Path) -> None:
    """transpose costs much, whatever the format: no format is named for it."""
    found = said(
        scored(tmp_path, lambda *cell: float(noise(*cell) < (0.1 if cell[3] == "transpose" else 0.8)))
    )
    assert "The format matters" not in found
    cost = found["Changing the table costs"]
    assert cost.text.startswith("transpose lowers the score of every model, at most by ")
    assert cost.text.endswith("though it may also change the right answer.")
    assert "/" not in "".join(one.text for one in found.values())


@pytest.mark.full
def test_finding_no_difference_is_no_strength(tmp_path: Path) -> None:
    """c is far below the others, which do not differ."""
    right = {"a": 0.7, "b": 0.7, "c": 0.1}
    study = scored(tmp_path, lambda *cell: float(noise(*cell) < right[cell[0]]))
    findings = {model: model_findings(study, model) for model in study.models}
    said = {model: (*found.strengths, *found.weaknesses) for model, found in findings.items()}
    for model, sentences in said.items():
        assert sentences, model
        for one in sentences:
            assert one.claims
            assert not re.search(r"\b(no|not|nor|none)\b", one.text), one.text
            assert not {"a", "b"} - {model} & set(re.findall(r"\w+", one.text)), one.text
    level = scored(tmp_path, lambda *cell: float(noise(*cell) < 0.6))
    assert all(model_findings(level, model) == ModelFindings((), ()) for model in level.models)


def test_every_sentence_of_a_model_states_claims_that_hold_of_it(small_study: Study, tmp_path: Path) -> None:
    shifts = {"a": 0.9, "b": 0.5, "c": 0.2}
    strong = scored(
        tmp_path, lambda *cell: float(noise(*cell) < shifts[cell[0]] - (0.2 if cell[2] == "csv" else 0.0))
    )
    for study in (small_study, strong):
        for model in study.models:
            found = model_findings(study, model)
            for one in (*found.strengths, *found.weaknesses):
                assert all(claim.holds for claim in one.claims)
                assert all(model in str(claim.hypothesis) for claim in one.claims)
    best = model_findings(strong, "a")
    assert best.strengths[0].text == "Scores higher than every other model."
    middle = model_findings(strong, "b")
    assert middle.strengths[0].text == "Scores higher than c."
    assert middle.weaknesses[0].text == "Scores lower than a."


def test_the_toon_study(toon: Study) -> None:
    """Four real models; one format was asked about half of the questions."""
    found = study_findings(toon)
    assert [one.title for one in found][:2] == ["One model is best", "Most robust"]
    formats = next(one for one in found if "format" in one.title)
    claimed = any(claim.holds for claim in toon.claims.sentences.of_kind("format"))
    assert (formats.title == "The format matters") is claimed
    assert formats.text.count("csv") == 1, "its questions are others"
    assert re.match("Of all formats but csv, json-compact is .* the largest distance; ", formats.text)
    assert "none of these is shown to be worse" in formats.text
    assert re.match(
        r"The scores of grok-4\.5 \(robustness .*\) differ less between formats than those of every",
        found[1].text,
    )
    assert found[1].text.endswith(
        "It also scores highest, and what is rarely wrong can change little. No prompt was asked twice, so "
        "answer noise may be part of it."
    )
    lines = [one.text for one in reliability_findings(toon, "toon", "")]
    assert lines[0] == (
        "All five formats that were asked about the same examples rank the four models the same way; csv, "
        "asked on 109 of 244 examples, is left out."
    )
    agreement = configuration_view(toon)
    assert agreement is not None
    assert (agreement.rows[0][-1].text, agreement.rows[0][-1].bounds) == ("5 of 6", "without csv")


def test_words_that_find_no_difference_know_of_bold_ones(toon: Study) -> None:
    """No sentence calls a format worse, and two figures of the page on formats are bold."""
    bold = [claim.hypothesis for claim in toon.claims.bold.of_kind("serializer") if claim.holds]
    assert len(bold) == 2
    formats = next(one for one in study_findings(toon) if "format" in one.title)
    assert formats.title == "No difference between formats is certain"
    rule = "on average at most one highlighted figure in 20 is due to chance."
    real = "highlighted and may be real"
    which = "(json-compact for all models together and json-compact for gemini-3.6-flash)"
    assert formats.text.endswith(f"worse than another. Two figures of formats are {real} {which}: {rule}")
    page, data = formats_page.files(toon)
    assert isinstance(page, PageFile)
    assert isinstance(data, DataFile)
    where, lines = "under “Which formats suit which models”", page.values["views"]["glance"].lines
    assert lines[-1].startswith(
        "Of all formats but csv, none is shown to be worse than another, for any model. "
    )
    assert f"Two figures {where} are {real} {which}: {rule}" in lines[-1]
    models = read_script(data.content)[1]["formats"]
    for model, (own,) in zip(toon.models, models, strict=True):
        mentioned = f"One figure {where} is {real} (json-compact): {rule}" in " ".join(own["lines"])
        assert mentioned is (sum(one[2] == model for one in bold) == 1)


# What is said


def test_each_has_its_page_and_ends_as_a_sentence(small_study: Study) -> None:
    found = study_findings(small_study)
    assert len(found) >= 2
    assert all(one.text.endswith(".") and "  " not in one.text for one in found)
    pages = {small_study.paths.formats, *small_study.paths.models.values()}
    assert {one.path for one in found} <= pages


def test_the_best_model_and_whom_it_is_not_separated_from(small_study: Study) -> None:
    first, *others = small_study.models
    claims = small_study.claims.sentences
    same = [other for other in others if pair_hypothesis("performance", first, other) not in claims]
    found = study_findings(small_study)[0]
    assert found.title == ("No single best model" if same else "One model is best")
    assert interval(small_study.analysis.performance[first].overall) in found.text
    assert all(model in found.text for model in same[:3])


def test_where_nearly_every_answer_is_wrong_nobody_is_best(tmp_path: Path) -> None:
    study = scored(tmp_path, lambda model, example, fmt, change: float(model == "a" and example == 0))
    (first, *_) = study_findings(study)
    assert first.title == "No model answers these questions"
    assert not first.claims


def test_nobody_is_called_more_robust_by_a_test_that_was_not_made(small_study: Study) -> None:
    def without(figures: dict[str, Any]) -> None:
        for pair in figures["pairs"]:
            pair.pop("robustness_5", None)

    found = said(with_json(small_study, without))
    assert not any("robust" in title.lower() for title in found)


def test_every_figure_has_its_interval(small_study: Study) -> None:
    parts = [part for finding in study_findings(small_study) for part in finding.parts]
    assert {"words", "number"} <= {part.sort for part in parts}
    for part in parts:
        assert part.sort != "words" or not re.search(r"\d\.\d", part.text), part
        assert part.sort != "number" or re.fullmatch(r"\S+ \[\S+, \S+\]", part.text), part


def test_a_figure_that_lacks_scores_is_marked(small_study: Study) -> None:
    """As in the table below, which says what the mark means."""
    best = small_study.models[0]
    figures = small_study.analysis.performance[best]
    lacking = figures.overall.model_copy(update={"complete": False})
    performance = {
        **small_study.analysis.performance,
        best: figures.model_copy(update={"overall": lacking}),
    }
    found = study_findings(changed(small_study, performance=performance))[0]
    assert f"{interval(lacking)}*" in found.text


def test_one_model_in_one_configuration_has_no_more_than_its_score(tmp_path: Path) -> None:
    run = make_run(
        tmp_path / "run", models=["alpha"], datasets=["wikitq"], serializers=["html"], perturbations=["none"]
    )
    found = said(opened(run))
    assert list(found) == ["Performance"]
    assert re.fullmatch(r"alpha has a mean score of \S+ \[\S+, \S+\]\.", found["Performance"].text)


def test_the_only_model_with_a_figure_is_not_called_best(tmp_path: Path) -> None:
    study = scored(
        tmp_path, lambda model, example, *cell: example % 2 if model == "a" else float("nan"), "ab"
    )
    found = said(study)["Performance"].text
    assert re.fullmatch(r"a has a mean score of \S+ \[\S+, \S+\]; no other model has an overall one\.", found)


def test_models_that_share_the_highest_score_are_said_to_share_it(tmp_path: Path) -> None:
    def score(model: str, example: int, fmt: str, change: str) -> float:
        return float(example % 10 < (5 if model in "ab" else 4)) if fmt == "csv" else float(example % 2)

    found = said(scored(tmp_path, score))
    best = found["No single best model"].text
    assert re.fullmatch(
        r"a and b share the highest mean score, \S+ \[\S+, \S+\], but are not shown to score above c\.", best
    )
    assert "a has the highest" not in str(found)


@pytest.mark.full
def test_models_that_all_have_one_score_are_not_ranked(tmp_path: Path) -> None:
    def score(model: str, example: int, fmt: str, change: str) -> float:
        return noise("", example, fmt, change) < 0.5

    found = said(scored(tmp_path, score))
    assert found["No single best model"].text.startswith("All three models have the same mean score, ")
    robust = found["No model is shown to be most robust"].text
    assert robust.startswith("All three models have the same robustness, ")
    both = said(scored(tmp_path, score, "ab"))
    assert both["No single best model"].text.startswith("Both models have the same mean score, ")


def test_what_no_test_compares_is_not_best(tmp_path: Path) -> None:
    """Two models on one example."""
    found = said(
        scored(tmp_path, lambda model, example, *cell: None if example else float(model == "a"), "ab")
    )
    assert found["No single best model"].text.endswith(", but no test compares it with another.")


def test_names_with_braces_stay_names() -> None:
    made = phrases("{} and {}.", name("{}"), names(["{0}", "b", "c", "d", "e"]))
    assert "".join(part.text for part in made) == "{} and {0}, b, c and 2 others."
    assert [part.text for part in made if part.sort == "name"] == ["{}", "{0}", "b", "c"]


@pytest.mark.full
def test_reliability_is_said_in_plain_words_with_the_figure_behind(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", models=list("abcd"), datasets=["facts"], examples=8)
    with_analysis(run, resamples=50)
    study = opened(run)
    found = list(reliability_findings(study, "facts", "Ask more."))
    assert [one.title for one in found][-1] == "How large a study"
    for one in found:
        assert "Kendall" not in one.text
        assert "[no width]" not in one.text
    agreement = study.analysis.configuration_agreement["facts"]
    assert agreement.value is not None
    if agreement.value < 1:
        assert "rank the four models" in found[0].text
    assert "Kendall" in found[0].figure
    held = sum(claim.holds for claim in found[1].claims)
    assert ("No two" in found[1].text) is (held == 0)


@pytest.mark.parametrize("place", [0, 1])
def test_a_verdict_is_the_same_from_either_side(small_study: Study, place: int) -> None:
    one, other = small_study.models[place : place + 2]
    here, there = verdict(small_study, one, other), verdict(small_study, other, one)
    assert here.startswith(one)
    assert there.startswith(other)
    assert sorted(re.findall(r"\d+\.\d+", here)) == sorted(re.findall(r"\d+\.\d+", there))
    for word, opposite in (("higher", "lower"), ("more", "less"), ("not shown", "not shown")):
        assert here.count(word) == there.count(opposite)
        assert here.count(opposite) == there.count(word)


# Models, data sets and formats that were not asked alike

Right = Callable[[str, str, str], float | None]


def uneven(path: Path, models: str, datasets: tuple[str, ...], count: int, right: Right) -> Study:
    """A scores file of models that are right on a share of examples in each format; None: not asked."""
    draws = np.random.default_rng(5)
    rows = [
        (
            model,
            dataset,
            f"e{example}",
            f"{fmt}/none/default",
            fmt,
            "none",
            "exact_match",
            float(draws.random() < share),
        )
        for model in models
        for dataset in datasets
        for fmt in ("csv", "html", "json")
        if (share := right(model, dataset, fmt)) is not None
        for example in range(count if fmt != "csv" or len(datasets) == 1 else count // 3)
    ]
    columns = ["model", "dataset", "example", "config", "serializer", "perturbation", "metric", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(path / "scores.csv", index=False)
    return opened(path / "scores.csv")


@pytest.mark.full
def test_places_count_the_models_of_both_rankings_alone(tmp_path: Path) -> None:
    """x and y, on one data set alone, do not make another model's place there better than overall."""

    def right(model: str, dataset: str, fmt: str) -> float | None:
        if dataset == "d1":
            return 0.02 if model in "xy" else 0.55
        return None if model in "xy" else 0.05 if model == "c" else 0.95

    study = uneven(tmp_path, "abcxy", ("d1", "d2", "d3"), 120, right)
    assert study.analysis.performance["x"].overall.value is None
    assert not [one.text for one in model_findings(study, "c").strengths if "it ranks" in one.text]


@pytest.mark.full
def test_who_was_not_compared_is_not_among_every_other_model(tmp_path: Path) -> None:
    share = {"a": 0.95, "b": 0.3, "c": 0.5}
    study = uneven(tmp_path, "abc", ("d1",), 30, lambda model, dataset, fmt: share[model])
    scores = study.source.scores
    scores.loc[scores["model"] == "c", "score"] = np.nan
    scores.to_csv(tmp_path / "holes.csv", index=False)
    found = said(opened(tmp_path / "holes.csv"))
    assert "One model is best" not in found
    assert found["Best performance"].text.endswith("and scores above b.")


@pytest.mark.full
def test_a_format_that_stands_apart_costs_something_where_it_was_asked(tmp_path: Path) -> None:
    def right(model: str, dataset: str, fmt: str) -> float | None:
        return (0.1 if dataset == "d1" else None) if fmt == "csv" else 0.9

    study = uneven(tmp_path, "ab", ("d1", "d2"), 100, right)
    costs = [one.text for one in model_findings(study, "a").weaknesses if "csv" in one.text]
    assert costs
    assert all(text.startswith("On d1, csv costs it ") for text in costs)
    assert "On d1, csv costs " in said(study)["The format matters"].text
