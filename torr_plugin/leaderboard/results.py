"""The results that pages show in their own way, by their names in ``analysis.json``; others have sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..analysis import AnalysisResults
from ..analysis.figures.configuration_agreement import CONFIGURATION_AGREEMENT, ConfigurationW
from ..analysis.figures.configurations import (
    CONFIGURATION_RANGE,
    CONFIGURATION_SCORES,
    ConfigurationRanges,
    ConfigurationScores,
)
from ..analysis.figures.dataset_agreement import DATASET_AGREEMENT, DatasetAgreement
from ..analysis.figures.distributions import DIFFICULTY, DISTRIBUTIONS, Difficulty, Distribution
from ..analysis.figures.generalizability import GENERALIZABILITY, Generalizability
from ..analysis.figures.model_scores import MODEL_SCORES
from ..analysis.figures.pairs import PAIRS, ModelPair
from ..analysis.figures.perturbations import PERTURBATIONS, Perturbations
from ..analysis.figures.rank_intervals import RANK_INTERVALS, Places
from ..analysis.figures.reliability import RELIABILITY, Curves
from ..analysis.figures.separability import SEPARABILITY, Separability
from ..analysis.figures.serializers import SERIALIZERS, Serializers
from ..analysis.figures.settings import HOLES, SETTINGS, Holes
from ..analysis.figures.slices import SLICES, Slices
from ..analysis.options import Settings
from ..analysis.result import Everywhere


@dataclass(frozen=True)
class StudyResults:
    """An analysis, or its label-keeping part; what a study lacks is None or empty."""

    results: AnalysisResults

    @property
    def performance(self) -> Mapping[str, Everywhere]:
        """Model -> its performance."""
        return self.results[MODEL_SCORES].performance

    @property
    def robustness(self) -> Mapping[str, Everywhere]:
        """Model -> its robustness."""
        return self.results[MODEL_SCORES].robustness

    @property
    def robustness_solvable(self) -> Mapping[str, Everywhere]:
        """Model -> its robustness over the examples that it solves."""
        return self.results[MODEL_SCORES].robustness_solvable

    @property
    def worst(self) -> Mapping[str, Everywhere]:
        """Model -> its mean over each example's worst configuration."""
        return self.results[MODEL_SCORES].worst

    @property
    def best(self) -> Mapping[str, Everywhere]:
        """Model -> its mean over each example's best configuration."""
        return self.results[MODEL_SCORES].best

    @property
    def ranked(self) -> Sequence[str]:
        """The models, best overall performance first."""
        return self.results[MODEL_SCORES].ranked()

    @property
    def rank_intervals(self) -> Mapping[str, Places]:
        """Model -> its first and last rank."""
        return self.results[RANK_INTERVALS].rank_intervals

    @property
    def rank_intervals_datasets(self) -> Mapping[str, Mapping[str, Places]]:
        """The same on each data set."""
        return self.results[RANK_INTERVALS].rank_intervals_datasets

    @property
    def separability(self) -> Separability:
        """Which models differ."""
        return self.results[SEPARABILITY]

    @property
    def pairs(self) -> Sequence[ModelPair]:
        """Differences of pairs of models."""
        return self.results.get(PAIRS) or []

    @property
    def settings(self) -> Settings:
        """What the figures rest on."""
        return self.results[SETTINGS]

    @property
    def holes(self) -> Holes:
        """Missing scores."""
        return self.results[HOLES]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know."""
        return self.results.notes

    @property
    def label_keeping(self) -> StudyResults | None:
        """The same over label-keeping perturbations only."""
        kept = self.results.label_keeping
        return None if kept is None else StudyResults(kept)

    @property
    def configurations(self) -> ConfigurationScores:
        """Mean scores in each configuration."""
        return self.results.get(CONFIGURATION_SCORES) or {}

    @property
    def configuration_range(self) -> Mapping[str, ConfigurationRanges]:
        """Model -> its worst and best configuration."""
        return self.results.get(CONFIGURATION_RANGE) or {}

    @property
    def serializers(self) -> Serializers | None:
        """Scores by serializer."""
        return self.results.get(SERIALIZERS)

    @property
    def perturbations(self) -> Perturbations | None:
        """Scores by perturbation."""
        return self.results.get(PERTURBATIONS)

    @property
    def difficulty(self) -> Mapping[str, Difficulty]:
        """Data set -> how many examples are how hard."""
        return self.results.get(DIFFICULTY) or {}

    @property
    def distributions(self) -> Mapping[str, Distribution]:
        """Data set -> how many scores lie in each bin."""
        return self.results.get(DISTRIBUTIONS) or {}

    @property
    def reliability(self) -> Mapping[str, Curves]:
        """Data set -> agreement of rankings."""
        return self.results.get(RELIABILITY) or {}

    @property
    def dataset_agreement(self) -> DatasetAgreement | None:
        """Agreement between data sets."""
        return self.results.get(DATASET_AGREEMENT)

    @property
    def configuration_agreement(self) -> Mapping[str, ConfigurationW]:
        """Data set -> agreement between configurations."""
        found = self.results.get(CONFIGURATION_AGREEMENT)
        return found.configuration_agreement_intervals if found else {}

    @property
    def generalizability(self) -> Mapping[str, Generalizability]:
        """Data set -> variance components."""
        return self.results.get(GENERALIZABILITY) or {}

    @property
    def slices(self) -> Mapping[str, Slices]:
        """Data set -> scores by kind of example."""
        return self.results.get(SLICES) or {}
