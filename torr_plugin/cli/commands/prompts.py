"""``torr prompts``: the expanded prompts of a study, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import Cards, Json, Limit, RecipeArgument


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
