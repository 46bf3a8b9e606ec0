"""Every extension point, in one file. A plugin is a module or object that implements some of these hooks.

Install it with an entry point in group ``torr_plugin``; mark implementations with :data:`hookimpl`::

    from torr_plugin.hookspecs import hookimpl

    @hookimpl
    def torr_serializers():
        return [MySerializer()]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from .prompts import Design
    from .tables.perturbations import Perturbation
    from .tables.serializers import Serializer

PROJECT = "torr_plugin"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def torr_serializers() -> Sequence[Serializer]:  # type: ignore[empty-body]
    """Table formats, each with a ``name`` of its own."""


@hookspec
def torr_perturbations() -> Sequence[Perturbation]:  # type: ignore[empty-body]
    """Changes to a table's layout or words, each with a ``name`` of its own."""


@hookspec
def torr_designs() -> Sequence[Design]:  # type: ignore[empty-body]
    """Ways to put a prompt together, each with a ``name`` of its own."""


@hookspec
def torr_metrics() -> Sequence[Any]:  # type: ignore[empty-body]
    """Metrics: objects with ``name``, ``main`` and ``scores(prediction, references) -> {name: value}``.

    One that needs more names it in ``needs``, and is called as ``scores(prediction, references, facts)``
    with the facts that a card's examples have beside their references.
    """


@hookspec
def torr_models() -> Mapping[str, str]:  # type: ignore[empty-body]
    """lm-eval models by name, as ``"package.module:Class"``; imported when asked for."""


@hookspec
def torr_card_folders() -> Sequence[Path]:  # type: ignore[empty-body]
    """Folders of cards: ``FOLDER/mine.json`` is ``cards.mine``."""


@hookspec
def torr_recipe_folders() -> Sequence[Path]:  # type: ignore[empty-body]
    """Folders of recipes: ``FOLDER/mine.yaml`` is the recipe ``mine``."""
