"""Draw demonstrations, perturb and write tables exactly as unitxt does.

unitxt 1.26.10 perturbs every example of the pool and the asked one, drops duplicates and whatever equals the
asked example from the pool, and draws from the rest with a generator seeded by the ``str`` of the asked
example's input fields, including the perturbed table. Demonstrations therefore differ between perturbations
(``splitters.py``, ``standard.py``, ``random_utils.py`` of unitxt). Its ``insert_empty_rows`` draws from
Python's global state and cannot be reproduced, so our own seed is used there.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalog.loading import UNITXT_SEED
from ..catalog.unitxt_examples import UnitxtExample
from ..core.errors import InputError, RecipeError

if TYPE_CHECKING:
    from ..catalog import Example


RawTable = Mapping[str, Any]


def unitxt_random(seed: object) -> random.Random:
    """The generator that unitxt derives from a dict, seeded by eight hex digits of the MD5 of its ``str``."""
    digest = hashlib.md5(str(seed).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return random.Random(f"{UNITXT_SEED}/{int(digest[:8], 16)}")  # noqa: S311 (reproduces unitxt)


def seeded_by_unitxt(perturbation: str) -> bool:
    """Whether :func:`perturb_as_unitxt` supports a perturbation."""
    return perturbation == "none" or perturbation in _UNITXT_PERTURBATIONS


def perturb_as_unitxt(example: UnitxtExample, perturbation: str) -> UnitxtExample:
    """Apply one of unitxt's perturbations that depend on the table alone."""
    if perturbation == "none":
        return example
    table: RawTable = example.inputs[example.table_input]
    return example.with_table(_UNITXT_PERTURBATIONS[perturbation](table))


def _shuffled_rows(table: RawTable) -> RawTable:
    rows = list(table["rows"])
    unitxt_random({"table": table, "seed": 0}).shuffle(rows)
    return {**table, "rows": rows}


def _shuffled_columns(table: RawTable) -> RawTable:
    order = list(range(len(table["header"])))
    unitxt_random({"table": table, "seed": 0}).shuffle(order)
    return {
        **table,
        "header": [table["header"][at] for at in order],
        "rows": [[_at(row, at) for at in order] for row in table["rows"]],
    }


def _transposed(table: RawTable) -> RawTable:
    rows = table["rows"]
    return {
        "header": [" ", *map(str, range(len(rows)))],
        "rows": [[name, *[_at(row, at) for row in rows]] for at, name in enumerate(table["header"])],
    }


def _at(row: Sequence[Any], at: int) -> Any:
    """A cell, or an empty one beyond the end of a short row, where unitxt itself fails."""
    return row[at] if at < len(row) else ""


_UNITXT_PERTURBATIONS: dict[str, Callable[[RawTable], RawTable]] = {
    "shuffle_rows": _shuffled_rows,
    "shuffle_cols": _shuffled_columns,
    "transpose": _transposed,
}


