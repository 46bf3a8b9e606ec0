"""Loading: from entry points to registered things, each plugin whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import RLock
from typing import Any

from ..errors import InputError, PluginError, described
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


def load() -> tuple[Plugin, ...]:
    """Load every installed plugin once a process, whichever threads ask; those that ask meanwhile wait.

    One that fails is named with its problem; the rest work. A plugin that asks while it is being loaded is
    told of none.
    """
    with _Loading.lock:
        if _Loading.begun:
            return ()
        _Loading.begun = True
        try:
            return tuple(_load_one(each) for each in found())
        finally:
            _Loading.begun = False


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
