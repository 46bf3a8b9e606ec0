"""Render an example for a prompt: perturb it, serialize its table, fill in the template."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..catalog.documents import unpacked
from ..catalog.unitxt_examples import UnitxtExample
from ..core.errors import InputError
from ..core.seeds import generator
from ..tables import serializers
from ..tables.documents import Document
from ..tables.perturbations.base import Perturbation, Unchanged, renamer
from .demonstrations import perturb_as_unitxt, seeded_by_unitxt

if TYPE_CHECKING:
    from ..catalog import Example


def perturb_example(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """Perturb an example's table, and all tables of its document; rename words in all its texts alike.

    The answer of an example that knows how to ``recompute`` it is worked out from the perturbed table.

    The generator is seeded by (study seed, data set, example, perturbation), and in a document by the table's
    number too; ``perturb`` and ``renames`` each get a fresh one. An example of unitxt's own card is perturbed
    as unitxt does it, where that is reproducible.
    """
    if isinstance(example, UnitxtExample) and seeded_by_unitxt(perturbation.name):
        return perturb_as_unitxt(example, perturbation.name)
    if isinstance(perturbation, Unchanged):
        return example
    path = (dataset, example.id, perturbation.name)
    if example.document is not None:
        return _perturb_document(example, unpacked(example.document), perturbation, seed, path)
    changed = replace(example, table=perturbation.perturb(example.table, generator(seed, *path)))
    if isinstance(changed, UnitxtExample):
        changed = replace(changed, inputs={**changed.inputs, changed.table_input: changed.table.to_unitxt()})
    if renames_words(perturbation):
        return rename_words(changed, perturbation.renames(example.table, generator(seed, *path)))
    return _recomputed(changed)


def _perturb_document(
    example: Example, document: Document, perturbation: Perturbation, seed: int, path: tuple[str, ...]
) -> Example:
    own = example.evidence or 0  # the example's table is perturbed as it is in the document
    table = perturbation.perturb(example.table, generator(seed, *path, str(own)))
    tables = [
        perturbation.perturb(each, generator(seed, *path, str(number)))
        for number, each in enumerate(document.tables)
    ]
    changed = replace(example, table=table, document=document.with_tables(tables))
    if not renames_words(perturbation):
        return _recomputed(changed)
    renames: dict[str, str] = {}
    # where tables rename a word differently, the one that the question is about decides, then the first
    for number, each in [(own, example.table), *enumerate(document.tables)]:
        for old, new in perturbation.renames(each, generator(seed, *path, str(number))).items():
            renames.setdefault(old, new)
    return rename_words(changed, renames)


def perturb_table(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """:func:`perturb_example`, but leave a document as it is where no other part depends on it."""
    if example.document is None or renames_words(perturbation) or isinstance(perturbation, Unchanged):
        return perturb_example(example, perturbation, seed, dataset)
    alone = replace(example, document=Document(()))
    changed = perturb_example(alone, perturbation, seed, dataset)
    return replace(changed, document=example.document)


def _recomputed(example: Example) -> Example:
    """The example with the answer that its table gives, where it can be worked out."""
    answer = example.recompute(example.table) if example.recompute else None
    return example if answer is None else replace(example, references=(answer,), target=answer)


def is_shared(example: Example, perturbation: Perturbation) -> bool:
    """Whether what is perturbed is the table alone, in a way that does not depend on the example."""
    return not (perturbation.draws or example.recompute or isinstance(example, UnitxtExample))


def changes_answers(example: Example, perturbation: Perturbation) -> bool:
    """Whether references and facts can differ under a perturbation."""
    return example.recompute is not None or renames_words(perturbation)


def renames_words(perturbation: Perturbation) -> bool:
    """Whether a perturbation overrides ``renames``."""
    return type(perturbation).renames is not Perturbation.renames


def rename_words(example: Example, renames: Mapping[str, str]) -> Example:
    """Replace words in an example's inputs, references, target, facts and texts, but not in its tables."""
    rename = renamer(renames)
    document = None if example.document is None else unpacked(example.document).with_words(rename)
    return replace(
        example,
        document=document,
        fields={name: rename(text) for name, text in example.fields.items()},
        references=tuple(map(rename, example.references)),
        target=rename(example.target),
        facts={name: _renamed_fact(text, rename) for name, text in example.facts.items()},
    )


def _renamed_fact(text: str, rename: Callable[[str], str]) -> str:
    """A fact with words renamed; in a JSON list only inside its texts, so that it stays JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return rename(text)
    if not isinstance(value, list):
        return rename(text)
    return json.dumps(_renamed(value, rename), ensure_ascii=False)


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, rename) for each in value]
    return rename(value) if isinstance(value, str) else value


_UNITXT_CLASSES = {
    "torr.html": "SerializeTableAsHTML",
    "torr.json": "SerializeTableAsJson",
    "torr.markdown": "SerializeTableAsMarkdown",
    "torr.indexed_row_major": "SerializeTableAsIndexedRowMajor",
    "torr.df": "SerializeTableAsDFLoader",
    "torr.concat": "SerializeTableAsConcatenation",
}


def table_text(example: Example, serializer: str) -> str:
    """An example's table in a format.

    For tables of unitxt's own cards whose rows differ in length, formats ``torr.*`` call unitxt itself; our
    serializers, which write the same otherwise, cannot hold such tables.

    Raises:
        InputError: the table cannot be written in this format.
    """
    if isinstance(example, UnitxtExample) and serializer.startswith("torr."):
        table = example.inputs[example.table_input]
        if not _is_rectangular(table):
            return _text_of_unitxt(table, serializer)
    text = serializers.get(serializer).serialize(example.table)
    if not isinstance(text, str):
        raise TypeError(f"it gave {type(text).__name__}, expected text")
    return text


def _is_rectangular(table: Mapping[str, Any]) -> bool:
    width = len(table["header"])
    return bool(table["rows"]) and all(len(row) == width for row in table["rows"])


def _text_of_unitxt(table: Mapping[str, Any], serializer: str) -> str:
    if serializer == "torr.csv":
        from unitxt.serializers import TableSerializer

        return str(TableSerializer().serialize(table, {}))
    from unitxt import struct_data_operators

    try:
        return str(getattr(struct_data_operators, _UNITXT_CLASSES[serializer])().serialize_table(dict(table)))
    except (AssertionError, ValueError, IndexError) as error:
        raise InputError(f"{serializer}: unitxt cannot write a table of uneven rows: {error}") from error
