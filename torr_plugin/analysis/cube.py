"""The score cube of a data set: models x configurations x examples, with its labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import AnalysisError
from .frame import OPTIONAL, MainScores

if TYPE_CHECKING:
    import pandas as pd

    from .types import Floats


@dataclass(frozen=True)
class Cube:
    """The scores s(m, d, c, e) of one data set d.

    Attributes:
        dataset: its name.
        metric: the main metric, whose scores these are.
        models: labels of the first axis, the same in all cubes of a study.
        configurations: labels of the second axis, those that the data set was asked in.
        examples: labels of the third axis, sorted, so that the order of the rows changes no figure.
        scores: in [0, 1], (models x configurations x examples); NaN is a hole.
        parts: for ``serializer``, ``perturbation`` and ``design``, where the scores have them: configuration
            -> name; perhaps of more configurations than these.
    """

    dataset: str
    metric: str
    models: tuple[str, ...]
    configurations: tuple[str, ...]
    examples: tuple[str, ...]
    scores: Floats
    parts: Mapping[str, Mapping[str, str]]


def cubes(main: MainScores) -> list[Cube]:
    """One cube a data set, in the order in which the rows name them.

    Raises:
        AnalysisError: two rows are of one model, data set, configuration and example, or a configuration has
            two serializers or perturbations.
    """
    rows = main.rows
    models = tuple(rows["model"].unique())
    return [_cube(str(name), part, models, main.source) for name, part in rows.groupby("dataset", sort=False)]


def _cube(dataset: str, rows: pd.DataFrame, models: tuple[str, ...], source: str) -> Cube:
    import numpy as np
    import pandas as pd

    model = pd.Categorical(rows["model"], categories=list(models)).codes.astype(np.int64)
    config, configurations = pd.factorize(rows["config"])
    example, examples = pd.factorize(rows["example"], sort=True)
    shape = len(models), len(configurations), len(examples)
    place = np.ravel_multi_index((model, config, example), shape)
    _refuse_duplicates(dataset, rows, place, shape, source)
    scores = np.full(shape, np.nan)
    scores.flat[place] = rows["score"].to_numpy(dtype=float)
    return Cube(
        dataset=dataset,
        metric=str(rows["metric"].iloc[0]),
        models=models,
        configurations=tuple(str(name) for name in configurations),
        examples=tuple(str(name) for name in examples),
        scores=scores,
        parts=_parts(dataset, rows, source),
    )


def _refuse_duplicates(
    dataset: str, rows: pd.DataFrame, place: Any, shape: tuple[int, ...], source: str
) -> None:
    import numpy as np

    times = np.bincount(place, minlength=int(np.prod(shape)))
    if times.max() > 1:
        row = rows.iloc[int(np.argmax(times[place] > 1))]
        raise AnalysisError(
            f"{source}: {int((times > 1).sum())} cells of data set {dataset!r} have more than one row, "
            f"the first is model {row['model']!r}, config {row['config']!r}, example {row['example']!r}; "
            "expected one each"
        )


def _parts(dataset: str, rows: pd.DataFrame, source: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for column in OPTIONAL:
        if column not in rows:
            continue
        pairs = rows[["config", column]].dropna().drop_duplicates()
        twice = pairs[pairs["config"].duplicated()]
        if len(twice):
            names = sorted(pairs.loc[pairs["config"] == twice["config"].iloc[0], column].astype(str))
            raise AnalysisError(
                f"{source}: data set {dataset!r}: configuration {twice['config'].iloc[0]!r} has the "
                f"{column}s {', '.join(map(repr, names))}; expected one"
            )
        if len(pairs):
            found[column] = {str(config): str(name) for config, name in pairs.itertuples(index=False)}
    return found
