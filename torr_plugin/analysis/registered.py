"""The framework's figures, registered in the order of ``analysis.json``: a new one is added here."""

from __future__ import annotations

from typing import Any

from ..core.errors import OWN
from .figure import Figure, figures
from .figures.configuration_agreement import CONFIGURATION_AGREEMENT
from .figures.configurations import CONFIGURATION_SCORES
from .figures.dataset_agreement import DATASET_AGREEMENT
from .figures.designs import DESIGNS
from .figures.detectable import DETECTABLE
from .figures.difficulty import DIFFICULTY
from .figures.endings import ENDINGS
from .figures.example_tables import EXAMPLE_TABLES
from .figures.findings import FINDINGS
from .figures.format_following import FORMAT_FOLLOWING
from .figures.generalizability import GENERALIZABILITY
from .figures.modalities import MODALITIES
from .figures.model_scores import MODEL_SCORES
from .figures.noise import NOISE
from .figures.own_cells import OWN_CELLS
from .figures.pairs import PAIRS, RANK_INTERVALS, SEPARABILITY
from .figures.perturbations import PERTURBATIONS
from .figures.reliability import RELIABILITY
from .figures.serializers import SERIALIZERS
from .figures.settings import HOLES, SETTINGS
from .figures.slices import SLICES

for _figure in (
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
    SERIALIZERS,
    PERTURBATIONS,
    DIFFICULTY,
    DATASET_AGREEMENT,
    CONFIGURATION_AGREEMENT,
    RELIABILITY,
    GENERALIZABILITY,
    CONFIGURATION_SCORES,
    EXAMPLE_TABLES,
    HOLES,
    SETTINGS,
    SLICES,
    MODALITIES,
    DESIGNS,
):
    figures.add(_figure)


def own_figures() -> list[Figure[Any]]:
    """The project's own figures in the order of ``analysis.json``: the framework's, then the papers'."""
    return [figure for figure in figures.values() if figures.origin(figure.key) == OWN]
