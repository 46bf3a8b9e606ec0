"""Build the examples of unitxt's own card from the rows that our card loads.

Rows are first reshaped to what unitxt's own loader would give. Global state of the process is preserved.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ..core.errors import DataError
from ..tables import Table
from .card import Card
from .reading import Example, read_rows
from .rows import UNITXT_SEED, Row, mirror_folder
from .schema import ExampleId, RowReading, TableOf
from .unitxt_card import TABLE, UnitxtCard, unitxt_card_of, written


@contextmanager
def preserved_global_state() -> Iterator[None]:
    """Put back what importing unitxt changes: the global random generator's state, and the environment."""
    state, environment = random.getstate(), dict(os.environ)
    try:
        yield
    finally:
        random.setstate(state)
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)


Shape = Callable[[Sequence[Row]], "list[dict[str, Any]]"]


def _as_they_are(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows]


def _tablebench(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Tables as JSON text, and the instruction, which unitxt's card removes anyway, left empty."""
    return [{**row, "table": _json(row["table"]), "instruction": ""} for row in rows]


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _wikitq(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "utterance": row["question"],
            "targetValue": "|".join(map(_escaped, row["answers"])),
            "context": row["table"].get("name") or "",
            "table_content": _tsv(row["table"]),
        }
        for row in rows
    ]


def _tsv(table: Mapping[str, Any]) -> str:
    r"""The table as in the data set's repository: tab-separated, with escapes ``\n``, ``\p`` and ``\\``."""
    lines = ["\t".join(map(_escaped, line)) for line in [table["header"], *table["rows"]]]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\p").replace("\t", " ")


def _turl(rows: Sequence[Row]) -> list[dict[str, Any]]:
    from unitxt.loaders import TURLColumnTypeAnnotationLoader

    tables: dict[tuple[str, str], Any] = {}
    made = []
    for row in rows:
        known = (row["cells"], str(row["header"]))
        if known not in tables:
            places = [None] * 5 + [list(row["header"]), json.loads(row["cells"])]
            tables[known] = TURLColumnTypeAnnotationLoader._load_table(places)
        made.append(
            {
                "page_title": row["page_title"],
                "section_title": row["section_title"],
                "table_caption": row["table_caption"],
                "table": tables[known],
                "colname": row["column_name"],
                "annotations": row["column_types"],
            }
        )
    return made


def _finqa(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**row, "qa": {name: row[name] for name in ("question", "program", "answer")}} for row in rows]


_SHAPES: dict[str, Shape] = {
    "cards.fin_qa": _finqa,
    "cards.wikitq": _wikitq,
    "cards.turl_col_type": _turl,
    "cards.tablebench_data_analysis": _tablebench,
    "cards.tablebench_fact_checking": _tablebench,
    "cards.tablebench_numerical_reasoning": _tablebench,
}


LOADER_LIMIT = 10_000
"""How many rows of a split the recipes ``recipes.torr.*`` load."""

_ROW, _TABLE = "__torr_row__", "__torr_table__"
# our loader does the first; the second needs the network, and the rows have its result
_SKIPPED_STEPS = ("split_random_mix", "read_file")

_read: dict[tuple[str, str, str], tuple[UnitxtExample, ...]] = {}


@dataclass(frozen=True)
class UnitxtExample(Example):
    """An example with unitxt's own input fields.

    Attributes:
        inputs: unitxt's input fields by name, the table as unitxt's dict; their text is the seed
            of unitxt's draws.
        table_input: which of them is the table.
    """

    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)
    table_input: str = TABLE

    def with_table(self, table: Mapping[str, Any]) -> UnitxtExample:
        """The same example with another table (unitxt's dict)."""
        return replace(self, table=table_of(table), inputs={**self.inputs, self.table_input: table})


def read_unitxt_examples(card: Card, split: str) -> list[UnitxtExample]:
    """The examples of a split of unitxt's card: its first 10,000 rows, except those that its steps drop.

    Raises:
        CardError: the card names no card of unitxt.
        DataError: the data is missing, unitxt or a package its steps need is not installed, or a step fails.
    """
    from .loading import stream_rows  # brings pyarrow, which prompts alone do not need

    key = (card.fingerprint, split, str(mirror_folder() or ""))
    if key not in _read:
        theirs = unitxt_card_of(card)
        rows = list(islice(stream_rows(card.loader, split, card.name), LOADER_LIMIT))
        _read[key] = tuple(_examples(card, theirs, rows, split))
    return list(_read[key])


