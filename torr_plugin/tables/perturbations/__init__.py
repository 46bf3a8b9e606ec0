"""Ways to lay a table out anew: in goes a table and a seeded generator, out comes another table."""

from __future__ import annotations

from ..registry import Registry
from .base import Perturbation
from .insert_empty_rows import InsertEmptyRows
from .none import Unchanged
from .shuffle_cols import ShuffleCols
from .shuffle_rows import ShuffleRows
from .transpose import Transpose

__all__ = ["InsertEmptyRows", "Perturbation", "get", "names", "origin", "register", "registry"]

registry: Registry[Perturbation] = Registry("perturbation")


def register(perturbation: Perturbation, *, origin: str = "torr-plugin") -> Perturbation:
    """Add a perturbation under its own name; ``origin`` says which plugin brought it.

    Raises:
        InputError: the name is taken by another perturbation.
    """
    return registry.register(perturbation.name, perturbation, origin=origin)


def get(name: str) -> Perturbation:
    """The perturbation called ``name``.

    Raises:
        UnknownNameError: there is none; the message gives the nearest names.
    """
    return registry.get(name)


def names() -> list[str]:
    """All names, sorted."""
    return registry.names()


def origin(name: str) -> str:
    """The plugin that brought ``name``."""
    return registry.origin(name)


for _perturbation in (Unchanged(), ShuffleRows(), ShuffleCols(), Transpose(), InsertEmptyRows()):
    register(_perturbation)
