"""The harness's own scores as those of a run, and which of them is the main one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from ...core.errors import InputError
from ...scoring.request_index import COLUMNS
from ..logs.log import Result
from .cells import Cell

TOLERANCE = 1e-6
"""The rounding error by which a harness's score may exceed 0 or 1; it is clipped."""

TORR = {"finqa": "program_accuracy", "wikitq": "f1_strings", "tab_fact": "accuracy"} | {
    "turl_col_type": "f1_micro",
    **dict.fromkeys(("numeric_nlg", "qtsumm", "scigen", "tablebench_data_analysis"), "rougeL"),
    **dict.fromkeys(("tablebench_fact_checking", "tablebench_numerical_reasoning"), "rougeL"),
}
"""The main metrics of ToRR's data sets on HELM's leaderboard (HELM 0.5.16, schema_torr.yaml)."""

_CELL = ["model", "dataset", "example", "config"]
_USUAL = ("exact_match", "acc", "accuracy", "acc_norm", "pass@1", "f1", "rougeL", "score")
_MOST_NAMED = 12


@dataclass
class HarnessScores:
    """Scores with their cells.

    Attributes:
        mains: data set -> the metrics that the harness calls the main one.
    """

    mains: dict[str, set[str]] = field(default_factory=dict)
    _rows: list[tuple[str, str, str, str, str, float]] = field(default_factory=list)

    def add(self, model: str, result: Result) -> None:
        """Add a result's scores."""
        self._rows += [(model, *result.cell, metric, score) for metric, score in result.scores.items()]
        if result.main is not None:
            self.mains.setdefault(result.dataset, set()).add(result.main)

    def metrics(self) -> dict[str, list[str]]:
        """Data set -> the metrics that it has scores of, by name."""
        found: dict[str, list[str]] = {}
        for dataset, metric in sorted({(row[1], row[4]) for row in self._rows}):
            found.setdefault(dataset, []).append(metric)
        return found

    def frame(self, mains: Mapping[str, str], cells: Iterable[Cell]) -> pd.DataFrame:
        """The columns of scores.parquet.

        Args:
            mains: data set -> its main metric; others are not given.
            cells: all that are to have a main score; where there is none, its row says so, whatever other
                scores there are.

        Raises:
            InputError: a main score outside [0, 1].
        """
        rows = [row for row in self._rows if row[1] in mains]
        there = {row[:4] for row in rows if row[4] == mains[row[1]]}
        missing = [cell for cell in cells if cell[1] in mains and cell not in there]
        rows += [(*cell, mains[cell[1]], float("nan")) for cell in missing]
        frame = pd.DataFrame(rows, columns=[*_CELL, "metric", "score"], dtype=object)
        frame["score"] = frame["score"].astype(float)
        near = frame["score"].clip(0, 1)
        frame["score"] = near.where((frame["score"] - near).abs() <= TOLERANCE, frame["score"])
        frame["main"] = frame["dataset"].map(mains) == frame["metric"]
        outside = (frame["score"] < 0) | (frame["score"] > 1)
        for row in frame[outside & frame["main"]].head(1).itertuples():
            raise InputError(
                f"data set {row.dataset!r}: {row.metric!r} of example {row.example!r} is "
                f"{row.score}; expected scores in [0, 1]; --metric chooses another"
            )
        frame = frame[~outside].reset_index(drop=True)
        parts = {config: config.split("/") for config in frame["config"].unique()}
        for place, name in enumerate(("serializer", "perturbation", "design")):
            frame[name] = frame["config"].map({config: each[place] for config, each in parts.items()})
        found: pd.DataFrame = frame[COLUMNS]
        return found


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
    mains = {}
    for dataset, names in found.items():
        said = declared.get(dataset, ())
        usual = [*wanted, *(said if len(said) == 1 else ()), TORR.get(dataset), *_USUAL]
        known = [name for name in usual if name in names] or (names if len(names) == 1 else [])
        if not known:
            raise InputError(
                f"data set {dataset!r}: cannot tell which of its metrics is the main one; found "
                f"{listed(names)}; choose one with --metric, which may be given several times"
            )
        mains[dataset] = str(known[0])
    return mains


def listed(names: Sequence[str]) -> str:
    """The first of some metrics."""
    return ", ".join(names[:_MOST_NAMED])
