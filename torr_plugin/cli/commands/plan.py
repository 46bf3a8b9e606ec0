"""``torr plan`` and ``torr prompts``: what a study would ask, without asking it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import recipes, running, workflows
from ...core.errors import InputError, RunError
from .. import console
from ..command import emit, guarded, say, writing
from .options import (
    Cards,
    Chat,
    Gen,
    Json,
    Limit,
    ModelArgs,
    Models,
    Only,
    Pool,
    PriceOption,
    RecipeArgument,
    ReplicateCount,
    Replicates,
    RunOut,
    SendKey,
    TrustRemoteCode,
    models_of_line,
    price_of_line,
    priced,
    study_of_line,
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
    gen: Gen = None,
    send_key: SendKey = None,
    trust_remote_code: TrustRemoteCode = False,
    out: RunOut = None,
    limit: Limit = None,
    cards: Cards = None,
    replicates: Replicates = None,
    replicate_count: ReplicateCount = None,
    price: PriceOption = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Count tokens with this tokenizer (a folder, or a name in the local cache) where a model's "
            "own is not installed."
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what would run, per data set, model and judge: prompts, tokens, cost, and what a run has already.

    Calls no model.
    """
    from ... import scoring  # takes a third of the time of `torr --help`

    loaded = study_of_line(
        recipe, cards, replicates, replicate_count, send_key, trust_remote_code=trust_remote_code
    )
    entries = models_of_line(
        ctx,
        loaded.models,
        names=model,
        args=model_args,
        pool=models,
        only=only,
        chat=chat,
        gen=gen,
        send_key=send_key,
        trust_remote_code=trust_remote_code,
    )
    running.check_models([*entries, *loaded.judges], here=False)
    asked, at_price = len(entries), price_of_line(price)
    planned = recipes.plan(loaded, limit=limit)
    for card in planned.cards.values():
        scoring.check_main_score(card)
    entries, price_notes = recipes.with_known_prices(priced(entries, at_price))
    judging, judge_notes = recipes.with_known_prices(loaded.judges)
    with console.counting("prompts counted") as progress:
        found = recipes.outline(planned, entries, tokenizer=tokenizer, progress=progress)
    # judges bring the ratings with them, which take a second to import
    costs = workflows.judge_costs(planned, judging, asked) if judging else []
    notes = [*planned.notes, *found.notes, *([workflows.JUDGES_NOTE] if costs else [])]
    notes += [*running.key_lines([*entries, *loaded.judges]), *price_notes, *judge_notes]
    run = out or Path("runs") / loaded.name
    unique = {row["model"]: row["unique requests"] for row in found.models}
    try:
        remaining = workflows.remaining_requests(run, planned, entries, unique)
    except RunError as error:
        if out is not None:
            raise
        remaining, notes = {}, [*notes, str(error)]
    if as_json:
        # without a run, all is still to ask
        nothing = {"answered": 0, "failed": 0}
        rows = [
            {**row, **remaining.get(row["model"], {**nothing, "still to ask": row["unique requests"]})}
            for row in found.models
        ]
        emit({"datasets": found.datasets, "models": rows, "judges": costs, "notes": notes})
    else:
        console.show_plan(found.datasets, found.models, costs, notes, run=run, remaining=remaining)
    return 0


@guarded
def prompts(
    recipe: RecipeArgument,
    out: Annotated[Path, typer.Option(help="A .parquet or .jsonl file; - for JSON lines on stdout.")],
    limit: Limit = None,
    cards: Cards = None,
    as_json: Json = False,
) -> int:
    """Write every prompt of a study to Parquet or JSONL, or to stdout. Calls no model."""
    to_stdout = str(out) == "-"
    if to_stdout and as_json:
        raise InputError("--json: found with --out -; expected one of the two, as both print on stdout")
    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    if to_stdout:
        for row in recipes.prompt_rows(planned):
            emit(row)
        return 0
    with writing(out):
        recipes.write_prompts(planned, out)
    if as_json:
        emit({"out": str(out), "prompts": planned.size})
    else:
        say(f"{planned.size} prompts in {out}")
    return 0
