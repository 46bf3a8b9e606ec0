"""How many examples and configurations a reliable ranking needs, by the variance components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..output.format import format_interval
from ..planning.decision import least_examples
from ..planning.variance_components import MODEL
from .drawing import Drawing, named_rows
from .study import Analysis, Lacking, Row, basis, needed
from .style import ORDERED, heading

TARGETS = (0.8, 0.9, 0.95, 0.99)
"""Generalizability coefficients that a line is drawn for."""

_CONFIGURATIONS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50)
_MOST = 100_000  # examples
_WIDTH, _HEIGHT = 420, 260


def build(analysis: Analysis) -> Drawing:
    """The least number of examples a data set against the number of configurations, a line a reliability."""
    import altair as alt

    found = needed(analysis, "generalizability", "overall")
    rows = [*_study(analysis), *_frontiers(found["components"])]
    if not any(row["kind"] == "line" for row in rows):
        raise Lacking("no number of configurations and examples gives a reliable ranking")
    targets = [f"{target:g}" for target in TARGETS]
    scale = alt.Scale(domain=targets, range=list(ORDERED[::2]))
    base = alt.Chart().encode(
        x=alt.X("k:Q", title="configurations", scale=alt.Scale(zero=True)),
        y=alt.Y("n:Q", title="examples of each data set", scale=alt.Scale(type="log")),
    )
    line = base.transform_filter("datum.kind == 'line'").mark_line(point=alt.OverlayMarkDef(size=20))
    line = line.encode(color=alt.Color("target:N", title="reliability", scale=scale))
    study = base.transform_filter("datum.kind == 'study'").mark_point(
        shape="cross", filled=True, color="black", size=90, opacity=1
    )
    chart = alt.layer(line, study, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    title = "Examples and configurations that a reliable ranking needs"
    return Drawing(chart.properties(title=heading(title, _lines(analysis, found), _WIDTH + 100)), rows)


def _lines(analysis: Analysis, found: Mapping[str, Any]) -> list[str]:
    own = found["coefficient"]
    return [
        f"{basis(analysis)}. Reliability: the generalizability coefficient, predicted from the variance "
        "components of the mean over data sets",
        f"Cross: this study, {format_interval(own['value'], own['low'], own['high'])}",
    ]


def _study(analysis: Analysis) -> list[Row]:
    """The mean numbers of the study."""
    settings = analysis["settings"]
    k, n = (sum(settings[name].values()) / len(settings[name]) for name in ("configurations", "examples"))
    return [{"kind": "study", "k": k, "n": n}]


def _frontiers(components: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    if any(entry["value"] is None for entry in components.values()):
        raise Lacking("there are no two models, configurations and examples")
    parts = {name: entry["value"] for name, entry in components.items()}
    return [
        {"kind": "line", "target": f"{target:g}", "k": k, "n": n}
        for target in TARGETS
        for k in _CONFIGURATIONS
        # the coefficient reaches t where the relative error variance is at most (1 - t) / t of the models'
        if (n := least_examples(parts, k, parts[MODEL] * (1 - target) / target)) and n <= _MOST
    ]
