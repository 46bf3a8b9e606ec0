"""What each table holds, for who looks for one."""

from __future__ import annotations

from collections.abc import Mapping

TABLE_WORDS: Mapping[str, str] = {
    "figures": "performance, robustness, worst and best of each model, overall and per data set",
    "configurations": "mean score of each model in each configuration",
    "separability": "shares of model pairs that can be told apart",
    "pairs": "every pair of models: difference, interval and corrected p-value",
    "rank_intervals": "places that a model may take",
    "rank_intervals_datasets": "places that a model may take on each data set",
    "configuration_range": "each model's worst and best configuration, and how far they lie apart",
    "dataset_agreement": "agreement of data sets on the ranking (Kendall's tau-b)",
    "configuration_agreement": "agreement of single configurations on the ranking (Kendall's W)",
    "reliability": "agreement of rankings against the configurations and examples they rest on",
    "serializer_scores": "mean score of each model with each serializer",
    "serializer_win_rates": "share of wins of each serializer",
    "choice": "which serializer to use for a model, and which are worse than its best",
    "serializer_range": "best less worst serializer",
    "serializer_deviations": "how far each model's mean with a serializer lies from its mean over all",
    "perturbation_scores": "mean score of each model under each perturbation",
    "perturbation_differences": "mean change of the score under each perturbation",
    "perturbation_differences_by_serializer": "the same in each serializer alone",
    "perturbation_deviations": "how far each model's mean under a perturbation lies from its mean over all",
    "perturbation_impact": "mean absolute change of the score under each perturbation",
    "perturbation_win_rates": "share of wins of each perturbation",
    "distributions": "how many scores lie in each of 20 bins",
    "difficulty": "how many examples lie in each of 20 bins of difficulty",
    "difficulty_examples": "mean score of each example over models and configurations",
    "openness": "means of open and of closed models, and their difference",
    "families": "models of a family by size",
    "generalizability": "variance components, and the reliability of this study",
    "slices": "scores by kind of example: groups, properties of tables and questions, sizes",
    "regression": "scores regressed on the properties of tables and questions",
    "verbosity": "how many values answers hold, and how that goes with their score",
    "modalities": "scores with tables as text and as pictures",
}
"""Name of ``analysis.output.tables.TABLES`` -> a phrase."""
