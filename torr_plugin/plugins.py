"""Loads plugins (entry-point group ``torr_plugin``) into the registries of the stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .hookspecs import PROJECT


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed plugin: its name, its version, and what was wrong with it (None where nothing was)."""

    name: str
    version: str
    problem: str | None = None


@cache
def load() -> tuple[Plugin, ...]:
    """Load every installed plugin once. One that fails is named with its problem; the rest work."""
    return tuple(
        _load_one(entry) for entry in sorted(entry_points(group=PROJECT), key=lambda entry: entry.name)
    )


def _load_one(entry: EntryPoint) -> Plugin:
    version = entry.dist.version if entry.dist is not None else "unknown"
    try:
        register(entry.load(), entry.name)
    except Exception as error:  # a third party's code may raise anything; its name goes into the message
        return Plugin(
            entry.name, version, f"plugin {entry.name!r} was left out: {type(error).__name__}: {error}"
        )
    return Plugin(entry.name, version)


def register(plugin: Any, name: str) -> None:
    """Check a plugin against the hook specifications, then register what its hooks return.

    Raises:
        pluggy.PluginValidationError: a hook that is not specified, or one with other arguments.
        InputError: a name that is taken.
    """
    import pluggy

    from . import hookspecs

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name)
    manager.check_pending()
    for hook, take in _takers().items():
        for brought in getattr(manager.hook, hook)():
            take(brought, name)


def _takers() -> dict[str, Callable[[Any, str], None]]:
    """For each hook what to do with a returned value; stages are imported when a plugin is there."""
    from . import catalog, prompts, recipes, running, scoring, tables

    def each(add: Callable[..., Any]) -> Callable[[Any, str], None]:
        def take(values: Any, origin: str) -> None:
            for value in values:
                add(value, origin=origin)

        return take

    def add_models(values: Any, origin: str) -> None:
        for model, target in values.items():
            running.add_model(model, target, origin=origin)

    return {
        "torr_serializers": each(tables.serializers.register),
        "torr_perturbations": each(tables.perturbations.register),
        "torr_designs": each(prompts.designs.add),
        "torr_metrics": each(scoring.metrics.add),
        "torr_models": add_models,
        "torr_card_folders": each(catalog.add_card_folder),
        "torr_recipe_folders": each(recipes.add_recipe_folder),
    }
