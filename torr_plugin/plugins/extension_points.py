"""The extension points: into which registry of a stage the values of each hook go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..analysis.figure import Figure, figures
from ..catalog.folders import card_folders, cards_in
from ..core.errors import PluginError
from ..core.registry import Registry
from ..leaderboard.sections import Section, sections
from ..prompts import designs
from ..prompts.design import Design
from ..recipes.loading import recipe_folders, recipes_in
from ..running.registry import models
from ..scoring.metrics import metrics
from ..synthesis import generators
from ..tables import perturbations, readers, serializers
from ..tables.perturbations import Perturbation
from ..tables.serializers import Serializer
from .hookspecs import CommandGroup
from .installed import groups

Named = list[tuple[str, Any]]
"""Values with their names."""

_NAME = re.compile(r"\w[\w.-]{0,79}")  # part of configurations' ids and of file names


@dataclass(frozen=True, slots=True)
class ExtensionPoint:
    """One hook.

    Attributes:
        kind: what it adds, as ``torr list plugins`` calls it.
        registry: where its values go.
        read: turns what the hook returned into names and values.
        names: the names that a value adds, if not its own.
    """

    kind: str
    registry: Registry[Any]
    read: Callable[[Any], Named]
    names: Callable[[Any], Iterable[str]] | None = None

    def add(self, returned: Any, origin: str) -> tuple[str, ...]:
        """Register what a plugin's hook returned, and return the names.

        Raises:
            InputError: it is not what the hook is specified to return, or a name is taken.
        """
        added: list[str] = []
        for name, value in self.read(returned):
            self.registry.register(name, value, origin=origin)
            added += [name] if self.names is None else self.names(value)
        return tuple(added)


@cache
def extension_points() -> Mapping[str, ExtensionPoint]:
    """The extension points by hook, in an order in which later ones may refer to earlier ones."""
    return {
        "torr_serializers": ExtensionPoint("serializers", serializers.registry, _instances(Serializer)),
        "torr_perturbations": ExtensionPoint(
            "perturbations", perturbations.registry, _instances(Perturbation)
        ),
        "torr_readers": ExtensionPoint("readers", readers.registry, _by_name),
        "torr_generators": ExtensionPoint("generators", generators, _by_name),
        "torr_designs": ExtensionPoint("designs", designs, _instances(Design)),
        "torr_metrics": ExtensionPoint("metrics", metrics, _metrics),
        "torr_models": ExtensionPoint("models", models, _by_name),
        "torr_card_folders": ExtensionPoint("cards", card_folders, _folders, cards_in),
        "torr_recipe_folders": ExtensionPoint("recipes", recipe_folders, _folders, recipes_in),
        "torr_analyses": ExtensionPoint("analyses", figures, _instances(Figure)),
        "torr_sections": ExtensionPoint("sections", sections, _instances(Section)),
        "torr_commands": ExtensionPoint("commands", groups, _instances(CommandGroup)),
    }


def _instances(kind: type) -> Callable[[Any], Named]:
    """Read a sequence of named objects of a class."""

    def read(returned: Any) -> Named:
        for value in _objects(returned, kind.__name__):
            if not isinstance(value, kind):
                expected = f"{kind.__module__}.{kind.__name__}"
                raise PluginError(
                    f"found {_described(value)}, expected an instance of a subclass of {expected}"
                )
        return [(_checked_name(value.name), value) for value in returned]

    return read


def _metrics(returned: Any) -> Named:
    """Read a sequence of metrics, which need no base class."""
    for value in _objects(returned, "metric"):
        for attribute in ("name", "main", "scores"):
            if not hasattr(value, attribute):
                raise PluginError(f"metric {_described(value)} has no {attribute!r}")
    return [(_checked_name(value.name), value) for value in returned]


def _by_name(returned: Any) -> Named:
    """Read a mapping from names to functions, or to ``package.module:Class``."""
    if not isinstance(returned, Mapping):
        raise PluginError(f"found {_described(returned)}, expected a mapping from names to values")
    return [(_checked_name(name), value) for name, value in returned.items()]


def _folders(returned: Any) -> Named:
    """Read a sequence of absolute paths."""
    found = [Path(each) for each in _listed(returned, "Path")]
    for path in found:
        if not path.is_absolute():  # else it would depend on the working directory
            raise PluginError(f"found {str(path)!r}, expected an absolute path: Path(__file__).parent / ...")
    return [(str(path), path) for path in found]


def _objects(returned: Any, of: str) -> list[Any]:
    """A list without classes."""
    for value in _listed(returned, of):
        if isinstance(value, type):
            raise PluginError(f"found the class {value.__name__}, expected an instance of it")
    return list(returned)


def _listed(returned: Any, of: str) -> list[Any]:
    if not isinstance(returned, list | tuple):
        raise PluginError(f"found {_described(returned)}, expected a list of {of}")
    return list(returned)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PluginError(
            f"found the name {name!r:.80}, expected letters, digits, '_', '-' and '.' no spaces, at most 80"
        )
    return name


def _described(value: object) -> str:
    return f"{type(value).__name__} {str(value)[:60]!r}" if isinstance(value, str) else type(value).__name__
