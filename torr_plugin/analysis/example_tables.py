"""The tables of figures by kind of example, length of answer and modality, in long form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Sequence[object]
Found = Mapping[str, Any]

BOUNDS = ("value", "low", "high")
SLICES = ("dataset", "of", "name", "value_of_it", "model", "examples", "tables", *BOUNDS, "complete")
REGRESSION = ("dataset", "of", "over", "name", *BOUNDS, "error", "p", "rows", "tables", "r2", "dropped")
VERBOSITY = ("dataset", "model", "figure", *BOUNDS, "complete")
MODALITIES = ("dataset", "of", "name", "figure", *BOUNDS, "complete")


def slice_rows(analysis: Found) -> Iterator[Row]:
    """A row a mean score: of all models together ("overall") and of each, in each slice."""
    for place, found in analysis["slices"].items():
        for of, name, value, own in _slices(found):
            for model, figure in {"overall": own["overall"], **own["models"]}.items():
                yield place, of, name, value, model, own.get("examples"), own.get("tables"), *_marked(figure)


def _slices(found: Found) -> Iterator[tuple[str, str, str, Found]]:
    yield from (("group", name, value, own) for name, value, own in _leaves(found["groups"]))
    for of, known in found["properties"].items():
        yield from ((of, name, value, own) for name, value, own in _leaves(known))
    for of, known in found["values"].items():
        yield from ((of, name, value, own) for name, value, own in _leaves(known))
    yield from (("table", "cells", value, own) for value, own in found["cells"].items())


def _leaves(nested: Found) -> Iterator[tuple[str, str, Found]]:
    for name, values in nested.items():
        for value, own in values.items():
            yield name, value, own


def regression_rows(analysis: Found) -> Iterator[Row]:
    """A row a coefficient, and one a property that is in no column, with the reason."""
    for place, kinds in analysis["regression"]["datasets"].items():
        for of, fits in kinds.items():
            for over, fit in fits.items():
                size = fit["rows"], fit["tables"], fit["r2"]
                for name, own in {"(intercept)": fit["intercept"], **fit["coefficients"]}.items():
                    yield place, of, over, name, *_three(own), own["error"], own["p"], *size, None
                for name, why in fit["dropped"].items():
                    yield place, of, over, name, *[None] * 5, *size, why


def verbosity_rows(analysis: Found) -> Iterator[Row]:
    """Per model the number of values, the score and their correlation; the truth's number of values."""
    for place, found in analysis["verbosity"].items():
        yield place, None, "truth", found["truth"], None, None, None
        yield place, None, "correlation", found["correlation"], None, None, None
        for model, own in found["models"].items():
            for figure in ("values", "score"):
                yield place, model, figure, *_marked(own[figure])
            yield place, model, "correlation", own["correlation"], None, None, None


def modality_rows(analysis: Found) -> Iterator[Row]:
    """A row a figure: text, image and their difference, per model, per family and in the mean."""
    for place, found in analysis["modalities"]["datasets"].items():
        parts = {"model": found["models"], "family": found["families"], "mean": {None: found["mean"]}}
        for of, members in parts.items():
            for name, own in members.items():
                for figure, bounds in own.items():
                    yield place, of, name, figure, *_marked(bounds)


def _three(figure: Found) -> tuple[object, ...]:
    return tuple(figure[key] for key in BOUNDS)


def _marked(figure: Found) -> tuple[object, ...]:
    return *_three(figure), figure.get("complete", True)
