"""Kinds of examples that a site may say something of: by group, by property, by the table's size."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...analysis.figures.slices import Slice, Slices
from ..results import StudyResults
from .places import LEAST_EXAMPLES


@dataclass(frozen=True)
class ExampleKind:
    """A kind of examples of a data set.

    ``name`` begins its hypotheses; ``words`` follow "examples of X"; ``found`` has its figures.
    """

    dataset: str
    name: tuple[Hashable, ...]
    words: str
    found: Slice


def example_kinds(analysis: StudyResults) -> Iterator[ExampleKind]:
    """Those with enough examples."""
    for dataset, slices in analysis.slices.items():
        if dataset in analysis.settings.examples:
            for name, words, own in _kinds_of(slices):
                if own.examples >= LEAST_EXAMPLES:
                    yield ExampleKind(dataset, ("kind", dataset, *name), words, own)


def _kinds_of(slices: Slices) -> Iterator[tuple[tuple[str, str, str], str, Slice]]:
    for group, values in {**slices.groups, "number of cells": slices.cells}.items():
        for value, own in _several(values):
            yield ("group", group, value), f"with {group} {_quoted(value)}", own
    for part, valued in slices.values.items():
        for name, values in valued.items():
            for value, own in _several(values):
                yield (part, name, value), f"whose {part} has {name} {_quoted(value)}", own
    for part, properties in slices.properties.items():
        for name, contrast in properties.items():
            if contrast.absent.examples:
                yield ("property", part, name), f"whose {part} has {_quoted(name)}", contrast.present


def _several(values: Mapping[str, Slice]) -> Iterable[tuple[str, Slice]]:
    """The values, unless there is one only, which the whole data set has."""
    return values.items() if len(values) > 1 else ()


def _quoted(name: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"
