"""Small simulated studies of which it is known what is true, and what their sites say that is not.

An answer is right with a probability that depends on how easy its example is, and on its model, format and
perturbation; examples are drawn from a population, and what is true is true over that population, worked out
by quadrature. Some effects are exactly 0, so that there are differences that no page may claim.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from torr_plugin.analysis import compute
from torr_plugin.analysis.registered import OWN_FIGURES
from torr_plugin.analysis.result import OVERALL
from torr_plugin.leaderboard.candidates import advice
from torr_plugin.leaderboard.claims import Claim
from torr_plugin.leaderboard.claims.of_model import model_findings
from torr_plugin.leaderboard.claims.of_reliability import reliability_findings
from torr_plugin.leaderboard.claims.of_study import study_findings
from torr_plugin.leaderboard.claims.sentences import Sentence
from torr_plugin.leaderboard.claims.worded import best_format
from torr_plugin.leaderboard.formats import formats
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.source import PublishedSource
from torr_plugin.leaderboard.study import Study, study_of

MODELS, DATASETS, EXAMPLES = ("k", "l", "m", "n"), ("one", "two"), 40
FORMATS, CHANGES, KINDS = ("html", "csv", "json"), ("none", "transpose"), ("a", "b", "c")
CONFIGS = [(f, p) for f in FORMATS for p in CHANGES]
KEEPS = {"one": ["none", "transpose"], "two": ["none"]}
_NODES = norm.ppf((np.arange(400) + 0.5) / 400)  # of how easy examples are
_SPREAD = 1.3
_NOTHING = 1e-9  # of quadrature: what lies below is 0

Array = NDArray[np.float64]

_NEEDED = (
    "performance",
    "pairs",
    "separability",
    "rank_intervals",
    "serializers",
    "perturbations",
    "configuration_range",
    "configuration_agreement",
    "configurations",
    "slices",
    "holes",
    "settings",
)
QUICK_FIGURES = tuple(figure for figure in OWN_FIGURES if figure.key in _NEEDED or figure.required)
"""Those that claims rest on: others take most of the time."""


@dataclass(frozen=True)
class Truth:
    """The chance of a right answer, on a logit scale.

    Attributes:
        ability: (models x data sets).
        formats: what a format adds for a model, (models x formats).
        changes: what a perturbation adds for a model, (models x perturbations).
        kinds: what a kind of example adds, (models x data sets x kinds).
    """

    ability: Array
    formats: Array
    changes: Array
    kinds: Array

    @cached_property
    def right(self) -> Array:
        """(models x data sets x kinds x nodes x formats x perturbations)."""
        cells = self.formats[:, :, None] + self.changes[:, None, :]
        found: Array = expit(
            self.ability[:, :, None, None, None, None]
            + self.kinds[:, :, :, None, None, None]
            + _SPREAD * _NODES[:, None, None]
            + cells[:, None, None, None]
        )
        return found

    @cached_property
    def scores(self) -> Array:
        """The mean score in each configuration, (models x data sets x formats x perturbations)."""
        found: Array = self.right.mean(axis=(2, 3))
        return found

    def robustness(self, of: int) -> Array:
        """1 less the expected range over so many of the configurations, (models x data sets)."""
        flat = self.right.reshape(*self.right.shape[:4], -1)
        chosen = [list(some) for some in combinations(range(flat.shape[-1]), of)]
        same = [flat[..., some].prod(axis=-1) + (1 - flat[..., some]).prod(axis=-1) for some in chosen]
        found: Array = np.mean(same, axis=0).mean(axis=(2, 3))
        return found

    def figure(self, name: str) -> Array:
        """A figure that models are compared by, (models x data sets)."""
        kept = [[CHANGES.index(change) for change in KEEPS[dataset]] for dataset in DATASETS]
        if name == "kept performance":
            return np.stack(
                [self.scores[:, d][:, :, own].mean(axis=(1, 2)) for d, own in enumerate(kept)], axis=1
            )
        if name == "performance":
            found: Array = self.scores.mean(axis=(2, 3))
            return found
        return self.robustness(5 if name == "robustness_5" else len(CONFIGS))


Effects = Literal["none", "some", "strong"]


def truths(rng: np.random.Generator, effects: Effects) -> Truth:
    """One that is drawn: nothing differs at all; about half of what can; or everything, and by much."""
    shape = len(MODELS), len(DATASETS), len(KINDS)
    if effects == "none":
        return Truth(np.full(shape[:2], rng.normal(0.3, 0.5)), *map(np.zeros, ((4, 3), (4, 2), shape)))
    if effects == "strong":
        strong = np.zeros(shape)
        strong[:, :, 0] = -2.0
        ability = rng.permutation([-1.5, -0.5, 0.5, 1.5])[:, None] + rng.normal(0, 0.5, len(DATASETS))
        return Truth(ability, np.tile([0.0, -1.5, -0.7], (4, 1)), np.tile([0.0, -1.0], (4, 1)), strong)
    ability = np.repeat(rng.choice([0.0, 0.0, 0.5, 1.0, -0.6], (len(MODELS), 1)), len(DATASETS), axis=1)
    ability += rng.normal(0, 0.7, len(DATASETS))  # data sets are not as hard as each other
    ability += rng.choice([0.0, 0.0, 0.0, 1.2], shape[:2])
    formats: Array = rng.choice([0.0, 0.0, 0.0, -0.8], (1, len(FORMATS))) * rng.integers(
        0, 2, (len(MODELS), 1)
    )
    formats[rng.integers(len(MODELS))] += rng.choice([0.0, -1.2], len(FORMATS))
    changes = np.zeros((len(MODELS), len(CHANGES)))
    changes[:, 1] = rng.choice([0.0, 0.0, -0.7], len(MODELS))
    kinds = np.zeros(shape)
    kinds[:, :, 0] = rng.choice([0.0, 0.0, -1.5], len(DATASETS))
    return Truth(ability, formats, changes, kinds)


def study_from(truth: Truth, rng: np.random.Generator, seed: int) -> Study:
    """A study whose scores are drawn, analysed as any other."""
    kinds = rng.integers(0, len(KINDS), (len(DATASETS), EXAMPLES))
    ease = _SPREAD * rng.standard_normal((len(DATASETS), EXAMPLES))
    own_kind = truth.kinds[:, np.arange(len(DATASETS))[:, None], kinds]
    latent = truth.ability[:, :, None] + own_kind + ease
    cells = (truth.formats[:, :, None] + truth.changes[:, None, :]).reshape(len(MODELS), -1)
    chance = expit(latent[..., None] + cells[:, None, None, :])
    right = rng.random(chance.shape) < chance
    index = pd.MultiIndex.from_product(
        [MODELS, DATASETS, [f"e{e}" for e in range(EXAMPLES)], range(len(CONFIGS))],
        names=["model", "dataset", "example", "place"],
    )
    frame = index.to_frame(index=False)
    for part, names in zip(("serializer", "perturbation"), zip(*CONFIGS, strict=True), strict=True):
        frame[part] = np.array(names)[frame["place"]]
    frame["design"], frame["metric"], frame["main"] = "default", "exact_match", True
    frame["config"] = frame["serializer"] + "/" + frame["perturbation"] + "/default"
    frame["score"] = right.astype(float).ravel()
    known = pd.DataFrame(
        {
            "dataset": np.repeat(DATASETS, EXAMPLES),
            "example": [f"e{e}" for e in range(EXAMPLES)] * len(DATASETS),
            "groups": [json.dumps({"source": KINDS[kind]}) for kind in kinds.ravel()],
            "properties": "{}",
            "cells": None,
        }
    )
    results = compute.analysis_results(
        frame, resamples=20, rankings=2, repeats=1, seed=seed, keeps_labels=KEEPS, examples=known
    )
    source = PublishedSource(
        f"study {seed}", Path("none"), StudyResults(results), {}, study={}, scores=frame.drop(columns="place")
    )
    return study_of(source, set(), alone=True)


def untrue_sentences(study: Study, truth: Truth) -> Iterator[str]:
    """What is claimed and not so, and sentences that state what is not claimed."""
    claims = study.claims.sentences
    for hypothesis in claims.made:
        claim = claims.every[hypothesis]
        if not holds(study, truth, claim):
            yield f"{hypothesis}: {claim.estimate.value}, p = {claim.p}"
    for one in said(study):
        yield from (
            f"{one.text}: {claim.hypothesis}" for claim in one.claims if claim.hypothesis not in claims
        )
    yield from (text for text in reliability_sentences(study) if not reliability_is_true(study, truth, text))
    for model in study.models:
        for place in (OVERALL, *DATASETS):
            yield from untrue_of_formats(study, truth, model, place)
            yield from untrue_ranks(study, truth, model, place)


def said(study: Study) -> Iterator[Sentence]:
    """The sentences of the overview, of Reliability and of all models' pages."""
    yield from study_findings(study)
    yield from reliability_findings(study, OVERALL, "")
    for model in study.models:
        found = model_findings(study, model)
        yield from (*found.strengths, *found.weaknesses)


