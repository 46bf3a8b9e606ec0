"""Examples: how a card's ``read_example`` step makes them from rows; read once a process; fingerprints."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..core.errors import DataError, InputError
from ..tables import Cell, Table, readers
from ..tables.documents import Document, to_html
from ..tables.measures import MeasuredProperties
from ..tables.readers.flat import parsed
from .documents import DocumentReader, ReadDocument
from .loading import ASK_AGAIN, Row, collecting_rarely, mirror_folder, stream_rows, value_at
from .schema import Card

if TYPE_CHECKING:
    from .schema import FactOf, RowReading, TableOf, TextOf


@dataclass(frozen=True, slots=True)
class DocumentCut:
    """How much of its document an example shows.

    Characters are those of texts and cells, before any format.

    Attributes:
        blocks: how many are left, the last one possibly in part.
        of_blocks: how many the document has.
        characters: how many are left.
        of_characters: how many the document has.
        lost_table: whether the table that the question is about is gone; None where the data name none.
    """

    blocks: int
    of_blocks: int
    characters: int
    of_characters: int
    lost_table: bool | None


@dataclass(frozen=True, slots=True)
class RowSample:
    """How many rows of its table an example shows, drawn at random.

    Attributes:
        rows: how many rows below the header are shown.
        of_rows: how many the table has.
        lost_answer: whether the answer cannot be read from what is shown: it stood in the rows that are left
            out, or, where the table itself gives the answer, it gives none any more. None where that is not
            known.
    """

    rows: int
    of_rows: int
    lost_answer: bool | None


Cut: TypeAlias = "DocumentCut | RowSample"


Property: TypeAlias = bool | int | str


@dataclass(frozen=True)
class Example:
    """One example of a data set.

    Attributes:
        id: unique within the data set, the same on every machine.
        table: the original table.
        fields: the task's other inputs by name, as text (``question``, ``statement``, ``caption``).
        references: the right answers; any one of them is right unless the metric says otherwise.
        target: the answer that a demonstration shows.
        groups: values to group examples by (``source``, ``table``); examples with the same ``table`` never
            demonstrate each other.
        facts: what a metric needs beside the references, by name, as text (the original ``table`` as JSON);
            never shown to a model.
        properties: what the data set says about the ``table`` and the ``question``, and what is measured of
            the table: property -> a boolean, a number or a text; unknown ones are absent.
        carried: the prompt that the data set itself provides, unparsed; None without one.
        document: the text with tables that the question is asked about, in which ``table`` stands; None where
            the table alone is the context.
        evidence: the number of ``table`` among the tables of the whole document, where the data name it.
        cut: how much of the document, or how many rows of the table, are left, where a study leaves out some
            so that its prompts fit.
        demonstrations: how many fit into its prompts, where a study shows those that fit; None for all.
        recompute: works out the answer from the table as shown, for questions whose answer a perturbation can
            change; gives None where it cannot. None: the references stay.
        ask_again: makes the question of part of the table, for those that are made from the table: gives the
            attributes that change, or None where it cannot. None: the question stays.
    """

    id: str
    table: Table
    fields: Mapping[str, str]
    references: tuple[str, ...]
    target: str
    groups: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, Mapping[str, Property]] = field(default_factory=dict)
    carried: str | None = None
    recompute: Callable[[Table], str | None] | None = None
    ask_again: Callable[[Table], Mapping[str, Any] | None] | None = None
    document: Document | None = None
    evidence: int | None = None
    cut: Cut | None = None
    demonstrations: int | None = None


def read_rows(step: RowReading, rows: Iterable[Row], *, split: str, card: str) -> Iterator[Example]:
    """The examples of a split's rows, in their order.

    Rows that the step filters out are skipped; every other row becomes an example or an error.

    Args:
        step: a card's preprocessing step.
        rows: all rows of the split (row numbers may serve as ids).
        split: the split's name.
        card: the card's name, for messages.

    Raises:
        DataError: a missing value, a malformed table or a repeated id (card, split, example, reason).
    """
    tables = _Tables(step)
    seen: set[str] = set()
    for number, row in enumerate(rows):
        name = _id(step, row, number, split, card)
        try:
            example = _example(step, row, name, tables)
        except InputError as wrong:
            raise DataError(f"{card}: split {split!r}, example {name!r}: {wrong}") from wrong
        if example is None:
            continue
        if name in seen:
            raise DataError(f"{card}: split {split!r}: two examples have the id {name!r}; expected each once")
        seen.add(name)
        yield example


def _id(step: RowReading, row: Row, number: int, split: str, card: str) -> str:
    own = number
    if step.id.column is not None:
        try:
            own = _value(row, step.id.column)
        except InputError as wrong:
            raise DataError(f"{card}: split {split!r}, row {number}: {wrong}") from wrong
    name = f"{split}-{own}" if step.id.with_split else str(own)
    return name if step.id.version is None else f"{name}-{row[step.id.version]}"


def _example(step: RowReading, row: Row, name: str, tables: _Tables) -> Example | None:
    if any(_value(row, column) == value for column, value in step.unless.items()):
        return None
    if any(_length(row, column) <= length for column, length in step.longer_than.items()):
        return None
    groups = {group: _text(row, text) for group, text in step.groups.items()}
    if any(groups[group] != value for group, value in step.only.items()):
        return None
    read = tables.document(row)
    table = read.table if read and step.table is None else tables.read(row, groups.get("table", ""))
    if step.max_cells is not None and (table.n_rows - table.header_rows) * table.n_columns > step.max_cells:
        return None
    make = row.get(ASK_AGAIN)
    return Example(
        id=name,
        table=table,
        **_said(step, row),
        groups={group: value for group, value in groups.items() if value},
        properties=_properties(step, row, table, tables),
        carried=None if step.carried_prompt is None else _text(row, step.carried_prompt),
        recompute=None if step.recompute is None else _value(row, step.recompute),
        document=read.document if read else None,
        evidence=read.evidence if read else None,
        ask_again=partial(_asked_again, step, row, make) if callable(make) else None,
    )


def _said(step: RowReading, row: Row) -> dict[str, Any]:
    """What an example asks and says, by attribute."""
    references = tuple(text for each in step.references for text in _texts(row, each))
    if not references:
        raise DataError(f"no reference in column {step.references[0].column!r}; expected at least one")
    return {
        "fields": {field: _text(row, text) for field, text in step.inputs.items()},
        "references": references,
        "target": references[0] if step.target is None else _text(row, step.target),
        "facts": {name: _fact(row, fact) for name, fact in step.facts.items()},
    }


def _asked_again(
    step: RowReading,
    row: Row,
    make: Callable[[Table], tuple[Mapping[str, str], Table] | None],
    table: Table,
) -> Mapping[str, Any] | None:
    """What an example about part of its table asks and says instead; None where no question is clear."""
    found = make(table)
    return None if found is None else {"table": found[1], **_said(step, {**row, **found[0]})}


def _properties(
    step: RowReading, row: Row, table: Table, tables: _Tables
) -> Mapping[str, Mapping[str, Property]]:
    found: dict[str, Mapping[str, Property]] = {
        of: properties_of(row, column) for of, column in step.properties.items()
    }
    if step.measured:
        stated = dict(found.get("table", {}))
        found["table"] = ChainMap(cast("dict[str, Property]", tables.measured(table, step.measured)), stated)
    return found


class _Tables:
    """Reads tables and documents; rows with the same table (by the group ``table``) share one value."""

    def __init__(self, step: RowReading) -> None:
        # never read without; a document's table stands in for it
        self._how = cast("TableOf", step.table)
        self._documents = None if step.document is None else DocumentReader(step.document)
        self._by_group: dict[str, list[tuple[dict[str, Any], Table]]] = {}
        self._measured: dict[int, tuple[Table, Mapping[str, str]]] = {}

    def read(self, row: Row, group: str) -> Table:
        raw = {name: _value(row, column) for name, column in self._how.columns.items()}
        known = self._by_group.setdefault(group, []) if group else []
        for other, table in known:
            if other == raw:
                return table
        table = self._made(raw)
        known.append((raw, table))
        return table

    def document(self, row: Row) -> ReadDocument | None:
        """The document of a row, with the table that its question is about; None where rows have none."""
        return None if self._documents is None else self._documents.read(row)

    def measured(self, table: Table, names: Sequence[str]) -> Mapping[str, str]:
        """Its measured properties, one value a table, so that each is computed once."""
        # the table is kept with them, as the id of one that is gone may be another's
        new = table, MeasuredProperties(table, names)
        return self._measured.setdefault(id(table), new)[1]

    def _made(self, raw: Mapping[str, Any]) -> Table:
        name = self._how.reader
        if name is None:
            table: Table = raw["table"]  # a generator's
            return table
        try:
            with readers.registry.blamed(name):
                made: object = readers.get(name)(**raw, **self._how.values)
                if not isinstance(made, Table):
                    raise TypeError(f"it gave {type(made).__name__}, expected a Table")  # noqa: TRY301
                return made
        except TypeError as error:
            raise DataError(f"reader {name!r} cannot read this: {error}") from error


def _text(row: Row, how: TextOf) -> str:
    texts = _texts(row, how)
    if len(texts) != 1:
        raise DataError(
            f"column {how.column!r} has {len(texts)} values, expected one (or say how to 'join' them)"
        )
    return texts[0]


def _fact(row: Row, how: FactOf) -> str:
    if how.default is not None and (not how.column or value_at(row, how.column) in (None, "")):
        return how.default
    value = _value(row, how.column)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return json.dumps(value, ensure_ascii=False) if how.as_json else _text(row, how)


def _texts(row: Row, how: TextOf) -> Sequence[str]:
    value = _value(row, how.column)
    if how.literal:
        value = _listed(value, how.column)
    if isinstance(value, list):
        if None in value:
            raise DataError(f"column {how.column!r} has an empty value among its {len(value)}")
        parts = [_changed(each, how) for each in value]
        return parts if how.join is None or not parts else [how.join.join(parts)]
    return [_changed(value, how)]


def _listed(text: object, column: str) -> list[object]:
    """The elements of a list that a text is as Python writes it; whole numbers without decimals."""
    what = f"column {column!r}"
    value = parsed(text, ast.literal_eval, what, expected=("a Python literal", "a list as Python writes it"))
    if not isinstance(value, list):
        raise DataError(f"{what}: found {str(value)[:40]!r}, expected a list as Python writes it")
    return [int(each) if isinstance(each, float) and each.is_integer() else each for each in value]


def _changed(value: Any, how: TextOf) -> str:
    text = str(value)
    if how.map is not None:
        if text not in how.map:
            raise DataError(f"column {how.column!r} has {value!r}, expected one of {', '.join(how.map)}")
        text = how.map[text]
    if how.is_whole:
        return text
    if how.before is not None:
        text = text.split(how.before, 1)[0]
    for old, new in how.replace.items():
        text = text.replace(old, new)
    if how.split is not None:
        text = (how.join or "").join(part.strip() for part in text.split(how.split))
    return text


def _length(row: Row, column: str) -> int:
    value = _value(row, column)
    if not isinstance(value, list):
        raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a list")
    return len(value)


def _value(row: Row, column: str) -> Any:
    value = row.get(column)
    if value is None:
        value = value_at(row, column)
    if value is None:
        raise DataError(f"column {column!r} is empty, expected a value")
    return value


_NUMBER = re.compile(r"-?\d{1,15}")


def properties_of(row: Row, column: str) -> Mapping[str, Property]:
    """The properties in a column: a JSON object as text, or a struct.

    Numbers in text become numbers. Properties that are null or empty text are unknown and left out; a null or
    empty column has none.

    Args:
        row: a data set's row.
        column: its name, or a dotted path into structs.

    Raises:
        DataError: no such column, not a JSON object, or a value that is not a boolean, number or text.
    """
    value = row[column] if column in row else value_at(row, column)
    if value is None or value == "":
        return {}
    stated = value
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            stated = json.loads(value)
    if not isinstance(stated, Mapping):
        raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a JSON object")
    plain = {str(name): _plain(each, str(name), column) for name, each in stated.items()}
    return {name: each for name, each in plain.items() if each is not None}


def _plain(value: Any, name: str, column: str) -> Property | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        return int(text) if _NUMBER.fullmatch(text) else text or None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise DataError(
        f"column {column!r}: property {name!r} is {str(value)[:40]!r}, "
        "expected true, false, a whole number or text"
    )


def instance_of(example: Example) -> dict[str, Any]:
    """An example as the fields of unitxt's tasks ``tasks.torr.*``; a document as canonical HTML."""
    document = {} if example.document is None else {"document": to_html(example.document)}
    return {
        "example": example.id,
        "table": example.table.to_unitxt(),
        **document,
        **example.fields,
        "target": example.target,
        "reference": example.references[0],
        "references": list(example.references),
        "groups": dict(example.groups),
        "facts": dict(example.facts),
    }


