"""What a reader of ratings should know, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...core.errors import counted
from .battles import TIE, Battles, has_winner
from .orders import Orders
from .resampling import Rated, fewest_questions


def on_elo(moving: Rated) -> str:
    """How much Elo depends on the order of the battles."""
    return (
        f"Elo depends on the order of the battles (a standard deviation of up to {moving.order_spread:.1f} "
        f"points), so it is averaged over {counted(moving.orders, 'random order')}"
    )


def on_too_few(questions: int, level: float) -> list[str]:
    """Whether so few questions can tell models apart at all, whatever the answers."""
    enough = fewest_questions(level)
    if questions >= enough:
        return []
    return [
        f"{counted(questions, 'question')} cannot tell models apart at {100 * level:g} %, however they were "
        f"answered; {enough} are the fewest that can"
    ]


def on_endless(models: Sequence[str], rated: Rated) -> list[str]:
    """Which models have no finite rating."""
    endless = [models[at] for at in np.flatnonzero(~np.isfinite(rated.values)).tolist()]
    if not endless:
        return []
    named = ", ".join(endless[:5]) + (" ..." if len(endless) > 5 else "")
    return [f"no finite Bradley-Terry rating: {named} won, or lost, every battle against the others"]


def on_ties(battles: Battles) -> list[str]:
    """Whether there is anything but ties."""
    if bool((battles.outcome == TIE).all()):
        return ["all battles are ties: nothing tells the models apart"]
    return []


def on_questions(battles: Battles, *, clustered: bool) -> list[str]:
    """What intervals take for independent."""
    if not clustered:
        return ["every battle is taken for independent of the others, as asked"]
    if not battles.has_questions:
        return ["no column 'question': every battle is taken for independent, so intervals may be too narrow"]
    return []


def on_orders(orders: Orders | None, *, given: bool) -> list[str]:
    """How many battles were judged in both orders, and how often with two verdicts."""
    if orders is None and given:
        return ["no column 'question' beside 'order': verdicts on the same answers count as several battles"]
    if orders is None or not orders.both:
        return []
    share = orders.disagree / orders.both
    once = f"; {counted(orders.once, 'battle')} in one order alone" if orders.once else ""
    return [
        f"{counted(orders.both, 'battle')} judged in both orders, of which {share:.1%} got two verdicts and "
        f"count as ties{once}"
    ]


def on_left_out(frame: pd.DataFrame) -> list[str]:
    """How many rows name no winner and no tie."""
    told = has_winner(frame)
    if told.all():
        return []
    without = frame[~told]
    unclear = int(without["verdict"].notna().sum()) if "verdict" in frame else 0
    reasons = f": {unclear:,} unclear, {len(without) - unclear:,} failed" if "verdict" in frame else ""
    return [f"{len(without):,} of {counted(len(frame), 'verdict')} left out, as they name no winner{reasons}"]