def reliability_sentences(study: Study) -> Iterator[str]:
    """Those of which it is known what is true."""
    for place in (OVERALL, *DATASETS):
        yield from (f"{place}: {one.text}" for one in reliability_findings(study, place, ""))


def reliability_is_true(study: Study, truth: Truth, said: str) -> bool:
    """By its words: how many pairs differ against the truth, how configurations rank against the scores."""
    place, text = said.split(": ", 1)
    if "told apart" in text:
        figures = truth.figure("performance").mean(axis=1)
        differ = sum(abs(a - b) > _NOTHING for a, b in combinations(figures, 2))
        pairs = len(MODELS) * (len(MODELS) - 1) // 2
        number = re.match(r"\d+", text)
        said_apart = int(number[0]) if number else 0 if text.startswith("No two") else pairs
        return said_apart <= differ
    scores = study.source.scores
    own = scores if place == OVERALL else scores[scores["dataset"] == place]
    means = own.groupby(["config", "model", "dataset"])["score"].mean().groupby(["config", "model"]).mean()
    ranks = means.round(9).unstack("model").rank(axis=1)
    same = bool((ranks == ranks.iloc[0]).all(axis=None))
    return same is text.startswith("Every configuration ranks the four models the same way")


def untrue_of_formats(study: Study, truth: Truth, model: str, place: str) -> Iterator[str]:
    """What the page of formats says of a model: what costs it something, what every other is worse than."""
    found = formats(study.analysis, model, place, study.claims.sentences)
    true = dict(
        zip(FORMATS, _over(truth.scores[MODELS.index(model)], place).mean(axis=1).tolist(), strict=True)
    )
    for text in advice(found):
        worse = re.findall(r"(\w+) costs \S+ \[", text)
        if "every other format is worse" in text:
            worse = [name for name in FORMATS if name not in text]
        if any(true[name] > true[found[0].name] - _NOTHING for name in worse):
            yield f"{model}, {place}: {text}"