class UnitxtDraw:
    """Draw demonstrations from one pool as unitxt's ``RandomSampler`` does.

    Perturbed tables are compared only between examples whose other inputs are equal, so most of a pool is
    never perturbed and a draw costs the same for any pool size.

    Args:
        pool: the train split of unitxt's card, in its order.
        shots: the number of demonstrations.
        perturb: applies a perturbation, given by name, to an example.
        card: the card's name, for messages.
    """

    def __init__(
        self,
        pool: Sequence[Example],
        shots: int,
        perturb: Callable[[UnitxtExample, str], Example],
        card: str,
    ) -> None:
        self._card, self._shots, self._perturb = card, shots, perturb
        self._pool = [self._checked(each) for each in pool]
        self._places_by_inputs: dict[Hashable, list[int]] = {}
        for place, example in enumerate(self._pool):
            self._places_by_inputs.setdefault(_other_inputs(example), []).append(place)
        self._unique: dict[str, tuple[list[int], dict[int, int]]] = {}
        self._drawn: dict[tuple[str, str], tuple[UnitxtExample, ...]] = {}

    def draw(self, asked: Example, perturbation: str) -> tuple[UnitxtExample, ...]:
        """The demonstrations of an example under a perturbation, themselves not yet perturbed.

        Raises:
            RecipeError: too few examples are left to draw from (found, needed).
        """
        key = (asked.id, perturbation)
        if key not in self._drawn:
            self._drawn[key] = self._draw(self._checked(asked), perturbation)
        return self._drawn[key]

    def _draw(self, asked: UnitxtExample, perturbation: str) -> tuple[UnitxtExample, ...]:
        inputs = self._inputs(asked, perturbation)
        kept, place_of = self._without_repeats(perturbation)
        equal = sorted(
            place_of[at]
            for at in self._places_by_inputs.get(_other_inputs(asked), ())
            if at in place_of and self._inputs(self._pool[at], perturbation) == inputs
        )
        left = len(kept) - len(equal)
        if left < self._shots:
            raise RecipeError(
                f"{self._card}: {left} examples of unitxt's pool may demonstrate example {asked.id!r}, "
                f"{self._shots} are needed; lower the shots"
            )
        drawn = unitxt_random(inputs).sample(range(left), self._shots)
        return tuple(self._pool[kept[_skipping(at, equal)]] for at in drawn)

    def _inputs(self, example: UnitxtExample, perturbation: str) -> dict[str, Any]:
        return dict(self._checked(self._perturb(example, perturbation)).inputs)

    def _checked(self, example: Example) -> UnitxtExample:
        if not isinstance(example, UnitxtExample):
            raise RecipeError(f"{self._card}: example {example.id!r} is not one of unitxt's card")
        return example

    def _without_repeats(self, perturbation: str) -> tuple[list[int], dict[int, int]]:
        """The indexes of the pool without duplicates, and the position of each in that list."""
        if perturbation not in self._unique:
            groups = self._places_by_inputs.values()
            repeated = {at for places in groups for at in self._repeats(places, perturbation)}
            kept = [at for at in range(len(self._pool)) if at not in repeated]
            self._unique[perturbation] = (kept, {at: index for index, at in enumerate(kept)})
        return self._unique[perturbation]

    def _repeats(self, places: Sequence[int], perturbation: str) -> list[int]:
        if len(places) == 1:
            return []
        seen: set[str] = set()
        repeats = []
        for at in places:
            text = json.dumps(self._inputs(self._pool[at], perturbation), sort_keys=True)
            if text in seen:
                repeats.append(at)
            seen.add(text)
        return repeats


def _other_inputs(example: UnitxtExample) -> Hashable:
    """The inputs other than the table, as a hashable value."""
    return tuple(
        value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        for name, value in example.inputs.items()
        if name != example.table_input
    )


def _skipping(at: int, removed: Sequence[int]) -> int:
    """The index in a full list of item ``at`` of the list without the (sorted) ``removed`` indexes."""
    for place in removed:
        if place > at:
            break
        at += 1
    return at


_UNITXT_CLASSES = {
    "torr.html": "SerializeTableAsHTML",
    "torr.json": "SerializeTableAsJson",
    "torr.markdown": "SerializeTableAsMarkdown",
    "torr.indexed_row_major": "SerializeTableAsIndexedRowMajor",
    "torr.df": "SerializeTableAsDFLoader",
    "torr.concat": "SerializeTableAsConcatenation",
}


def is_rectangular(table: RawTable) -> bool:
    """Whether a table has rows, all as long as its header; others only unitxt itself writes."""
    width = len(table["header"])
    return bool(table["rows"]) and all(len(row) == width for row in table["rows"])


def text_of_unitxt(table: RawTable, serializer: str) -> str:
    """A table as unitxt's own serializer writes it.

    Raises:
        InputError: it cannot write a table whose rows differ in length.
    """
    if serializer == "torr.csv":
        from unitxt.serializers import TableSerializer

        return str(TableSerializer().serialize(table, {}))
    from unitxt import struct_data_operators

    try:
        return str(getattr(struct_data_operators, _UNITXT_CLASSES[serializer])().serialize_table(dict(table)))
    except (AssertionError, ValueError, IndexError) as error:
        raise InputError(f"{serializer}: unitxt cannot write a table of uneven rows: {error}") from error
