"""Scores as frames, with the columns of scores.parquet: codes alone are held a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from ..core.names import ENDED
from .request_index import COLUMNS, REPLICATE, REQUEST_COLUMNS, RequestIndex
from .run_scores import ENDINGS


@dataclass(frozen=True)
class ScoreBlock:
    """Scores of one model and data set.

    ``values`` has a line for each request of ``rows`` and a column for each of ``metrics``; ``ended`` says
    how the answer to each request ended, a position in ``ENDINGS``, and is None where there are no answers.
    """

    model: str
    rows: np.ndarray
    metrics: Sequence[str]
    values: np.ndarray
    main: str
    ended: np.ndarray | None = None


def empty_frame() -> pd.DataFrame:
    """No scores, with the right columns and types."""
    types = {"score": "float64", "main": "bool"}
    frame: pd.DataFrame = pd.DataFrame(
        {column: pd.Series([], dtype=types.get(column, "object")) for column in COLUMNS}
    )
    return frame


def scores_frame(found: Sequence[ScoreBlock], cells: RequestIndex) -> pd.DataFrame:
    """All scores as one frame; codes alone are held a row, and one column is made at a time."""
    models = list(dict.fromkeys(part.model for part in found))
    metrics = list(dict.fromkeys(name for part in found for name in [*part.metrics, part.main]))

    def column(of: Callable[[ScoreBlock], Any]) -> np.ndarray:
        return np.concatenate([np.asarray(of(part)) for part in found])

    def spread(name: str, part: ScoreBlock) -> np.ndarray:
        return np.repeat(cells.places[name][part.rows], len(part.metrics))

    columns: dict[str, Any] = {
        "model": _coded(column(lambda part: np.full(part.values.size, models.index(part.model))), models),
        **{name: _coded(column(partial(spread, name)), cells.names[name]) for name in REQUEST_COLUMNS},
        "metric": _coded(
            column(lambda part: _tiled(part, [metrics.index(name) for name in part.metrics])), metrics
        ),
        "score": column(lambda part: part.values.ravel()),
        "main": column(lambda part: _tiled(part, [name == part.main for name in part.metrics])),
    }
    if cells.replicates.any():
        columns[REPLICATE] = column(lambda part: np.repeat(cells.replicates[part.rows], len(part.metrics)))
    if any(part.ended is not None and part.ended.any() for part in found):
        codes = column(lambda part: np.repeat(_ended(part), len(part.metrics)))
        columns[ENDED] = _coded(codes - 1, [name for name in ENDINGS if name])
    frame: pd.DataFrame = pd.DataFrame(columns, copy=False)
    return frame


def _ended(part: ScoreBlock) -> np.ndarray:
    return np.zeros(len(part.rows), dtype=np.int8) if part.ended is None else part.ended


def _tiled(part: ScoreBlock, of_metrics: list[Any]) -> np.ndarray:
    return np.tile(np.array(of_metrics), len(part.rows))


def cell_frame(model: str, rows: np.ndarray, cells: RequestIndex) -> pd.DataFrame:
    """``CELL`` of some of a model's requests; names are categories."""
    columns = {"model": _coded(np.zeros(len(rows), np.int8), [model])}
    columns |= {name: _coded(cells.places[name][rows], cells.names[name]) for name in REQUEST_COLUMNS}
    frame: pd.DataFrame = pd.DataFrame(columns)
    return frame


def _coded(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype=object))


def together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames' rows, one after the other; names stay categories."""
    if len({tuple(frame.columns) for frame in frames}) != 1:
        plain = [frame.astype(dict.fromkeys(frame.select_dtypes("category"), "object")) for frame in frames]
        mixed: pd.DataFrame = pd.concat(plain, ignore_index=True) if plain else pd.DataFrame()
        return mixed
    found: pd.DataFrame = pd.DataFrame({name: _column([each[name] for each in frames]) for name in frames[0]})
    return found


def _column(parts: Sequence[pd.Series[Any]]) -> Any:
    if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
        return union_categoricals(list(parts))
    return pd.concat(list(parts), ignore_index=True)