def untrue_ranks(study: Study, truth: Truth, model: str, place: str) -> Iterator[str]:
    """The ranks that stand beside a model's tier."""
    true = _ranks(_by_place(truth.figure("performance"), place))[MODELS.index(model)]
    shown = study.claims.places[place].ranks[model]
    if shown is None or shown[0] > true[0] or shown[1] < true[1]:
        yield f"{model}, {place}: rank {shown}, not {true}"
    # among those whose robustness says something
    robust, figures = study.claims.robust_ranks[place], _by_place(truth.figure("robustness_5"), place)
    known = [name for name in MODELS if name in robust]
    true_ones = dict(zip(known, _ranks(figures[[MODELS.index(name) for name in known]]), strict=True))
    one = robust.get(model)
    if one and (one[0] > true_ones[model][0] or one[1] < true_ones[model][1]):
        yield f"{model}, {place}: robustness rank {one}, not {true_ones[model]}"


def _by_place(figures: Array, place: str) -> Array:
    """Of each model."""
    found: Array = figures[:, DATASETS.index(place)] if place in DATASETS else figures.mean(axis=1)
    return found


def holds(study: Study, truth: Truth, claim: Claim) -> bool:
    """Whether what is claimed is so, in the direction that is claimed."""
    value = claim.estimate.value or 0.0
    sort, *parts = map(str, claim.hypothesis)
    if claim.sides:
        figures = truth.figure(sort)
        one, other = (figures[MODELS.index(model)] for model in claim.sides)
        return _same_sign(value, _over(one - other, claim.cells))
    if sort == "place":
        return _place_is(truth, *parts)
    if sort == "kind":
        return _same_sign(value, _kind_effect(truth, parts[0], parts[3], MODELS.index(parts[4])))
    model, place = MODELS.index(parts[0]), parts[1] if parts[1] in ("overall", *DATASETS) else "overall"
    scores = _over(truth.scores[model], place)
    if sort == "worse":
        means = scores.mean(axis=1)
        best = best_format(study.analysis, MODELS[model], place)
        return bool(means[FORMATS.index(parts[2])] < means[FORMATS.index(best)] - _NOTHING)
    if sort == "change":
        return _same_sign(value, (scores[:, CHANGES.index(parts[1])] - scores[:, 0]).mean())
    if sort == "cost":
        row = scores[FORMATS.index(best_format(study.analysis, MODELS[model], place))]
        return _same_sign(value, row[CHANGES.index(parts[2])] - row[0])
    raise AssertionError(f"{claim.hypothesis}: nothing is known of its truth")


