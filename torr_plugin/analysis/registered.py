"""The project's own figures, registered in the order of ``analysis.json``: a new one is added here."""

from __future__ import annotations

from typing import Any

from .figure import Figure, figures
from .figures.configuration_agreement import CONFIGURATION_AGREEMENT
from .figures.configurations import (
    CONFIGURATION_RANGE,
    CONFIGURATION_SCORES,
    OWN_CONFIGURATION_SCORES,
)
from .figures.dataset_agreement import DATASET_AGREEMENT
from .figures.designs import DESIGNS
from .figures.detectable import DETECTABLE
from .figures.distributions import DIFFICULTY, DISTRIBUTIONS
from .figures.endings import ENDINGS
from .figures.example_tables import EXAMPLE_TABLES
from .figures.findings import FINDINGS
from .figures.format_following import FORMAT_FOLLOWING
from .figures.generalizability import GENERALIZABILITY
from .figures.modalities import MODALITIES
from .figures.model_groups import MODEL_GROUPS
from .figures.model_scores import MODEL_SCORES
from .figures.noise import NOISE
from .figures.own_cells import OWN_CELLS
from .figures.pairs import PAIRS, RANK_INTERVALS, SEPARABILITY
from .figures.perturbations import PERTURBATIONS
from .figures.regression import REGRESSION
from .figures.reliability import RELIABILITY
from .figures.serializers import SERIALIZERS
from .figures.settings import HOLES, SETTINGS
from .figures.slices import SLICES
from .figures.table_kinds import TABLE_KINDS
from .figures.verbosity import VERBOSITY

OWN_FIGURES: tuple[Figure[Any], ...] = (
    FINDINGS,
    MODEL_SCORES,
    NOISE,
    OWN_CELLS,
    FORMAT_FOLLOWING,
    ENDINGS,
    SEPARABILITY,
    PAIRS,
    DETECTABLE,
    RANK_INTERVALS,
    CONFIGURATION_RANGE,
    SERIALIZERS,
    PERTURBATIONS,
    DISTRIBUTIONS,
    DIFFICULTY,
    MODEL_GROUPS,
    DATASET_AGREEMENT,
    CONFIGURATION_AGREEMENT,
    RELIABILITY,
    GENERALIZABILITY,
    CONFIGURATION_SCORES,
    OWN_CONFIGURATION_SCORES,
    EXAMPLE_TABLES,
    HOLES,
    SETTINGS,
    SLICES,
    TABLE_KINDS,
    REGRESSION,
    VERBOSITY,
    MODALITIES,
    DESIGNS,
)

for _figure in OWN_FIGURES:
    figures.add(_figure)
