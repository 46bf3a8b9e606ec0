"""``torr plan`` and ``torr prompts``: what a study would ask, without asking it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ... import recipes, workflows
from ...core.errors import InputError
from .. import console
from ..command import emit, guarded, say, say_in_columns
from ..results import results
from .options import Cards, Configurations, Json, Limit, RecipeArgument, StudyOptions, chosen_study

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ...workflows.study import StudyOutline


Rows = Sequence[Mapping[str, Any]]
_UNKNOWN = "unknown"
_AGAIN = "  of these replicates"


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
    """Show what a study would ask and cost, without a model.

    Per data set, model and judge: prompts, tokens, cost, and what a run has already.
    """
    study = options.study(recipe)
    models = options.entries(ctx, study.models)
    run = options.run_directory(study)
    with console.counting("prompts counted") as progress:
        outline = workflows.study.outline_study(
            study,
            models if price is None else _priced(models, price),
            run,
            limit=options.limit,
            is_given=options.out is not None,
            progress=progress,
        )
    if as_json:
        # without a run, all is still to ask
        nothing = {"answered": 0, "failed": 0}
        rows = [
            {
                **row,
                **outline.remaining.get(row["model"], {**nothing, "still to ask": row["unique requests"]}),
            }
            for row in outline.models
        ]
        emit({"datasets": outline.datasets, "models": rows, "judges": outline.judges, "notes": outline.notes})
    else:
        show_plan(outline, run)
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


def show_plan(outline: StudyOutline, run: Path) -> None:
    """Show what would run: a row a data set, a row a model, a row a judge, and what a run lacks."""
    asked: list[Mapping[str, Any]] = []
    for model in outline.models:
        asked += [model, {**model["replicates"], "model": _AGAIN}] if "replicates" in model else [model]
    tables: list[tuple[list[dict[str, Any]], list[str]]] = [
        (list(map(_dataset, outline.datasets)), ["dataset"]),
        (list(map(_model, asked)), ["model"]),
        (list(map(_judge, outline.judges)), ["judge", "asked"]),
        ([{f"in {run}": label, **left} for label, left in outline.remaining.items()], [f"in {run}"]),
    ]
    for number, (rows, texts) in enumerate(tables):
        if rows:
            results().write("\n" if number else "")
            console.print_rows(rows, left=texts)
    say_in_columns(*outline.notes, *_legend(outline.models))


def _dataset(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "dataset": row["dataset"],
        "asked": "again" if row["configurations"] is None else f"{row['configurations']} x {row['examples']}",
        "shots": "" if row["shots"] is None else row["shots"],
        "prompts": row["prompts"],
        "unique": row["unique prompts"],
        "tokens": f"~{console.shortened(row['estimated tokens'])}",
        "longest": row["longest prompt"],
        "shared": f"{100 * row['shared beginning']:.0f}%",
    }


def _model(row: Mapping[str, Any]) -> dict[str, Any]:
    about = "~" if row["counted"] == "estimated" else ""
    tokens = row["prompt tokens"]
    return {
        "model": row["model"],
        "requests": row["requests"],
        "unique": row["unique requests"],
        "tokens": about + console.shortened(tokens),
        "longest": f"{about}{row['longest prompt']:,}",
        "cached": f"{round(100 * row['saved in blocks'] / tokens) if tokens else 0}%",
        "answers": _UNKNOWN if row["answer tokens"] is None else console.shortened(row["answer tokens"]),
        "US dollars": "" if row["cost of prompts"] is None else _dollars(row["cost"]),
    }


def _dollars(cost: float | None) -> str:
    return _UNKNOWN if cost is None else f"{cost:,.2f}"


def _judge(row: Mapping[str, Any]) -> dict[str, Any]:
    of = "answers" if row["battles"] is None else "battles"
    return {
        "judge": row["judge"],
        "asked": row["kind"],
        "at most": f"{row[of]:,} {of}",
        "requests": row["requests"],
        "tokens": f"~{console.shortened(row['prompt tokens'])}",
        "replies": console.shortened(row["answer tokens"]),
        "US dollars": "" if row["cost"] is None else _dollars(row["cost"]),
    }


def _legend(models: Rows) -> list[str]:
    lines = [
        "asked: configurations x examples; longest: tokens of the longest prompt; shared: how much of the "
        "prompts repeats the beginning of the prompt sent before; ~: an estimate, four characters a token"
    ]
    if models:
        lines.append(
            "cached: how much of the prompts a prefix cache of blocks of 16 already has from the prompt sent "
            "before; answers, US dollars: at most, without a cache"
        )
    if any("replicates" in row for row in models):
        lines.append("replicates: prompts asked again, to measure how much answers vary")
    return lines


@guarded
def prompts(
    recipe: RecipeArgument,
    out: Annotated[Path, Option(help="A .parquet or .jsonl file; - for JSON lines on stdout.")],
    limit: Limit = None,
    cards: Cards = None,
    configurations: Configurations = None,
    as_json: Json = False,
) -> int:
    """Write the prompts of a study, without asking a model. As Parquet or JSONL, or to stdout."""
    planned = recipes.plan(chosen_study(recipe, cards, configurations), limit=limit)
    if str(out) == "-":
        if as_json:
            raise InputError("--json: found with --out -; expected one of the two, as both print on stdout")
        for row in recipes.prompt_rows(planned):
            emit(row)
        return 0
    recipes.write_prompts(planned, out)
    emit({"out": out, "prompts": planned.size}) if as_json else say(f"{planned.size} prompts in {out}")
    return 0
