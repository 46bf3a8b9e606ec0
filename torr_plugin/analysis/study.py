"""The scores of a study, ready for its figures: cubes, options, what is known of models and examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from .cube import Cube, cubes
from .descriptions import Description
from .estimates import ConfigurationSamples, Estimate, all_estimates, configuration_samples
from .examples import ExampleScores, KnownExample, example_scores
from .frame import MainScores
from .options import Options


@dataclass(frozen=True)
class StudyScores:
    """What a figure is computed from.

    Attributes:
        cubes: the scores, a cube a data set, all with the same models.
        options: how intervals are made.
        rows: the same scores as a frame, a row a score of each data set's main metric: ``model``,
            ``dataset``, ``config``, ``example``, ``metric`` and, where they are known, ``serializer``,
            ``perturbation``, ``design`` (categories of text: group them with ``observed=True``), and
            ``score`` in [0, 1], NaN where there is none.
        descriptions: model -> what is known of it.
        known_examples: data set -> example -> what is known of it.
        lengths: how many values answers hold, a row an answer; None: nobody counted.
        configuration_samples: data set -> its resampled means, of these configurations at least.
        keeps_labels: data set -> the perturbations under which its references stay true, where they are
            known.
    """

    cubes: Sequence[Cube]
    options: Options
    rows: pd.DataFrame
    descriptions: Mapping[str, Description]
    known_examples: Mapping[str, Mapping[str, KnownExample]]
    lengths: pd.DataFrame | None
    configuration_samples: Mapping[str, ConfigurationSamples]
    keeps_labels: Mapping[str, Sequence[str]] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Their names, in the order of the arrays."""
        return self.cubes[0].models

    @cached_property
    def estimates(self) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
        """Statistic -> estimate of every model: of each data set, and overall."""
        return all_estimates(self.cubes, self.options)

    @cached_property
    def example_scores(self) -> list[ExampleScores]:
        """The scores of examples of which something is known: of each data set, and of all together."""
        return example_scores(self.cubes, self.known_examples)

    def with_cubes(self, chosen: Sequence[Cube]) -> StudyScores:
        """The same study over a part of its configurations."""
        return replace(self, cubes=chosen, keeps_labels=None)


def study_scores(
    main: MainScores,
    options: Options,
    *,
    descriptions: Mapping[str, Description] | None = None,
    known_examples: Mapping[str, Mapping[str, KnownExample]] | None = None,
    lengths: pd.DataFrame | None = None,
    keeps_labels: Mapping[str, Sequence[str]] | None = None,
) -> StudyScores:
    """The scores of a study from the main rows of a frame."""
    all_cubes = cubes(main)
    return StudyScores(
        cubes=all_cubes,
        options=options,
        rows=main.rows,
        descriptions=descriptions or {},
        known_examples=known_examples or {},
        lengths=lengths,
        configuration_samples=configuration_samples(all_cubes, options),
        keeps_labels=keeps_labels,
    )
