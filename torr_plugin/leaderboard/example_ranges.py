"""How far an example's score moves between configurations, and which examples are hard or divisive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ScoreRange:
    """One model's scores on one example over its configurations; ties go to the configuration named first.

    ``lows`` and ``highs`` are how many configurations share the lowest and the highest score.
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


@dataclass(frozen=True)
class ExampleDifficulty:
    """One example over all models: its mean score, and the standard deviation of the models' means."""

    example: str
    mean: float
    spread: float


def score_ranges(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a model, data set and example with ``low``, ``high``, their configurations, and ``mean``.

    Of several configurations with the lowest score the first by name; ``lows`` says how many they are. So
    with the highest, and ``highs``.

    Args:
        scores: of the analysis's shape; rows that are not ``main`` or have no score are left out.
    """
    import numpy as np
    import pandas as pd

    main: pd.DataFrame = scores[scores["main"].astype(bool)] if "main" in scores else scores
    main = main[main["score"].notna()]
    cell = ["model", "dataset", "example"]
    groups = main.groupby(cell, observed=True, sort=False).ngroup().to_numpy()
    score = main["score"].to_numpy(float)
    place, configs = pd.factorize(main["config"].astype(str), sort=True)
    order = np.lexsort((place, score, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    first = order[starts]
    # of several best ones the first by name, as with the worst
    last = np.lexsort((place, -score, groups))[starts]
    means = np.add.reduceat(score[order], starts) / counts if len(starts) else np.empty(0)
    lows, highs = (_equal(score[order], score[end], starts, counts) for end in (first, last))
    columns = {
        **{name: main[name].iloc[first].astype(str).to_numpy() for name in cell},
        "low": score[first],
        "high": score[last],
        "mean": means,
        "low_config": configs.to_numpy()[place[first]],
        "high_config": configs.to_numpy()[place[last]],
        "lows": lows,
        "highs": highs,
    }
    found: pd.DataFrame = pd.DataFrame(columns)
    return found


def _equal(
    scores: NDArray[np.float64], ends: NDArray[np.float64], starts: NDArray[np.intp], counts: NDArray[np.intp]
) -> NDArray[np.intp]:
    """How many scores of each group, which lie together, equal the group's end."""
    import numpy as np

    same = (scores == np.repeat(ends, counts)).astype(np.intp)
    found: NDArray[np.intp] = np.add.reduceat(same, starts) if len(starts) else same
    return found


def widest_ranges(found: pd.DataFrame, most: int) -> Mapping[str, Sequence[ScoreRange]]:
    """Model -> the examples whose score moves furthest, widest first; none that does not move.

    Equally wide ones: those first that are neither right nor wrong in most configurations.
    """
    wide = found.assign(width=found["high"] - found["low"], edge=(found["mean"] - 0.5).abs())
    wide = wide[wide["width"] > 0].sort_values(
        ["width", "edge", "dataset", "example"], ascending=[False, True, True, True], kind="stable"
    )
    return {
        str(model): [_score_range(row) for row in own.head(most).itertuples()]
        for model, own in wide.groupby("model")
    }


def _score_range(row: Any) -> ScoreRange:
    return ScoreRange(
        dataset=row.dataset,
        example=row.example,
        low=float(row.low),
        high=float(row.high),
        low_config=row.low_config,
        high_config=row.high_config,
        mean=float(row.mean),
        lows=int(row.lows),
        highs=int(row.highs),
    )


def examples_by_difficulty(found: pd.DataFrame, dataset: str) -> Sequence[ExampleDifficulty]:
    """The examples of a data set that any model answered, hardest first."""
    own = found[found["dataset"] == dataset].groupby("example")["mean"]
    means, spreads = own.mean(), own.std(ddof=0)
    every = [ExampleDifficulty(str(name), float(means[name]), float(spreads[name])) for name in means.index]
    return sorted(every, key=lambda each: (each.mean, each.example))
