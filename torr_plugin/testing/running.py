"""What the checks share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..tables import Table


def fails(wrong: bool, said: str) -> None:
    """End a check.

    Raises:
        AssertionError: with what is wrong.
    """
    if wrong:
        raise AssertionError(said)


def for_tables(check: Callable[[Table], None], examples: int) -> None:
    """Run a check on tables: some plain ones, then made ones, the same each time.

    Of the made ones Hypothesis shows the smallest that fails.
    """
    from hypothesis import HealthCheck, Phase, given, settings

    from ..tables.strategies import tables

    for table in _plain_tables():
        check(table)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(tables())
    def each(table: Table) -> None:
        check(table)

    each()


def _plain_tables() -> Iterator[Table]:
    """What most mistakes show on: an ordinary table, one cell, marks of formats in cells, nested headers."""
    from ..tables import Cell, Table

    yield Table.flat(["Name", "Age"], [["Sophia", "26"], ["Ben", "31"], ["Ada", "19"]])
    yield Table.flat(["a"], [["b"]])
    yield Table.flat(["a|b", 'c,"d"'], [["1\n2", ""], [" x ", "<br>&amp;\\"]], title="A # title", notes=["n"])
    head = (Cell("Region"), Cell("Sales", 1, 2)), (Cell(""), Cell("2023"), Cell("2024"))
    body = (Cell("North"), Cell("1"), Cell("2")), (Cell("South"), Cell("3"), Cell("4"))
    yield Table((*head, *body), header_rows=2, header_columns=1)