def unitxt_fingerprint(card: Card, split: str) -> str:
    """16 hexadecimal digits that change with anything in the split's examples, their order included.

    Raises:
        CardError, DataError: as :func:`read_unitxt_examples`.
    """
    digest = hashlib.sha256()
    for example in read_unitxt_examples(card, split):
        digest.update(repr((example.id, example.inputs, example.references, example.target)).encode())
    return digest.hexdigest()[:16]


def table_of(table: Mapping[str, Any]) -> Table:
    """Convert unitxt's table; short rows are padded with empty cells, no rows become one empty row."""
    header, rows = table["header"], table["rows"] or [[]]
    width = max(len(header), *map(len, rows))
    full = [[*row, *[""] * (width - len(row))] for row in [header, *rows]]
    return Table.flat(full[0], full[1:])


def _examples(card: Card, theirs: UnitxtCard, rows: Sequence[Row], split: str) -> Iterator[UnitxtExample]:
    made = _processed(theirs, rows, split, card.name)
    known: dict[str, tuple[Mapping[str, Any], Table]] = {}
    for instance in made:
        raw = instance[theirs.table]
        # many examples share a table: keep it once
        instance[theirs.table], instance[_TABLE] = known.setdefault(str(raw), (raw, table_of(raw)))
    ours = read_rows(
        _without_filters(card.reading),
        [{**rows[each[_ROW]], _ROW: each[_ROW], _TABLE: each[_TABLE]} for each in made],
        split=split,
        card=card.name,
    )
    for example, instance in zip(ours, made, strict=True):
        yield _unitxt_example(example, instance, theirs)


def _unitxt_example(example: Example, instance: Mapping[str, Any], theirs: UnitxtCard) -> UnitxtExample:
    inputs = {name: instance[name] for name in theirs.inputs}
    lists = not theirs.several_references
    texts = {
        theirs.fields[name]: written(value, lists=lists)
        for name, value in inputs.items()
        if name != theirs.table
    }
    return UnitxtExample(
        **{
            **vars(example),
            "fields": {name: texts.get(name, text) for name, text in example.fields.items()},
            "target": _target(theirs, instance),
        },
        inputs=inputs,
        table_input=theirs.table,
    )


def _target(theirs: UnitxtCard, instance: Mapping[str, Any]) -> str:
    """The answer in unitxt's demonstration."""
    if theirs.several_references:
        references = instance[str(theirs.template["references_field"])]
        return written(references[0], lists=False) if references else ""
    outputs = {name: written(instance[name]) for name in theirs.outputs}
    return str(theirs.template["output_format"]).format(**outputs)


def _without_filters(step: RowReading) -> RowReading:
    """Our card's step without reading the table and without skipping rows."""
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


@preserved_global_state()
def _processed(theirs: UnitxtCard, rows: Sequence[Row], split: str, card: str) -> list[dict[str, Any]]:
    """The rows after unitxt's steps, each with the number of its original row."""
    try:
        from unitxt.artifact import Artifact
        from unitxt.settings_utils import get_settings
        from unitxt.stream import MultiStream
    except ImportError as missing:
        raise DataError(f"{card}: the examples of unitxt's {theirs.name} need unitxt: {missing}") from missing
    reshape = _SHAPES.get(theirs.name, _as_they_are)
    loaded = [{**theirs.defaults, **row, _ROW: at} for at, row in enumerate(reshape(rows))]
    try:
        with get_settings().context(seed=UNITXT_SEED):
            streams = MultiStream.from_iterables({split: loaded})
            for step in theirs.steps:
                if step["__type__"] not in _SKIPPED_STEPS:
                    streams = Artifact.from_dict(dict(step))(streams)
            return [dict(instance) for instance in streams[split]]
    except Exception as error:  # unitxt's operators raise whatever their libraries do
        raise DataError(
            f"{card}: split {split!r}: unitxt's steps of {theirs.name} fail: {_reason(error)}"
        ) from error


def _reason(error: Exception) -> str:
    """Unitxt's error message without the box that it draws around the location."""
    lines = [line.strip() for line in str(error).splitlines()]
    message = " ".join(line for line in lines if line and line[0] not in "┌│└")
    return message[:300] or type(error).__name__
