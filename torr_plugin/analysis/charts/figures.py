"""The charts by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..figures import (
    configuration_agreement,
    dataset_agreement,
    modalities,
    perturbations,
    rank_intervals,
    regression,
    reliability,
    separability,
    verbosity,
)
from ..figures import configurations as configuration_range
from ..figures import distributions as difficulty
from ..figures import distributions as score_distributions
from ..figures import factor_scores as win_rates
from ..figures import generalizability as reliability_frontier
from ..figures import generalizability as variance_components
from ..figures import model_groups as families
from ..figures import model_groups as openness
from ..figures import model_scores as performance_datasets
from ..figures import model_scores as performance_robustness
from ..figures import serializers as serializer_range
from ..figures import slices as groups
from ..figures import slices as properties
from .labels import Analysis, Lacking
from .vega import Drawing


@dataclass(frozen=True)
class Figure:
    """A chart of the analysis.

    Attributes:
        build: makes the chart; raises ``Lacking`` where the study has no such figure.
        source: the figure or table of ToRR that shows the same; empty: none does.
    """

    build: Callable[[Analysis], Drawing]
    source: str = ""


FIGURES: Mapping[str, Figure] = {
    "performance_robustness": Figure(performance_robustness.build, "Table 2"),
    "rank_intervals": Figure(rank_intervals.build),
    "configuration_range": Figure(configuration_range.build, "Fig. 3"),
    "separability": Figure(separability.build, "Fig. 4"),
    "dataset_agreement": Figure(dataset_agreement.build, "Fig. 5"),
    "configuration_agreement": Figure(configuration_agreement.build, "Fig. 6a"),
    "reliability_prompts": Figure(reliability.by_prompts, "Fig. 6b"),
    "reliability_disjoint": Figure(reliability.disjoint),
    "reliability_examples": Figure(reliability.by_examples, "Fig. 7"),
    "performance_datasets": Figure(performance_datasets.build_performance_datasets, "Fig. 8"),
    "openness": Figure(openness.build, "Fig. 9"),
    "families": Figure(families.build_families),
    "serializer_win_rates": Figure(win_rates.serializers_overall),
    "serializer_win_rates_models": Figure(win_rates.serializers_by_model, "Fig. 10"),
    "serializer_win_rates_datasets": Figure(win_rates.serializers_by_dataset, "Fig. 11"),
    "serializer_range": Figure(serializer_range.build, "Table 5"),
    "perturbation_differences": Figure(perturbations.differences, "Fig. 12"),
    "perturbation_impact_datasets": Figure(perturbations.impact_by_dataset, "Fig. 13"),
    "perturbation_impact_models": Figure(perturbations.impact_by_model, "Fig. 14"),
    "perturbation_win_rates": Figure(win_rates.perturbations_overall, "Fig. 15"),
    "score_distributions": Figure(score_distributions.build, "Fig. 16"),
    "difficulty": Figure(difficulty.build_difficulty, "Fig. 17"),
    "variance_components": Figure(variance_components.build),
    "reliability_frontier": Figure(reliability_frontier.build_reliability_frontier),
    "groups": Figure(groups.build),
    "table_properties": Figure(properties.of_tables),
    "question_properties": Figure(properties.of_questions),
    "regression": Figure(regression.build),
    "verbosity": Figure(verbosity.build),
    "modalities": Figure(modalities.build),
}


def specifications(
    analysis: Analysis, *, broken: dict[str, str] | None = None
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Every chart that a study has.

    Args:
        analysis: what ``analyse`` returns, or its ``label_keeping``.
        broken: takes the charts that cannot be made of it, as an analysis from elsewhere may be odd, and why;
            without it an error is raised.

    Returns:
        Chart name -> its Vega-Lite specification with the data in it, plain values; and for the charts that
        the study lacks, name -> why.
    """
    found, lacking = {}, {}
    for name, figure in FIGURES.items():
        try:
            chart = figure.build(analysis)
        except Lacking as reason:
            lacking[name] = str(reason)
        except Exception as error:  # whatever an odd file makes of a chart
            if broken is None:
                raise
            broken[name] = one_line(error)
        else:
            found[name] = chart.specification()
    return found, lacking


def one_line(error: Exception) -> str:
    """What went wrong, on one line of bounded length."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
