"""Names of unitxt's ``recipes.*`` as parts of studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...core.errors import InputError
from ...recipes import load
from ..studies import Part, known_studies, parts_of

PREFIX = "recipes."


@dataclass(frozen=True, slots=True)
class Named:
    """What a name stands for.

    Attributes:
        name: e.g. ``recipes.torr.wikitq``.
        source: the study, as :func:`torr_plugin.recipes.load` knows it.
        datasets: for each data set its configurations, by what their names add to the data set's
            (``html.none``).
        single: the configuration, where the name is one's own; None where it stands for all below it.
    """

    name: str
    source: str
    datasets: Mapping[str, Mapping[str, Part]]
    single: Part | None


def named(name: str) -> Named | None:
    """The parts of a name: of a study, of one of its data sets, or of that in one configuration.

    ``recipes.torr`` is the study, ``recipes.torr.wikitq`` its data set in all configurations,
    ``recipes.torr.wikitq.html`` in those of one format, and ``recipes.torr.wikitq.html.none`` in one. None
    where no study has such a name.

    Raises:
        InputError: no configuration of the study can be asked in one call.
    """
    if not name.startswith(PREFIX):
        return None  # before any study's file is read: every name of unitxt's comes by here
    for source, study in _studies():
        if not f"{name}.".startswith(f"{PREFIX}{study}."):
            continue
        parts = parts_of(source)
        datasets = _by_dataset(parts, name)
        if datasets:
            single = next((part for part in parts if part.config is not None and part.recipe == name), None)
            return Named(name, source, datasets, single)
    return None


def names() -> list[str]:
    """All names, sorted; studies whose file is wrong or that other harnesses cannot ask are left out."""
    found: set[str] = set()
    for source, study in _studies():
        try:
            found |= {PREFIX + study, *(part.recipe for part in parts_of(source))}
        except InputError:
            continue
    return sorted(found)


def is_of_a_study(name: str) -> bool:
    """Whether a name begins as those of a study do."""
    return name.startswith(PREFIX) and any(
        f"{name}.".startswith(f"{PREFIX}{study}.") for _, study in _studies()
    )


def _studies() -> Iterator[tuple[str, str]]:
    """The recipes by the name of their file and their own; one that cannot be read is left out."""
    for source in known_studies():
        try:
            yield source, load(source).name
        except InputError:
            continue


def _by_dataset(parts: tuple[Part, ...], name: str) -> dict[str, dict[str, Part]]:
    wholes = {part.dataset: part.recipe for part in parts if part.config is None}
    found: dict[str, dict[str, Part]] = {}
    for part in parts:
        if part.config is not None and _is_below(part, name):
            own = part.recipe.removeprefix(f"{wholes[part.dataset]}.")
            found.setdefault(part.dataset, {})[own] = part
    return found


def _is_below(part: Part, name: str) -> bool:
    return f"{part.recipe}.".startswith(f"{name}.") or name == PREFIX + part.study
