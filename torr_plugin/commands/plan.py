"""``torr plan``: what a study would ask."""

from __future__ import annotations

from typing import Annotated

import typer

from ..command import emit, guarded, paired
from .asked_models import Asked, asked_models
from .options import Cards, Chat, Json, Limit, ModelArgs, Models, Only, Pool, RecipeArgument


@guarded
def plan(
    ctx: typer.Context,
    recipe: RecipeArgument,
    model: Models = None,
    model_args: ModelArgs = None,
    models: Pool = None,
    only: Only = None,
    chat: Chat = None,
    limit: Limit = None,
    cards: Cards = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Count with this tokenizer (a folder, or a name in the local cache) where a model's own is "
            "not here.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what would run, per data set and per model: prompts, tokens, cost. Calls no model."""
    from .. import recipes
    from ..console_plan import CountingProgress, show_plan
    from ..running.registry import check_name

    loaded = recipes.with_cards(recipes.load(recipe), cards)
    has_args = paired(ctx, "model", "model_args")
    entries = asked_models(loaded, Asked(model or (), model_args or (), has_args, models, only or (), chat))
    for entry in entries:
        check_name(entry.model)
    planned = recipes.plan(loaded, limit=limit)
    with CountingProgress() as progress:
        found = recipes.outline(planned, entries, tokenizer=tokenizer, progress=progress)
    notes = [*planned.notes, *found.notes]
    if as_json:
        emit({"datasets": found.datasets, "models": found.models, "notes": notes})
    else:
        show_plan(found.datasets, found.models, notes)
    return 0
