"""Choose the cells of a study that are asked again, to tell answer noise from differences of formats."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from ..core.seeds import seed
from .request import ScoreCell

if TYPE_CHECKING:
    from ..catalog import Example
    from ..prompts.design import Configuration

FEWEST = 100
"""Cells that are asked again in all, where a study has as many; fewer hardly tell the noise."""


def replicated_cells(
    examples: Mapping[str, Sequence[Example]],
    configurations: Sequence[Configuration],
    share: float,
    study_seed: int,
    count: int = 1,
) -> frozenset[ScoreCell]:
    """Choose a random share of the cells of each data set, at least ``FEWEST`` in all or all of them.

    Cells are ordered by a hash of (seed, data set, configuration, example), so that a smaller share is a part
    of a larger one, and neither models nor other data sets change the choice (other data sets only where the
    share gives fewer than ``FEWEST`` cells in all).

    Args:
        examples: by data set.
        configurations: in which each is asked.
        share: from 0 (none) to 1 (all).
        study_seed: the recipe's.
        count: how many more times each is asked.

    Returns:
        The cells once for each further answer, with its number as ``replicate``, from 1 on.
    """
    total = len(configurations) * sum(map(len, examples.values()))
    if not share or not total:
        return frozenset()
    used = max(share, min(1.0, FEWEST / total))

    def order(cell: ScoreCell) -> int:
        return seed(study_seed, cell.dataset, cell.config.id, cell.example, "replicates")

    chosen: list[ScoreCell] = []
    for name, own in examples.items():
        cells = [ScoreCell(name, example.id, config, 1) for config in configurations for example in own]
        drawn = math.ceil(round(used * len(cells), 9))  # rounded, as 0.1 * 70 is a little more than 7
        chosen += nsmallest(drawn, cells, key=order)
    return frozenset(replace(cell, replicate=number) for cell in chosen for number in range(1, count + 1))


def replicate_seed(study_seed: int, replicate: int) -> int:
    """The seed with which a model is asked again, another one for each replicate.

    So an engine that honours seeds draws another answer. It is below 2**31, which every engine takes.
    """
    return seed(study_seed, "replicates", str(replicate)) % 2**31


def replicate_key(key: str, replicate: int) -> str:
    """The key of a request: that of its prompt for a first answer (0), another one for each replicate."""
    if not replicate:
        return key
    return hashlib.sha256(f"replicate {replicate} {key}".encode()).hexdigest()[:32]
