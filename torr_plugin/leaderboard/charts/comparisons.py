"""Charts that compare: two models, and publications of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...analysis.charts.vega import Spec, layer, nominal, quantitative
from ..history import Snapshot
from ..pairwise import NOT_SEPARATED, SEPARATED, WORDS, FigureName, PairedDifference
from ..study import Study
from ..views import interval_text
from .chart import Chart, chart_of

_ROW = 26
_AXES = 60
_ANY = "each configuration"
_DASHED: Spec = {"strokeDash": [4, 3]}
_TITLES = {
    "performance": "worse \N{MIDDLE DOT} difference \N{MIDDLE DOT} better",
    "robustness": "less robust \N{MIDDLE DOT} difference \N{MIDDLE DOT} more robust",
}


@dataclass(frozen=True)
class ChartConfiguration:
    """A configuration's id, its serializer, and its perturbation or design, "" where not known."""

    name: str
    serializer: str
    kind: str

    def plain(self) -> list[str]:
        """For script data: the id, the row of the chart, the kind of its point."""
        return [self.name, self.serializer or _ANY, self.kind or "not stated"]


def difference_chart(what: FigureName, places: Sequence[str], sides: Sequence[PairedDifference]) -> Chart:
    """The difference of two models in one figure on each data set, with intervals; rows change by script."""
    kind = "performance" if what == "performance" else "robustness"
    rows = [_row(place, one) for place, one in zip(places, sides, strict=True)]
    states = [WORDS[state] for state in (SEPARATED, NOT_SEPARATED)]
    # one legend of both, so that it shows filled what is filled
    legend = {"orient": "bottom", "columns": 1, "title": None, "labelLimit": 260}
    shapes = {"domain": states, "range": ["circle", "diamond", "cross"]}
    fills = {"domain": states, "range": ["var(--series-1)", "var(--card)", "var(--card)"]}
    y = nominal("place", sort=list(places), title=None, axis={"labelLimit": 130})
    low = quantitative("low", title=_TITLES[kind], axis={"tickCount": 6})
    point: Spec = {
        "y": y,
        "x": quantitative("difference"),
        "shape": nominal("state", scale=shapes, legend=legend),
        "fill": nominal("state", scale=fills, legend=legend),
        "tooltip": [
            nominal("place", title="Data set"),
            nominal("text", title="Difference"),
            nominal("test", title="Paired test"),
        ],
    }
    layers = [
        layer("rule", {"x": {"datum": 0}}, **_DASHED),
        layer("rule", {"y": y, "x": low, "x2": {"field": "high"}}, strokeWidth=2),
        layer("point", point, size=70, opacity=1, strokeWidth=2, stroke="var(--series-1)"),
    ]
    return chart_of(
        f"difference-{what}",
        f"Difference in {kind}",
        f"The first model's {kind} minus the second's, with its interval, over all data sets and on each; "
        "the same figures are in the table.",
        {"layer": layers},
        rows=rows,
        height=_ROW * len(places) + _AXES + 70,
    )


def _row(place: str, one: PairedDifference) -> dict[str, Any]:
    return {
        "place": place,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "text": one.text,
        "state": one.words,
        "test": f"{one.words} ({one.p})" if one.p else one.words,
    }


def configuration_difference_chart(
    configurations: Sequence[ChartConfiguration], kinds_of: Sequence[str] = ("perturbation",)
) -> Chart:
    """The difference of two models in each configuration: a row per serializer, a point per kind.

    Args:
        configurations: of the study.
        kinds_of: what their kinds are.
    """
    rows = list(dict.fromkeys(each.plain()[1] for each in configurations))
    kinds = list(dict.fromkeys(each.plain()[2] for each in configurations))
    legend = {"orient": "bottom", "columns": 1, "title": None, "labelLimit": 260} if len(kinds) > 1 else None
    kind = nominal("kind", sort=kinds, scale={"domain": kinds}, legend=legend)
    point: Spec = {
        "y": nominal("row", sort=rows, scale={"domain": rows}, title=None, axis={"grid": True}),
        # a longer title is cut off on a phone
        "x": quantitative("difference", axis={"tickCount": 6}, title=_TITLES["performance"]),
        "color": kind,
        "shape": kind,
        "tooltip": [nominal("config", title="Configuration"), nominal("text", title="Difference")],
    }
    layers = [
        layer("rule", {"x": {"datum": 0}}, **_DASHED),
        layer("point", point, size=60, opacity=0.9, strokeWidth=2),
    ]
    return chart_of(
        "difference-formats",
        "Difference in each configuration",
        f"A row per serializer, a point per {' and '.join(kinds_of)}: the first model's mean score minus the "
        "second's; the same figures are in the table.",
        {"layer": layers},
        rows=[],
        height=34 * len(rows) + _AXES + 18 * len(kinds),
    )


