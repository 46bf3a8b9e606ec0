"""Which serializer to use for a model, see :mod:`.level_choice`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..figure import Row
from ..largest_difference import DRAWS
from ..options import Options
from ..result import ByDataset, FigureResult, interval_cells
from .factor_cubes import FactorCubes
from .level_choice import Behind, ranked_levels

METHOD = (
    "a model's formats, each a mean over the perturbations that all of them have, at the base design, "
    "compared example by example; behind is the best one's mean less its own. Its bounds and p are "
    "simultaneous over all pairs of the model's formats (Tukey's procedure with the observed "
    f"covariances, each pair with a standard error of its own, {DRAWS:,} draws; where a difference does not "
    "vary, random flips of its signs with Bonferroni's correction), so that they allow for the best having "
    "been picked on the same scores. worse: p times the number of models compared in that place is at most 1 "
    "- level (Bonferroni), so that the chance of calling a format worse that is not, of any model, is at "
    "most 1 - level. Not corrected for the number of data sets"
)


class ChoiceRow(FigureResult):
    """A serializer of a model: its mean score, and whether it is worse than the model's best.

    ``worse`` holds for the serializers of all models of the place at once.
    """

    serializer: str
    value: float | None
    low: float | None
    high: float | None
    behind: Behind
    worse: bool
    complete: bool = True


SerializerChoice = ByDataset[list[ChoiceRow]]
"""A model's serializers, best mean first, over all data sets and on each."""


def serializer_choice(compared: FactorCubes, options: Options) -> dict[str, SerializerChoice]:
    """Per model its serializers, best mean first: :func:`.level_choice.ranked_levels`."""
    return ranked_levels(compared, options, lambda name, fields: ChoiceRow(serializer=name, **fields))


def choice_rows(result: Mapping[str, SerializerChoice]) -> Iterator[Row]:
    """A row a serializer of a model and data set."""
    for model, found in result.items():
        for dataset, rows in found.places().items():
            for own in rows:
                behind = own.behind
                cells = (behind.value, behind.low, behind.high, behind.p)
                yield model, dataset, own.serializer, *interval_cells(own), *cells, own.worse
