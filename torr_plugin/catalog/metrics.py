"""A card rated by other metrics than its own, where a study or a command asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .card import Card


def with_metrics(card: Card, metrics: Sequence[str] | None) -> Card:
    """The card with its answers rated by ``metrics``; the card itself where None.

    Names may have the beginnings ``metrics.`` and ``metrics.torr.``. The main score stays the card's, so one
    of the metrics has to give it. The fingerprint is another, for other scores come out. Whether the metrics
    are there is seen on rating, which is above this stage.
    """
    if metrics is None:
        return card
    named = tuple(name.removeprefix("metrics.").removeprefix("torr.") for name in metrics)
    text = " ".join([card.fingerprint, *named])
    return replace(card, metrics=named, fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16])