def bold_is_true(truth: Truth, claim: Claim) -> bool:
    """The same of what is bold."""
    sort, place, model, name = map(str, claim.hypothesis)
    chosen = truth.scores if model == "" else truth.scores[[MODELS.index(model)]]
    scores = _over(chosen.mean(axis=0), place)
    if sort == "impact":
        effect = (scores[:, CHANGES.index(name)] - scores[:, 0]).mean()
    else:
        means = scores.mean(axis=1 if sort == "serializer" else 0)
        effect = means[(FORMATS if sort == "serializer" else CHANGES).index(name)] - means.mean()
    return _same_sign(claim.estimate.value or 0.0, effect)


def _over(by_dataset: Array, cells: str) -> Array:
    """On a data set, or the mean over them; data sets are the first axis."""
    found: Array = by_dataset[DATASETS.index(cells)] if cells in DATASETS else by_dataset.mean(axis=0)
    return found


def _same_sign(claimed: float, true: float | Array) -> bool:
    return bool(abs(float(true)) > _NOTHING and (claimed > 0) == (float(true) > 0))


def _place_is(truth: Truth, dataset: str, model: str, word: str) -> bool:
    """Whether its true place on the data set, ties allowed for, is better or worse than overall."""
    figures = truth.figure("performance")
    here, overall = _ranks(figures[:, DATASETS.index(dataset)]), _ranks(figures.mean(axis=1))
    (first, last), (first_of_all, last_of_all) = here[MODELS.index(model)], overall[MODELS.index(model)]
    return last < first_of_all if word == "better" else first > last_of_all


def _ranks(figures: Array) -> list[tuple[int, int]]:
    return [
        (1 + int((figures > own + _NOTHING).sum()), len(figures) - int((figures < own - _NOTHING).sum()))
        for own in figures
    ]


def _kind_effect(truth: Truth, dataset: str, kind: str, model: int) -> float:
    """A kind's mean score less that over all examples, in which kinds are equally many."""
    means = truth.right[model, DATASETS.index(dataset)].mean(axis=(1, 2, 3))
    return float(means[KINDS.index(kind)] - means.mean())
