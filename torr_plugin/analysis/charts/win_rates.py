"""Win rates of serializers and perturbations (ToRR, Fig. 10, 11 and 15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import Analysis, basis, dataset_labels, intervals, known, model_labels, needed, several, unnamed

_WIDTH = 100
_MEANING = "share of wins: how many others one beats on an example, over all wins on it"


def serializers_overall(analysis: Analysis) -> Drawing:
    """A row a serializer."""
    return _overall(analysis, "serializers", "Win rates of serializers")


def serializers_by_model(analysis: Analysis) -> Drawing:
    """A row a model, a panel a serializer (Fig. 10)."""
    return _by(analysis, "serializers", "models", "Win rates of serializers per model")


def serializers_by_dataset(analysis: Analysis) -> Drawing:
    """A row a data set, a panel a serializer (Fig. 11)."""
    return _by(analysis, "serializers", "datasets", "Win rates of serializers per data set")


def perturbations_overall(analysis: Analysis) -> Drawing:
    """A row a perturbation (Fig. 15)."""
    return _overall(analysis, "perturbations", "Win rates of perturbations")


def _overall(analysis: Analysis, parts: str, title: str) -> Drawing:
    rates = needed(analysis, parts, "win_rates", "overall", why=unnamed(parts))
    several(rates, parts[:-1])
    names = labels(sorted(rates, key=lambda name: -(rates[name]["value"] or 0.0)))
    rows = [
        {"row": label, "reference": 1 / len(rates), **figure}
        for name, label in names.items()
        if (figure := known(rates[name]))
    ]
    layout = Layout(rows=list(names.values()), x=_MEANING.split(":", maxsplit=1)[0], format="~%")
    return dots(rows, layout, title, _lines(analysis, len(rates)))


def _by(analysis: Analysis, parts: str, of: str, title: str) -> Drawing:
    rates: Mapping[str, Mapping[str, Any]] = needed(analysis, parts, "win_rates", of, why=unnamed(parts))
    found = list(dict.fromkeys(name for rate in rates.values() for name in rate))
    several(found, parts[:-1])
    names = labels(found, panel_labels(_WIDTH))
    rows_of = model_labels(analysis) if of == "models" else dataset_labels(analysis)
    rows = [
        {"row": label, "panel": names[name], "reference": 1 / len(names), **figure}
        for row, label in rows_of.items()
        for name, rate in rates.get(row, {}).items()
        if (figure := known(rate))
    ]
    layout = Layout(
        rows=list(rows_of.values()),
        panels=list(names.values()),
        x="share of wins",
        width=_WIDTH,
        columns=4 if len(names) > 5 else 5,
        format="~%",
    )
    return dots(rows, layout, title, _lines(analysis, len(names)))


def _lines(analysis: Analysis, count: int) -> list[str]:
    chance = f"dashed: equal shares (1 in {count})"
    return [f"{basis(analysis)}. {_MEANING.capitalize()}; {chance}", intervals(analysis)]
