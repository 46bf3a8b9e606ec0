"""``torr plan``: what a study would ask."""

from __future__ import annotations

from ..command import emit, guarded
from .options import Cards, Json, Limit, RecipeArgument


@guarded
def plan(recipe: RecipeArgument, limit: Limit = None, cards: Cards = None, as_json: Json = False) -> int:
    """Show what would run: configurations, prompts and tokens per data set. Calls no model."""
    from .. import recipes
    from ..console import show_plan

    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    rows = recipes.summary(planned)
    if as_json:
        emit({"datasets": rows, "notes": list(planned.notes)})
    else:
        show_plan(rows, planned.notes)
    return 0
