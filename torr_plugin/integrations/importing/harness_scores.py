"""The harness's own scores as those of a run, which of them is the main one, and how they compare to ours."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ...core.errors import InputError
from ...scoring.request_index import COLUMNS
from .results import HarnessScore, Result

_COLUMNS = ("model", "dataset", "example", "config", "metric")

TOLERANCE = 1e-6
"""The rounding error by which a harness's score may exceed 0 or 1; it is clipped."""


@dataclass
class HarnessScores:
    """Scores with their cells.

    ``mains`` is data set -> the metrics that the harness calls the main one.
    """

    mains: dict[str, set[str]] = field(default_factory=dict)
    _columns: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _COLUMNS})
    _scores: array[float] = field(default_factory=lambda: array("d"))

    def add(self, model: str, result: Result) -> None:
        """Add a result's scores."""
        for metric, score in result.scores.items():
            cell = (model, result.dataset, result.example, result.config, metric)
            for name, value in zip(_COLUMNS, cell, strict=True):
                self._columns[name].append(value)
            self._scores.append(score)
        if result.main is not None:
            self.mains.setdefault(result.dataset, set()).add(result.main)

    def metrics(self) -> dict[str, list[str]]:
        """Data set -> the metrics that it has scores of, by name."""
        found: dict[str, list[str]] = {}
        for dataset, metric in sorted(
            set(zip(self._columns["dataset"], self._columns["metric"], strict=True))
        ):
            found.setdefault(dataset, []).append(metric)
        return found

    def frame(self, mains: Mapping[str, str], cells: Iterable[tuple[str, str, str, str]]) -> pd.DataFrame:
        """The columns of scores.parquet.

        Args:
            mains: data set -> its main metric; others are not given.
            cells: model, data set, example and configuration of all that are to have a main score; where
                there is none, its row says so, whatever other scores there are.

        Raises:
            InputError: a main score outside [0, 1].
        """
        frame = pd.DataFrame(self._columns, dtype=object).assign(score=np.asarray(self._scores, dtype=float))
        frame = frame[frame["dataset"].isin(mains)]
        frame = frame.assign(
            score=_rounded(frame["score"]), main=frame["dataset"].map(mains) == frame["metric"]
        )
        _check_range(frame[frame["main"]])
        return _completed(frame[frame["main"] | frame["score"].between(0, 1)], mains, cells)


def _rounded(scores: pd.Series[float]) -> pd.Series[float]:
    near = scores.clip(0, 1)
    found: pd.Series[float] = near.where((scores - near).abs() <= TOLERANCE, scores)
    return found


def _check_range(main: pd.DataFrame) -> None:
    wrong = main[~main["score"].between(0, 1)]
    if len(wrong):
        row = wrong.iloc[0]
        raise InputError(
            f"data set {row['dataset']!r}: {row['metric']!r} of example {row['example']!r} is "
            f"{row['score']}; expected scores in [0, 1]; --metric chooses another"
        )


def _completed(
    frame: pd.DataFrame, mains: Mapping[str, str], cells: Iterable[tuple[str, str, str, str]]
) -> pd.DataFrame:
    """Add an empty row for every cell without a main score, and columns for the parts of configurations."""
    there = set(zip(*(frame.loc[frame["main"], name] for name in _COLUMNS[:4]), strict=True))
    rows = [(*cell, mains[cell[1]]) for cell in cells if cell[1] in mains and cell not in there]
    missing = pd.DataFrame(rows, columns=list(_COLUMNS)).assign(score=float("nan"), main=True)
    whole = pd.concat([frame, missing], ignore_index=True) if rows else frame.reset_index(drop=True)
    parts = {config: config.split("/") for config in whole["config"].unique()}
    for place, name in enumerate(("serializer", "perturbation", "design")):
        whole[name] = whole["config"].map({config: each[place] for config, each in parts.items()})
    whole["main"] = whole["main"].astype(bool)
    found: pd.DataFrame = whole[COLUMNS]
    return found


TORR = {"finqa": "program_accuracy", "wikitq": "f1_strings", "tab_fact": "accuracy"} | {
    "turl_col_type": "f1_micro",
    **dict.fromkeys(("numeric_nlg", "qtsumm", "scigen", "tablebench_data_analysis"), "rougeL"),
    **dict.fromkeys(("tablebench_fact_checking", "tablebench_numerical_reasoning"), "rougeL"),
}
"""The main metrics of ToRR's data sets on HELM's leaderboard (HELM 0.5.16, schema_torr.yaml)."""

_USUAL = ("exact_match", "acc", "accuracy", "acc_norm", "pass@1", "f1", "rougeL", "score")
_MOST_NAMED = 12


def main_metrics(
    found: Mapping[str, Sequence[str]], declared: Mapping[str, Collection[str]], wanted: Sequence[str]
) -> dict[str, str]:
    """The main metric of each data set.

    Args:
        found: data set -> the metrics that it has scores of.
        declared: data set -> those that the harness calls the main one.
        wanted: what the user chose; of several the first that a data set has. One that has none of them
            keeps what the harness, ToRR or custom says.

    Raises:
        InputError: a data set has several metrics, and none that is known for the main one.
    """
    return {
        dataset: _main(dataset, names, declared.get(dataset, ()), wanted) for dataset, names in found.items()
    }


