"""The design that each design is compared with, and the one at which formats and perturbations are compared.

Ablations of a prompt are often asked in one format alone. A mean over designs would count them against that
format, so formats are compared at one design, and designs within formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from .cube import Cube, by_factor, selected

DIRECT = "default"
"""The design that asks directly, in one call: the base of designs that have no other."""


def known_bases(names: Collection[str], given: Mapping[str, str]) -> dict[str, str]:
    """Design -> the design of the study that it is compared with; those without one are left out.

    Args:
        names: the designs of the study.
        given: design -> base, as a run says it; comes before what names say.
    """
    return {name: base for name in sorted(names) if (base := _base(name, names, given))}


def bases_of(cubes: Sequence[Cube], given: Mapping[str, str]) -> dict[str, str]:
    """:func:`known_bases` of a study's designs.

    Where nothing is given, designs whose names say nothing are compared with the one that was asked in more
    serializers than any other of them.
    """
    names = design_names(cubes)
    found = known_bases(names, given)
    left = [name for name in names if name not in found]
    if given or len(left) < 2:
        return found
    formats = {name: _serializers(cubes, name) for name in left}
    first, second = sorted(left, key=lambda name: -len(formats[name]))[:2]
    if len(formats[first]) == len(formats[second]):
        return found
    return found | dict.fromkeys([name for name in left if name != first], first)


def _serializers(cubes: Sequence[Cube], design: str) -> set[str]:
    asked = [by_factor(cube, "design").get(design) for cube in cubes]
    return {name for cube in asked if cube is not None for name in by_factor(cube, "serializer")}


def _base(name: str, names: Collection[str], given: Mapping[str, str]) -> str | None:
    """The first that the study has: that given, the ``B`` of ``A+B``, a name it begins with, ``default``."""
    possible = (given.get(name), *_composed(name), *_beginnings(name, names), DIRECT)
    return next((base for base in possible if base in names and base != name), None)


def _composed(name: str) -> Iterator[str]:
    """``B+C`` and ``C`` of ``A+B+C``."""
    while "+" in name:
        name = name.partition("+")[2]
        yield name


def _beginnings(name: str, names: Collection[str]) -> list[str]:
    """``suc`` of ``suc_no_role``, the longest first."""
    return sorted((other for other in names if name.startswith(f"{other}_")), key=len, reverse=True)


def design_names(cubes: Sequence[Cube]) -> list[str]:
    """The designs of a study, sorted; empty where some configuration does not say its own."""
    groups = [by_factor(cube, "design") for cube in cubes]
    return sorted({name for own in groups for name in own}) if all(groups) else []


def base_design(cubes: Sequence[Cube], bases: Mapping[str, str]) -> str | None:
    """The design without a base that most cells were asked with; None where designs are not known.

    Of equally many, it is the one that most designs are compared with.

    Args:
        cubes: of all data sets.
        bases: of :func:`known_bases`. Where every design has one, any may be it.
    """
    names = design_names(cubes)
    resting = Counter(bases.values())
    possible = sorted([name for name in names if name not in bases] or names, key=lambda name: -resting[name])
    found = _by_cells(cubes, possible)
    return found[0] if found else None


def _by_cells(cubes: Sequence[Cube], names: Sequence[str]) -> list[str]:
    """Those with most cells first; of equally many the first as they are given."""
    cells = dict.fromkeys(names, 0)
    for cube in cubes:
        for name, own in by_factor(cube, "design").items():
            if name in cells:
                cells[name] += int(own.asked.sum())
    return sorted(cells, key=lambda name: -cells[name])


def design_of_comparison(cube: Cube, factor: str, base: str | None) -> str | None:
    """The design at which a data set's serializers, or perturbations, are compared.

    It is the study's base design. A data set that was asked with it in one serializer alone, or not at all,
    and with another design in several, has the one asked in most of them, of these the one of most cells.

    Returns:
        None where the data set has one design, or does not say its designs.
    """
    groups = by_factor(cube, "design")
    if len(groups) < 2:
        return None
    levels = {name: len(by_factor(own, factor)) for name, own in groups.items()}
    if base in levels and (levels[base] > 1 or max(levels.values()) < 2):
        return base
    most = max(levels.values())
    return _by_cells([cube], sorted(name for name, count in levels.items() if count == most))[0]


def at_one_design(cube: Cube, factor: str, base: str | None) -> Cube:
    """The cube with the configurations of :func:`design_of_comparison` alone; itself where there is none."""
    name = design_of_comparison(cube, factor, base)
    if name is None:
        return cube
    designs = cube.parts["design"]
    return selected(cube, [config for config in cube.configurations if designs[config] == name])
