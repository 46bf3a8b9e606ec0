"""Audits of boards whose truth is known: false separations, ranks, aggregates, the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from torr_plugin.audit.comparing import audit_board
from torr_plugin.audit.gating import gate
from torr_plugin.audit.result import AuditedPlace

from .boards import Made, board_of, made_board

SIZES = (5, 10, 20, 50, 100, 200, 500)
WEIGHTS = (0.25, 0.2, 0.2, 0.15, 0.1, 0.07, 0.03)


@dataclass
class Tally:
    """Counts of boards, of those with a false claim, and of those whose ranks all hold."""

    boards: int = 0
    false: int = 0
    ranks: int = 0
    aggregates_false: int = 0
    aggregates_ranks: int = 0

    def add(self, made: Made) -> None:
        self.boards += 1
        for board, name in ((made.board, ""), (made.aggregates, "aggregates_")):
            place = audit_board(board).overall
            assert place is not None
            setattr(
                self, f"{name}false", getattr(self, f"{name}false") + falsely_separated(place, made.truth)
            )
            setattr(self, f"{name}ranks", getattr(self, f"{name}ranks") + ranks_hold(place, made.truth))


def falsely_separated(place: AuditedPlace, truth: np.ndarray) -> bool:
    """Whether any pair is separated that ties, or the wrong way round."""
    compared = place.arrays.compared
    true = truth[compared.first] - truth[compared.second]
    claimed = np.sign(compared.verdicts.difference)[compared.verdicts.differs]
    return bool((claimed != np.sign(true)[compared.verdicts.differs]).any())


def ranks_hold(place: AuditedPlace, truth: np.ndarray) -> bool:
    """Whether all models have a true rank within theirs; one that ties may have any of its tie's."""
    for model in place.models:
        own = truth[int(model.model[1:])]
        best, worst = 1 + (truth > own).sum(), (truth >= own).sum()
        if (model.first_rank or 0) > best or (model.last_rank or 0) < worst:
            return False
    return True


def drawn(rng: np.random.Generator, most: int = 500) -> Made:
    models = int(rng.choice(SIZES, p=WEIGHTS))
    return made_board(
        rng,
        min(models, most),
        int(rng.choice([60, 150, 300])),
        levels=int(rng.choice([1, 1, 2, 5])),
        replicates=int(rng.choice([1, 1, 3])),
        holes=float(rng.choice([0.0, 0.0, 0.1])),
        per_cluster=int(rng.choice([1, 1, 3])),
        tasks=int(rng.choice([1, 1, 3])),
    )


def simulated(boards: int, most: int) -> Tally:
    rng, tally = np.random.default_rng(23), Tally()
    for _ in range(boards):
        tally.add(drawn(rng, most))
    return tally


def check(tally: Tally, allowed: float) -> None:
    assert tally.false / tally.boards <= allowed, tally
    assert tally.ranks / tally.boards >= 1 - allowed, tally
    assert tally.aggregates_false / tally.boards <= allowed, tally
    assert tally.aggregates_ranks / tally.boards >= 1 - allowed, tally


def test_some_boards_with_known_truth() -> None:
    check(simulated(30, most=20), 0.15)


@pytest.mark.release
def test_a_thousand_boards_with_known_truth() -> None:
    """No more false claims than 5 +- 2 % of boards; ranks hold jointly on 95 - 2 % or more."""
    tally = simulated(1000, most=500)
    check(tally, 0.07)


def gate_errors(boards: int, share: float, sizes: Sequence[int]) -> tuple[float, float]:
    """How often a gate passes a model that is worse by the margin exactly; and one that is better."""
    rng = np.random.default_rng(29)
    passed = [0, 0]
    for _ in range(boards):
        items, cells = int(rng.choice(sizes)), int(rng.choice([1, 3, 8]))
        accuracy = float(rng.choice([0.3, 0.6, 0.9]))
        worse = int(rng.integers(cells))
        for at, shift in enumerate((-share, share)):
            tasks = {}
            for cell in range(cells):
                hard = rng.random(items)
                agree = rng.random(items) < 0.7  # both answer as the item has it
                base = np.where(agree, hard, rng.random(items)) < accuracy
                true = accuracy + (shift if cell == worse or at else 0.0)
                new = np.where(agree, hard, rng.random(items)) < true
                tasks[f"t{cell}"] = np.stack([base, new]).astype(float)
            passed[at] += gate(board_of(tasks, ["base", "new"]), "base", margin=share).passed
    return passed[0] / boards, passed[1] / boards


def test_a_gate_seldom_passes_what_is_worse() -> None:
    wrong, right = gate_errors(40, 0.1, [100, 300])
    assert wrong <= 0.15
    assert right > wrong


@pytest.mark.release
def test_a_gate_errs_on_five_percent_at_most() -> None:
    wrong, right = gate_errors(1000, 0.03, [200, 500, 2000])
    assert wrong <= 0.065, wrong
    assert right > 0.3
