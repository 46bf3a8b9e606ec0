"""The installed plugins: what they add, and what of it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core.errors import InputError
from .finding import Finding


def plugins() -> Iterator[Finding]:
    """Each plugin, then its cards and recipes that cannot be read, then models whose name is taken."""
    from ...plugins import load

    loaded = load()
    for plugin in loaded:
        if plugin.problem:
            yield Finding(plugin.name, "wrong", plugin.problem, _remedy(plugin.package))
            continue
        yield Finding(plugin.name, "good", f"{plugin.version}; adds {', '.join(plugin.adds) or 'nothing'}")
        yield from _unreadable(plugin.adds.get("cards", ()), plugin.adds.get("recipes", ()))
    if any(plugin.adds.get("models") for plugin in loaded):
        yield from _clashes()


def _remedy(package: str) -> str:
    if package == "unknown":  # nothing is installed under it
        return "TORR_PLUGINS=off goes without plugins"
    return f"pip install -U {package}, or pip uninstall {package}; TORR_PLUGINS=off goes without plugins"


def cards_of_plugins() -> frozenset[str]:
    """The names of the cards that plugins bring."""
    from ...plugins import load

    return frozenset(name for plugin in load() for name in plugin.adds.get("cards", ()))


def _unreadable(cards: tuple[str, ...], recipes: tuple[str, ...]) -> Iterator[Finding]:
    from ...catalog import load_card
    from ...recipes import load as load_recipe

    readers: list[tuple[str, Callable[[str], Any]]] = [(name, load_card) for name in cards]
    for name, read in [*readers, *((name, load_recipe) for name in recipes)]:
        try:
            read(name)
        except InputError as error:
            yield Finding(name, "wrong", str(error), "mend the file, or uninstall the plugin")


def _clashes() -> Iterator[Finding]:
    from ...running.registry import clashes

    for name, said in clashes().items():
        yield Finding(name, "wrong", said, "rename the model in the plugin")
