"""What hooks return is checked, and a plugin is registered whole or not at all."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.plugins import hookimpl, hookspecs, register, registered
from torr_plugin.plugins.extension_points import extension_points
from torr_plugin.prompts import DefaultDesign, Step, designs
from torr_plugin.tables import Table, serializers
from torr_plugin.tables.serializers import Serializer

HOOKS = [name for name in vars(hookspecs) if name.startswith("torr_")]


class Shout(Serializer):
    name = "shout"

    def serialize(self, table: Table) -> str:
        return " / ".join(" ".join(cell.text.upper() for cell in row) for row in table.grid)


class Html(Shout):
    name = "html"


class Spaced(Shout):
    name = "with space"


class TwoSteps(DefaultDesign):
    name = "two_steps"
    steps = (Step("draft"), Step("answer", after=("draft",)))


class Nameless:
    def scores(self, prediction: str, references: list[str]) -> dict[str, float]:
        return {}


class NoMain(Nameless):
    name = "no_main"


def plugin(**hooks: Callable[[], Any]) -> Any:
    return types.SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})


@pytest.mark.parametrize(
    ("hook", "returned", "said"),
    [
        ("torr_serializers", "shout", "found str 'shout', expected a list of Serializer"),
        ("torr_serializers", 7, "found int, expected a list of Serializer"),
        ("torr_serializers", [Shout], "found the class Shout, expected an instance of it"),
        ("torr_serializers", [object()], "found object, expected an instance of a subclass of torr_plugin"),
        ("torr_serializers", [Spaced()], "found the name 'with space', expected letters"),
        (
            "torr_serializers",
            [Html()],
            "two serializers are called 'html': one from torr-plugin, one from it",
        ),
        ("torr_designs", [TwoSteps()], "step 'answer' comes after others, and there is no prompt for it"),
        ("torr_metrics", [Nameless()], "metric Nameless has no 'name'"),
        ("torr_metrics", [NoMain()], "metric NoMain has no 'main'"),
        ("torr_metrics", [NoMain], "found the class NoMain, expected an instance of it"),
        ("torr_models", ["a:B"], "found list, expected a mapping from names"),
        ("torr_models", {"mine": "nowhere"}, "expected 'package.module:Class'"),
        ("torr_models", {"mine": 7}, "model 'mine' of it: found 7, expected"),
        ("torr_card_folders", [Path("/nowhere/at/all")], "no such folder of cards"),
        ("torr_card_folders", [7], "TypeError: .*int"),
        ("torr_card_folders", [None], "TypeError: .*NoneType"),
        ("torr_card_folders", [""], "found '.', expected an absolute path"),
        ("torr_recipe_folders", [Path("recipes")], "found 'recipes', expected an absolute path"),
        ("torr_recipe_folders", [Path("/nowhere/at/all")], "does not exist"),
        ("torr_analyses", [object()], "expected an instance of a subclass of torr_plugin.analysis"),
        ("torr_sections", [object()], "expected an instance of a subclass of torr_plugin.leaderboard"),
        ("torr_models", {"x" * 81: "a:B"}, "no spaces, at most 80"),
        ("torr_commands", [("mine", "a:b")], "found tuple, expected an instance"),
    ],
)
def test_what_a_hook_returns_is_checked(hook: str, returned: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        register(plugin(**{hook: lambda: returned}), "it")


@pytest.mark.parametrize("error", [KeyError("gone"), SystemExit(3)])
@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_raises_is_named(hook: str, error: BaseException) -> None:
    def falls() -> Any:
        raise error

    with pytest.raises(InputError, match=f"hook {hook} failed: {type(error).__name__}: "):
        register(plugin(**{hook: falls}), "it")


def test_nothing_of_a_plugin_stays_where_something_is_wrong() -> None:
    before = serializers.names(), designs.names()
    wrong = plugin(torr_serializers=lambda: [Shout()], torr_models=lambda: {"mine": "nowhere"})
    with pytest.raises(InputError, match="mine"):
        register(wrong, "it")
    assert (serializers.names(), designs.names()) == before
    with registered(plugin(torr_serializers=lambda: [Shout()]), "it") as adds:
        assert adds == {"serializers": ("shout",)}
        assert serializers.origin("shout") == "it"
    assert serializers.names() == before[0]


def test_a_rollback_takes_out_what_the_plugin_brought_alone() -> None:
    html = serializers.get("html")
    wrong = plugin(torr_serializers=lambda: [html, Spaced()])
    with pytest.raises(InputError):
        register(wrong, "it")
    assert serializers.get("html") is html


def test_every_hook_goes_somewhere() -> None:
    assert set(extension_points()) == set(HOOKS)
