"""A chart and its data, apart: altair is slow at walking through rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .study import Row
from .style import CONFIG

_NAME = "rows"


@dataclass(frozen=True)
class Drawing:
    """An altair chart over :func:`named_rows`, and these rows: plain values under field names of ours."""

    chart: Any
    rows: Sequence[Row]

    def specification(self) -> dict[str, Any]:
        """The Vega-Lite specification with the rows in it, as plain values."""
        return {**self.chart.to_dict(validate=False), "datasets": {_NAME: list(self.rows)}, "config": CONFIG}


def named_rows() -> Any:
    """The data of a drawing's chart, whose rows come with the specification."""
    import altair as alt

    return alt.NamedData(name=_NAME)
