"""Over how many examples figures are, where not every example was asked in every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from ..analysis.shared_examples import SharedExamples
from .results import StudyResults
from .study import Study


def asked_everywhere(scores: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Data set -> how many of its examples were asked in all of its configurations, and how many it has.

    Args:
        scores: a row per score, failed ones too; an example was asked where any model has a row.
    """
    asked = scores[["dataset", "config", "example"]].drop_duplicates()
    found = {}
    for dataset, own in asked.groupby("dataset", observed=True):
        times = own["example"].value_counts()
        times = times[times > 0]
        found[str(dataset)] = int((times == own["config"].nunique()).sum()), len(times)
    return found


def figure_lines(study: Study) -> dict[str, str]:
    """Data set that was asked unevenly -> over which examples its performance and robustness are."""
    if not study.analysis.holes.not_asked:
        return {}
    return {
        dataset: f"On {dataset} not every example was asked in every configuration: performance is over all "
        f"{of:,} examples; robustness, worst and best are over {_over(whole)}."
        for dataset, (whole, of) in asked_everywhere(study.source.scores).items()
        if whole < of
    }


def _over(whole: int) -> str:
    return f"the {whole:,} that were" if whole else "each in those that it was asked in"


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
            few = [f"{thing}_pairs" for thing, found in fewer.items() if _under_half(found)]
            more = f" Under half are shared: the downloads compare pair by pair ({', '.join(few)})."
            yield f"{dataset}: {spans} examples.{more if few else ''}"


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
    return f"{_span(shared)} of {_span(of)}"


def _span(counts: list[int]) -> str:
    return " to ".join(f"{count:,}" for count in dict.fromkeys((min(counts), max(counts))))


def _under_half(found: Mapping[str, SharedExamples]) -> bool:
    return any(2 * own.shared < own.of for own in found.values())


def crossed(scores: pd.DataFrame) -> bool:
    """Whether every data set has every serializer with every perturbation."""
    parts = ["serializer", "perturbation"]
    if not set(parts) <= set(scores.columns):
        return False
    asked = scores[["dataset", *parts]].drop_duplicates()
    sizes = [asked[name].nunique() for name in asked.columns]
    return bool(len(asked) == sizes[0] * sizes[1] * sizes[2])
