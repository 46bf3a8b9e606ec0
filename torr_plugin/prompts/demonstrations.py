"""Which examples are shown before the question: our draws, and unitxt's, number for number.

unitxt 1.26.10 perturbs every example of the pool and the one that is asked, drops from the pool duplicates
and what equals the asked one, and draws from the rest by a generator that is seeded by the asked example's
input fields as Python writes them, the perturbed table among them. So another perturbation shows other
demonstrations (``splitters.py``, ``standard.py``, ``random_utils.py`` of unitxt). Its ``insert_empty_rows``
draws from Python's global state and cannot be reproduced: there our own seed is taken.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from ..catalog.rows import UNITXT_SEED
from ..catalog.unitxt_examples import UnitxtExample
from ..core.errors import RecipeError
from ..core.seeds import generator

if TYPE_CHECKING:
    import numpy as np

    from ..catalog import Card, Example

Draw: TypeAlias = Literal["paired", "shared", "unitxt"]
DRAWS: tuple[Draw, ...] = get_args(Draw)

_BLOCK = 16


def draw_demonstrations(
    example: Example, pool: Sequence[Example], *, card: Card, seed: int, shots: int, draw: Draw = "paired"
) -> tuple[Example, ...]:
    """The ``shots`` examples of ``pool`` that demonstrate ``example``, in the order they are shown.

    The pool is put in a random order and its first ``shots`` members that may be shown are taken; so the draw
    of k is the beginning of the draw of n > k, and shot counts compare. Never shown: the example itself, and
    examples of its table (``groups["table"]``). With ``paired`` each example has an order of its own, from
    (seed, data set, example). With ``shared`` all examples of a data set have the same order, from (seed,
    data set); where one of its first members may not be shown to an example, only that example skips it and
    takes the next.

    Raises:
        RecipeError: too few examples may be shown (card, found and needed are said).
    """
    if shots == 0:
        return ()
    names = (example.id,) if draw == "paired" else ()
    order = _order(generator(seed, card.dataset, *names, "demonstrations"), len(pool))
    chosen = tuple(islice((pool[at] for at in order if not _forbidden(pool[at], example)), shots))
    if len(chosen) < shots:
        raise RecipeError(
            f"{card.name}: split {card.demo_split!r} has {len(chosen)} examples that may demonstrate example "
            f"{example.id!r} (its own table is left out), {shots} are needed; lower the shots"
        )
    return chosen


def _forbidden(candidate: Example, example: Example) -> bool:
    if candidate is example or candidate.id == example.id:
        return True
    table = example.groups.get("table")
    return table is not None and candidate.groups.get("table") == table


def _order(generator: np.random.Generator, size: int) -> Iterator[int]:
    """The numbers below ``size`` in random order, drawn as they are asked for (a large pool, a few shots)."""
    seen: set[int] = set()
    while len(seen) < size:
        for at in generator.integers(0, size, size=_BLOCK).tolist():
            if at not in seen:
                seen.add(at)
                yield at


RawTable = Mapping[str, Any]


def unitxt_random(seed: object) -> random.Random:
    """The generator that unitxt makes of a dict: seeded by eight hex digits of the MD5 of its text."""
    digest = hashlib.md5(str(seed).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return random.Random(f"{UNITXT_SEED}/{int(digest[:8], 16)}")  # noqa: S311 (unitxt's chance)


def seeded_by_unitxt(perturbation: str) -> bool:
    """Whether :func:`perturb_as_unitxt` knows a perturbation."""
    return perturbation == "none" or perturbation in _CHANGES


def perturb_as_unitxt(example: UnitxtExample, perturbation: str) -> UnitxtExample:
    """The example under one of unitxt's perturbations that depend on the table alone."""
    if perturbation == "none":
        return example
    table: RawTable = example.inputs[example.table_input]
    return example.with_table(_CHANGES[perturbation](table))


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
    """A cell; an empty one beyond the end of a short row, where unitxt itself fails."""
    return row[at] if at < len(row) else ""


_CHANGES: dict[str, Callable[[RawTable], RawTable]] = {
    "shuffle_rows": _shuffled_rows,
    "shuffle_cols": _shuffled_columns,
    "transpose": _transposed,
}


class UnitxtDraw:
    """Draws demonstrations from one pool as unitxt's ``RandomSampler`` does.

    Whether two examples are equal under a perturbation is asked only of those whose other inputs are equal:
    so a draw costs the same whatever the pool's size, and most of a pool is never perturbed.

    Args:
        pool: the train split of unitxt's card, in its order.
        shots: how many are drawn.
        perturb: gives an example under a perturbation by name.
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
        self._pool = [self._twin(each) for each in pool]
        self._alike: dict[Hashable, list[int]] = {}
        for place, example in enumerate(self._pool):
            self._alike.setdefault(_apart(example), []).append(place)
        self._kept: dict[str, tuple[list[int], dict[int, int]]] = {}
        self._drawn: dict[tuple[str, str], tuple[UnitxtExample, ...]] = {}

    def draw(self, asked: Example, perturbation: str) -> tuple[UnitxtExample, ...]:
        """The demonstrations of an example under a perturbation; all of them as they are without it.

        Raises:
            RecipeError: too few examples are left to draw from (found and needed are said).
        """
        key = (asked.id, perturbation)
        if key not in self._drawn:
            self._drawn[key] = self._draw(self._twin(asked), perturbation)
        return self._drawn[key]

    def _draw(self, asked: UnitxtExample, perturbation: str) -> tuple[UnitxtExample, ...]:
        inputs = self._inputs(asked, perturbation)
        kept, place_of = self._of(perturbation)
        equal = sorted(
            place_of[at]
            for at in self._alike.get(_apart(asked), ())
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
        return dict(self._twin(self._perturb(example, perturbation)).inputs)

    def _twin(self, example: Example) -> UnitxtExample:
        if not isinstance(example, UnitxtExample):
            raise RecipeError(f"{self._card}: example {example.id!r} is not one of unitxt's card")
        return example

    def _of(self, perturbation: str) -> tuple[list[int], dict[int, int]]:
        """The pool's places without repeats, and where each of them is in that list."""
        if perturbation not in self._kept:
            repeated = {at for places in self._alike.values() for at in self._repeats(places, perturbation)}
            kept = [at for at in range(len(self._pool)) if at not in repeated]
            self._kept[perturbation] = (kept, {at: index for index, at in enumerate(kept)})
        return self._kept[perturbation]

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


def _apart(example: UnitxtExample) -> Hashable:
    """The inputs beside the table, as something that is equal where they are."""
    return tuple(
        value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        for name, value in example.inputs.items()
        if name != example.table_input
    )


def _skipping(at: int, removed: Sequence[int]) -> int:
    """The place in the whole of place ``at`` in what is left when sorted places are removed."""
    for place in removed:
        if place > at:
            break
        at += 1
    return at
