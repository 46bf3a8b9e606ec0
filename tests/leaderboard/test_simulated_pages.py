"""How often pages of simulated studies claim what is not so, in sentences and in bold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from torr_plugin.analysis import AnalysisResults, analyse
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.source import PublishedSource
from torr_plugin.leaderboard.study import Study, study_of

STUDIES = 400
MODELS, DATASETS, EXAMPLES = ("k", "l", "m", "n"), ("one", "two"), 30
CONFIGS = [(f, p) for f in ("html", "csv", "json") for p in ("none", "transpose", "shuffle_cols")]

pytestmark = pytest.mark.simulation


def studies(number: int, cost: float) -> Iterator[Study]:
    """Right or wrong answers, as likely in each configuration but that "json" costs so much; examples differ.

    Models, perturbations and kinds of examples are alike.
    """
    rng = np.random.default_rng(17)
    index = pd.MultiIndex.from_product(
        [MODELS, DATASETS, range(EXAMPLES), range(len(CONFIGS))],
        names=["model", "dataset", "example", "config"],
    )
    frame = index.to_frame(index=False)
    parts = [np.array([config[part] for config in CONFIGS])[frame["config"]] for part in (0, 1)]
    frame = frame.assign(
        serializer=parts[0],
        perturbation=parts[1],
        design="default",
        metric="exact_match",
        main=True,
        example=frame["example"].astype(str),
        config=[f"{f}/{p}/default" for f, p in zip(*parts, strict=True)],
    )
    shape = len(MODELS), len(DATASETS), EXAMPLES, len(CONFIGS)
    less = np.array([cost if f == "json" else 0.0 for f, _ in CONFIGS])
    for seed in range(number):
        ease = rng.beta(2, 1, shape[1:3])[None, :, :, None]
        scores = frame.assign(score=(rng.random(shape) < np.clip(ease - less, 0, 1)).astype(float).ravel())
        kinds = rng.choice(["a", "b", "c"], (len(DATASETS), EXAMPLES))
        known = pd.DataFrame(
            [
                {
                    "dataset": dataset,
                    "example": str(e),
                    "groups": json.dumps({"source": str(kinds[d, e])}),
                    "properties": "{}",
                    "cells": None,
                }
                for d, dataset in enumerate(DATASETS)
                for e in range(EXAMPLES)
            ]
        )
        keeps = {dataset: ["transpose", "shuffle_cols"] for dataset in DATASETS}
        figures = analyse(
            scores, resamples=20, rankings=2, repeats=1, seed=seed, keeps_labels=keeps, examples=known
        )
        results = StudyResults(AnalysisResults.from_json(figures))
        source = PublishedSource(f"study {seed}", Path("none"), results, figures, study={}, scores=scores)
        yield study_of(source, set(), alone=True)


def at_most(nominal: float) -> int:
    """How many of the studies may err: more come by chance in one of a thousand runs."""
    return int(binom.ppf(0.999, STUDIES, nominal))


def test_pages_of_studies_without_an_effect_claim_nothing() -> None:
    wrong = {"sentences": 0, "bold": 0}
    for study in studies(STUDIES, cost=0.0):
        wrong["sentences"] += bool(study.claims.sentences.made)
        wrong["bold"] += bool(study.claims.bold.made)
    assert max(wrong.values()) <= at_most(0.05), wrong


def test_bold_keeps_its_false_discovery_rate_beside_a_real_effect() -> None:
    """Every deviation of a serializer is real; what perturbations change is not."""
    shares = []
    for study in studies(STUDIES // 4, cost=0.25):
        made = study.claims.bold.made
        false = sum(name[0] != "serializer" for name in made if isinstance(name, tuple))
        shares.append(false / max(len(made), 1))
        assert made, "the effect is large enough to be seen"
    assert np.mean(shares) <= 0.05 + 3 * np.std(shares) / np.sqrt(len(shares))