def has_main(found: Collection[str], declared: Collection[str], wanted: Sequence[str]) -> bool:
    """Whether there are scores of what the user chose or the harness calls the main metric of a data set.

    Where there are none, another metric does not take its place: all results failed to be rated.
    """
    return not declared or not set(found).isdisjoint((*declared, *wanted))


def not_as_wanted(mains: Mapping[str, str], wanted: Sequence[str]) -> Iterator[str]:
    """Note each data set that has none of the metrics that the user chose."""
    for dataset, main in mains.items():
        if wanted and main not in wanted:
            yield f"{dataset}: has no score called {' or '.join(wanted)}; {main} counts"


def refuse_chosen(wanted: Sequence[str]) -> None:
    """Refuse a choice of metrics where all answers are rated by cards, which have their own main metric.

    Raises:
        InputError: something is wanted.
    """
    if wanted:
        raise InputError(
            "--metric: these answers are rated by cards, whose metrics say which is the main one; "
            "'torr analyse --metric' shows another"
        )


def refuse_unknown(found: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> None:
    """Refuse a metric that the user chose and no data set has.

    Args:
        found: as in :func:`main_metrics`, of all data sets.
        wanted: what the user chose.

    Raises:
        InputError: no data set has a metric of that name.
    """
    for name in wanted:
        if found and not any(name in names for names in found.values()):
            dataset, names = next(iter(found.items()))
            raise InputError(f"--metric {name!r}: data set {dataset!r} has {_listed(names)}; choose one")


def _main(dataset: str, found: Sequence[str], declared: Collection[str], wanted: Sequence[str]) -> str:
    usual = [*wanted, *(declared if len(declared) == 1 else ()), TORR.get(dataset), *_USUAL]
    known = [name for name in usual if name in found] or (found if len(found) == 1 else [])
    if known:
        return str(known[0])
    raise InputError(
        f"data set {dataset!r}: cannot tell which of its metrics is the main one; found "
        f"{_listed(found)}; choose one with --metric, which may be given several times"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED])


SAME_SCORE = 1e-6
"""Scores that differ by less are the same, as harnesses round and sum in their own ways."""


@dataclass(frozen=True, slots=True)
class ScoreDifferences:
    """How the harness's own scores of answers differ from ours.

    Attributes:
        compared: how many scores.
        differing: how many differ by more than :data:`SAME_SCORE`.
        largest: the largest difference.
        example: a line on the largest one; empty where none differs.
    """

    compared: int
    differing: int
    largest: float
    example: str

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"compared": self.compared, "differing": self.differing, "largest": self.largest}

    def notes(self) -> list[str]:
        """Summarize it in notes."""
        if not self.compared:
            return ["the harness's own scores were not logged, so they could not be compared with ours"]
        if not self.differing:
            return [f"all {self.compared} scores of the harness itself equal ours"]
        return [
            f"{self.differing} of {self.compared} scores of the harness itself differ from ours, "
            f"by at most {self.largest:.4g}: {self.example}"
        ]


def score_differences(scores: pd.DataFrame, claims: Sequence[tuple[str, HarnessScore]]) -> ScoreDifferences:
    """Compare the scores of a run with the harness's scores of the same answers.

    Args:
        scores: the run's.
        claims: with their models. A claim over configurations of which one has no score is left out.
    """
    ours = _by_cell(scores, {claim.metric for _, claim in claims})
    compared = differing = 0
    largest, example = 0.0, ""
    for model, claim in claims:
        found = [
            ours.get((model, claim.dataset, claim.example, config, claim.metric), math.nan)
            for config in claim.configs
        ]
        mean = math.fsum(found) / len(found) if found else math.nan
        if math.isnan(mean):
            continue
        compared += 1
        gap = abs(mean - claim.score)
        differing += gap > SAME_SCORE
        if gap > max(largest, SAME_SCORE):
            largest = gap
            example = f"{model}, {_named(claim)}: {claim.score:.4g}, ours {mean:.4g}"
    return ScoreDifferences(compared, differing, largest, example)


def _by_cell(scores: pd.DataFrame, metrics: Collection[str | None]) -> dict[tuple[str | None, ...], float]:
    """Index main scores under the metric None, and scores of some metrics under their names."""
    main = scores[scores["main"].astype(bool)]
    others = scores[scores["metric"].isin([name for name in metrics if name is not None])]
    found: dict[tuple[str | None, ...], float] = {}
    for part, named in ((main, False), (others, True)):
        columns = [part[name].astype(str) for name in ("model", "dataset", "example", "config")]
        last = part["metric"].astype(str) if named else [None] * len(part)
        found |= dict(zip(zip(*columns, last, strict=True), part["score"], strict=True))
    return found


def _named(claim: HarnessScore) -> str:
    where = claim.configs[0] if len(claim.configs) == 1 else f"{len(claim.configs)} configurations"
    return ", ".join([claim.dataset, where, claim.example, *([claim.metric] if claim.metric else ())])
