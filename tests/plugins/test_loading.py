"""Plugins are loaded whole or not at all; one that cannot be used is named, and the rest work."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.conftest import Torr
from tests.plugins.conftest import Install
from torr_plugin import __version__
from torr_plugin.cli.app import app
from torr_plugin.core.errors import InputError
from torr_plugin.plugins import command_groups, hookimpl, hookspecs, load, register, registered
from torr_plugin.plugins.extension_points import POINTS
from torr_plugin.prompts import DefaultDesign, Step, designs
from torr_plugin.scoring import Metric
from torr_plugin.tables import Table, serializers
from torr_plugin.tables.serializers import Serializer

GOOD = """
from torr_plugin.plugins import hookimpl
@hookimpl
def torr_models(): return {{"{name}-model": "torr_plugin.running.baselines.lm:Constant"}}
"""


def problems() -> dict[str, str | None]:
    return {plugin.name: plugin.problem for plugin in load()}


def test_a_good_one_says_what_it_adds(install: Install) -> None:
    install("good", GOOD.format(name="good"))
    [plugin] = load()
    assert (plugin.name, plugin.version, plugin.package, plugin.problem) == ("good", "1.2", "good", None)
    assert plugin.adds == {"models": ("good-model",)}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def torr_model(): return {}", "it has no hook"),
        ("def torr_models(): return {}", "torr_models is no hook yet; write @hookimpl above it"),
        (
            "from torr_plugin.plugins import hookimpl\n@hookimpl\ndef torr_models(): {'a': 'b:C'}",
            "torr_models: found NoneType, expected a mapping",
        ),
        (
            "from torr_plugin.plugins import hookimpl\n@hookimpl\ndef torr_models(): return {}['gone']",
            "hook torr_models failed: KeyError: 'gone'",
        ),
        (
            "from torr_plugin.plugins import hookimpl\n@hookimpl\ndef torr_serialisers(): return []",
            f"torr-plugin {__version__} has no hook 'torr_serialisers'; did you mean 'torr_serializers'",
        ),
        (
            "from torr_plugin.plugins import hookimpl\n@hookimpl\ndef torr_models(config): return {}",
            f"not one of torr-plugin {__version__}",
        ),
    ],
)
def test_one_that_fails_is_named_and_the_rest_work(install: Install, source: str, said: str) -> None:
    install("bad", source)
    install("good", GOOD.format(name="good"))
    found = problems()
    assert found["good"] is None
    assert found["bad"] is not None
    assert found["bad"].startswith("plugin 'bad' 1.2 was left out: ")
    assert said in found["bad"]
    assert "\n" not in found["bad"]


def test_a_class_is_no_plugin(install: Install) -> None:
    install("bad", "class Mine: pass", attribute="Mine")
    assert problems() == {
        "bad": "plugin 'bad' 1.2 was left out: "
        "found the class Mine, expected a module, or an instance of the class"
    }


def test_what_an_uninstalled_package_left_behind(install: Install, tmp_path: Path) -> None:
    install("a", GOOD.format(name="a"), entry="same")
    install("b", GOOD.format(name="b"), entry="same")
    (tmp_path / "b-1.2.dist-info" / "METADATA").unlink()
    assert [(each.package, each.version) for each in load()] == [("a", "1.2"), ("unknown", "unknown")]


def test_the_error_is_kept_for_debug(install: Install) -> None:
    install("bad", "raise RuntimeError('not today')")
    [plugin] = load()
    assert isinstance(plugin.error, RuntimeError)


SLOW = """
import time
from torr_plugin.plugins import hookimpl
from torr_plugin.tables.perturbations import Perturbation
class Slowly(Perturbation):
    name = "slowly"
    draws = False
    def perturb(self, table, rng): return table
@hookimpl
def torr_perturbations():
    time.sleep(0.3)
    return [Slowly()]
