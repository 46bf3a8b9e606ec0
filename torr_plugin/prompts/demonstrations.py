"""Which examples are shown before the question: drawn per example, the same in every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ..core.errors import RecipeError
from ..core.seeds import rng

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
    order = _order(rng(seed, card.dataset, *names, "demonstrations"), len(pool))
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
