"""Draw demonstrations: with our own draws, or exactly as unitxt does.

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
    example: Example,
    pool: Sequence[Example],
    *,
    card: Card,
    seed: int,
    shots: int,
    draw: Draw = "paired",
    cut: Callable[[Example], Example | None] | None = None,
    fewer: bool = False,
) -> tuple[Example, ...]:
    """The ``shots`` examples of ``pool`` that demonstrate ``example``, in the order they are shown.

    The pool is shuffled and its first ``shots`` eligible members are taken, so a draw of k is the start of
    a draw of n > k and shot counts are comparable. The example itself and examples of the same table
    (``groups["table"]``) or document (``groups["document"]``) are not eligible. With ``paired`` each example
    has its own order, seeded by (seed, data set, example). With ``shared`` all examples of a data set have
    the same order, seeded by (seed, data set); an example for which a member is not eligible skips it and
    takes the next. It also skips one that cannot be ``cut`` as short as it must be, where ``cut`` gives None;
    with ``fewer`` there may be fewer than ``shots`` for that reason, even none.

    Raises:
        RecipeError: the pool has too few eligible examples (card, found, needed).
    """
    if shots == 0:
        return ()
    names = (example.id,) if draw == "paired" else ()
    order = _random_order(generator(seed, card.dataset, *names, "demonstrations"), len(pool))
    eligible = (pool[at] for at in order if _is_eligible(pool[at], example))
    chosen = tuple(islice(eligible if cut is None else filter(None, map(cut, eligible)), shots))
    if len(chosen) < shots and not (fewer and sum(_is_eligible(each, example) for each in pool) >= shots):
        own = "table" if example.document is None else "table or document"
        too_long = "" if cut is None else ", and what cannot be cut to fit"
        raise RecipeError(
            f"{card.name}: split {card.demo_split!r} has {len(chosen)} examples that may demonstrate example "
            f"{example.id!r} (its own {own} is left out{too_long}), {shots} are needed; lower the shots"
        )
    return chosen


def _is_eligible(candidate: Example, example: Example) -> bool:
    if candidate is example or candidate.id == example.id:
        return False
    table, document = example.groups.get("table"), example.groups.get("document")
    if example.document is not None and document is not None and candidate.groups.get("document") == document:
        return False
    return table is None or candidate.groups.get("table") != table


def _random_order(generator: np.random.Generator, size: int) -> Iterator[int]:
    """The numbers below ``size`` in random order, drawn lazily: pools are large and shots few."""
    seen: set[int] = set()
    while len(seen) < size:
        for at in generator.integers(0, size, size=_BLOCK).tolist():
            if at not in seen:
                seen.add(at)
                yield at


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
