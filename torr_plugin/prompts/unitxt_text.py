"""Tables as unitxt writes them that our own table cannot hold: short rows, long rows, none at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..catalog.unitxt_examples import TwinExample
from ..core.errors import InputError
from ..tables import serializers

if TYPE_CHECKING:
    from ..catalog import Example

_CLASSES = {
    "torr.html": "SerializeTableAsHTML",
    "torr.json": "SerializeTableAsJson",
    "torr.markdown": "SerializeTableAsMarkdown",
    "torr.indexed_row_major": "SerializeTableAsIndexedRowMajor",
    "torr.df": "SerializeTableAsDFLoader",
    "torr.concat": "SerializeTableAsConcatenation",
}


def table_text(example: Example, serializer: str) -> str:
    """An example's table in a format.

    A table of unitxt's own card whose rows differ in length is written by unitxt itself where the format is
    one of unitxt's; everything else by our serializers, which give the same for tables that they can hold.

    Raises:
        InputError: the table cannot be written in this format.
    """
    if isinstance(example, TwinExample) and serializer.startswith("torr."):
        table = example.inputs[example.table_input]
        if not _regular(table):
            return _by_unitxt(table, serializer)
    text = serializers.get(serializer).serialize(example.table)
    if not isinstance(text, str):
        raise TypeError(f"it gave {type(text).__name__}, expected text")
    return text


def _regular(table: Mapping[str, Any]) -> bool:
    width = len(table["header"])
    return bool(table["rows"]) and all(len(row) == width for row in table["rows"])


def _by_unitxt(table: Mapping[str, Any], serializer: str) -> str:
    if serializer == "torr.csv":
        from unitxt.serializers import TableSerializer

        return str(TableSerializer().serialize(table, {}))
    from unitxt import struct_data_operators

    try:
        return str(getattr(struct_data_operators, _CLASSES[serializer])().serialize_table(dict(table)))
    except (AssertionError, ValueError, IndexError) as error:
        raise InputError(f"{serializer}: unitxt cannot write a table of uneven rows: {error}") from error
