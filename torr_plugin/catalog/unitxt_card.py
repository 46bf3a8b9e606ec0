"""Read unitxt's own card of a data set from its installed catalog, without importing unitxt.

In: a card that names unitxt's card. Out: unitxt's template with our field names, so that no file of ours
repeats unitxt's texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import Any

from ..core.errors import CardError, nearest
from .artifacts import unitxt_artifact
from .card import Card, Template

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
    if key not in _templates:
        _templates[key] = _template(card)
    return _templates[key]


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


_templates: dict[tuple[str, str], Template] = {}


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
