"""Over how many examples figures are, where not every example was asked in every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from ..analysis import format_range
from ..analysis.rarefaction import HEADLINE
from ..analysis.shared_examples import SharedExamples
from .results import StudyResults
from .source import PublishedSource
from .text import listed


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
    """Over how many examples a model's formats are compared, and its changes to the table.

    A line per data set where these are not all; formats that stand apart are another matter.
    """
    parts = {
        "formats": analysis.serializers.advised_examples if analysis.serializers else {},
        "changes to the table": analysis.perturbations.examples if analysis.perturbations else {},
    }
    for dataset in analysis.settings.examples:
        fewer = [
            f"{thing} are compared over {_spans(found)}"
            for thing, by_dataset in parts.items()
            if (found := by_dataset.get(dataset)) and any(own.shared < own.of for own in found.values())
        ]
        if fewer:
            yield f"{dataset}: {', '.join(fewer)} examples."


def one_design(analysis: StudyResults) -> str:
    """The design at which serializers and perturbations are compared; "" where it is not one alone."""
    every = {design for own in _at_design(analysis).values() for design in own.values()}
    return every.pop() if len(every) == 1 else ""


def _at_design(analysis: StudyResults) -> dict[str, dict[str, str]]:
    parts = {"formats": analysis.serializers, "perturbations": analysis.perturbations}
    return {thing: part.at_design for thing, part in parts.items() if part is not None and part.at_design}


def design_lines(analysis: StudyResults) -> Iterator[str]:
    """At which design serializers and perturbations are compared, where there are several."""
    at = _at_design(analysis)
    if design := one_design(analysis):
        yield f"{listed(list(at)).capitalize()} are compared at the design {design} alone."
        return
    for thing, own in at.items():
        for design in dict.fromkeys(own.values()):
            where = [dataset for dataset, name in own.items() if name == design]
            on = f" on {listed(where)}" if len(where) < len(own) else ""
            yield f"{thing.capitalize()} are compared at the design {design} alone{on}."


def _spans(found: Mapping[str, SharedExamples]) -> str:
    """``109 of 244``; from the fewest of a model to the most where models differ."""
    shared, of = ([getattr(own, name) for own in found.values()] for name in ("shared", "of"))
    return f"{format_range(shared)} of {format_range(of)}"
