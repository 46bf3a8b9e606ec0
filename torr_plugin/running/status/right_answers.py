"""How many right answers the scores of a run hold, for what each of them costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...core.parquet import read_parquet
from .tallies import written_at

_COLUMNS = ["model", "score", "main"]


@dataclass
class RightAnswers:
    """Sums the main scores of each model; the file is read again only where it is a new one.

    Attributes:
        path: the scores.
    """

    path: Path
    _written: float | None = None
    _sums: Mapping[str, float] = field(default_factory=dict)

    def look(self) -> Mapping[str, float]:
        """Model -> the sum of its main scores; empty where there are no scores, or no readable ones."""
        written = written_at(self.path)
        if written is None:
            return {}
        if written != self._written:
            self._written, self._sums = written, _sums(self.path)
        return self._sums


def _sums(path: Path) -> dict[str, float]:
    try:
        with path.open("rb") as file:  # opened here: Arrow takes no path that is not UTF-8
            table = read_parquet(file, _COLUMNS)
        main = table.filter(pc.and_(table["main"], pc.is_finite(table["score"])))
        found = pa.table({"model": main["model"].cast(pa.string()), "score": main["score"]})
        sums = found.group_by("model").aggregate([("score", "sum")])
    except (OSError, KeyError, pa.ArrowException):  # a file of others, or one that is damaged
        return {}
    return dict(zip(sums["model"].to_pylist(), sums["score_sum"].to_pylist(), strict=True))
