"""Loading: what the hooks of plugins return is registered, each plugin whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from threading import RLock
from typing import Any

import pluggy

from .. import __version__, papers
from ..core.errors import OWN, InputError, PluginError, described, nearest
from ..core.registry import PLUGINS, Registry
from . import hookspecs
from .extension_points import POINTS, groups
from .hookspecs import CommandGroup

Hooks = Mapping[str, Callable[[], Any]]
"""The hooks that a plugin implements, by name."""

Added = dict[str, tuple[str, ...]]
"""The names of what a plugin brought, by kind (``serializers``, ``designs`` ...)."""

_REMEDY = "if it is made for another version of torr-plugin, install a version of it that fits"


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed plugin.

    Attributes:
        name: of its entry point.
        version: of its package.
        problem: what was wrong with it, one line that names it; None where nothing was.
        adds: what it brought, by kind; empty where it was left out.
        package: the package that brings it.
        error: what was raised where something was wrong, for ``--debug``.
    """

    name: str
    version: str
    problem: str | None = None
    adds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    package: str = "unknown"
    error: BaseException | None = field(default=None, compare=False, repr=False)


_lock = RLock()
_loaded: list[Plugin] = []


@cache
def _pending() -> list[EntryPoint]:
    """The entry points that are installed and not loaded yet."""
    if os.environ.get("TORR_PLUGINS", "").lower() == "off":
        return []
    return sorted(entry_points(group=PLUGINS), key=lambda entry: (entry.name, _package(entry)))


def load() -> tuple[Plugin, ...]:
    """Load every installed plugin once a process. One that fails is named with its problem; the rest work.

    A plugin that calls this while it is being loaded gets the others. Other threads wait until all are
    loaded, so a hook must not wait for a thread of its own that calls this.
    """
    with _lock:
        pending = _pending()
        while pending:
            _loaded.append(_load_one(pending.pop(0)))
        return tuple(sorted(_loaded, key=lambda plugin: (plugin.name, plugin.package)))


@cache
def _rooms() -> tuple[Hooks, ...]:
    """The hooks of the papers' rooms, ``torr_plugin/papers/*``."""
    names = [f"{papers.__name__}.{room.name}" for room in iter_modules(papers.__path__)]
    return tuple(register_hooks(import_module(name), name) for name in names)


_asked_of_rooms: set[str] = set()


def load_papers(hook: str) -> None:
    """Register what the papers' rooms bring by a hook, once a process, as the project's own."""
    with _lock:
        if hook in _asked_of_rooms:
            return
        _asked_of_rooms.add(hook)  # first, as what a room brings may ask for the rooms
        try:
            brought = [room[hook]() for room in _rooms() if hook in room]
        except BaseException:
            _asked_of_rooms.discard(hook)
            raise
        for values in brought:
            POINTS[hook].add(values, OWN)


def command_groups() -> Registry[CommandGroup]:
    """The groups of commands that plugins bring; ``load()`` reports what is wrong with a plugin."""
    load()
    return groups


def _package(entry: EntryPoint) -> str:
    # pip may have left a folder without metadata behind
    return (entry.dist and entry.dist.name) or "unknown"


def _load_one(entry: EntryPoint) -> Plugin:
    package, version = _package(entry), (entry.dist and entry.dist.version) or "unknown"
    try:
        adds = register(entry.load(), entry.name)
    except (Exception, SystemExit) as error:
        message = " ".join(str(error).split()) if isinstance(error, InputError) else described(error, 600)
        number = "" if version == "unknown" else f" {version}"
        problem = f"plugin {entry.name!r}{number} was left out: {message}"
        return Plugin(entry.name, version, problem, package=package, error=error)
    return Plugin(entry.name, version, None, adds, package)


@cache
def _manager() -> pluggy.PluginManager:
    """Pluggy's manager with all hook specifications."""
    manager = pluggy.PluginManager(PLUGINS)
    manager.add_hookspecs(hookspecs)
    manager.set_blocked(OWN)
    return manager


def register(plugin: Any, name: str) -> Added:
    """Register a module or object with hooks, and what its hooks return.

    Nothing of it stays registered where anything is wrong.

    Args:
        plugin: a module or object with hooks.
        name: how messages call it.

    Returns:
        The names of what it brought, by kind.

    Raises:
        PluginError: a hook that is not specified, fails or returns something else than is specified, a name
            that is taken, a folder that is not there.
    """
    return _add(register_hooks(plugin, name), name)


@contextmanager
def registered(plugin: Any, name: str) -> Iterator[Added]:
    """Register a plugin as :func:`register` does, for the body of a ``with``; for tests of plugins.

    Raises:
        PluginError: as :func:`register`.
    """
    adds = register(plugin, name)
    try:
        yield adds
    finally:
        _unregister(name)


def register_hooks(plugin: Any, name: str) -> Hooks:
    """Register a module or object with pluggy, which checks its hooks against their specifications.

    Raises:
        PluginError: it is a class, has no hook, an unknown one, or one with arguments.
    """
    if isinstance(plugin, type):
        raise PluginError(
            f"found the class {plugin.__name__}, expected a module, or an instance of the class"
        )
    if _manager().has_plugin(name) or _manager().is_blocked(name):
        raise PluginError(f"the name {name!r} is another plugin's; rename or uninstall one")
    try:
        _manager().register(plugin, name)
        hooks = _checked_hooks(plugin)
    except PluginError:
        _manager().unregister(name=name)
        raise
    except pluggy.PluginValidationError as error:
        _manager().unregister(name=name)
        message = " ".join(str(error).split())
        raise PluginError(
            f"a hook of it is not one of torr-plugin {__version__}: {message}; {_REMEDY}"
        ) from error
    return hooks


def _checked_hooks(plugin: Any) -> Hooks:
    """The hooks of a plugin; refuses unknown ones, and a name without its mark, which pluggy passes over."""
    callers = {each.name: each for each in _manager().get_hookcallers(plugin) or ()}
    for name in POINTS:
        if name not in callers and callable(getattr(plugin, name, None)):
            raise PluginError(f"{name} is no hook yet; write @hookimpl above it")
    if not callers:
        raise PluginError("it has no hook; mark the functions torr_... with torr_plugin.plugins.hookimpl")
    for name in callers.keys() - POINTS.keys():
        raise PluginError(
            f"torr-plugin {__version__} has no hook {name!r}; {nearest(name, POINTS)}; {_REMEDY}"
        )
    return {
        name: implementation.function
        for name, caller in callers.items()
        for implementation in caller.get_hookimpls()
        if implementation.plugin is plugin
    }


def _add(hooks: Hooks, name: str) -> Added:
    adds: Added = {}
    try:
        for hook, point in POINTS.items():
            if hook in hooks:
                with _named(hook):
                    adds[point.kind] = point.add(hooks[hook](), name)
    except BaseException:
        if name != OWN:  # else all that is the project's own would go
            _unregister(name)
        raise
    return {kind: names for kind, names in adds.items() if names}


def _unregister(name: str) -> None:
    _manager().unregister(name=name)
    for point in POINTS.values():
        point.registry.remove_origin(name)


@contextmanager
def _named(hook: str) -> Iterator[None]:
    """Name the hook in errors."""
    try:
        yield
    except InputError as error:
        raise PluginError(f"{hook}: {error}") from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"hook {hook} failed: {described(error)}") from error
