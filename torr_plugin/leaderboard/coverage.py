"""Over how many examples figures are, where not every example was asked in every configuration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from ..analysis import format_range, format_value
from ..analysis.rarefaction import HEADLINE
from ..analysis.shared_examples import SharedExamples
from ..core.errors import counted
from .results import StudyResults
from .source import PublishedSource
from .text import listed
from .views import View, ViewCell, number_cell, signed

_PARTS = ("serializer", "perturbation", "design")
MOST_PAIRS = 200
"""Rows of the table of pairs; the downloads have all."""


@dataclass(frozen=True)
class AskedExamples:
    """How many examples a data set has, how many were asked in all configurations, how many in at least 5."""

    examples: int
    everywhere: int
    in_five: int


def asked_examples(scores: pd.DataFrame) -> dict[str, AskedExamples]:
    """Data set -> in how many of its configurations its examples were asked.

    Args:
        scores: a row per score, failed ones too; an example was asked where any model has a row.
    """
    asked = scores[["dataset", "config", "example"]].drop_duplicates()
    found = {}
    for dataset, own in asked.groupby("dataset", observed=True):
        times = own["example"].value_counts()
        times = times[times > 0]
        everywhere, in_five = times == own["config"].nunique(), times >= HEADLINE
        found[str(dataset)] = AskedExamples(len(times), int(everywhere.sum()), int(in_five.sum()))
    return found


def figure_lines(source: PublishedSource) -> dict[str, str]:
    """Data set that was asked unevenly -> over which examples its performance and robustness are."""
    if not source.analysis.holes.not_asked:
        return {}
    headline = source.analysis.compares_robustness
    return {
        dataset: _figure_line(dataset, asked, headline)
        for dataset, asked in asked_examples(source.scores).items()
        if asked.everywhere < asked.examples
    }


def _figure_line(dataset: str, asked: AskedExamples, headline: bool) -> str:
    whole = (
        f"the {asked.everywhere:,} that were" if asked.everywhere else "each in those that it was asked in"
    )
    five = f"; robustness over the {asked.in_five:,} asked in at least {HEADLINE}" if headline else ""
    torr = "ToRR\N{RIGHT SINGLE QUOTATION MARK}s robustness" if headline else "robustness"
    return (
        f"On {dataset} not every example was asked in every configuration: performance is over all "
        f"{asked.examples:,} examples{five}; {torr}, worst and best over {whole}."
    )


def comparison_lines(analysis: StudyResults) -> Iterator[str]:
    """Over how many examples a model's formats are compared: a line per data set where these are not all."""
    compared = _compared(analysis)
    for dataset in analysis.settings.examples:
        counts = {thing: found for thing, by_place in compared.items() if (found := by_place.get(dataset))}
        fewer = {
            thing: found
            for thing, found in counts.items()
            if any(own.shared < own.of for own in found.values())
        }
        if fewer:
            spans = "; ".join(f"{thing}s over {_spans(found)}" for thing, found in fewer.items())
            few = [
                f"{thing}_pairs"
                for thing, found in fewer.items()
                if any(own.under_half for own in found.values())
            ]
            more = f" Under half are shared: the downloads compare pair by pair ({', '.join(few)})."
            yield f"{dataset}: {spans} examples.{more if few else ''}"


def one_design(analysis: StudyResults) -> str:
    """The design at which serializers and perturbations are compared; "" where it is not one alone."""
    every = {design for own in _at_design(analysis).values() for design in own.values()}
    return every.pop() if len(every) == 1 else ""


def _at_design(analysis: StudyResults) -> dict[str, dict[str, str]]:
    parts = {"Formats": analysis.serializers, "Perturbations": analysis.perturbations}
    return {thing: part.at_design for thing, part in parts.items() if part is not None and part.at_design}


def design_lines(analysis: StudyResults) -> Iterator[str]:
    """At which design serializers and perturbations are compared, where there are several."""
    at = _at_design(analysis)
    if design := one_design(analysis):
        yield f"Formats and perturbations are compared at the design {design} alone."
        return
    for thing, own in at.items():
        for design in dict.fromkeys(own.values()):
            where = [dataset for dataset, name in own.items() if name == design]
            on = f" on {listed(where)}" if len(where) < len(own) else ""
            yield f"{thing} are compared at the design {design} alone{on}."


def _compared(analysis: StudyResults) -> dict[str, Mapping[str, Mapping[str, SharedExamples]]]:
    """What is compared -> data set -> model -> over how many examples."""
    configurations: dict[str, dict[str, SharedExamples]] = {}
    for model, found in analysis.configuration_range.items():
        for dataset, own in found.datasets.items():
            if own and own.examples:
                configurations.setdefault(dataset, {})[model] = own.examples
    parts = {"serializer": analysis.serializers, "perturbation": analysis.perturbations}
    return {
        "configuration": configurations,
        **{name: part.examples for name, part in parts.items() if part is not None},
    }


def _spans(found: Mapping[str, SharedExamples]) -> str:
    """``109 of 244``; from the fewest of a model to the most where models differ."""
    shared, of = ([getattr(own, name) for own in found.values()] for name in ("shared", "of"))
    return f"{format_range(shared)} of {format_range(of)}"


def serializer_pairs(analysis: StudyResults) -> View | None:
    """Serializers pair by pair, of models with under half of their examples in all of them; None without."""
    found = analysis.serializers.pairs if analysis.serializers else {}
    rows = [
        (
            ViewCell(model),
            ViewCell(dataset),
            ViewCell(pair.first),
            ViewCell(pair.second),
            ViewCell(*signed(pair), style="num"),
            number_cell(format_value(pair.p)),
            number_cell(pair.examples),
        )
        for dataset, by_model in found.items()
        for model, pairs in by_model.items()
        for pair in pairs
    ]
    head = ("Model", "Data set", "First", "Second", "First minus second", "p", "Examples")
    return View(head, tuple(rows[:MOST_PAIRS])) if rows else None


def configuration_parts(scores: pd.DataFrame) -> str:
    """How many serializers, perturbations and designs all data sets share: ``2 serializers with 3 designs``.

    Empty where fewer than two of these vary, or are known.
    """
    parts = [name for name in _PARTS if name in scores]
    asked = scores[["dataset", *parts]].drop_duplicates()
    counts = {
        name: int(
            (asked.groupby(name, observed=True)["dataset"].nunique() == asked["dataset"].nunique()).sum()
        )
        for name in parts
    }
    first, *others = [counted(count, name) for name, count in counts.items() if count > 1] or [""]
    if not others:
        return ""
    if len(asked) == math.prod(asked[name].nunique() for name in asked.columns):
        return f"{first} with {' and '.join(others)}"
    varied = [name for name, count in counts.items() if count > 1]
    together = "all of them together" if len(others) > 1 else f"every {varied[0]} with every {varied[1]}"
    where = " on every data set" if asked["dataset"].nunique() > 1 else ""
    return f"{', '.join([first, *others[:-1]])} and {others[-1]}, but not {together}{where}"