MOST_COLOURS = 8
_HEIGHT = 300
_A_MODEL = 20


def history_lines(study: Study, figure: Literal["performance", "robustness"]) -> Chart:
    """A line per model: its overall figure, with its interval, at each publication.

    The best eight models have a colour each; the others are grey, named by the tooltip and the table.
    """
    own = study.models[:MOST_COLOURS]
    days = _days(study.history)
    x = nominal("day", sort=days, title="Published", axis={"labelAngle": 0}, scale={"padding": 0.2})
    y = quantitative("value", title=figure.capitalize(), scale={"zero": False})
    legend = {"orient": "bottom", "columns": 2, "symbolOpacity": 1, "labelLimit": 130}
    model = nominal("model", sort=list(own), scale={"domain": list(own)}, title=None, legend=legend)
    tooltip = [
        nominal("model", title="Model"),
        nominal("day", title="Published"),
        nominal("text", title=figure.capitalize()),
    ]
    grey: Spec = {"x": x, "y": y, "detail": nominal("model"), "tooltip": tooltip}
    interval: Spec = {"x": x, "y": quantitative("low"), "y2": {"field": "high"}, "color": model}
    point: Spec = {"x": x, "y": y, "color": model, "shape": model, "tooltip": tooltip}
    layers = [
        layer(
            "line",
            grey,
            where="!datum.own",
            point={"size": 25, "color": "gray"},
            color="gray",
            strokeWidth=1,
            opacity=0.6,
        ),
        layer("rule", interval, where="datum.own", opacity=0.4),
        layer("line", {"x": x, "y": y, "color": model}, where="datum.own", strokeWidth=2),
        layer("point", point, where="datum.own", filled=True, size=60, opacity=1),
    ]
    return chart_of(
        f"history-{figure}",
        f"{figure.capitalize()} over all data sets, at each publication",
        f"A line per model: overall {figure} with its interval, from publication to publication; models "
        f"after the {MOST_COLOURS} best in grey. The same figures are in the table below.",
        {"layer": layers},
        rows=_rows(study, figure, days, own),
        height=_HEIGHT + 60 + _A_MODEL * -(-len(own) // 2),
        table=_table(study, figure, days),
    )


def _days(history: tuple[Snapshot, ...]) -> list[str]:
    """The day of each publication; with the time where two have one day."""
    days = [each.day for each in history]
    return [
        day if days.count(day) == 1 else f"{day} {each.published[11:19]}"
        for day, each in zip(days, history, strict=True)
    ]


def _rows(study: Study, figure: str, days: list[str], own: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = []
    for day, snapshot in zip(days, study.history, strict=True):
        for model in study.models:
            kept = getattr(snapshot.models.get(model), figure, None)
            if kept is not None and kept.value is not None:
                rows.append(
                    {
                        "day": day,
                        "model": model,
                        "own": model in own,
                        "value": kept.value,
                        "low": kept.low,
                        "high": kept.high,
                        "text": interval_text(kept),
                    }
                )
    return rows


def _table(study: Study, figure: str, days: list[str]) -> list[list[str]]:
    table = [["Model", *days]]
    for model in study.models:
        kept = [getattr(each.models.get(model), figure, None) for each in study.history]
        table.append([model, *(interval_text(k) if k else "\u2013" for k in kept)])
    return table
