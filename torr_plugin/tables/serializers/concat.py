"""All texts of a table in reading order, with spaces between: the one format without an inverse."""

from __future__ import annotations

from ...core.errors import SerializationError
from ..table import Table
from . import _unitxt
from ._checks import checked
from .base import Serializer


class Concat(Serializer):
    """Title, cells (a merged one once) and notes, in reading order, e.g. ``name age Alex 26 Diana 34``."""

    name = "concat"

    def serialize(self, table: Table) -> str:  # noqa: D102
        parts = [cell.text for row in table.rows for cell in row]
        if table.title or table.notes:
            parts = [table.title, *parts, *table.notes] if table.title else [*parts, *table.notes]
        return checked(" ".join(parts), table, self.name)

    def parse(self, text: str) -> Table:
        """Always refuses.

        Raises:
            SerializationError: nothing in the text says where a cell ends.
        """
        raise SerializationError(
            f"{self.name!r} cannot be read back: nothing in the text says where a cell ends; "
            "use 'csv' or 'html'"
        )


class TorrConcat(Concat):
    """As unitxt's ``SerializeTableAsConcatenation``."""

    name = "torr.concat"

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _unitxt.texts(table, self.name)
        return " ".join([" ".join(header), *map(" ".join, rows)]).strip()


SERIALIZERS: tuple[Serializer, ...] = (Concat(), TorrConcat())
