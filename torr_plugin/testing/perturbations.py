"""What a perturbation promises."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .running import fails, for_tables

if TYPE_CHECKING:
    from ..tables import Table
    from ..tables.perturbations import Perturbation

_SEEDS = (0, 1)


def check_perturbation(perturbation: Perturbation, *, examples: int = 100) -> None:
    """Check a perturbation on made tables.

    It gives a table, for the same seed the same, and leaves the one it was given alone. With
    ``keeps_content`` no text comes or goes. Without ``draws`` nothing hangs on the seed, and no word is
    renamed.

    Args:
        perturbation: the change.
        examples: tables to be tried.

    Raises:
        AssertionError: what it does not keep, and a table on which it does not.
    """
    fails(not getattr(perturbation, "name", ""), "a perturbation has a name of its own; found none")
    for_tables(lambda table: _check(perturbation, table), examples)


def _check(perturbation: Perturbation, table: Table) -> None:
    from ..tables import Table

    name, before = perturbation.name, repr(table)
    made = [_perturbed(perturbation, table, seed) for seed in _SEEDS]
    for one in made:
        fails(not isinstance(one, Table), f"{name!r} gives {type(one).__name__}, expected a Table: {table!r}")
    fails(repr(table) != before, f"{name!r} changes the table that it was given: {before}")
    again = _perturbed(perturbation, table, _SEEDS[0])
    fails(again != made[0], f"{name!r} gives another table for the same seed: {table!r}")
    if perturbation.keeps_content:
        for one in made:
            changed = _texts(table) != _texts(one)
            fails(changed, f"{name!r} says it keeps content, and texts come or go: {table!r} is {one!r}")
    if not perturbation.draws:
        fails(made[0] != made[1], f"{name!r} says it draws nothing, and hangs on the seed: {table!r}")
        renames = perturbation.renames(table, _rng(0))
        fails(bool(renames), f"{name!r} says it draws nothing, and renames words: {dict(renames)!r}")


def _perturbed(perturbation: Perturbation, table: Table, seed: int) -> Table:
    try:
        return perturbation.perturb(table, _rng(seed))
    except Exception as error:
        raise AssertionError(
            f"{perturbation.name!r} raises {type(error).__name__}: {error}; expected a table for {table!r}"
        ) from error


def _rng(seed: int):  # type: ignore[no-untyped-def]  # numpy's, which is heavy
    from ..core.seeds import rng

    return rng(seed, "testing")


def _texts(table: Table) -> Counter[str]:
    """The texts by how often they stand there; empty ones do not count."""
    return Counter(cell.text for row in table.rows for cell in row if cell.text)
