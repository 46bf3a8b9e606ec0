"""The extension points: into which registry of a stage the values of each hook go.

Stages are imported for a plugin that uses them, so that ``torr --help`` stays quick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ..core.errors import PluginError
from ..core.registry import Registry
from .hookspecs import CommandGroup

Named = list[tuple[str, Any]]
"""Values with their names."""

groups: Registry[CommandGroup] = Registry("command group")

_NAME = re.compile(r"\w[\w.-]{0,79}")  # part of configurations' ids and of file names


def _from_stage(path: str) -> Any:
    """What ``stage.module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(f"..{module}", __package__), attribute)


@dataclass(frozen=True, slots=True)
class ExtensionPoint:
    """One hook.

    Attributes:
        kind: what it adds, as ``torr list plugins`` calls it.
        place: the registry for its values, ``stage.module:attribute``.
        read: turns what the hook returned into names and values.
        names: a function that says the names that a value adds, if not its own; as ``place``.
    """

    kind: str
    place: str
    read: Callable[[Any], Named]
    names: str = ""

    @property
    def registry(self) -> Registry[Any]:
        """The registry for its values."""
        found: Registry[Any] = _from_stage(self.place)
        return found

    def add(self, returned: Any, origin: str) -> tuple[str, ...]:
        """Register what a plugin's hook returned, and return the names.

        Raises:
            InputError: it is not what the hook is specified to return, or a name is taken.
        """
        added: list[str] = []
        for name, value in self.read(returned):
            self.registry.register(name, value, origin=origin)
            added += _from_stage(self.names)(value) if self.names else [name]
        return tuple(added)


def _instances(path: str) -> Callable[[Any], Named]:
    """Read a sequence of named objects of a class."""

    def read(returned: Any) -> Named:
        kind = _from_stage(path)
        for value in _objects(returned, kind.__name__):
            if not isinstance(value, kind):
                expected = f"{kind.__module__}.{kind.__name__}"
                raise PluginError(
                    f"found {_described(value)}, expected an instance of a subclass of {expected}"
                )
        return [(_checked_name(value.name), value) for value in returned]

    return read


def _by_name(returned: Any) -> Named:
    """Read a mapping from names to functions, or to ``package.module:Class``."""
    return [(_checked_name(name), value) for name, value in _by_any_name(returned)]


def _by_any_name(returned: Any) -> Named:
    """Read a mapping from names, which may have spaces."""
    if not isinstance(returned, Mapping) or not all(isinstance(name, str) for name in returned):
        raise PluginError(f"found {_described(returned)}, expected a mapping from names to values")
    return list(returned.items())


def _folders(returned: Any) -> Named:
    """Read a sequence of absolute paths."""
    paths = [Path(folder) for folder in _objects(returned, "Path")]
    for path in paths:
        if not path.is_absolute():  # else it would depend on the working directory
            raise PluginError(f"found {str(path)!r}, expected an absolute path: Path(__file__).parent / ...")
    return [(str(path), path) for path in paths]


def _objects(returned: Any, of: str) -> Iterable[Any]:
    """A list without classes."""
    if not isinstance(returned, list | tuple):
        raise PluginError(f"found {_described(returned)}, expected a list of {of}")
    for value in returned:
        if isinstance(value, type):
            raise PluginError(f"found the class {value.__name__}, expected an instance of it")
    return returned


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PluginError(
            f"found the name {name!r:.80}, expected letters, digits, '_', '-' and '.' no spaces, at most 80"
        )
    return name


def _described(value: object) -> str:
    return f"{type(value).__name__} {str(value)[:60]!r}" if isinstance(value, str) else type(value).__name__


POINTS: Mapping[str, ExtensionPoint] = {
    "torr_serializers": ExtensionPoint(
        "serializers", "tables.serializers:registry", _instances("tables.serializers:Serializer")
    ),
    "torr_perturbations": ExtensionPoint(
        "perturbations", "tables.perturbations:registry", _instances("tables.perturbations:Perturbation")
    ),
    "torr_readers": ExtensionPoint("readers", "tables.readers:registry", _by_name),
    "torr_generators": ExtensionPoint("generators", "catalog.generated:generators", _by_name),
    "torr_table_makers": ExtensionPoint("table makers", "catalog.generated:table_makers", _by_name),
    "torr_table_questions": ExtensionPoint("table questions", "catalog.generated:table_questions", _by_name),
    "torr_measures": ExtensionPoint("measured properties", "tables.measures:measures", _by_any_name),
    "torr_data_sets": ExtensionPoint("data sets", "catalog.generated:data_set_makers", _by_name),
    "torr_designs": ExtensionPoint("designs", "prompts:designs", _instances("prompts.design:Design")),
    "torr_metrics": ExtensionPoint(
        "metrics", "scoring.metrics:metrics", _instances("scoring.metrics:Metric")
    ),
    "torr_models": ExtensionPoint("models", "running.model_classes:models", _by_name),
    "torr_card_folders": ExtensionPoint(
        "cards", "catalog.folders:card_folders", _folders, "catalog.folders:cards_in"
    ),
    "torr_recipe_folders": ExtensionPoint(
        "recipes", "recipes.schema:recipe_folders", _folders, "recipes.schema:recipes_in"
    ),
    "torr_analyses": ExtensionPoint(
        "analyses", "analysis.figure:figures", _instances("analysis.figure:Figure")
    ),
    "torr_sections": ExtensionPoint(
        "sections", "leaderboard.sections:sections", _instances("leaderboard.sections:Section")
    ),
    "torr_commands": ExtensionPoint(
        "commands", "plugins.extension_points:groups", _instances("plugins.hookspecs:CommandGroup")
    ),
}
"""The extension points by hook, in an order in which later ones may refer to earlier ones."""
