"""Shaded matrices: scores of serializer x perturbation, and differences of model x serializer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ..analysis.result import Verdict
from .views import DASH, View, ViewCell, shade, signed

SHADES = 9
"""Steps from the lightest to the darkest; the style sheet has a class for each."""
_LEAST_SPAN = 0.2

Scores = Mapping[str, Mapping[str, float | None]]
"""Configuration -> model -> mean score."""


def heat_maps(
    scores: Scores, models: Sequence[str], short: Mapping[str, str] = MappingProxyType({})
) -> tuple[View, ...]:
    """Mean scores, a row a serializer, a column a perturbation: of each design by itself.

    First of the mean over models, where there are several, then of each. Empty where configurations are not
    named serializer/perturbation/design.
    """
    parts = {config: config.split("/") for config in scores}
    if not parts or any(len(part) != 3 for part in parts.values()):
        return ()
    designs = dict.fromkeys(part[2] for part in parts.values())
    means = {config: _mean(by_model.values()) for config, by_model in scores.items()}
    columns: dict[str, Mapping[str, float | None]] = {"Mean of all models": means} if len(models) > 1 else {}
    for model in models:
        columns[model] = {config: by_model.get(model) for config, by_model in scores.items()}
    found = []
    for design in designs:
        places = {config: (part[0], part[1]) for config, part in parts.items() if part[2] == design}
        serializers, perturbations = (dict.fromkeys(part) for part in zip(*places.values(), strict=True))
        for title, values in columns.items():
            cells = {place: values[config] for config, place in places.items()}
            lines = {name: [cells.get((name, each)) for each in perturbations] for name in serializers}
            title_here = f"{title}, design {design}" if len(designs) > 1 else title
            kinds = perturbations if len(perturbations) > 1 else ("Mean score",)
            found.append(_heat_map(title_here, ("Format", *kinds), lines, short))
    return tuple(found)


def models_map(
    scores: Scores, models: Sequence[str], short: Mapping[str, str] = MappingProxyType({})
) -> View:
    """Of configurations of any names: a row per model, a column per configuration."""
    lines = {model: [by_model.get(model) for by_model in scores.values()] for model in models}
    return _heat_map("All models", ("Model", *scores), lines, short)


def _heat_map(
    title: str, head: tuple[str, ...], lines: Mapping[str, Sequence[float | None]], short: Mapping[str, str]
) -> View:
    """Scores shaded by their places between the map's lowest and highest, or on a wider scale within 1."""
    known = [value for line in lines.values() for value in line if value is not None]
    low = min([1 - _LEAST_SPAN, *known])
    high = max([low + _LEAST_SPAN, *known])

    def cell(value: float | None) -> ViewCell:
        if value is None:
            return ViewCell(DASH.text)
        return ViewCell(f"{value:.3f}", style=f"shade-{shade(value, low, high, SHADES, _LEAST_SPAN)}")

    rows = tuple(
        (ViewCell(short.get(name, name), whole=name), *map(cell, line)) for name, line in lines.items()
    )
    alike = len(known) > 1 and len({f"{value:.3f}" for value in known}) == 1
    wider = (
        ", a wider range than that of the scores" if known and high - low > max(known) - min(known) else ""
    )
    line = "All are equal." if alike else f"Shades from {low:.3f} to {high:.3f}{wider}."
    return View(head, rows, (line,), title=title)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


_STEPS = 4
_LEAST = 0.02
"""Differences below it are shaded as if it were the largest."""


def difference_matrix(
    found: Mapping[str, Mapping[str, Verdict]],
    models: Mapping[str, ViewCell],
    columns: Sequence[str],
    average: Mapping[str, Verdict],
) -> View:
    """A row per model, a column per name, each difference with its interval; those that differ bold, shaded.

    Args:
        found: model -> name -> difference.
        models: rows in order: model -> its name and page as a cell.
        columns: names in order.
        average: of the mean over models, for the first row, where there are several.
    """
    most = largest(one for by_name in [*found.values(), average] for one in by_name.values())
    first = [(ViewCell("Average over models"), average)] if average and len(found) > 1 else []
    own = [(cell, found[model]) for model, cell in models.items() if model in found]
    rows = tuple(
        (head, *(difference_cell(by_name.get(name), most) for name in columns))
        for head, by_name in [*first, *own]
    )
    return View(("Model", *columns), rows)


def largest(figures: Iterable[Verdict]) -> float:
    """The largest difference in either direction, for :func:`difference_cell`."""
    return max([_LEAST, *(abs(one.value) for one in figures if one.value is not None)])


def difference_cell(figure: Verdict | None, most: float) -> ViewCell:
    """A difference with its interval, bold and shaded by its size where the two differ."""
    if figure is None or figure.value is None:
        return DASH
    step = min(_STEPS, max(1, round(abs(figure.value) / most * _STEPS)))
    style = f"{'more' if figure.value > 0 else 'less'}-{step} real" if figure.differs else "even"
    return ViewCell(*signed(figure), f"num {style}")
