"""Flips: one model, one example, scored low in one configuration and high in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .examples.pairs import most_telling_pair, pair_order
from .examples.scores import configurations
from .files import with_choice
from .source import main_rows
from .study import Study

_CELL = ["model", "dataset", "example"]


@dataclass(frozen=True)
class Flip:
    """One model's scores on one example: the lowest and the highest, and configurations that have them.

    Of several such configurations these are the ones that tell most (:func:`.examples.pairs.pair_order`);
    ``lows`` and ``highs`` are how many share the lowest and the highest score.
    """

    dataset: str
    example: str
    low: float
    high: float
    low_config: str
    high_config: str
    mean: float
    lows: int = 1
    highs: int = 1

    @property
    def width(self) -> float:
        """From the worst configuration to the best."""
        return self.high - self.low


def widest_flips(scores: pd.DataFrame, most: int) -> Mapping[str, Sequence[Flip]]:
    """Model -> the examples whose score moves furthest, widest first; none that does not move.

    Equally wide ones: those first that are neither right nor wrong in most configurations.

    Args:
        scores: of the analysis's shape; rows that are not ``main`` or have no score are left out, and so are
            those of prompts that were asked again: the answer that the site shows is the first.
        most: of a model.
    """
    main = main_rows(scores)
    main = main[main["score"].notna()]
    main = main.assign(
        score=main["score"].astype(np.float32), **{name: main[name].astype(str) for name in _CELL}
    )
    found = main.groupby(_CELL)["score"].agg(["min", "max", "mean"]).reset_index()
    found = found.assign(width=found["max"] - found["min"], edge=(found["mean"] - 0.5).abs())
    wide = found[found["width"] > 0].sort_values(
        ["width", "edge", "dataset", "example"], ascending=[False, True, True, True], kind="stable"
    )
    wide = wide.groupby("model", sort=True).head(most)
    configs = configurations(main, (), ())
    order, places = pair_order(configs), {config.name: place for place, config in enumerate(configs)}
    rows = dict(iter(main.merge(wide[_CELL], on=_CELL).groupby(_CELL)))
    flips: dict[str, list[Flip]] = {}
    for model, dataset, example, mean in wide[[*_CELL, "mean"]].itertuples(index=False):
        own = rows[model, dataset, example]
        line = np.full(len(configs), np.nan, np.float32)
        line[own["config"].astype(str).map(places).to_numpy()] = own["score"].to_numpy()
        if (pair := most_telling_pair(line, order)) is not None:
            low, high = float(line[pair.worst]), float(line[pair.best])
            names = configs[pair.worst].name, configs[pair.best].name
            flip = Flip(dataset, example, low, high, *names, float(mean), pair.lows, pair.highs)
            flips.setdefault(model, []).append(flip)
    return flips


def flip_link(study: Study, model: str, flip: Flip) -> str:
    """The example with the model's worst and best configuration side by side, from the site's root.

    "" where the study has no prompts and answers to show.
    """
    if study.source.run is None:
        return ""
    return with_choice(
        study.paths.examples,
        dataset=flip.dataset,
        example=flip.example,
        model=model,
        **{"config": flip.low_config, "with": flip.high_config},
    )
