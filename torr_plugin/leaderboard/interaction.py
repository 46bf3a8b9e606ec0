"""Matrices of models by serializers or perturbations, in two colours from a middle of 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import schema
from .figures import side_of_zero
from .views import View, ViewCell, signed

_STEPS = 4
_LEAST = 0.02
"""Differences below it are shaded as if it were the largest: noise is to look like noise."""


def difference_matrix(
    found: Mapping[str, Mapping[str, schema.Figure]],
    models: Mapping[str, str],
    columns: Sequence[str],
    together: Mapping[str, schema.Figure] | None = None,
) -> View:
    """A row a model, a column a name, each difference with its interval and a shade of its size.

    Args:
        found: model -> name -> difference.
        models: rows in order: name -> page, from the site's root.
        columns: names in order.
        together: of all models, to stand first.
    """
    figures = [one for by_name in [*found.values(), together or {}] for one in by_name.values()]
    most = max([_LEAST, *(abs(one.value) for one in figures if one.value is not None)])
    rows = []
    if together:
        rows.append((ViewCell("All models"), *_difference_cells(together, columns, most)))
    rows += [
        (ViewCell(model, href=href), *_difference_cells(found[model], columns, most))
        for model, href in models.items()
        if model in found
    ]
    return View(("Model", *columns), tuple(rows))


def _difference_cells(
    figures: Mapping[str, schema.Figure], columns: Sequence[str], most: float
) -> tuple[ViewCell, ...]:
    return tuple(_difference_cell(figures.get(name), most) for name in columns)


def _difference_cell(figure: schema.Figure | None, most: float) -> ViewCell:
    """Bold where the interval leaves 0 out."""
    if figure is None or figure.value is None:
        return ViewCell("\N{EN DASH}", style="num")
    text, bounds = signed(figure)
    return ViewCell(
        text, bounds, f"num {_shade(figure.value, most)}{' real' if side_of_zero(figure) else ''}"
    )


def _shade(value: float, most: float) -> str:
    step = min(_STEPS, round(abs(value) / most * _STEPS))
    return f"{'more' if value > 0 else 'less'}-{step}" if step else "even"
