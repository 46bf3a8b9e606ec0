"""Rows that the project's own generators make, for the bundled cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..synthesis import generate, generators
from .rows import Row

if TYPE_CHECKING:
    from .schema import LoadGenerated


def generator_names() -> list[str]:
    """The generators' names, sorted."""
    return generators.names()


def generated_rows(loader: LoadGenerated, split: str) -> list[Row]:
    """The rows of a split; the same on every machine, and no table is in two splits."""
    return [dict(row) for row in generate(loader.generator, seed=loader.seed, sizes=loader.splits)[split]]
