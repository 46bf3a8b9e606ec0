"""Over how many examples figures are, where not every example has a score in every configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..analysis import format_range
from ..analysis.cube import Cube, shared_cells
from ..analysis.estimates import example_statistics, examples_counted
from ..analysis.result import OVERALL
from ..analysis.shared_examples import AskedShare, set_apart
from ..core.errors import counted
from .results import StudyResults
from .text import MOST_NAMED, listed

Bases = Mapping[str, Mapping[str, str]]
"""Data set, or ``OVERALL`` -> figure of a model -> over how many examples it is, in words."""


def figure_bases(analysis: StudyResults, cubes: Sequence[Cube]) -> Bases:
    """Over how many examples figures are: those with enough cells that all models have.

    Nothing for places where all figures are over all examples.

    Args:
        analysis: of the study, or its label-keeping part.
        cubes: its scores.
    """
    counts = {cube.dataset: _counts(cube) for cube in cubes}
    names = next(iter(counts.values()))
    places = {OVERALL: {name: sum(own[name] for own in counts.values()) for name in names}, **counts}
    headline = "robustness_5" if analysis.compares_robustness else "robustness"
    return {
        place: {
            "performance": _over(own["performance"], own[_ALL]),
            "headline_robustness": _over(own[headline], own[_ALL]),
        }
        for place, own in places.items()
        if min(own["performance"], own[headline]) < own[_ALL]
    }


_ALL = "all"


def _counts(cube: Cube) -> dict[str, int]:
    """Figure -> its examples; ``_ALL``: those that there are."""
    return {_ALL: len(cube.examples), **examples_counted(example_statistics(shared_cells(cube)))}


def _over(part: int, whole: int) -> str:
    return f"{'all ' if part == whole else f'{part:,} of '}{counted(whole, 'example')}"


def apart_lines(cubes: Sequence[Cube], short: Mapping[str, str]) -> Iterator[str]:
    """The formats that were asked on few examples and so stand apart, a line a data set.

    Args:
        cubes: the scores.
        short: names as readers know them.
    """
    for cube in cubes:
        few = set_apart(cube, "serializer")
        if few:
            where = f"{short.get(cube.dataset, cube.dataset)}: " if len(cubes) > 1 else ""
            stands = "it stands" if len(few) == 1 else "they stand"
            yield (
                f"{where}{_asked_on(few, short)}, so {stands} apart; the other formats are compared on all "
                "examples that they share."
            )


def _asked_on(few: Mapping[str, AskedShare], short: Mapping[str, str]) -> str:
    """``csv was asked on 109 of 244 examples``."""
    of, asked = next(iter(few.values())).of, [one.asked for one in few.values()]
    some = [f"{short.get(name, name)} was asked on {one.asked:,}" for name, one in few.items()]
    if len(few) > MOST_NAMED:
        some = [f"{counted(len(few), 'format')} were asked on {format_range(asked)}"]
    return f"{listed(some)} of {of:,} examples"


def compared_examples(analysis: StudyResults, models: Iterable[str], place: str) -> str:
    """Over how many examples each model's formats are compared, where that is not all: ``8 of 20 examples``.

    From the fewest of a model to the most where models differ: ``8 to 12 of 20 examples``.
    """
    every = analysis.serializers.examples if analysis.serializers else {}
    own = [
        [found[model] for name, found in every.items() if place in (OVERALL, name) and model in found]
        for model in models
    ]
    shared = [sum(each.shared for each in found) for found in own if found]
    of = [sum(each.of for each in found) for found in own if found]
    if shared == of:
        return ""
    return f"{format_range(shared)} of {format_range(of)} {'example' if max(of) == 1 else 'examples'}"


def not_asked(analysis: StudyResults) -> str:
    """How much was not asked by design: ``540 more were not asked for, by design``."""
    count = analysis.holes.not_asked
    return f"{count:,} more {'was' if count == 1 else 'were'} not asked for, by design"


def one_design(analysis: StudyResults) -> str:
    """The design at which formats and layout changes are compared; "" where it is not one alone."""
    every = {design for own in _at_design(analysis).values() for design in own.values()}
    return every.pop() if len(every) == 1 else ""


def _at_design(analysis: StudyResults) -> dict[str, dict[str, str]]:
    parts = {"formats": analysis.serializers, "layout changes": analysis.perturbations}
    return {thing: part.at_design for thing, part in parts.items() if part is not None and part.at_design}


def design_lines(analysis: StudyResults) -> Iterator[str]:
    """At which design formats and layout changes are compared, where there are several."""
    at = _at_design(analysis)
    if design := one_design(analysis):
        yield f"{listed(list(at)).capitalize()} are compared with the design {design} alone."
        return
    for thing, own in at.items():
        for design in dict.fromkeys(own.values()):
            where = [dataset for dataset, name in own.items() if name == design]
            on = f" on {listed(where)}" if len(where) < len(own) else ""
            yield f"{thing.capitalize()} are compared with the design {design} alone{on}."
