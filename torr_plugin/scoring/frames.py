"""Frames of a run's scores, whose names are categories: a row costs some twenty bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .cells import PLACE, Cells
from .rows import COLUMNS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class Scored:
    """Scores of one model and data set.

    ``values`` has a line for each request of ``rows`` and a column for each of ``metrics``.
    """

    model: str
    rows: np.ndarray
    metrics: Sequence[str]
    values: np.ndarray
    main: str


def scores_frame(found: Sequence[Scored], cells: Cells) -> pd.DataFrame:
    """All scores as one frame; codes alone are held a row, and one column is made at a time."""
    import numpy as np
    import pandas as pd

    models = list(dict.fromkeys(part.model for part in found))
    metrics = list(dict.fromkeys(name for part in found for name in [*part.metrics, part.main]))

    def column(of: Callable[[Scored], Any]) -> np.ndarray:
        return np.concatenate([np.asarray(of(part)) for part in found])

    def spread(name: str, part: Scored) -> np.ndarray:
        return np.repeat(cells.places[name][part.rows], len(part.metrics))

    columns: dict[str, Any] = {
        "model": _coded(column(lambda part: np.full(part.values.size, models.index(part.model))), models),
        **{name: _coded(column(partial(spread, name)), cells.names[name]) for name in PLACE},
        "metric": _coded(
            column(lambda part: _tiled(part, [metrics.index(name) for name in part.metrics])), metrics
        ),
        "score": column(lambda part: part.values.ravel()),
        "main": column(lambda part: _tiled(part, [name == part.main for name in part.metrics])),
    }
    frame: pd.DataFrame = pd.DataFrame(columns, columns=COLUMNS, copy=False)
    return frame


def _tiled(part: Scored, of_metrics: list[Any]) -> np.ndarray:
    import numpy as np

    return np.tile(np.array(of_metrics), len(part.rows))


def frame_of(model: str, rows: np.ndarray, cells: Cells) -> pd.DataFrame:
    """``CELL`` of some of a model's requests; names are categories."""
    import numpy as np
    import pandas as pd

    columns = {"model": _coded(np.zeros(len(rows), np.int8), [model])}
    columns |= {name: _coded(cells.places[name][rows], cells.names[name]) for name in PLACE}
    frame: pd.DataFrame = pd.DataFrame(columns)
    return frame


def _coded(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical[Any]:
    import pandas as pd

    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype=object))
