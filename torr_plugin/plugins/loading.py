"""Loading: from entry points to registered things, each plugin whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import RLock
from time import monotonic
from typing import Any

from ..core.errors import InputError, PluginError, described
from .found import Found, found, object_of
from .hooks import returned

Undo = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed plugin.

    Attributes:
        name: of its entry point.
        version: of its package.
        problem: what was wrong with it, one line that names it; None where nothing was.
        adds: what it brought, by kind (``serializers``, ``designs`` ...); empty where it was left out.
        package: the package that brings it.
        error: what was raised where something was wrong, for ``--debug``.
    """

    name: str
    version: str
    problem: str | None = None
    adds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    package: str = "unknown"
    error: BaseException | None = field(default=None, compare=False, repr=False)


class _Loading:
    lock = RLock()
    begun = False
    now: tuple[Found, float] | None = None  # the plugin that is being loaded, and since when


PATIENCE = 30.0
"""Seconds that a thread waits for another one to load a plugin, each plugin by itself."""


def load() -> tuple[Plugin, ...]:
    """Load every installed plugin once a process, whichever threads ask; those that ask meanwhile wait.

    One that fails is named with its problem; the rest work. A plugin that asks while it is being loaded is
    told of none; one that asks while a program imports it is loaded when somebody asks next.

    Raises:
        PluginError: another thread loads a plugin for longer than :data:`PATIENCE`. That thread may wait for
            this one, as where a hook hands its work to threads that ask for plugins.
    """
    if not _taken():
        return ()
    try:
        if _Loading.begun:
            return ()
        _Loading.begun = True
        try:
            # one that this thread is importing has but half of its hooks yet
            whole = [
                each for each in found() if each.entry is None or each.entry.module not in _half_imported()
            ]
            return tuple(_load_in_turn(each) for each in whole)
        finally:
            _Loading.begun, _Loading.now = False, None
    finally:
        _Loading.lock.release()


def _taken() -> bool:
    """Whether the lock is this thread's now; not where it imports what the other thread waits for.

    Raises:
        PluginError: as :func:`load`.
    """
    since = monotonic()
    while not _Loading.lock.acquire(timeout=_GLANCE):
        now = _Loading.now
        if now is None:
            continue
        each, begun = now
        if each.entry is not None and any(
            f"{each.entry.module}.".startswith(f"{name}.") for name in _half_imported()
        ):
            return False
        if monotonic() - max(begun, since) > PATIENCE:
            raise PluginError(
                f"plugin {each.name!r} is being loaded by another thread, for {PATIENCE:g} seconds and more; "
                "if a hook of it asks for plugins from threads of its own, let it ask none"
            )
    return True


_GLANCE = 0.05  # seconds between two looks at what the other thread does


def _half_imported() -> set[str]:
    """The modules that this thread is within the import of."""
    names, frame = set[str](), sys._getframe().f_back
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            names.add(str(frame.f_globals.get("__name__")))
        frame = frame.f_back
    return names


def _load_in_turn(each: Found) -> Plugin:
    _Loading.now = each, monotonic()
    return _load_one(each)


@cache
def _load_one(each: Found) -> Plugin:
    """Cached one by one, so that those before an interruption are not registered a second time."""
    try:
        adds = register(object_of(each), each.name)
    except KeyboardInterrupt as stop:  # the user's; should a plugin raise it, its name is said at least
        raise KeyboardInterrupt(str(stop) or f"while plugin {each.name!r} was loaded") from stop
    except BaseException as error:  # a third party's code may raise anything, or end the process
        return Plugin(each.name, each.version, problem_of(each, error), package=each.package, error=error)
    return Plugin(each.name, each.version, None, adds, each.package)


def problem_of(each: Found, error: BaseException) -> str:
    """The line that says why a plugin was left out."""
    ours = isinstance(error, InputError)
    said = " ".join(str(error).split())[:600] if ours else described(error, 600)
    version = "" if each.version == "unknown" else f" {each.version}"
    return f"plugin {each.name!r}{version} was left out: {said}"


def register(plugin: Any, name: str) -> dict[str, tuple[str, ...]]:
    """Check a plugin against the hook specifications, then register what its hooks return.

    Nothing of it stays registered where anything is wrong.

    Args:
        plugin: a module or object with hooks.
        name: how messages call it.

    Returns:
        The names of what it brought, by kind.

    Raises:
        InputError: a hook that is not specified, fails or returns something else than is specified, a name
            that is taken, a folder that is not there.
    """
    return _registered(plugin, name)[0]


@contextmanager
def registered(plugin: Any, name: str) -> Iterator[dict[str, tuple[str, ...]]]:
    """Within it a plugin is registered as :func:`register` does it; for tests of plugins.

    Raises:
        InputError: as :func:`register`.
    """
    adds, undo = _registered(plugin, name)
    try:
        yield adds
    finally:
        for take_out in reversed(undo):
            take_out()


@contextmanager
def _its_hook(hook: str) -> Iterator[None]:
    """Within it, what a value that a hook returned raises while it is looked at is said of the hook."""
    try:
        yield
    except (InputError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a generator's body, a property, anything
        raise PluginError(f"{hook}: what it returned cannot be used: {described(error)}") from error


def _registered(plugin: Any, name: str) -> tuple[dict[str, tuple[str, ...]], list[Undo]]:
    from .seams import seams

    values = returned(plugin, name)
    adds: dict[str, tuple[str, ...]] = {}
    undo: list[Undo] = []
    try:
        for hook, seam in seams().items():
            if hook not in values:
                continue
            with _its_hook(hook):
                named = seam.checked(values[hook], hook)
                for one, value in named:
                    undo.append(seam.add(one, value, name))
            adds[seam.kind] = (*adds.get(seam.kind, ()), *seam.names(named))
    except BaseException:
        for take_out in reversed(undo):
            take_out()
        raise
    return {kind: names for kind, names in adds.items() if names}, undo