_read: dict[tuple[str, str, str, str], tuple[Example, ...]] = {}


def read_examples(card: Card, split: str) -> list[Example]:
    """All examples of a split, in the data's order; read once per process and mirror, then cached.

    Raises:
        DataError: the data is missing or does not fit the card; the message names card, split and what is
            wrong.
    """
    return list(_examples(card, split))


def _examples(card: Card, split: str) -> tuple[Example, ...]:
    key = (card.name, card.fingerprint, split, str(mirror_folder() or ""))
    if key not in _read:
        with collecting_rarely():
            rows = stream_rows(card.loader, split, card.name)
            _read[key] = tuple(read_rows(card.reading, rows, split=split, card=card.name))
    return _read[key]


def data_fingerprint(card: Card, split: str) -> str:
    """16 hexadecimal digits that change with anything in the split's examples, their order included.

    Raises:
        DataError: as :func:`read_examples`.
    """
    digest = hashlib.sha256()
    tables: dict[int, str] = {}
    for example in _examples(card, split):
        number = id(example.table)
        if number not in tables:
            tables[number] = _table_fingerprint(example.table)
        parts = [example.id, tables[number], dict(example.fields), example.references, example.target]
        if example.facts:
            parts.append(dict(example.facts))
        if example.document is not None:
            number = id(example.document)
            if number not in tables:
                tables[number] = _document_fingerprint(example.document)
            parts.append({"document": tables[number], "evidence": example.evidence})
        digest.update(json.dumps(parts, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def _table_fingerprint(table: Table) -> str:
    digest = hashlib.sha256()
    for part in _parts(table):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()


def _document_fingerprint(document: Document) -> str:
    digest = hashlib.sha256(document.title.encode("utf-8", "surrogatepass"))
    for block in document.blocks:
        parts = (
            _table_fingerprint(block)
            if isinstance(block, Table)
            else f"{block.kind} {block.level} {block.text}"
        )
        digest.update(parts.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()


def _parts(table: Table) -> Iterator[str]:
    yield f"{table.header_rows} {table.header_columns}"
    yield from (table.title, *table.notes)
    for row in table.rows:
        yield "\x1e"
        yield from map(_cell_part, row)


def _cell_part(cell: Cell) -> str:
    span = "" if cell.rowspan == cell.colspan == 1 else f"\x1d{cell.rowspan} {cell.colspan}"
    style = f"\x1d{cell.style.bold} {cell.style.fill}" if cell.style else ""
    return f"{cell.text}{span}{style}"
