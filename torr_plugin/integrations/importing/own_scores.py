"""The scores that a harness itself gave, as the scores of a run."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ...scoring.cells import Names
from .result import Result

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("model", "dataset", "example", "config", "metric")

TOLERANCE = 1e-6
"""What a harness's rounding may bring a score beyond 0 and 1; so much is taken for 0 and 1."""


@dataclass
class OwnScores:
    """Scores with their cells, 28 bytes each.

    ``mains`` is data set -> the metrics that the harness calls the main one.
    """

    mains: dict[str, set[str]] = field(default_factory=dict)
    _names: dict[str, Names[str]] = field(default_factory=lambda: {name: Names() for name in _COLUMNS})
    _codes: dict[str, array[int]] = field(default_factory=lambda: {name: array("i") for name in _COLUMNS})
    _scores: array[float] = field(default_factory=lambda: array("d"))

    def add(self, model: str, result: Result) -> None:
        """Take in a result's scores."""
        for metric, score in result.scores.items():
            cell = (model, result.dataset, result.example, result.config, metric)
            for name, value in zip(_COLUMNS, cell, strict=True):
                self._codes[name].append(self._names[name].number(value))
            self._scores.append(score)
        if result.main is not None:
            self.mains.setdefault(result.dataset, set()).add(result.main)

    def metrics(self) -> dict[str, list[str]]:
        """Data set -> the metrics that it has scores of, by name."""
        columns = ("dataset", "metric")
        pairs = set(zip(*(self._codes[name] for name in columns), strict=True))
        names = sorted(
            tuple(self._names[name].values[code] for name, code in zip(columns, pair, strict=True))
            for pair in pairs
        )
        found: dict[str, list[str]] = {}
        for dataset, metric in names:
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
        import pandas as pd

        columns: dict[str, Any] = {
            name: pd.Categorical.from_codes(
                list(self._codes[name]), categories=pd.Index(self._names[name].values, dtype=object)
            )
            for name in _COLUMNS
        }
        frame = pd.DataFrame({**columns, "score": list(self._scores)})
        frame = frame[frame["dataset"].isin(mains)]
        frame = frame.assign(score=_rounded(frame["score"]))
        main = frame["dataset"].astype(object).map(mains) == frame["metric"].astype(object)
        _check_range(frame[main])
        frame = frame.assign(main=main)[main | frame["score"].between(0, 1)]
        return _completed(frame, mains, cells)


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
    """With an empty row for every cell that has no main score, and with the parts of configurations."""
    import pandas as pd

    from ...scoring.rows import COLUMNS

    there = set(zip(*(frame.loc[frame["main"], name] for name in _COLUMNS[:4]), strict=True))
    rows = [(*cell, mains[cell[1]]) for cell in cells if cell[1] in mains and cell not in there]
    missing = pd.DataFrame(rows, columns=list(_COLUMNS)).assign(score=float("nan"), main=True)
    plain = frame.astype(dict.fromkeys(_COLUMNS, "object"))
    whole = pd.concat([plain, missing], ignore_index=True) if rows else plain.reset_index(drop=True)
    parts = {config: config.split("/") for config in whole["config"].unique()}
    for place, name in enumerate(("serializer", "perturbation", "design")):
        whole[name] = whole["config"].map({config: each[place] for config, each in parts.items()})
    whole["main"] = whole["main"].astype(bool)
    found: pd.DataFrame = whole[COLUMNS]
    return found
