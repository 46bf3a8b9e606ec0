"""Where each hook's values go: which registry, how they are checked, how they are taken out again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..core.errors import PluginError
from .checks import Check, Named, by_name, folders, instances, with_methods
from .groups import CommandGroup
from .loading import Undo


@dataclass(frozen=True, slots=True)
class Seam:
    """One extension point.

    Attributes:
        kind: what it adds, as ``torr list plugins`` calls it.
        checked: from what the hook returned to names and values.
        add: registers one (name, value, plugin) and returns what takes it out again.
        names: of what was added, from names and values.
    """

    kind: str
    checked: Check
    add: Callable[[str, Any, str], Undo]
    names: Callable[[Named], tuple[str, ...]] = lambda named: tuple(name for name, _ in named)


@cache
def seams() -> dict[str, Seam]:
    """Every hook's, in an order in which what is registered first may be named by what follows."""
    from .. import catalog, prompts, recipes, running, scoring, synthesis, tables

    design = Seam("designs", instances(prompts.Design, also=_check_design), _into(prompts.designs))
    serializers, perturbations = tables.serializers, tables.perturbations
    return {
        "torr_serializers": Seam(
            "serializers", instances(serializers.Serializer), _into(serializers.registry)
        ),
        "torr_perturbations": Seam(
            "perturbations", instances(perturbations.Perturbation), _into(perturbations.registry)
        ),
        "torr_readers": Seam("readers", by_name("functions", callable), _into(tables.readers.registry)),
        "torr_generators": Seam("generators", by_name("functions", callable), _into(synthesis.generators)),
        "torr_designs": design,
        "torr_strategies": Seam(
            "strategies", instances(prompts.Design, also=_check_strategy), _into(prompts.designs)
        ),
        "torr_metrics": Seam(
            "metrics", with_methods("metric", ("name", "main"), ("scores",)), _into(scoring.metrics)
        ),
        "torr_models": Seam("models", by_name("'package.module:Class'", _is_text), _add_model(running)),
        "torr_card_folders": Seam("cards", folders, _add_cards(catalog), _card_names),
        "torr_recipe_folders": Seam("recipes", folders, _add_recipes(recipes), _recipe_names),
        **_shown(),
    }


def _shown() -> dict[str, Seam]:
    """What the analysis, the site and the command line take."""
    from .. import analysis
    from ..leaderboard.sections import Section, sections

    return {
        "torr_analyses": Seam("analyses", instances(analysis.Analysis), _add_analysis),
        "torr_sections": Seam("sections", instances(Section), _into(sections)),
        "torr_commands": Seam("commands", group_of, _add_group),
    }


def group_of(values: Any, hook: str) -> Named:
    """The command groups that a hook returned, by name."""
    return instances(CommandGroup, also=_check_group)(values, hook)


def _into(registry: Any) -> Callable[[str, Any, str], Undo]:
    def add(name: str, value: Any, origin: str) -> Undo:
        there = name in registry
        registry.register(name, value, origin=origin)
        return _nothing if there else partial(registry.remove, name)

    return add


def _nothing() -> None:
    return None


def _check_design(design: Any) -> None:
    from ..prompts import check_follows, check_steps

    check_steps(design.name, design.steps)
    check_follows(design)


def _check_strategy(design: Any) -> None:
    _check_design(design)
    if len(design.steps) < 2:
        raise PluginError(
            f"torr_strategies: {design.name!r} has one step; expected several, or to be given by torr_designs"
        )


def _check_group(group: CommandGroup) -> None:
    if not isinstance(group.help, str):
        raise PluginError(f"torr_commands: {group.name!r}: found the help {group.help!r}, expected text")
    module, colon, attribute = str(group.target).partition(":")
    if not (colon and attribute.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise PluginError(
            f"torr_commands: {group.name!r}: found {group.target!r}, expected 'package.module:app'"
        )


def _add_group(name: str, group: CommandGroup, origin: str) -> Undo:
    from ..cli.app import own_commands
    from .groups import command_groups

    if name in own_commands():
        raise PluginError(f"torr_commands: torr has a command {name!r} of its own; rename the group")
    first = command_groups().get(name)
    if first is not None and first[1] != origin:
        raise PluginError(
            f"two command groups are called {name!r}: one from {first[1]}, one from {origin}; rename one"
        )
    return _nothing


def _add_analysis(name: str, value: Any, origin: str) -> Undo:
    from ..analysis import AnalysisError, add_analysis, added_analyses, remove_analysis

    there = name in added_analyses()
    try:
        add_analysis(value, origin=origin)
    except AnalysisError as error:
        raise PluginError(str(error)) from error
    return _nothing if there else partial(remove_analysis, name)


def _add_model(running: Any) -> Callable[[str, Any, str], Undo]:
    def add(name: str, target: str, origin: str) -> Undo:
        running.add_model(name, target, origin=origin)
        return partial(running.remove_model, name)

    return add


def _add_cards(catalog: Any) -> Callable[[str, Any, str], Undo]:
    def add(_: str, folder: Path, origin: str) -> Undo:
        catalog.add_card_folder(folder, origin=origin)
        return partial(catalog.remove_card_folder, folder)

    return add


def _add_recipes(recipes: Any) -> Callable[[str, Any, str], Undo]:
    def add(_: str, folder: Path, origin: str) -> Undo:
        recipes.add_recipe_folder(folder, origin=origin)
        return partial(recipes.remove_recipe_folder, folder)

    return add


def _card_names(named: Named) -> tuple[str, ...]:
    files = [file.relative_to(folder) for _, folder in named for file in sorted(folder.rglob("*.json"))]
    return tuple(".".join(("cards", *file.with_suffix("").parts)) for file in files)


def _recipe_names(named: Named) -> tuple[str, ...]:
    return tuple(sorted(file.stem for _, folder in named for file in folder.glob("*.y*ml")))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
