"""Kendall's W of rankings that rest on some configurations and examples (ToRR, Fig. 6b and 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .curves import MOST_BANDS, curves, panel_width
from .drawing import Drawing
from .names import labels
from .panels import panel_labels
from .study import Analysis, Lacking, Row, basis, known, needed


def by_prompts(analysis: Analysis) -> Drawing:
    """W against the number of configurations, drawn for each ranking from all (Fig. 6b)."""
    title = "Agreement of rankings against the configurations that each rests on"
    return _curves(analysis, "prompts", title, "rankings share configurations, which alone drives W to 1")


def disjoint(analysis: Analysis) -> Drawing:
    """As Fig. 6b, with rankings that share no configuration."""
    title = "Agreement of rankings that share no configuration"
    return _curves(analysis, "disjoint", title, "no two rankings share a configuration")


def by_examples(analysis: Analysis) -> Drawing:
    """W against the number of examples, a curve a number of configurations (Fig. 7)."""
    found = needed(analysis, "reliability")
    names = _labels(analysis)
    rows = [
        {**row, "x": row["n"], "series": row["k"]}
        for name, label in names.items()
        for row in _rows(found, name, "examples", label)
        if row["n"]
    ]
    _refuse_flat(rows)
    lines = [_basis(analysis, found, "examples", "each rests on some examples and configurations")]
    if len({row["series"] for row in rows}) > MOST_BANDS:
        lines.append("Bands of the fewest and the most configurations alone: those between would cover them")
    title = "Agreement of rankings against the examples and configurations that each rests on"
    axes = ("examples", "configurations")
    return curves(rows, list(names.values()), axes, title, lines)


def _curves(analysis: Analysis, kind: str, title: str, remark: str) -> Drawing:
    found = needed(analysis, "reliability")
    names = _labels(analysis)
    rows = [
        {**row, "x": row["k"]} for name, label in names.items() for row in _rows(found, name, kind, label)
    ]
    _refuse_flat(rows)
    lines = [_basis(analysis, found, kind, remark)]
    return curves(rows, list(names.values()), ("configurations", ""), title, lines)


def _refuse_flat(rows: Sequence[Row]) -> None:
    if len({row["x"] for row in rows}) < 2:
        raise Lacking("there are too few models, configurations or examples to draw from")


def _labels(analysis: Analysis) -> dict[str, str]:
    return labels(["overall", *analysis["settings"]["examples"]], panel_labels(panel_width()))


def _rows(found: Mapping[str, Any], name: str, kind: str, label: str) -> list[Row]:
    """The points of a curve."""
    return [
        {"panel": label, "k": point["k"], "n": point["n"], "chance": point["chance"], **figure}
        for point in (found.get(name) or {}).get(kind) or []
        if (figure := known({"value": point["w"], "low": point["low"], "high": point["high"]}))
    ]


def _basis(analysis: Analysis, found: Mapping[str, Any], kind: str, remark: str) -> str:
    points = [point for entry in found.values() for point in entry.get(kind) or []]
    rankings = sorted({point["rankings"] for point in points})
    many = f"{rankings[0]}" if len(rankings) == 1 else f"{rankings[0]} to {rankings[-1]}"
    return (
        f"{basis(analysis)}. W over {many} rankings of randomly drawn configurations; {remark}. "
        f"Bands: where {100 * analysis['settings']['level']:g} % of single draws lie; dashed: random rankings"
    )
