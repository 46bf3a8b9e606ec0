"""Battles of a run's models: their ratings, and the battles themselves with what judges said of them.

In: ``battles.parquet`` of a run, the verdicts of judges of pairs. Out: views for the page Ratings, and the
files that the page Battles loads.
"""

from .rated import RatedBattles, rate_battles
from .reading import published_battles

__all__ = ["RatedBattles", "published_battles", "rate_battles"]
