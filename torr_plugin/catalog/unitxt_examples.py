"""Unitxt's own card of a data set: its template with our field names, and its examples.

In: a card that names unitxt's card. The card is read from unitxt's installed catalog without importing
unitxt, so that no file of ours repeats its texts; its examples are made by unitxt's own steps from the rows
that our card loads. Global state of the process is preserved.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from string import Formatter
from typing import Any

from ..core.errors import CardError, DataError, nearest
from ..tables import Table
from .examples import Example, read_rows
from .folders import unitxt_artifact
from .loading import UNITXT_SEED, Row, collecting_rarely, mirror_folder, stream_rows
from .schema import Card, ExampleId, RowReading, TableOf, Template

TABLE = "table"
"""The name of the table in our templates."""


@dataclass(frozen=True)
class UnitxtCard:
    """Unitxt's card of the same data.

    Attributes:
        name: its name in unitxt's catalog, e.g. ``cards.scigen``.
        steps: its preprocessing steps, as in the file.
        inputs: the names of its task's input fields, in order (unitxt seeds its draws by them).
        outputs: the names of its task's reference fields.
        defaults: values of fields that rows may lack.
        template: its first template, as in the file.
        fields: unitxt's field -> ours, for every input field that is not the same in all examples.
        table: the input field that holds the table.
    """

    name: str
    steps: tuple[Mapping[str, Any], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: Mapping[str, Any]
    template: Mapping[str, Any]
    fields: Mapping[str, str]
    table: str

    @property
    def several_references(self) -> bool:
        """Whether its template has several references; demonstrations show the first."""
        return str(self.template["__type__"]) == "multi_reference_template"


def unitxt_card_of(card: Card) -> UnitxtCard:
    """Unitxt's card of the same data.

    Raises:
        CardError: the card names none, or unitxt's catalog does not have what it names.
    """
    if card.unitxt is None:
        raise CardError(
            f"{card.name}: the card names no card of unitxt's ('unitxt': {{'card': ...}}), so neither its "
            "examples nor its demonstrations can be read; take another draw"
        )
    return _read_unitxt_card(card.unitxt.card, tuple(card.unitxt.fields.items()), card.name)


def unitxt_template(card: Card) -> Template:
    """Unitxt's template with our card's field names: ``{input_b}`` becomes ``{caption}``, say.

    Fields that unitxt's card sets to the same value in all examples (``type_of_input_a``) are filled in.

    Raises:
        CardError: as :func:`unitxt_card_of`, or unitxt's template uses an unknown field.
    """
    key = (card.name, card.fingerprint)
    if key not in _templates:  # asked for every prompt
        _templates[key] = _template(card)
    return _templates[key]


_templates: dict[tuple[str, str], Template] = {}


def _template(card: Card) -> Template:
    theirs = unitxt_card_of(card)
    same = _constants(theirs)
    texts = {
        key: _with_our_names(str(theirs.template.get(key, "")), theirs, same, card.name)
        for key in ("instruction", "input_format", "target_prefix")
    }
    return Template(
        **texts, output_format=card.template.output_format, postprocessors=card.template.postprocessors
    )


def written(value: Any, *, lists: bool = True) -> str:
    """A field as unitxt's templates write it: lists with commas (in most templates), others by ``str``."""
    if lists and isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


@lru_cache(maxsize=64)
def _read_unitxt_card(name: str, fields: tuple[tuple[str, str], ...], card: str) -> UnitxtCard:
    file = _artifact(name, card)
    task = file["task"] if isinstance(file["task"], dict) else _artifact(file["task"], card)
    template = file["templates"][0]
    inputs = tuple(task.get("input_fields") or task["inputs"])
    named = dict(fields)
    table = next((theirs for theirs, ours in fields if ours == TABLE), TABLE)
    for theirs in [table, *named]:
        if theirs not in inputs:
            raise CardError(
                f"{card}: unitxt.fields: {name} has no input {theirs!r}; {nearest(theirs, inputs)}"
            )
    return UnitxtCard(
        name=name,
        steps=tuple(file["preprocess_steps"]),
        inputs=inputs,
        outputs=tuple(task.get("reference_fields") or task["outputs"]),
        defaults=task.get("defaults") or {},
        template=template if isinstance(template, dict) else _artifact(template, card),
        fields={**{each: each for each in inputs}, **named},
        table=table,
    )


def _artifact(name: str, card: str) -> dict[str, Any]:
    """An artifact of unitxt's catalog by name, without its ``[...]`` part; follows links."""
    bare = name.partition("[")[0]
    loaded = unitxt_artifact(bare)
    if loaded is None:
        raise CardError(f"{card}: unitxt's catalog has no {bare!r}; expected unitxt 1.26.10 or later")
    return _artifact(loaded["to"], card) if loaded["__type__"] == "artifact_link" else loaded


def _constants(theirs: UnitxtCard) -> dict[str, str]:
    """The inputs that unitxt's steps set to the same value in all examples, as its template writes them."""
    found = {
        name: value
        for step in theirs.steps
        if step["__type__"] == "set"
        for name, value in step["fields"].items()
        if name in theirs.inputs
    }
    titles = theirs.template.get("title_fields", ())
    texts = {name: written(value, lists=not theirs.several_references) for name, value in found.items()}
    return {name: text.title() if name in titles else text for name, text in texts.items()}


def _with_our_names(text: str, theirs: UnitxtCard, same: Mapping[str, str], card: str) -> str:
    """A format of unitxt's card with our field names."""
    ours = {
        **{name: f"{{{field}}}" for name, field in theirs.fields.items()},
        theirs.table: f"{{{TABLE}}}",
        **{name: _escaped(value) for name, value in same.items()},
    }
    parts = []
    for literal, name, _, _ in Formatter().parse(text):
        if name is not None and name not in ours:
            raise CardError(
                f"{card}: the template of unitxt's {theirs.name} uses {name!r}; expected an input of its task"
            )
        parts += [_escaped(literal), "" if name is None else ours[name]]
    return "".join(parts)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


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
            "targetValue": "|".join(map(_tsv_escaped, row["answers"])),
            "context": row["table"].get("name") or "",
            "table_content": _tsv(row["table"]),
        }
        for row in rows
    ]


def _tsv(table: Mapping[str, Any]) -> str:
    r"""The table as in the data set's repository: tab-separated, with escapes ``\n``, ``\p`` and ``\\``."""
    lines = ["\t".join(map(_tsv_escaped, line)) for line in [table["header"], *table["rows"]]]
    return "\n".join(lines) + "\n"


def _tsv_escaped(text: str) -> str:
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
    key = (card.fingerprint, split, str(mirror_folder() or ""))
    if key not in _read:
        theirs = unitxt_card_of(card)
        with collecting_rarely():
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
