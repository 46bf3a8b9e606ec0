"""Configurations that rankings by single ones leave out: they lack scores of the examples of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..analysis import format_range
from ..analysis.complete import common_scores, complete_scores
from ..analysis.cube import Cube
from ..analysis.result import OVERALL
from ..analysis.shared_examples import AskedShare
from ..core.errors import counted
from .text import MOST_NAMED, listed

if TYPE_CHECKING:
    from .study import Study


Unranked = Mapping[str, Mapping[str, AskedShare]]
"""Data set, or ``OVERALL`` -> configuration -> on how many of its examples it was asked."""


def unranked_configurations(cubes: Sequence[Cube]) -> Unranked:
    """Those of each data set, and of all together."""
    blocks = [complete_scores(cube) for cube in cubes]
    ranked = {block.cube.dataset: block.cube.configurations for block in blocks}
    everywhere = common_scores(blocks)[0].configurations
    parts = {cube.dataset: (cube,) for cube in cubes}
    return {
        place: {
            name: AskedShare(
                asked=sum(_asked(cube, name) for cube in some), of=sum(len(cube.examples) for cube in some)
            )
            for name in dict.fromkeys(name for cube in some for name in cube.configurations)
            if name not in ranked.get(place, everywhere)
        }
        for place, some in {OVERALL: tuple(cubes), **parts}.items()
    }


def _asked(cube: Cube, name: str) -> int:
    return int(cube.asked[cube.configurations.index(name)].sum()) if name in cube.configurations else 0


def way_of_writing(study: Study) -> str:
    """What configurations of a study are: formats, where they differ in nothing else."""
    formats_alone = "serializer" in study.source.scores and not study.varied_parts
    return "format" if formats_alone else "configuration"


def unranked_names(study: Study, place: str) -> str:
    """Which ones a ranking in a place leaves out, the first by name; "" where it has all."""
    found, way = study.unranked[place], way_of_writing(study)
    if not found:
        return ""
    if len(found) > MOST_NAMED:
        return counted(len(found), way)
    own = [name.split("/", 1)[0] if way == "format" else name for name in found]
    return listed([study.short.get(name, name) for name in own])


def unranked_line(study: Study, place: str) -> str:
    """Which ones, and why: ``csv, asked on 109 of 244 examples, is left out``; "" where all are ranked."""
    found = study.unranked[place].values()
    if not found:
        return ""
    asked, of = [one.asked for one in found], max(one.of for one in found)
    one_alone = len(found) == 1
    why = f"which {'lacks' if one_alone else 'lack'} scores of the same examples"
    if max(asked) < of:
        why = f"asked on {format_range(asked)} of {counted(of, 'example')}"
    return f"{unranked_names(study, place)}, {why}, {'is' if one_alone else 'are'} left out"
