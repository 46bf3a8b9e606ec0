"""``torr plan`` and ``torr prompts``: what a study would ask, without asking it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from ... import recipes, running, workflows
from ...core.errors import InputError, RunError
from .. import console
from ..command import emit, guarded, say, writing
from .options import Cards, Json, Limit, RecipeArgument, StudyOptions

if TYPE_CHECKING:
    from ...recipes import ModelEntry


@guarded
def plan(
    ctx: typer.Context,
    recipe: RecipeArgument,
    options: StudyOptions,
    price: Annotated[
        str | None,
        Option(
            metavar="PROMPTS,REPLIES",
            help="US dollars per million tokens, of models that have no price: 2.5,10.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what would run, per data set, model and judge: prompts, tokens, cost, and what a run has already.

    Calls no model.
    """
    from ... import scoring  # takes a third of the time of `torr --help`

    study = options.study(recipe)
    models = options.entries(ctx, study.models)
    running.check_models([*models, *study.judges], here=False)
    planned = recipes.plan(study, limit=options.limit, models=models)
    for card in planned.cards.values():
        scoring.check_main_score(card)
    entries, notes = recipes.with_known_prices(models if price is None else _priced(models, price))
    judges, judge_notes = recipes.with_known_prices(study.judges)
    with console.counting("prompts counted") as progress:
        found = recipes.outline(planned, entries, progress=progress)
    # judges bring the ratings with them, which take a second to import
    costs = workflows.judge_costs(planned, judges, len(models)) if judges else []
    notes = [
        *planned.notes,
        *found.notes,
        *([workflows.JUDGES_NOTE] if costs else []),
        *running.key_lines([*entries, *study.judges]),
        *notes,
        *judge_notes,
        *recipes.answer_length_notes(entries, planned.asked_generation),
    ]
    run = options.run_directory(study)
    unique = {row["model"]: row["unique requests"] for row in found.models}
    try:
        remaining = running.remaining_requests(run, planned, entries, unique)
    except RunError as error:
        if options.out is not None:
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


def _priced(models: Sequence[ModelEntry], text: str) -> list[ModelEntry]:
    """The models, those without a price at that of ``--price``; one of no name where there are none."""
    try:
        prompts, replies = map(float, text.split(","))
        price = recipes.Price(prompt=prompts, completion=replies)
    except ValueError as error:  # pydantic's too
        raise InputError(
            f"--price: found {text!r}; expected two numbers, US dollars per million tokens of prompts and of "
            "replies"
        ) from error
    models = models or [recipes.ModelEntry(model="dummy", name="any model")]
    return [each if each.price else each.model_copy(update={"price": price}) for each in models]


@guarded
def prompts(
    recipe: RecipeArgument,
    out: Annotated[Path, Option(help="A .parquet or .jsonl file; - for JSON lines on stdout.")],
    limit: Limit = None,
    cards: Cards = None,
    as_json: Json = False,
) -> int:
    """Write every prompt of a study to Parquet or JSONL, or to stdout. Calls no model."""
    planned = recipes.plan(recipes.with_cards(recipes.load(recipe), cards), limit=limit)
    if str(out) == "-":
        if as_json:
            raise InputError("--json: found with --out -; expected one of the two, as both print on stdout")
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
