"""What formats cost: the tokens of tables in a format, relative to CSV's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ..catalog import load_card, mirror_folder
from ..catalog.examples import read_rows
from ..catalog.loading import stream_rows
from ..core.errors import DataError, InputError
from ..tables import Table, serializers
from ..tables.serializers import Serializer

_OF_EACH = 30
_FLAT, _NESTED, _BUNDLED = "wikitq", "hitab.test", "bundled.cell_lookup"


@dataclass(frozen=True)
class PricedTables:
    """Tables that formats are priced over.

    Attributes:
        flat: those with one header row and no merged cells, others flattened.
        nested: those with nested headers, as they are.
        source: where they are from, in words.
    """

    flat: Sequence[Table]
    nested: Sequence[Table]
    source: str


def priced_tables() -> PricedTables:
    """The first 30 tables of WikiTQ and of HiTab where the mirror has both, else those of the package."""
    if mirror_folder() is not None:
        try:
            flat, nested = (list(islice(_tables(name), _OF_EACH)) for name in (_FLAT, _NESTED))
        except DataError:
            pass
        else:
            source = f"{len(flat)} tables of WikiTQ and {len(nested)} of HiTab, those with nested headers"
            return PricedTables([*flat, *_flattened(nested)], nested, source)
    nested = list(_tables(_BUNDLED))
    return PricedTables(_flattened(nested), nested, f"{len(nested)} tables that come with the package")


def _tables(name: str) -> Iterator[Table]:
    """The tables of a card's test split, each once, in the data's order."""
    card = load_card(f"cards.{name}")
    rows = stream_rows(card.loader, card.test_split, card.name)
    known: set[Table] = set()
    for example in read_rows(card.reading, rows, split=card.test_split, card=card.name):
        if example.table not in known:
            known.add(example.table)
            yield example.table


def _flattened(tables: Sequence[Table]) -> list[Table]:
    return [Table.from_unitxt(table.to_unitxt()) for table in tables]


def price(serializer: Serializer, tables: Sequence[Table], tokens: Callable[[str], int]) -> float | None:
    """The tokens of tables in a format over those in CSV; None where it refuses every table.

    A table that the format refuses counts on neither side.

    Args:
        serializer: writes text.
        tables: what it writes.
        tokens: how many a text has.
    """
    csv = serializers.get("csv")
    spent = beside = 0
    for table in tables:
        try:
            text = serializer.serialize(table)
        except InputError:
            continue
        spent += tokens(text)
        beside += tokens(csv.serialize(table))
    return spent / beside if beside else None
