"""The scores that a harness itself gave, as the scores of a run."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...scoring.cells import Names
from .result import Result

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("model", "dataset", "example", "config", "metric")

TORR = {"finqa": "program_accuracy", "wikitq": "f1_strings", "tab_fact": "accuracy"} | {
    "turl_col_type": "f1_micro",
    **dict.fromkeys(("numeric_nlg", "qtsumm", "scigen", "tablebench_data_analysis"), "rougeL"),
    **dict.fromkeys(("tablebench_fact_checking", "tablebench_numerical_reasoning"), "rougeL"),
}
"""The main metrics of ToRR's data sets on HELM's leaderboard (HELM 0.5.16, schema_torr.yaml)."""

_USUAL = ("exact_match", "acc", "accuracy", "acc_norm", "pass@1", "f1", "rougeL", "score")


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

    def without(
        self, answered: Mapping[str, Iterable[tuple[str, str, str]]]
    ) -> Iterator[tuple[str, str, str, str]]:
        """The cells with a result but without any score: model, data set, example and configuration."""
        names = [self._names[name].values for name in _COLUMNS[:4]]
        rows = zip(*(self._codes[name] for name in _COLUMNS[:4]), strict=True)
        there = {tuple(of[code] for of, code in zip(names, row, strict=True)) for row in set(rows)}
        for model, cells in answered.items():
            for dataset, example, config in cells:
                if (model, dataset, example, config) not in there:
                    yield model, dataset, example, config

    def frame(
        self, wanted: str | None, datasets: Collection[str], holes: Iterable[tuple[str, str, str, str]]
    ) -> pd.DataFrame:
        """The columns of scores.parquet.

        Args:
            wanted: the main metric; None for what the harness, ToRR or custom says.
            datasets: those to give.
            holes: model, data set, example and configuration of cells without a result.

        Raises:
            InputError: a data set without the metric, with several and none that is known for the main one,
                or with a main score outside [0, 1].
        """
        import pandas as pd

        columns: dict[str, Any] = {
            name: pd.Categorical.from_codes(
                list(self._codes[name]), categories=pd.Index(self._names[name].values, dtype=object)
            )
            for name in _COLUMNS
        }
        frame = pd.DataFrame({**columns, "score": list(self._scores)})
        frame = frame[frame["dataset"].isin(datasets)]
        mains = {
            str(dataset): self._main(str(dataset), sorted(map(str, part["metric"].unique())), wanted)
            for dataset, part in frame.groupby("dataset", observed=True)
        }
        main = frame["dataset"].astype(object).map(mains) == frame["metric"].astype(object)
        _check_range(frame[main])
        frame = frame.assign(main=main)[main | frame["score"].between(0, 1)]
        return _completed(frame, mains, holes)

    def _main(self, dataset: str, found: Sequence[str], wanted: str | None) -> str:
        if wanted is not None:
            if wanted in found:
                return wanted
            raise InputError(f"--metric {wanted!r}: data set {dataset!r} has {', '.join(found)}; choose one")
        said = self.mains.get(dataset, set())
        usual = [*(said if len(said) == 1 else ()), TORR.get(dataset), *_USUAL]
        known = [name for name in usual if name in found] or (found if len(found) == 1 else [])
        if known:
            return str(known[0])
        raise InputError(
            f"data set {dataset!r}: none of its metrics is known for the main one; found "
            f"{', '.join(found[:12])}; choose one with --metric"
        )


def _check_range(main: pd.DataFrame) -> None:
    wrong = main[~main["score"].between(0, 1)]
    if len(wrong):
        row = wrong.iloc[0]
        raise InputError(
            f"data set {row['dataset']!r}: {row['metric']!r} of example {row['example']!r} is "
            f"{row['score']}; expected scores in [0, 1]; --metric chooses another"
        )


def _completed(
    frame: pd.DataFrame, mains: dict[str, str], holes: Iterable[tuple[str, str, str, str]]
) -> pd.DataFrame:
    """With a row without a score for every hole, and with the parts of configurations."""
    import pandas as pd

    from ...scoring.rows import COLUMNS

    rows = [
        {"model": model, "dataset": name, "example": one, "config": config, "metric": mains[name]}
        for model, name, one, config in holes
        if name in mains
    ]
    missing = pd.DataFrame(rows, columns=list(_COLUMNS)).assign(score=float("nan"), main=True)
    plain = frame.astype(dict.fromkeys(_COLUMNS, "object"))
    whole = pd.concat([plain, missing], ignore_index=True) if rows else plain.reset_index(drop=True)
    parts = {config: config.split("/") for config in whole["config"].unique()}
    for place, name in enumerate(("serializer", "perturbation", "design")):
        whole[name] = whole["config"].map({config: each[place] for config, each in parts.items()})
    whole["main"] = whole["main"].astype(bool)
    found: pd.DataFrame = whole[COLUMNS]
    return found
