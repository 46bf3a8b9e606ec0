"""The score cube of a data set: models x configurations x examples, with its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .coded import first_seen, pairs, used_names
from .errors import AnalysisError
from .frame import OPTIONAL, MainScores, main_scores

if TYPE_CHECKING:
    import pandas as pd

    from .types import Booleans, Floats, Integers


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
    models = tuple(used_names(rows["model"]))
    datasets = rows["dataset"].cat
    codes = datasets.codes.to_numpy()
    return [
        _cube(str(datasets.categories[code]), _where(rows, codes == code), models, main.source)
        for code in first_seen(rows["dataset"])
    ]


def refuse_scores(frame: pd.DataFrame) -> None:
    """Read scores as an analysis does, for its errors alone.

    Raises:
        AnalysisError: as :func:`.frame.main_scores` and :func:`cubes`.
    """
    cubes(main_scores(frame))


def _where(rows: pd.DataFrame, chosen: Booleans) -> pd.DataFrame:
    """Some rows; without a copy where they stand together, as those of a data set often do."""
    first, last = int(chosen.argmax()), len(chosen) - int(chosen[::-1].argmax())
    found: pd.DataFrame = rows.iloc[first:last] if chosen[first:last].all() else rows[chosen]
    return found


def _cube(dataset: str, rows: pd.DataFrame, models: tuple[str, ...], source: str) -> Cube:
    import numpy as np

    configurations = used_names(rows["config"])
    examples = sorted(used_names(rows["example"]))
    shape = len(models), len(configurations), len(examples)
    place = _places(rows["model"], models) * shape[1] + _places(rows["config"], configurations)
    place = place * shape[2] + _places(rows["example"], examples)
    _refuse_duplicates(dataset, rows, place, shape, source)
    scores = np.full(shape, np.nan)
    scores.flat[place] = rows["score"].to_numpy(dtype=float)
    return Cube(
        dataset=dataset,
        metric=used_names(rows["metric"])[0],
        models=models,
        configurations=tuple(configurations),
        examples=tuple(examples),
        scores=scores,
        parts=_parts(dataset, rows, source),
    )


def _places(column: pd.Series[Any], names: Sequence[str]) -> Integers:
    """Where each row's name stands among ``names``, which hold all that the rows use."""
    import numpy as np

    place = {name: index for index, name in enumerate(names)}
    places = np.array([place.get(name, -1) for name in column.cat.categories], dtype=np.int64)
    found: Integers = places[column.cat.codes.to_numpy()]
    return found


def _refuse_duplicates(
    dataset: str, rows: pd.DataFrame, place: Integers, shape: tuple[int, ...], source: str
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
        said = pairs(rows["config"], rows[column]) if column in rows else []
        for config, name in said:
            known = found.setdefault(column, {}).setdefault(config, name)
            if known != name:
                names = sorted(other for one, other in said if one == config)
                raise AnalysisError(
                    f"{source}: data set {dataset!r}: configuration {config!r} has the "
                    f"{column}s {', '.join(map(repr, names))}; expected one"
                )
    return found
