"""Which examples of a card are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..core.seeds import seed

if TYPE_CHECKING:
    from ..catalog import Example

ExampleDraw: TypeAlias = Literal["first", "seeded", "unitxt"]


def choose_examples(
    examples: Sequence[Example],
    *,
    count: int | Literal["all"],
    draw: ExampleDraw,
    study_seed: int,
    dataset: str,
    limit: int | None = None,
) -> list[Example]:
    """At most ``count`` examples, and of these at most ``limit``; ``all`` of them where there are fewer.

    ``first`` keeps the file's order, and ``unitxt`` that of unitxt's own card. ``seeded`` orders examples by
    a hash of (seed, data set, example id) and takes the first ones: a uniform draw without replacement, of
    which a smaller count is the beginning, and which does not change with the order of the file.
    """
    most = len(examples) if count == "all" else count
    most = most if limit is None else min(most, limit)
    if draw != "seeded":
        return list(examples[:most])
    return sorted(examples, key=lambda example: seed(study_seed, dataset, example.id, "examples"))[:most]
