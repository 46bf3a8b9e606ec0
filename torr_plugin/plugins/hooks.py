"""What a plugin's hooks return, by the rules of ``hookspecs.py``."""

from __future__ import annotations

from functools import cache
from typing import Any

from .. import __version__
from ..core.errors import PluginError, described, nearest
from .hookspecs import PROJECT


def returned(plugin: Any, name: str, hooks: tuple[str, ...] = ()) -> dict[str, Any]:
    """What each hook of a plugin returns; hooks that it does not implement are left out.

    Args:
        plugin: the module or object.
        name: its name.
        hooks: these alone; all where none is named.

    Raises:
        PluginError: it is a class, has no hook, one that is not known, one with arguments, or one that
            raises or returns None.
    """
    if isinstance(plugin, type):
        raise PluginError(
            f"found the class {plugin.__name__}, expected a module, or an instance of the class"
        )
    manager = _manager(plugin, name)
    implemented = [each.name for each in manager.get_hookcallers(plugin) or ()]
    if not implemented:
        raise PluginError(
            "it has no hook; mark the functions torr_... with torr_plugin.plugins.hookspecs.hookimpl"
        )
    _refuse_unknown(implemented)
    found = {}
    for hook in implemented:
        if not hooks or hook in hooks:
            found[hook] = _call(manager, hook)
    return found


def _manager(plugin: Any, name: str) -> Any:
    import pluggy

    from . import hookspecs

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin, name)
    except pluggy.PluginValidationError as error:
        said = " ".join(str(error).split())
        raise PluginError(
            f"a hook of it is not one of torr-plugin {__version__}: {said}; {_REMEDY}"
        ) from error
    return manager


_REMEDY = "if it is made for another version of torr-plugin, install a version of it that fits"


@cache
def known_hooks() -> tuple[str, ...]:
    """The names of all hooks."""
    from . import hookspecs

    return tuple(name for name in vars(hookspecs) if name.startswith("torr_"))


def _refuse_unknown(implemented: list[str]) -> None:
    for hook in implemented:
        if hook not in known_hooks():
            raise PluginError(
                f"torr-plugin {__version__} has no hook {hook!r}; {nearest(hook, known_hooks())}; {_REMEDY}"
            )


def _call(manager: Any, hook: str) -> Any:
    try:
        given = getattr(manager.hook, hook)()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a third party's code may raise anything, or end the process
        raise PluginError(f"hook {hook} failed: {described(error)}") from error
    if not given:  # pluggy drops None
        raise PluginError(f"hook {hook} returned None; is a return missing? Expected [] or {{}} for nothing")
    return given[0]
