"""The scores of a study, ready for its figures: cubes, options, what is known of models and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..core.statistics import Floats, Integers
from .base_designs import at_one_design, base_design, bases_of
from .compare import ComparedPairs, all_pairs
from .cube import Cube, cubes, lacking_models, shared_cells
from .descriptions import Description
from .estimates import Estimate, ExampleValues, estimates, example_statistics, examples_of, overall_estimates
from .examples import ExampleScores, KnownExample, example_scores, table_numbers
from .frame import CLUSTER, MainScores
from .options import Options
from .shared_examples import Factor
from .statistics import STATISTICS, pair_differences

COMPARED = ("performance", "robustness_5", "robustness")
"""The statistics by which models are compared."""


@dataclass(frozen=True)
class StudyScores:
    """What a figure is computed from.

    Attributes:
        cubes: the scores, a cube a data set, all with the same models. Figures that compare models use
            :attr:`shared_cubes` instead.
        options: how intervals are made.
        rows: the same scores as a frame, a row a score of each data set's main metric: ``model``,
            ``dataset``, ``config``, ``example``, ``metric`` and, where they are known, ``serializer``,
            ``perturbation``, ``design`` (categories of text: group them with ``observed=True``), and
            ``score`` in [0, 1], NaN where there is none.
        descriptions: model -> what is known of it.
        known_examples: data set -> example -> what is known of it.
        replicates: as ``rows``, of prompts asked again; perhaps empty.
        lengths: how many values answers hold, a row an answer; None where that is unknown.
        keeps_labels: data set -> the perturbations under which its references stay true, where they are
            known.
        design_bases: design -> the design that it is compared with, as the run says it; may be of designs
            that the study lacks.
        otherwise: as ``rows``, the lenient scores of answers whose main score is faithful, or the other way
            round; perhaps empty.
    """

    cubes: Sequence[Cube]
    options: Options
    rows: pd.DataFrame
    descriptions: Mapping[str, Description]
    known_examples: Mapping[str, Mapping[str, KnownExample]]
    lengths: pd.DataFrame | None
    keeps_labels: Mapping[str, Sequence[str]] | None = None
    replicates: pd.DataFrame = field(default_factory=pd.DataFrame)
    design_bases: Mapping[str, str] = field(default_factory=dict)
    otherwise: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def models(self) -> tuple[str, ...]:
        """Their names, in the order of the arrays."""
        return self.cubes[0].models

    @cached_property
    def shared_cubes(self) -> list[Cube]:
        """The scores on the cells that all models of a data set have."""
        return [shared_cells(cube) for cube in self.cubes]

    @cached_property
    def bases(self) -> dict[str, str]:
        """Design -> the design of the study that it is compared with; those without one are left out."""
        return bases_of(self.cubes, self.design_bases)

    @cached_property
    def base_design(self) -> str | None:
        """The design without a base that most cells were asked with; None where designs are not known."""
        return base_design(self.cubes, self.bases)

    def at_one_design(self, factor: Factor) -> list[Cube]:
        """The scores by which serializers, or perturbations, are compared: of one design a data set."""
        return [at_one_design(cube, factor, self.base_design) for cube in self.cubes]

    @cached_property
    def example_statistics(self) -> list[dict[str, Floats]]:
        """Statistic -> every model's examples on shared cells, (models x examples), of each data set."""
        return [example_statistics(cube) for cube in self.shared_cubes]

    @cached_property
    def estimates(self) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
        """Statistic -> estimate of every model on shared cells: of each data set, and overall."""
        per_dataset = [
            estimates(shared, lacking_models(own), found)
            for shared, own, found in zip(self.shared_cubes, self.cubes, self.example_statistics, strict=True)
        ]
        return per_dataset, overall_estimates(per_dataset)

    @cached_property
    def model_pairs(self) -> dict[str, list[ComparedPairs]]:
        """Statistic of ``COMPARED`` -> the verdicts on all pairs of models, overall and on each data set.

        Two models are compared over the cells that both have.
        """
        per_dataset, overall = self.estimates
        found: dict[str, list[ComparedPairs]] = {}
        for name in COMPARED:
            cubes = [examples_of(name, cube) for cube in self.cubes]
            each = [
                _model_pairs([cube], name, own[name], self.options)
                for cube, own in zip(cubes, per_dataset, strict=True)
            ]
            one = len(cubes) == 1
            together = each[0] if one else _model_pairs(cubes, name, overall[name], self.options)
            found[name] = [together, *each]
        return found

    @cached_property
    def example_scores(self) -> list[ExampleScores]:
        """The scores of examples of which something is known: of each data set, and of all together."""
        return example_scores(self.cubes, self.known_examples)

    def with_cubes(self, chosen: Sequence[Cube]) -> StudyScores:
        """The same study over a part of its configurations."""
        return replace(self, cubes=chosen, keeps_labels=None)


def _model_pairs(cubes: Sequence[Cube], name: str, figures: Estimate, options: Options) -> ComparedPairs:
    statistic = STATISTICS[name]
    of_models = [statistic(cube.scores) for cube in cubes]

    def differences(first: Integers, second: Integers) -> list[ExampleValues]:
        return [
            ExampleValues(pair_differences(cube.scores, first, second, statistic, own), cube.clusters)
            for cube, own in zip(cubes, of_models, strict=True)
        ]

    return all_pairs(~np.isnan(figures.values), differences, options.level)


def study_scores(
    main: MainScores,
    options: Options,
    *,
    descriptions: Mapping[str, Description] | None = None,
    known_examples: Mapping[str, Mapping[str, KnownExample]] | None = None,
    lengths: pd.DataFrame | None = None,
    keeps_labels: Mapping[str, Sequence[str]] | None = None,
    design_bases: Mapping[str, str] | None = None,
) -> StudyScores:
    """The scores of a study from the main rows of a frame."""
    known = known_examples or {}
    all_cubes = cubes_with_tables(main, known)
    return StudyScores(
        cubes=all_cubes,
        options=options,
        rows=main.rows,
        descriptions=descriptions or {},
        known_examples=known,
        lengths=lengths,
        replicates=main.replicates,
        keeps_labels=keeps_labels,
        design_bases=design_bases or {},
        otherwise=main.otherwise,
    )


def cubes_with_tables(main: MainScores, known: Mapping[str, Mapping[str, KnownExample]]) -> list[Cube]:
    """A cube a data set, with what is known of its examples' tables; data set -> example -> what is known."""
    return [_with_tables(cube, known.get(cube.dataset), main) for cube in cubes(main)]


def _with_tables(cube: Cube, known: Mapping[str, KnownExample] | None, main: MainScores) -> Cube:
    """The cube with what is known of its examples' tables; clusters in the scores themselves come first."""
    if known is None or CLUSTER in main.rows:
        return cube
    return replace(cube, clusters=table_numbers([known.get(example) for example in cube.examples]))
