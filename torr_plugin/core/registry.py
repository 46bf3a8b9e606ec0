"""Registries of named things, of this package and of plugins; packages whose names load on first use."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from .errors import OWN, InputError, PluginError, UnknownNameError, described


def lazy_package(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Build ``__getattr__``, ``__dir__`` and ``__all__`` of a package that imports its names on first use.

    Its public names are those that its ``__init__`` imports under ``if TYPE_CHECKING``, where type checkers
    and people read them too.

    Args:
        package: the package's ``__name__``.
        file: its ``__file__``.

    Returns:
        The three, to assign at the top level of the package.
    """
    blocks = [node for node in ast.parse(Path(file).read_text("utf-8")).body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    module_of = {
        alias.name: "." * node.level + (node.module or "") for node in imports for alias in node.names
    }
    public = sorted(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module_of[name] == ".":
            return import_module(f".{name}", package)
        return getattr(import_module(module_of[name], package), name)

    return load, lambda: public, public


@contextmanager
def blamed(kind: str, name: str, origin: str) -> Iterator[None]:
    """Turn any error that a plugin's code raises in the block into one line that names the plugin.

    An :class:`InputError` passes unchanged, and so does any error of this package's own code.

    Args:
        kind: the kind of code, e.g. ``serializer``.
        name: its registered name.
        origin: the plugin that registered it, or ``OWN``.

    Raises:
        PluginError: kind, name, plugin and the original error.
    """
    try:
        yield
    except (InputError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # a third party's code may raise anything, or end the process
        if origin == OWN:
            raise
        raise PluginError(f"{kind} {name!r} of plugin {origin!r} failed: {described(error)}") from error


T = TypeVar("T")

PLUGINS = "torr_plugin"
"""The group of entry points of plugins."""


class Papers:
    """The papers' rooms, which no stage may import.

    Attributes:
        load: registers what they bring by a hook, once; set by the package's root.
    """

    load: Callable[[str], object] = staticmethod(lambda hook: None)


class Registry(Generic[T]):
    """Named values of one kind, such as all serializers.

    ``get`` raises :class:`UnknownNameError` with the nearest names; ``register`` raises :class:`InputError`
    on a name that is taken by something else.

    Args:
        kind: the name of the kind, for messages.
        plural: its plural, where that is not ``kind`` + ``s``.
        package: the package that ``lazy`` is relative to.
        lazy: entries imported on first use, name -> ``".module:attribute"``; a class is instantiated.
        hook: the hook by which the papers' rooms add to it; they are loaded for the first name that is not
            the framework's own.
    """

    def __init__(
        self,
        kind: str,
        plural: str = "",
        *,
        package: str = "",
        lazy: Mapping[str, str] | None = None,
        hook: str = "",
    ) -> None:
        self.kind = kind
        self.plural = plural or f"{kind}s"
        self._package = package
        self._hook = hook
        self._lazy = dict(lazy or {})
        self._values: dict[str, T] = {}
        self._origins: dict[str, str] = {}

    def register(self, name: str, value: T, *, origin: str = OWN) -> T:
        """Add ``value`` under ``name``; ``origin`` is its plugin. Adding an equal value again is allowed."""
        if origin != OWN:
            self._load_rooms()
        if self._has(name):
            if self.get(name) != value:
                raise InputError(
                    f"two {self.plural} are called {name!r}: "
                    f"one from {self.origin(name)}, one from {origin}; rename one"
                )
            return self.get(name)
        self._values[name] = value
        self._origins[name] = origin
        return value

    def add(self, value: T, *, origin: str = OWN) -> T:
        """Register ``value`` under its own ``name`` (a function under its ``__name__``)."""
        name = getattr(value, "name", None) or getattr(value, "__name__", "")
        return self.register(str(name), value, origin=origin)

    def remove(self, name: str) -> None:
        """Remove ``name``, if it is registered."""
        self._lazy.pop(name, None)
        self._values.pop(name, None)
        self._origins.pop(name, None)

    def remove_origin(self, origin: str) -> None:
        """Remove everything that one plugin registered."""
        for name in [name for name, plugin in self._origins.items() if plugin == origin]:
            self.remove(name)

    def get(self, name: str) -> T:
        """The value called ``name``."""
        if not self._has(name):
            self._load_rooms()
        if name in self._lazy and name not in self._values:
            module, _, attribute = self._lazy[name].partition(":")
            found = getattr(import_module(module, self._package), attribute)
            self._values.setdefault(name, found() if isinstance(found, type) else found)
        return self._values[name] if name in self._values else self._unlisted(name)

    def _unlisted(self, name: str) -> T:
        """The value of a name that is not registered; of a registry that makes some, one that it makes."""
        raise UnknownNameError(self.kind, name, self.names())

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load_rooms()
        return sorted({*self._lazy, *self._values})

    def values(self) -> list[T]:
        """All loaded values, in the order of registration."""
        self._load_rooms()
        return list(self._values.values())

    def origin(self, name: str) -> str:
        """The plugin that registered ``name``; ``torr-plugin`` for this package's own."""
        return self._origins.get(name, OWN)

    def blamed(self, name: str) -> AbstractContextManager[None]:
        """:func:`blamed` for the code of the value called ``name``."""
        return blamed(self.kind, name, self.origin(name))

    def _has(self, name: object) -> bool:
        return name in self._lazy or name in self._values

    def _load_rooms(self) -> None:
        if self._hook:
            Papers.load(self._hook)

    def __contains__(self, name: object) -> bool:
        if not self._has(name):
            self._load_rooms()
        return self._has(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())
