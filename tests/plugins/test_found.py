"""Installed plugins: one that cannot be used is named with what is wrong, and the rest work."""

from __future__ import annotations

import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from torr_plugin import __version__
from torr_plugin.cli.app import app
from torr_plugin.plugins import command_groups, load

from ..conftest import Torr
from .conftest import Install

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
        ("def torr_models(): return {}", "it has no hook"),
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
        (
            "requires_torr = '>=7,<8'\n" + GOOD.format(name="bad"),
            f"torr-plugin >=7,<8, and this is torr-plugin {__version__}",
        ),
        (
            "requires_torr = 'new'\n" + GOOD.format(name="bad"),
            "requires_torr: found 'new', expected e.g. '>=0.1,<1'",
        ),
        ("requires_torr = 7\n" + GOOD.format(name="bad"), "requires_torr: found 7"),
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


def test_one_whose_package_needs_another_version(install: Install) -> None:
    install("old", GOOD.format(name="old"), requires="torr-plugin<0.0.5", version="3.4")
    [plugin] = load()
    assert plugin.problem == (
        "plugin 'old' 3.4 was left out: old 3.4 is made for torr-plugin <0.0.5, and this is torr-plugin "
        f"{__version__}; install a version of it that fits"
    )


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


def test_one_interrupted_leaves_those_before_it_loaded(install: Install, tmp_path: Path) -> None:
    install("a", SLOW)
    install("b", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt, match="while plugin 'b' was loaded"):
        load()
    (tmp_path / "b.py").write_text(GOOD.format(name="b") + "# longer than before\n")
    importlib.invalidate_caches()
    assert problems() == {"a": None, "b": None}


def test_an_interruption_names_the_plugin(install: Install, torr: Torr) -> None:
    install("b", "raise KeyboardInterrupt")
    done = torr("list", "plugins")
    assert done.returncode == 130
    assert "torr: interrupted; while plugin 'b' was loaded" in done.stderr


def test_what_a_plugin_prints_is_no_result(install: Install, capfd: pytest.CaptureFixture[str]) -> None:
    install("loud", "print('hello')\n" + GOOD.format(name="loud"))
    assert CliRunner().invoke(app, ["--help"]).exit_code == 0
    assert "hello" not in capfd.readouterr().out


def test_a_requirement_of_an_extra_does_not_count(install: Install) -> None:
    install("fine", GOOD.format(name="fine"), requires='torr-plugin<0.0.5; extra == "old"')
    assert problems() == {"fine": None}


def test_two_plugins_with_one_name(install: Install) -> None:
    install("first-package", GOOD.format(name="one"), entry="same")
    install("second-package", GOOD.format(name="two"), entry="same", version="2.0")
    used, left_out = load()
    assert (used.package, used.problem) == ("first-package", None)
    assert left_out.package == "second-package"
    assert left_out.problem is not None
    assert (
        "two plugins are called 'same', one of first-package 1.2, one of second-package 2.0"
        in left_out.problem
    )


def test_two_plugins_that_bring_the_same_name(install: Install) -> None:
    install("a", GOOD.format(name="x"))
    install("b", GOOD.format(name="x").replace("lm:Constant", "lm:Majority"))
    said = "torr_models: two models are called 'x-model': one from a, one from b; rename one"
    assert problems() == {"a": None, "b": f"plugin 'b' 1.2 was left out: {said}"}


def test_the_variable_chooses(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("one", GOOD.format(name="one"))
    install("two", GOOD.format(name="two"))
    monkeypatch.setenv("TORR_PLUGINS", "two, three")
    assert problems() == {
        "two": None,
        "three": "plugin 'three' was left out: TORR_PLUGINS names it; expected one of: one, two",
    }


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
