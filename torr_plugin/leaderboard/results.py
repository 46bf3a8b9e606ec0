"""The results that pages show in their own way, by their names in ``analysis.json``; others have sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ..analysis import AnalysisResults
from ..analysis.figures.configuration_agreement import CONFIGURATION_AGREEMENT, ConfigurationW
from ..analysis.figures.designs import DESIGNS
from ..analysis.figures.detectable import DETECTABLE
from ..analysis.figures.endings import ENDINGS
from ..analysis.figures.example_tables import EXAMPLE_TABLES
from ..analysis.figures.findings import FINDINGS
from ..analysis.figures.format_following import FORMAT_FOLLOWING
from ..analysis.figures.modalities import MODALITIES
from ..analysis.figures.model_scores import MODEL_SCORES
from ..analysis.figures.noise import NOISE
from ..analysis.figures.pairs import PAIRS, RANK_INTERVALS, SEPARABILITY, ModelPairs
from ..analysis.figures.perturbations import PERTURBATIONS
from ..analysis.figures.reliability import RELIABILITY
from ..analysis.figures.serializers import SERIALIZERS
from ..analysis.figures.settings import HOLES, SETTINGS
from ..analysis.figures.slices import SLICES
from ..analysis.limits import Limit, robustness_limit, score_limit
from ..analysis.result import OVERALL, Everywhere

FigureName = Literal["performance", "robustness_5", "robustness"]
"""Figures by which models are compared."""

T = TypeVar("T")


class _Shown(Generic[T]):
    """An attribute that is read from the results."""

    def __init__(self, read: Callable[[AnalysisResults], T]) -> None:
        self._read = read

    def __get__(self, shown: StudyResults, owner: type) -> T:
        return self._read(shown.results)


@dataclass(frozen=True)
class StudyResults:
    """An analysis, or its label-keeping part; what a study lacks is None or empty."""

    results: AnalysisResults

    performance = _Shown(lambda found: found[MODEL_SCORES].performance)
    """Model -> its performance."""

    robustness = _Shown(lambda found: found[MODEL_SCORES].robustness)
    """Model -> its robustness."""

    robustness_solvable = _Shown(lambda found: found[MODEL_SCORES].robustness_solvable)
    """Model -> its robustness over the examples that it solves."""

    robustness_5 = _Shown(lambda found: found[MODEL_SCORES].robustness_5)
    """Model -> its robustness over 5 configurations; empty where the study has fewer."""

    worst = _Shown(lambda found: found[MODEL_SCORES].worst)
    """Model -> its mean over each example's worst configuration."""

    best = _Shown(lambda found: found[MODEL_SCORES].best)
    """Model -> its mean over each example's best configuration."""

    ranked = _Shown(lambda found: found[MODEL_SCORES].ranked())
    """The models, best overall performance first."""

    rank_intervals = _Shown(lambda found: found[RANK_INTERVALS].rank_intervals)
    """Model -> its first and last rank."""

    tiers = _Shown(lambda found: found[RANK_INTERVALS].tiers)
    """Tied groups of models, over all data sets and on each."""

    findings = _Shown(lambda found: found.get(FINDINGS) or [])
    """What the study shows, in sentences."""

    separability = _Shown(lambda found: found[SEPARABILITY])
    """Which models differ."""

    pairs = _Shown(lambda found: found.get(PAIRS) or ModelPairs(pairs=[]))
    """Differences of pairs of models."""

    settings = _Shown(lambda found: found[SETTINGS])
    """What the figures rest on."""

    format_following = _Shown(lambda found: found.get(FORMAT_FOLLOWING) or {})
    """Model -> its faithful and its lenient score, where the study has both."""

    endings = _Shown(lambda found: found.get(ENDINGS) or {})
    """Model -> how many of its answers ran out of tokens, are refusals or were cut, where some did."""

    noise = _Shown(lambda found: found.get(NOISE))
    """How often the same prompt got another score; None where none was asked again."""

    tables = _Shown(lambda found: found.get(EXAMPLE_TABLES) or {})
    """Data set -> the tables of its examples, where they share some."""

    detectable = _Shown(lambda found: found.get(DETECTABLE))
    """The minimum detectable differences."""

    holes = _Shown(lambda found: found[HOLES])
    """Missing scores."""

    notes = _Shown(lambda found: found.notes)
    """What a reader must know."""

    serializers = _Shown(lambda found: found.get(SERIALIZERS))
    """Scores by serializer."""

    perturbations = _Shown(lambda found: found.get(PERTURBATIONS))
    """Scores by perturbation."""

    designs = _Shown(lambda found: found.get(DESIGNS))
    """Designs against their bases; None where no two were asked in one format."""

    modalities = _Shown(lambda found: found.get(MODALITIES))
    """Tables as pictures against tables as text; None where nothing was asked both ways."""

    reliability = _Shown(lambda found: found.get(RELIABILITY) or {})
    """Data set -> agreement of rankings."""

    slices = _Shown(lambda found: found.get(SLICES) or {})
    """Data set -> scores by kind of example."""

    @property
    def compares_robustness(self) -> bool:
        """Whether there is a robustness over 5 configurations, which other studies can be compared with."""
        return any(figures.overall.value is not None for figures in self.robustness_5.values())

    @property
    def varied(self) -> bool:
        """Whether a data set was asked in several configurations: of one alone robustness says nothing."""
        return set(self.settings.configurations.values()) != {1}

    @property
    def headline_robustness(self) -> Mapping[str, Everywhere]:
        """Robustness over 5 configurations; ToRR's where the study has fewer."""
        return self.robustness_5 if self.compares_robustness else self.robustness

    @property
    def compared_figures(self) -> tuple[FigureName, ...]:
        """Models are compared by performance, the headline robustness, and ToRR's if that is another.

        Of one configuration by performance alone.
        """
        if not self.varied:
            return ("performance",)
        if self.compares_robustness:
            return ("performance", "robustness_5", "robustness")
        return ("performance", "robustness")

    @property
    def label_keeping(self) -> StudyResults | None:
        """The same over label-keeping perturbations only."""
        kept = self.results.label_keeping
        return None if kept is None else StudyResults(kept)

    @property
    def configuration_agreement(self) -> Mapping[str, ConfigurationW]:
        """Data set -> agreement between configurations."""
        found = self.results.get(CONFIGURATION_AGREEMENT)
        return found.configuration_agreement_intervals if found else {}


def at_limit(analysis: StudyResults, model: str, figure: str, place: str = OVERALL) -> Limit | None:
    """Which limit a model's figure is so near that it says little; None where it is not.

    A model that is nearly always wrong, or right, has no scores to change, so that its robustness says
    little either.

    ``figure``: ``performance``, ``robustness``, ``robustness_5``, ``headline_robustness``, ...
    """
    value = _value(analysis, model, figure, place)
    if figure in ("performance", "worst", "best"):
        return score_limit(value)
    return robustness_limit(value, _value(analysis, model, "performance", place))


def _value(analysis: StudyResults, model: str, figure: str, place: str) -> float | None:
    found = getattr(analysis, figure).get(model)
    value: float | None = found.places()[place].value if found else None
    return value
