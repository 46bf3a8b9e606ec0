"""Whether what a hook returns is what its specification says: names and values, or one clear line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..core.errors import PluginError

Named: TypeAlias = "list[tuple[str, Any]]"
"""Values with their names."""

Check: TypeAlias = "Callable[[Any, str], Named]"
"""From what a hook returned, and the hook's name."""

_MOST = 10_000  # values of a hook: a generator may never end
_LONGEST = 80  # characters: names stand in the names of files
_NAME = re.compile(r"\w[\w.-]*")


def instances(kind: type, *, also: Callable[[Any], None] | None = None) -> Check:
    """A check for a sequence of named objects of a class; ``also`` may refuse one further."""

    def check(values: Any, hook: str) -> Named:
        named = []
        for value in _sequence(values, hook, kind.__name__):
            _instance(value, kind, hook)
            name = named_well(getattr(value, "name", None), hook, value)
            if also is not None:
                also(value)
            named.append((name, value))
        return named

    return check


def with_methods(kind: str, attributes: Sequence[str], methods: Sequence[str]) -> Check:
    """A check for a sequence of named objects that have these attributes and methods."""

    def check(values: Any, hook: str) -> Named:
        named = []
        for value in _sequence(values, hook, kind):
            if isinstance(value, type):
                raise PluginError(f"{hook}: found the class {value.__name__}, expected an instance of it")
            name = named_well(getattr(value, "name", None), hook, value)
            absent = [each for each in attributes if not isinstance(getattr(value, each, None), str)]
            absent += [each for each in methods if not callable(getattr(value, each, None))]
            if absent:
                raise PluginError(f"{hook}: {kind} {name!r} has no {absent[0]!r}")
            named.append((name, value))
        return named

    return check


def by_name(what: str, fits: Callable[[Any], bool]) -> Check:
    """A check for a mapping from names to values that fit."""

    def check(values: Any, hook: str) -> Named:
        if not isinstance(values, Mapping):
            raise PluginError(f"{hook}: found {_kind(values)}, expected a mapping from names to {what}")
        for name, value in values.items():
            named_well(name, hook, name)
            if not fits(value):
                raise PluginError(f"{hook}: {name!r}: found {value!r}, expected {what}")
        return list(values.items())

    return check


def folders(values: Any, hook: str) -> Named:
    """A check for a sequence of absolute paths."""
    listed = _sequence(values, hook, "Path")
    for each in listed:
        if not isinstance(each, str | Path):
            raise PluginError(f"{hook}: found {_kind(each)}, expected a pathlib.Path")
        if not Path(each).is_absolute():  # it would hang on where a command is given
            raise PluginError(
                f"{hook}: found {str(each)!r}, expected a whole path: Path(__file__).parent / ..."
            )
    return [(str(each), Path(each)) for each in listed]


def named_well(name: object, hook: str, of: object) -> str:
    """The name, where it can stand in a configuration's id and in a file's name.

    Raises:
        PluginError: it cannot.
    """
    if not isinstance(name, str) or len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise PluginError(
            f"{hook}: found the name {name!r:.{_LONGEST}} of {_kind(of)}, "
            f"expected letters, digits, '_', '-' and '.' without spaces, at most {_LONGEST}"
        )
    return name


def _sequence(values: Any, hook: str, of: str) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise PluginError(f"{hook}: found {_kind(values)}, expected a list of {of}")
    listed = list(itertools.islice(values, _MOST + 1))
    if len(listed) > _MOST:
        raise PluginError(f"{hook}: found more than {_MOST:,} values, expected a list of {of} that ends")
    return listed


def _instance(value: Any, kind: type, hook: str) -> None:
    if isinstance(value, type):
        raise PluginError(
            f"{hook}: found the class {value.__name__}, expected an instance: {value.__name__}()"
        )
    if not isinstance(value, kind):
        where = f"{kind.__module__}.{kind.__name__}"
        raise PluginError(f"{hook}: found {_kind(value)}, expected an instance of a subclass of {where}")


def _kind(value: object) -> str:
    return f"{type(value).__name__} {str(value)[:60]!r}" if isinstance(value, str) else type(value).__name__
