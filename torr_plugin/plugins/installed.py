"""Which plugins are installed and wanted, and the hooks that they implement."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from .. import __version__
from ..core.errors import OWN, PluginError, nearest
from ..core.registry import Registry
from . import hookspecs
from .hookspecs import PROJECT, CommandGroup

VARIABLE = "TORR_PLUGINS"
"""``off``: none; names joined by commas: those alone; unset or ``all``: every one."""

Hooks = Mapping[str, Callable[[], Any]]
"""The hooks that a plugin implements, by name."""

_REMEDY = "if it is made for another version of torr-plugin, install a version of it that fits"


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """An entry point; or a name in ``TORR_PLUGINS`` that is not installed.

    Attributes:
        name: of the entry point.
        version: of its package, ``unknown`` where it has none.
        entry: to import it; None where ``problem`` says why it cannot be.
        package: the package that brings it.
        problem: what is wrong already.
    """

    name: str
    version: str
    entry: EntryPoint | None = None
    package: str = "unknown"
    problem: str | None = None


@cache
def installed() -> tuple[InstalledPlugin, ...]:
    """The installed and wanted plugins, by name; of two with one name the first package's counts."""
    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted.lower() == "off":
        return ()
    chosen = [name.strip() for name in wanted.split(",") if name.strip() and wanted.lower() != "all"]
    there = _named_once(map(_installed, entry_points(group=PROJECT)))
    names = {each.name for each in there}
    absent = [
        InstalledPlugin(name, "unknown", problem=f"{VARIABLE} names it; {nearest(name, names)}")
        for name in chosen
        if name not in names
    ]
    kept = [each for each in there if not chosen or each.name in chosen]
    return tuple(sorted([*kept, *absent], key=lambda each: each.name))


def _installed(entry: EntryPoint) -> InstalledPlugin:
    if entry.dist is None:
        return InstalledPlugin(entry.name, "unknown", entry)
    # pip may have left a folder without metadata behind
    return InstalledPlugin(entry.name, entry.dist.version or "unknown", entry, entry.dist.name or "unknown")


def _named_once(plugins: Iterable[InstalledPlugin]) -> list[InstalledPlugin]:
    """Report a second plugin of the same name as a problem."""
    first: dict[str, InstalledPlugin] = {}
    kept = []
    for each in sorted(plugins, key=lambda each: (each.name, each.package)):
        before = first.setdefault(each.name, each)
        if before is each:
            kept.append(each)
            continue
        problem = (
            f"two plugins are called {each.name!r}, one of {before.package} {before.version}, "
            f"one of {each.package} {each.version}; uninstall one of them"
        )
        kept.append(InstalledPlugin(each.name, each.version, None, each.package, problem))
    return kept


@cache
def hooks_of(plugin: InstalledPlugin) -> Hooks:
    """Import a plugin and register its hooks.

    Raises:
        PluginError: it has a problem already, needs another version of torr-plugin, or its hooks are wrong.
        Exception: whatever its module raises.
    """
    from .versions import check_version, required_versions  # packaging takes as long as pluggy itself

    if plugin.entry is None:
        raise PluginError(plugin.problem or "it has no entry point")
    origin = f"{plugin.package} {plugin.version}"
    for specifier in required_versions((plugin.entry.dist and plugin.entry.dist.requires) or ()):
        check_version(specifier, origin)
    loaded = plugin.entry.load()
    check_version(getattr(loaded, "requires_torr", ""), origin)
    return register_hooks(loaded, plugin.name)


@cache
def plugin_manager() -> pluggy.PluginManager:
    """Pluggy's manager with all hook specifications."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.set_blocked(OWN)
    return manager


def register_hooks(plugin: Any, name: str) -> Hooks:
    """Register a module or object with pluggy, which checks its hooks against their specifications.

    Raises:
        PluginError: it is a class, has no hook, an unknown one, or one with arguments.
    """
    if isinstance(plugin, type):
        raise PluginError(
            f"found the class {plugin.__name__}, expected a module, or an instance of the class"
        )
    manager = plugin_manager()
    if manager.has_plugin(name) or manager.is_blocked(name):
        raise PluginError(f"the name {name!r} is another plugin's; rename one")
    try:
        manager.register(plugin, name)
        callers = manager.get_hookcallers(plugin) or []
        _check_marked(plugin, {caller.name for caller in callers})
        _check_hooks(callers)
    except PluginError:
        manager.unregister(name=name)
        raise
    except pluggy.PluginValidationError as error:
        manager.unregister(name=name)
        message = " ".join(str(error).split())
        raise PluginError(
            f"a hook of it is not one of torr-plugin {__version__}: {message}; {_REMEDY}"
        ) from error
    return {
        caller.name: implementation.function
        for caller in callers
        for implementation in caller.get_hookimpls()
        if implementation.plugin is plugin
    }


def _check_marked(plugin: Any, marked: Collection[str]) -> None:
    """Refuse a hook's name without its mark, which pluggy passes over."""
    for name in vars(hookspecs):
        if name.startswith("torr_") and name not in marked and callable(getattr(plugin, name, None)):
            raise PluginError(f"{name} is no hook yet; write @hookimpl above it")


def _check_hooks(callers: Sequence[pluggy.HookCaller]) -> None:
    """As pluggy's ``check_pending``, but name the nearest hook; refuse a plugin without hooks."""
    if not callers:
        raise PluginError("it has no hook; mark the functions torr_... with torr_plugin.plugins.hookimpl")
    known = [name for name in vars(hookspecs) if name.startswith("torr_")]
    for name in [each.name for each in callers if not each.has_spec()]:
        raise PluginError(
            f"torr-plugin {__version__} has no hook {name!r}; {nearest(name, known)}; {_REMEDY}"
        )


groups: Registry[CommandGroup] = Registry("command group")


def command_groups() -> Registry[CommandGroup]:
    """The groups of commands, found without loading anything else of the plugins.

    ``load()`` reports what is wrong with a plugin.
    """
    _find_groups()
    return groups


@cache
def _find_groups() -> None:
    for plugin in installed():
        with suppress(Exception, SystemExit):
            for group in hooks_of(plugin).get("torr_commands", list)():
                groups.register(group.name, group, origin=plugin.name)
