"""An example under a perturbation: its table changed, and its other texts where words are renamed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..catalog.unitxt_examples import TwinExample
from ..core.seeds import rng
from ..tables.perturbations.base import Perturbation
from ..tables.perturbations.none import Unchanged
from .unitxt_seeded import perturb_as_unitxt, seeded_by_unitxt

if TYPE_CHECKING:
    from ..catalog import Example


def perturb_example(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """The example with its table perturbed; fields, references and target follow where words are renamed.

    The generator is seeded by (study seed, data set, example, perturbation) alone; ``perturb`` and
    ``renames`` each get one in its first state. An example of unitxt's own card is perturbed as unitxt does
    it, where unitxt's chance can be had again.
    """
    if isinstance(example, TwinExample) and seeded_by_unitxt(perturbation.name):
        return perturb_as_unitxt(example, perturbation.name)
    if isinstance(perturbation, Unchanged):
        return example
    path = (dataset, example.id, perturbation.name)
    changed = replace(example, table=perturbation.perturb(example.table, rng(seed, *path)))
    if isinstance(changed, TwinExample):
        changed = replace(changed, inputs={**changed.inputs, changed.table_input: changed.table.to_unitxt()})
    if not renames_words(perturbation):
        return changed
    return rename_words(changed, perturbation.renames(example.table, rng(seed, *path)))


def renames_words(perturbation: Perturbation) -> bool:
    """Whether a perturbation may rename words: whether it has a ``renames`` of its own."""
    return type(perturbation).renames is not Perturbation.renames


def rename_words(example: Example, renames: Mapping[str, str]) -> Example:
    """The example with words of its texts (inputs, references, target, facts) replaced; its table stays."""
    rename = renamer(renames)
    return replace(
        example,
        fields={name: rename(text) for name, text in example.fields.items()},
        references=tuple(map(rename, example.references)),
        target=rename(example.target),
        facts={name: _renamed_fact(text, rename) for name, text in example.facts.items()},
    )


def _renamed_fact(text: str, rename: Callable[[str], str]) -> str:
    """A fact with its words renamed; of JSON the texts inside it, so that it stays JSON."""
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


def renamer(renames: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces whole words (or phrases) of a text, all at once, the longest first.

    A word is replaced where no letter, digit or underscore adjoins it, so that ``age`` leaves ``page`` alone.
    """
    words = [word for word in sorted(renames, key=len, reverse=True) if word]
    if not words:
        return str
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)")
    return lambda text: pattern.sub(lambda match: renames[match.group()], text)
