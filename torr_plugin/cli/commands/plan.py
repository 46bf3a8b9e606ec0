"""``torr plan`` and ``torr prompts``: what a study would ask, without asking it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import (
    Cards,
    Chat,
    Json,
    Limit,
    ModelArgs,
    Models,
    Only,
    Pool,
    RecipeArgument,
    RunOut,
    models_of_line,
)


@guarded
def plan(
    ctx: typer.Context,
    recipe: RecipeArgument,
    model: Models = None,
    model_args: ModelArgs = None,
    models: Pool = None,
    only: Only = None,
    chat: Chat = None,
    out: RunOut = None,
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
    """Show what would run, per data set and per model: prompts, tokens, cost, what a run has already.

    Calls no model.
    """
    from ... import recipes
    from ...core.errors import RunError
    from ...running.registry import check_name
    from ...workflows.study import left_to_ask, unique_requests, with_left
    from ..console.plan import show_plan
    from ..console.progress import CountingProgress

    loaded = recipes.with_cards(recipes.load(recipe), cards)
    entries = models_of_line(ctx, loaded, names=model, args=model_args, pool=models, only=only, chat=chat)
    for entry in entries:
        check_name(entry.model, entry.label)
    planned = recipes.plan(loaded, limit=limit)
    with CountingProgress() as progress:
        found = recipes.outline(planned, entries, tokenizer=tokenizer, progress=progress)
    notes = [*planned.notes, *found.notes]
    run = out or Path("runs") / loaded.name
    try:
        left = left_to_ask(run, planned, entries, unique_requests(found.models))
    except RunError as error:
        if out is not None:
            raise
        left, notes = {}, [*notes, str(error)]
    if as_json:
        emit({"datasets": found.datasets, "models": with_left(found.models, left), "notes": notes})
    else:
        show_plan(found.datasets, found.models, notes, run=run, left=left)
    return 0


@guarded
def prompts(
    recipe: RecipeArgument,
    out: Annotated[Path, typer.Option(help="A .parquet or .jsonl file.", show_default=False)],
    limit: Limit = None,
    cards: Cards = None,
    as_json: Json = False,
) -> int:
    """Write the expanded prompts of a study to Parquet or JSONL. Calls no model."""
    from ... import recipes

    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    with writing(out):
        recipes.write_prompts(planned, out)
    if as_json:
        emit({"out": str(out), "prompts": planned.size})
    else:
        say(f"{planned.size} prompts in {out}")
    return 0
