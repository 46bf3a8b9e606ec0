"""An example under a perturbation: its table changed, and its other texts where words are renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..seeds import rng
from ..tables.perturbations.base import Perturbation

if TYPE_CHECKING:
    from ..catalog import Example


def perturb_example(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """The example with its table perturbed; fields, references and target follow where words are renamed.

    The generator is seeded by (study seed, data set, example, perturbation) alone; ``perturb`` and
    ``renames`` each get one in its first state.
    """
    path = (dataset, example.id, perturbation.name)
    changed = replace(example, table=perturbation.perturb(example.table, rng(seed, *path)))
    if not renames_words(perturbation):
        return changed
    return rename_words(changed, perturbation.renames(example.table, rng(seed, *path)))


def renames_words(perturbation: Perturbation) -> bool:
    """Whether a perturbation may rename words: whether it has a ``renames`` of its own."""
    return type(perturbation).renames is not Perturbation.renames


def rename_words(example: Example, renames: Mapping[str, str]) -> Example:
    """The example with words of its fields, references and target replaced; its table is left as it is."""
    rename = renamer(renames)
    return replace(
        example,
        fields={name: rename(text) for name, text in example.fields.items()},
        references=tuple(map(rename, example.references)),
        target=rename(example.target),
    )


def renamer(renames: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces whole words (or phrases) of a text, all at once, the longest first.

    A word is replaced where no letter, digit or underscore adjoins it, so that ``age`` leaves ``page`` alone.
    """
    words = [word for word in sorted(renames, key=len, reverse=True) if word]
    if not words:
        return str
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)")
    return lambda text: pattern.sub(lambda match: renames[match.group()], text)