"""


def test_threads_load_it_once(install: Install) -> None:
    install("slow", SLOW)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: load(), range(4)))
    assert [[each.problem for each in plugins] for plugins in found] == [[None]] * 4
    assert found[0][0].adds == {"perturbations": ("slowly",)}


def test_one_that_asks_for_plugins_while_it_is_loaded(install: Install) -> None:
    install("asking", "from torr_plugin.plugins import load\nSEEN = load()\n" + GOOD.format(name="asking"))
    [plugin] = load()
    assert (plugin.problem, plugin.adds) == (None, {"models": ("asking-model",)})
    assert sys.modules["asking"].SEEN == ()


def test_what_a_plugin_prints_is_no_result(install: Install, capfd: pytest.CaptureFixture[str]) -> None:
    install("loud", "print('hello')\n" + GOOD.format(name="loud"))
    assert CliRunner().invoke(app, ["--help"]).exit_code == 0
    assert "hello" not in capfd.readouterr().out


def test_two_plugins_with_one_name(install: Install) -> None:
    install("first-package", GOOD.format(name="one"), entry="same")
    install("second-package", GOOD.format(name="two"), entry="same", version="2.0")
    used, left_out = load()
    assert (used.package, used.problem) == ("first-package", None)
    assert left_out.package == "second-package"
    assert left_out.problem is not None
    assert left_out.problem.endswith("the name 'same' is another plugin's; rename or uninstall one")


def test_two_plugins_that_bring_the_same_name(install: Install) -> None:
    install("a", GOOD.format(name="x"))
    install("b", GOOD.format(name="x").replace("lm:Constant", "lm:Majority"))
    said = "torr_models: two models are called 'x-model': one from a, one from b; rename one"
    assert problems() == {"a": None, "b": f"plugin 'b' 1.2 was left out: {said}"}


def test_off(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("bad", "raise RuntimeError('not today')")
    monkeypatch.setenv("TORR_PLUGINS", "off")
    assert load() == ()
    assert command_groups().names() == []


def test_commands_say_it_once_and_go_on(install: Install, torr: Torr) -> None:
    install("broken", "raise RuntimeError('not \\x1b[31m today')")
    done = torr("list", "plugins", "--json")
    assert done.returncode == 0
    assert done.stderr.count("plugin 'broken' 1.2 was left out: RuntimeError: not ?[31m today") == 1
    [row] = json.loads(done.stdout)["plugins"]
    assert (row["name"], row["adds"]) == ("broken", "")


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


class NoMain(Metric):
    name = "no_main"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        return {}


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
        ("torr_metrics", [NoMain()], "AttributeError: .*'main'"),
        ("torr_models", ["a:B"], "found list, expected a mapping from names"),
        ("torr_measures", {7: len}, "found dict, expected a mapping from names"),
        ("torr_models", {"mine": "nowhere"}, "expected 'package.module:Class'"),
        ("torr_models", {"mine": 7}, "model 'mine' of it: found 7, expected"),
        ("torr_card_folders", [Path("/nowhere/at/all")], "no such folder of cards"),
        ("torr_card_folders", [7], "TypeError: .*int"),
        ("torr_card_folders", [None], "TypeError: .*NoneType"),
        ("torr_card_folders", [""], "found '.', expected an absolute path"),
        ("torr_recipe_folders", [Path("recipes")], "found 'recipes', expected an absolute path"),
        ("torr_recipe_folders", [Path("/nowhere/at/all")], "no such folder of recipes"),
        ("torr_analyses", [object()], "expected an instance of a subclass of torr_plugin.analysis"),
        ("torr_sections", [object()], "expected an instance of a subclass of torr_plugin.leaderboard"),
        ("torr_models", {"x" * 81: "a:B"}, "no spaces, at most 80"),
        ("torr_commands", [("mine", "a:b")], "found tuple, expected an instance"),
    ],
)
def test_what_a_hook_returns_is_checked(hook: str, returned: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        register(plugin(**{hook: lambda: returned}), "it")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_raises_is_named(hook: str) -> None:
    def falls() -> Any:
        raise KeyError("gone")

    with pytest.raises(InputError, match=f"hook {hook} failed: KeyError: "):
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
    assert set(POINTS) == set(HOOKS)
