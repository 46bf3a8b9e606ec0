"""Ratings of models from battles, in which a judge says which of two answers is better.

In: a frame with a row a battle, or a file of them. Out: Elo and Bradley-Terry ratings with intervals that
keep the battles about one question together, ranks, tiers and win rates; what the verdicts say of the judges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .battles import RatingOptions as RatingOptions
    from .ratings import BATTLES_FILE as BATTLES_FILE
    from .ratings import Ratings as Ratings
    from .ratings import rate as rate
    from .ratings import rate_file as rate_file

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
