"""Scores by data set: models x configurations x examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Config:
    """A configuration and its parts."""

    name: str
    serializer: str
    perturbation: str
    design: str


@dataclass(frozen=True)
class DatasetScores:
    """The main scores of one data set.

    Attributes:
        examples: example -> its place on the last axis.
        scores: models x configurations (all of the study's) x examples; NaN where there is none.
    """

    examples: Mapping[str, int]
    scores: NDArray[np.float32]

    def of(self, example: str) -> NDArray[np.float32] | None:
        """Models x configurations of one example; None where no score names it."""
        place = self.examples.get(example)
        return None if place is None else self.scores[:, :, place]


def configurations(scores: pd.DataFrame, asked: Iterable[Config], planned: Sequence[str]) -> list[Config]:
    """All configurations, in the plan's order where there is one, else as they come.

    Args:
        scores: a row a score.
        asked: those of the requests, also of ones without a score.
        planned: names of study.yaml; may be empty.
    """
    found = {config.name: config for config in asked}
    parts = [name for name in ("serializer", "perturbation", "design") if name in scores]
    for row in scores[["config", *parts]].drop_duplicates("config").itertuples(index=False):
        known = {name: str(value) for name, value in zip(("config", *parts), row, strict=True)}
        split = [*known["config"].split("/", 2), "", ""]
        found.setdefault(
            known["config"],
            Config(
                known["config"],
                known.get("serializer", split[0]),
                known.get("perturbation", split[1]),
                known.get("design", split[2]),
            ),
        )
    places = {name: place for place, name in enumerate(planned)}
    return sorted(found.values(), key=lambda config: places.get(config.name, len(places)))


def scores_by_dataset(
    scores: pd.DataFrame, models: Sequence[str], configs: Sequence[Config]
) -> dict[str, DatasetScores]:
    """The main scores, a cube a data set."""
    import numpy as np

    if "main" in scores:
        scores = scores[scores["main"].astype(bool)]
    of_model = {name: place for place, name in enumerate(models)}
    of_config = {config.name: place for place, config in enumerate(configs)}
    found = {}
    for dataset, rows in scores.groupby("dataset", observed=True, sort=False):
        names = list(dict.fromkeys(rows["example"].astype(str)))
        of_example = {name: place for place, name in enumerate(names)}
        cube = np.full((len(models), len(configs), len(names)), np.nan, np.float32)
        at = (
            _places(rows["model"], of_model),
            _places(rows["config"], of_config),
            _places(rows["example"], of_example),
        )
        known = (at[0] >= 0) & (at[1] >= 0)
        cube[at[0][known], at[1][known], at[2][known]] = rows["score"].to_numpy(np.float32)[known]
        found[str(dataset)] = DatasetScores(of_example, cube)
    return found


def _places(column: Any, places: Mapping[str, int]) -> NDArray[np.intp]:
    import numpy as np

    found = column.astype(str).map(places).fillna(-1)
    result: NDArray[np.intp] = found.to_numpy(np.intp)
    return result
