"""One of each thing that a plugin can add. What a hook needs is imported inside it, so that this is quick."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.plugins import hookimpl

HERE = Path(__file__).parent


@hookimpl
def torr_serializers():
    from .serializer import JsonLines

    return [JsonLines()]


@hookimpl
def torr_perturbations():
    from .perturbation import ReverseRows

    return [ReverseRows()]


@hookimpl
def torr_designs():
    from .designs import Dialogue, Draft

    return [Dialogue(), Draft()]


@hookimpl
def torr_metrics():
    from .metric import NumberInText

    return [NumberInText()]


@hookimpl
def torr_models():
    return {"example-last-number": "torr_example.model:LastNumber"}


@hookimpl
def torr_readers():
    from .reader import dotted

    return {"dotted": dotted}


@hookimpl
def torr_generators():
    from .menus import menus

    return {"menus": menus}


@hookimpl
def torr_card_folders():
    return [HERE / "cards"]


@hookimpl
def torr_recipe_folders():
    return [HERE / "recipes"]


@hookimpl
def torr_analyses():
    from .analysis import Unanimous

    return [Unanimous()]


@hookimpl
def torr_sections():
    from .section import UnanimousSection

    return [UnanimousSection()]


@hookimpl
def torr_commands():
    from torr_plugin.plugins import CommandGroup

    return [CommandGroup("menus", "torr_example.commands:app", "Look at the menus of the example plugin.")]
