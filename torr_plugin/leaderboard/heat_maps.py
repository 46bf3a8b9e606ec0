"""Shaded matrices: scores of serializer x perturbation, and differences of model x serializer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.result import Interval
from .views import DASH, View, ViewCell, shade, signed

SHADES = 9
"""Steps from the lightest to the darkest; the style sheet has a class for each."""
_LEAST_SPAN = 0.05

Scores = Mapping[str, Mapping[str, float | None]]
"""Configuration -> model -> mean score."""


@dataclass(frozen=True)
class HeatCell:
    """A mean score as text and as a shade from 0 to SHADES - 1; None where there is no score."""

    text: str
    shade: int | None


@dataclass(frozen=True)
class HeatMap:
    """Mean scores of one model, or of all: a row per serializer, a column a perturbation.

    ``head``: what the rows are.
    """

    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]
    low: str
    high: str


def heat_maps(scores: Scores, models: Sequence[str]) -> tuple[HeatMap, ...]:
    """A map of the mean over models, where there are several, then one per model; of each design by itself.

    Empty where configurations are not named serializer/perturbation/design.
    """
    parts = {config: config.split("/") for config in scores}
    if not parts or any(len(part) != 3 for part in parts.values()):
        return ()
    designs = dict.fromkeys(part[2] for part in parts.values())
    means = {config: _mean(by_model.values()) for config, by_model in scores.items()}
    columns: dict[str, Mapping[str, float | None]] = {"Mean of all models": means} if len(models) > 1 else {}
    for model in models:
        columns[model] = {config: by_model.get(model) for config, by_model in scores.items()}
    return tuple(
        _heat_map(f"{title}, design {design}" if len(designs) > 1 else title, values, parts, design)
        for design in designs
        for title, values in columns.items()
    )


def models_map(scores: Scores, models: Sequence[str]) -> HeatMap:
    """Of configurations of any names: a row per model, a column per configuration."""
    known = [value for by_model in scores.values() for value in by_model.values() if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    rows = tuple(
        (model, tuple(_cell(scores[config].get(model), low, high) for config in scores)) for model in models
    )
    return HeatMap("All models", "Model", tuple(scores), rows, _text(low), _text(high))


def _heat_map(
    title: str, values: Mapping[str, float | None], parts: Mapping[str, Sequence[str]], design: str
) -> HeatMap:
    cells = {(part[0], part[1]): values[config] for config, part in parts.items() if part[2] == design}
    serializers = dict.fromkeys(serializer for serializer, _ in cells)
    perturbations = dict.fromkeys(perturbation for _, perturbation in cells)
    known = [value for value in cells.values() if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    rows = tuple(
        (serializer, tuple(_cell(cells.get((serializer, name)), low, high) for name in perturbations))
        for serializer in serializers
    )
    return HeatMap(title, "Format", tuple(perturbations), rows, _text(low), _text(high))


def _cell(value: float | None, low: float, high: float) -> HeatCell:
    """A score, shaded by its place between the map's lowest and highest."""
    if value is None:
        return HeatCell(_text(None), None)
    return HeatCell(_text(value), shade(value, low, high, SHADES, _LEAST_SPAN))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _text(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.2f}"


ALL_MODELS = ""
"""The row of all models; no model is called so."""
_STEPS = 4
_LEAST = 0.02
"""Differences below it are shaded as if it were the largest."""


def difference_matrix(
    found: Mapping[str, Mapping[str, Interval]],
    models: Mapping[str, ViewCell],
    columns: Sequence[str],
    claimed: Callable[[str, str], bool],
    together: Mapping[str, Interval] | None = None,
) -> View:
    """A row per model, a column per name, each difference with its interval; claimed ones bold and shaded.

    Args:
        found: model -> name -> difference.
        models: rows in order: model -> its name and page as a cell.
        columns: names in order.
        claimed: whether the difference of a model (:data:`ALL_MODELS` for all) and a name may be claimed.
        together: of all models, for the first row, where there are several.
    """
    most = largest(one for by_name in [*found.values(), together or {}] for one in by_name.values())
    first = [(ALL_MODELS, ViewCell("All models"), together)] if together and len(found) > 1 else []
    own = [(model, cell, found[model]) for model, cell in models.items() if model in found]
    rows = tuple(
        (head, *(difference_cell(by_name.get(name), most, claimed(model, name)) for name in columns))
        for model, head, by_name in [*first, *own]
    )
    return View(("Model", *columns), rows)


def largest(figures: Iterable[Interval]) -> float:
    """The largest difference in either direction, for :func:`difference_cell`."""
    return max([_LEAST, *(abs(one.value) for one in figures if one.value is not None)])


def difference_cell(figure: Interval | None, most: float, claimed: bool) -> ViewCell:
    """A difference with its interval, bold and shaded by its size where it may be claimed."""
    if figure is None or figure.value is None:
        return DASH
    return ViewCell(*signed(figure), f"num {difference_style(figure.value, most, claimed)}")


def difference_style(value: float, most: float, claimed: bool) -> str:
    """The classes of a difference, see :func:`difference_cell`."""
    step = min(_STEPS, max(1, round(abs(value) / most * _STEPS)))
    return f"{'more' if value > 0 else 'less'}-{step} real" if claimed else "even"
