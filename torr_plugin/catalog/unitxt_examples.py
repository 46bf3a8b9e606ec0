"""The examples of unitxt's own card, made of the rows that our card loads.

unitxt's own operators run on them, so filters, parsing and every quirk are unitxt's; what names, groups and
rates an example is our card's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError
from ..tables import Table
from .example import Example
from .loading import load_rows
from .mirror import mirror_folder
from .reading import read_rows
from .rows import Row
from .shaping import UNITXT_SEED
from .undisturbed import undisturbed
from .unitxt_rows import loaded_rows
from .unitxt_twin import TABLE, Twin, twin_of, written

if TYPE_CHECKING:
    from .card import Card
    from .schema import ReadExample

LOADER_LIMIT = 10_000
"""How many rows of a split the recipes ``recipes.torr.*`` load."""

_ROW, _TABLE = "__torr_row__", "__torr_table__"
# done by our loader, or in need of the network, which the rows make up for
_NOT_RUN = ("split_random_mix", "read_file")

_read: dict[tuple[str, str, str], tuple[TwinExample, ...]] = {}


@dataclass(frozen=True)
class TwinExample(Example):
    """An example with what unitxt knows of it.

    Attributes:
        inputs: the twin's input fields by name, the table a dict as unitxt holds it; their text is the seed
            of unitxt's draws.
        table_input: which of them is the table.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    table_input: str = TABLE

    def with_table(self, table: Mapping[str, Any]) -> TwinExample:
        """The same example of another table (unitxt's dict)."""
        return replace(self, table=table_of(table), inputs={**self.inputs, self.table_input: table})


def read_twin_examples(card: Card, split: str) -> list[TwinExample]:
    """The examples of a split of the twin's: the first 10,000 rows, less those that its steps leave out.

    Raises:
        CardError: the card has no twin.
        DataError: the data is not there, unitxt or what its steps need is not installed, or a step fails.
    """
    key = (card.fingerprint, split, str(mirror_folder() or ""))
    if key not in _read:
        twin = twin_of(card)
        rows = load_rows(card.loader, split, card.name)[:LOADER_LIMIT]
        _read[key] = tuple(_examples(card, twin, rows, split))
    return list(_read[key])


def twin_fingerprint(card: Card, split: str) -> str:
    """16 hexadecimal digits that change with anything in the split's examples, their order included.

    Raises:
        CardError, DataError: as :func:`read_twin_examples`.
    """
    digest = hashlib.sha256()
    for example in read_twin_examples(card, split):
        digest.update(repr((example.id, example.inputs, example.references, example.target)).encode())
    return digest.hexdigest()[:16]


def table_of(table: Mapping[str, Any]) -> Table:
    """Unitxt's table as ours; short rows are filled with empty cells, one empty row stands for none."""
    header, rows = table["header"], table["rows"] or [[]]
    width = max(len(header), *map(len, rows))
    full = [[*row, *[""] * (width - len(row))] for row in [header, *rows]]
    return Table.flat(full[0], full[1:])


def _examples(card: Card, twin: Twin, rows: Sequence[Row], split: str) -> Iterator[TwinExample]:
    made = _processed(twin, rows, split, card.name)
    known: dict[str, tuple[Mapping[str, Any], Table]] = {}
    for instance in made:
        raw = instance[twin.table]
        # many examples ask about one table: it is kept once
        instance[twin.table], instance[_TABLE] = known.setdefault(str(raw), (raw, table_of(raw)))
    ours = read_rows(
        _identifying(card.reading),
        [{**rows[each[_ROW]], _ROW: each[_ROW], _TABLE: each[_TABLE]} for each in made],
        split=split,
        card=card.name,
    )
    for example, instance in zip(ours, made, strict=True):
        yield _twin_example(example, instance, twin)


def _twin_example(example: Example, instance: Mapping[str, Any], twin: Twin) -> TwinExample:
    inputs = {name: instance[name] for name in twin.inputs}
    lists = not twin.several_references
    texts = {
        twin.fields[name]: written(value, lists=lists) for name, value in inputs.items() if name != twin.table
    }
    return TwinExample(
        **{name: getattr(example, name) for name in Example.__dataclass_fields__ if name not in _CHANGED},
        fields={**example.fields, **{name: text for name, text in texts.items() if name in example.fields}},
        target=_target(twin, instance),
        inputs=inputs,
        table_input=twin.table,
    )


_CHANGED = ("fields", "target")


def _target(twin: Twin, instance: Mapping[str, Any]) -> str:
    """The answer as a demonstration of unitxt's shows it."""
    if twin.several_references:
        references = instance[str(twin.asks["references_field"])]
        return written(references[0], lists=False) if references else ""
    outputs = {name: written(instance[name]) for name in twin.outputs}
    return str(twin.asks["output_format"]).format(**outputs)


def _identifying(step: ReadExample) -> ReadExample:
    """Our card's step, reading of a row all but the table, and leaving none out."""
    from .schema import ExampleId, TableOf

    named = step.id if step.id.column else ExampleId(column=_ROW, with_split=step.id.with_split)
    return step.model_copy(
        update={
            "id": named,
            "table": TableOf(columns={"table": _TABLE}),
            "unless": {},
            "longer_than": {},
            "max_cells": None,
        }
    )


def _processed(twin: Twin, rows: Sequence[Row], split: str, card: str) -> list[dict[str, Any]]:
    """The rows after the twin's steps, with the number of the row each was."""
    with undisturbed():
        return _stepped(twin, rows, split, card)


def _stepped(twin: Twin, rows: Sequence[Row], split: str, card: str) -> list[dict[str, Any]]:
    try:
        from unitxt.artifact import Artifact
        from unitxt.settings_utils import get_settings
        from unitxt.stream import MultiStream
    except ImportError as missing:
        raise DataError(f"{card}: the examples of unitxt's {twin.name} need unitxt: {missing}") from missing
    loaded = [{**twin.defaults, **row, _ROW: at} for at, row in enumerate(loaded_rows(twin.name, rows))]
    try:
        with get_settings().context(seed=UNITXT_SEED):
            streams = MultiStream.from_iterables({split: loaded})
            for step in twin.steps:
                if step["__type__"] not in _NOT_RUN:
                    streams = Artifact.from_dict(dict(step))(streams)
            return [dict(instance) for instance in streams[split]]
    except Exception as error:  # unitxt's operators raise whatever their libraries do
        raise DataError(
            f"{card}: split {split!r}: unitxt's steps of {twin.name} fail: {_reason(error)}"
        ) from error


def _reason(error: Exception) -> str:
    """What unitxt says is wrong, without the box that it draws around where it was."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = " ".join(line for line in lines if line and line[0] not in "┌│└")
    return said[:300] or type(error).__name__
