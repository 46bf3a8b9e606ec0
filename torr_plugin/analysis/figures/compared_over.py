"""Over which examples figures are: as a table, and for other tables in words made of the same counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..figure import FigureTable
from ..number_format import format_range
from ..result import rows_of
from ..shared_examples import Factor, SharedExamples, noun

Examples = Mapping[str, Mapping[str, SharedExamples]]
"""Data set -> model -> how many examples it is compared over."""


def over_shared(factor: Factor) -> Callable[[Any], str]:
    """``over the 109 of 244 examples scored in every format``; "" of figures over all examples."""

    def text(result: Any) -> str:
        over = _part(result.examples)
        return f"over the {over} examples scored in every {noun(factor)}" if over else ""

    return text


def over_figures(names: Callable[[Any], Sequence[str]]) -> Callable[[Any], str]:
    """``ToRR's robustness, worst and best over 109 of 244 examples``; "" of figures over all examples.

    Args:
        names: gives those of a result's figures that are shown.
    """

    def text(result: Any) -> str:
        found: dict[str, list[str]] = {}
        for name in names(result):
            if own := result.figure_examples.get(name):
                found.setdefault(f"over {own.shared:,} of {own.of:,} examples", []).append(
                    _WORDS.get(name, name)
                )
        return "; ".join(f"{_joined(own)} {over}" for over, own in found.items())

    return text


_WORDS = {"robustness": "ToRR's robustness", "robustness_5": "robustness"}


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def examples_table(factor: Factor) -> FigureTable:
    """The table of how many examples comparisons are over."""
    about = f"the examples that {noun(factor)}s are compared over, of those that a model was scored on"
    header = ("dataset", "model", "shared", "of")
    return FigureTable(
        f"{factor}_examples", header, rows_of("shared", "of"), about, lambda result: result.examples
    )


def _part(examples: Examples) -> str:
    """``109 of 244``, of all data sets together; "" where these are all."""
    if all(own.shared == own.of for models in examples.values() for own in models.values()):
        return ""
    return f"{_span(examples, 'shared')} of {_span(examples, 'of')}"


def _span(examples: Examples, field: str) -> str:
    """One number, or the least and the most of a model."""
    counts: dict[str, int] = {}
    for models in examples.values():
        for model, own in models.items():
            counts[model] = counts.get(model, 0) + getattr(own, field)
    return format_range(counts.values())
