"""Loading: what the hooks of plugins return is registered, each plugin whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from threading import RLock
from typing import Any

from .. import papers
from ..core.errors import OWN, InputError, PluginError, described
from .installed import Hooks, InstalledPlugin, hooks_of, installed, plugin_manager, register_hooks

Added = dict[str, tuple[str, ...]]
"""The names of what a plugin brought, by kind (``serializers``, ``designs`` ...)."""


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
_loaded: dict[InstalledPlugin, Plugin] = {}


class _Loading:
    loading = False


def load() -> tuple[Plugin, ...]:
    """Load every installed plugin once a process. One that fails is named with its problem; the rest work.

    A plugin that calls this while it is being loaded gets those before it. Other threads wait until all are
    loaded, so a hook must not wait for a thread of its own that calls this.
    """
    with _lock:
        if not _Loading.loading:
            _Loading.loading = True
            try:
                for each in installed():
                    if each not in _loaded:
                        _loaded[each] = _load_one(each)
            finally:
                _Loading.loading = False
        return tuple(_loaded[each] for each in installed() if each in _loaded)


_rooms = [each.name for each in iter_modules(papers.__path__)]


def load_papers() -> None:
    """Register the papers' rooms, ``torr_plugin/papers/*``, once a process, as the project's own."""
    with _lock:
        while _rooms:
            name = f"{papers.__name__}.{_rooms.pop()}"
            _add(register_hooks(import_module(name), name), OWN)


def _load_one(each: InstalledPlugin) -> Plugin:
    try:
        adds = _add(hooks_of(each), each.name)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(str(stop) or f"while plugin {each.name!r} was loaded") from stop
    except (Exception, SystemExit) as error:
        return Plugin(each.name, each.version, _problem(each, error), package=each.package, error=error)
    return Plugin(each.name, each.version, None, adds, each.package)


def _problem(each: InstalledPlugin, error: BaseException) -> str:
    """The line that says why a plugin was left out."""
    message = " ".join(str(error).split()) if isinstance(error, InputError) else described(error, 600)
    version = "" if each.version == "unknown" else f" {each.version}"
    return f"plugin {each.name!r}{version} was left out: {message}"


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


def _add(hooks: Hooks, name: str) -> Added:
    from .extension_points import extension_points  # all stages, which a command without plugins may not need

    adds: Added = {}
    try:
        for hook, point in extension_points().items():
            if hook in hooks:
                with _named(hook):
                    adds[point.kind] = point.add(hooks[hook](), name)
    except BaseException:
        _unregister(name)
        raise
    return {kind: names for kind, names in adds.items() if names}


def _unregister(name: str) -> None:
    from .extension_points import extension_points

    plugin_manager().unregister(name=name)
    for point in extension_points().values():
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
