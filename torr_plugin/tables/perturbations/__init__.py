"""Perturbations: from a table and a seeded generator to a changed table."""

from __future__ import annotations

from ...core.registry import Registry
from .base import Perturbation, Unchanged
from .insertion import InsertEmptyRows, InsertRowsBetweenGroups
from .shuffling import ShuffleCols, ShuffleColumnGroups, ShuffleRowGroups, ShuffleRows
from .transpose import Transpose

__all__ = ["Perturbation", "get", "names", "origin", "register", "registry"]

registry: Registry[Perturbation] = Registry("perturbation", hook="torr_perturbations")

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add

for _perturbation in (
    Unchanged(),
    ShuffleRows(),
    ShuffleCols(),
    Transpose(),
    InsertEmptyRows(),
    ShuffleRowGroups(),
    ShuffleColumnGroups(),
    InsertRowsBetweenGroups(),
):
    register(_perturbation)
