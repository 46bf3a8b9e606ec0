"""Installed plugins: one that cannot be used is named with what is wrong, and the rest work."""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from torr_plugin import __version__
from torr_plugin.plugins import command_groups, load, loading

from ..conftest import Torr
from ..timing import PATIENCE
from .conftest import Install

T = TypeVar("T")

GOOD = """
from torr_plugin.plugins.hookspecs import hookimpl
@hookimpl
def torr_models(): return {{"{name}-model": "torr_plugin.running.baselines.lm:Constant"}}
"""


@pytest.fixture(autouse=True)
def no_models_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running import registry

    monkeypatch.setattr(registry, "_added", dict(registry._added))
    monkeypatch.setattr(registry, "_origins", dict(registry._origins))


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
        ("class Mute(Exception):\n    def __str__(self): raise KeyError\nraise Mute", "was left out: Mute"),
        ("class Base(BaseException): pass\nraise Base('all')", "was left out: Base: all"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def torr_models(): return {}", "it has no hook"),
        (
            "from torr_plugin.plugins.hookspecs import hookimpl\n@hookimpl\ndef torr_models(): {'a': 'b:C'}",
            "hook torr_models returned None; is a return missing?",
        ),
        (
            "from torr_plugin.plugins.hookspecs import hookimpl\n@hookimpl\ndef torr_models(): return {}['gone']",
            "hook torr_models failed: KeyError: 'gone'",
        ),
        (
            "from torr_plugin.plugins.hookspecs import hookimpl\n@hookimpl\ndef torr_serialisers(): return []",
            f"torr-plugin {__version__} has no hook 'torr_serialisers'; did you mean 'torr_serializers'",
        ),
        (
            "from torr_plugin.plugins.hookspecs import hookimpl\n@hookimpl\ndef torr_models(config): return {}",
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
from torr_plugin.plugins.hookspecs import hookimpl
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


@pytest.fixture
def without_slowly() -> Iterator[None]:
    from torr_plugin.tables import perturbations

    yield
    perturbations.registry.remove("slowly")


def test_threads_load_it_once(install: Install, without_slowly: None) -> None:
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


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from torr_plugin.plugins.hookspecs import hookimpl
from torr_plugin.plugins import load
@hookimpl
def torr_models():
    with ThreadPoolExecutor(1) as pool:
        return {each.name: "x:y" for each in pool.submit(load).result()}
"""

IMPORTING = """
import time
from torr_plugin.plugins import load, loading
for _ in range(3000):
    if loading._Loading.now is None:
        time.sleep(0.01)
SEEN = load()
"""


def in_time(call: Callable[[], T]) -> T:
    """What a call returns; one that hangs fails the test, and its thread ends with the process."""
    said: list[T] = []
    thread = threading.Thread(target=lambda: said.append(call()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it hangs"
    return said[0]


def test_a_hook_whose_own_threads_ask_for_plugins_is_left_out(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PATIENCE", 0.3)
    install("good", GOOD.format(name="good"))
    install("threads", THREADS)
    good, threads = in_time(load)
    assert good.problem is None
    assert threads.problem is not None
    assert "plugin 'threads' 1.2 was left out: hook torr_models failed: PluginError: " in threads.problem
    assert "plugin 'threads' is being loaded by another thread, for 0.3 seconds" in threads.problem
    assert "\n" not in threads.problem


def test_a_thread_that_imports_what_is_being_loaded_is_told_of_none(install: Install) -> None:
    install("slowly_imported", IMPORTING + GOOD.format(name="slow"))
    other = threading.Thread(target=lambda: importlib.import_module("slowly_imported"), daemon=True)
    other.start()
    while "slowly_imported" not in sys.modules:
        time.sleep(0.01)
    [plugin] = in_time(load)
    other.join(PATIENCE)
    assert (plugin.problem, plugin.adds) == (None, {"models": ("slow-model",)})
    assert sys.modules["slowly_imported"].SEEN == ()


def test_one_that_asks_while_a_program_imports_it_is_loaded_when_next_asked(install: Install) -> None:
    install(
        "asking",
        GOOD.format(name="good").replace(
            "@hookimpl", "from torr_plugin.plugins import load\nSEEN = load()\n@hookimpl"
        ),
    )
    assert importlib.import_module("asking").SEEN == ()
    assert problems() == {"asking": None}


def test_one_interrupted_leaves_those_before_it_loaded(
    install: Install, tmp_path: Path, without_slowly: None
) -> None:
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
    assert command_groups() == {}
    assert capfd.readouterr().out == ""


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
    said = "two models are called 'x-model': one from a, one from b; rename one"
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
    assert command_groups() == {}


def test_commands_say_it_once_and_go_on(install: Install, torr: Torr) -> None:
    install("broken", "raise RuntimeError('not \\x1b[31m today')")
    done = torr("list", "plugins", "--json")
    assert done.returncode == 0
    assert done.stderr.count("plugin 'broken' 1.2 was left out: RuntimeError: not ?[31m today") == 1
    [row] = json.loads(done.stdout)["plugins"]
    assert (row["name"], row["adds"]) == ("broken", "")
