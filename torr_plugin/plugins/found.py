"""Which plugins there are: the entry points that are installed, and which of them are wanted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..core.errors import PluginError, nearest
from .hookspecs import PROJECT
from .versions import check_version

VARIABLE = "TORR_PLUGINS"
"""``off``: none; names joined by commas: those alone; unset or ``all``: every one."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry point, or a name that is wanted and not there.

    Attributes:
        name: of the entry point.
        version: of its package, ``unknown`` where it has none.
        entry: to load it; None where ``problem`` says why it is not to be loaded.
        package: the package that brings it.
        problem: what is wrong already.
    """

    name: str
    version: str
    entry: EntryPoint | None = None
    package: str = "unknown"
    problem: str | None = None


@cache
def found() -> tuple[Found, ...]:
    """The plugins that are installed and wanted, by name; of two with one name the first package's counts."""
    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted.lower() == "off":
        return ()
    chosen = [name.strip() for name in wanted.split(",") if name.strip() and wanted.lower() != "all"]
    there = _once([_found(entry) for entry in entry_points(group=PROJECT)])
    names = {each.name for each in there}
    absent = [
        Found(name, "unknown", problem=f"{VARIABLE} names it; {nearest(name, names)}")
        for name in chosen
        if name not in names
    ]
    kept = [each for each in there if not chosen or each.name in chosen]
    return tuple(sorted([*kept, *absent], key=lambda each: each.name))


@cache
def object_of(each: Found) -> Any:
    """The plugin itself, imported.

    Raises:
        PluginError: it has a problem already, or needs another version of torr-plugin.
        Exception: whatever its module raises.
    """
    if each.entry is None:
        raise PluginError(each.problem or "it has no entry point")
    needs = each.entry.dist.requires if each.entry.dist is not None else None
    check_version(requirements=needs or (), origin=f"{each.package} {each.version}")
    loaded = each.entry.load()
    check_version(own=getattr(loaded, "requires_torr", None), origin=f"{each.package} {each.version}")
    return loaded


def _found(entry: EntryPoint) -> Found:
    if entry.dist is None:
        return Found(entry.name, "unknown", entry)
    # pip may have left a folder without metadata behind
    return Found(entry.name, entry.dist.version or "unknown", entry, entry.dist.name or "unknown")


def _once(plugins: Iterable[Found]) -> list[Found]:
    """Each name once; a second one is left out with a word about both."""
    first: dict[str, Found] = {}
    kept = []
    for each in sorted(plugins, key=lambda each: (each.name, each.package)):
        before = first.setdefault(each.name, each)
        if before is each:
            kept.append(each)
            continue
        said = (
            f"two plugins are called {each.name!r}, one of {before.package} {before.version}, "
            f"one of {each.package} {each.version}; uninstall one of them"
        )
        kept.append(Found(each.name, each.version, None, each.package, said))
    return kept
