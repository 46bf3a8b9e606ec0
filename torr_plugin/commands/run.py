"""``torr run``: a study from its recipe to its analysis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..command import emit, guarded, paired, say
from .options import Cards, Chat, Executor, Json, Limit, ModelArgs, Models, RecipeArgument

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Recipe
    from ..running import Summary


@guarded
def run(
    ctx: typer.Context,
    recipe: RecipeArgument,
    model: Models = None,
    model_args: ModelArgs = None,
    chat: Chat = None,
    executor: Annotated[Executor, typer.Option(help="In this process, or on Ray.")] = Executor.local,
    out: Annotated[
        Path | None, typer.Option(help="The run directory.  [default: runs/<name>]", show_default=False)
    ] = None,
    limit: Limit = None,
    cards: Cards = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed in an earlier run.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Run a study: prompts, answers, scores and analysis in one directory. Run again to resume."""
    from ..console import show_failures, show_summary
    from ..recipes import load, plan, with_cards
    from ..study import run_study

    loaded = with_cards(load(recipe), cards)
    models = _models(loaded, model or [], model_args or [], paired(ctx, "model", "model_args"), chat)
    planned = plan(loaded, limit=limit)
    summary, analysis = run_study(
        planned,
        models,
        out or Path("runs") / loaded.name,
        executor=executor.value,
        retry_failed=retry_failed,
    )
    if as_json:
        emit(outcome(summary))
    else:
        show_summary(analysis)
        say(f"The run: {summary.run}; its site: python -m torr_plugin.leaderboard {summary.run} --out site")
    if summary.failed:
        show_failures(summary)
    return 1 if summary.failed else 0


def _models(
    recipe: Recipe, names: list[str], args: list[str], has_args: list[bool], chat: bool | None
) -> list[ModelEntry]:
    """The models to ask: those of the command line, each with the arguments behind it, else the recipe's.

    ``chat`` holds for all of them, whatever the recipe says; where it is None, each has its own.
    """
    from ..errors import InputError
    from ..recipes import described_as, labelled, model_entry

    left = iter(args)
    given = [model_entry(name, next(left) if has else "") for name, has in zip(names, has_args, strict=True)]
    asked = described_as(given, labelled(recipe.models)) or recipe.models
    told = {} if chat is None else {"chat": chat}
    entries = labelled([entry.model_copy(update=told) for entry in asked])
    if not entries:
        raise InputError("no model: name one by --model (as in lm-eval), or in the recipe under 'models'")
    return list(entries)


def outcome(summary: Summary) -> dict[str, Any]:
    """What ``--json`` prints of a run."""
    return {
        "run": str(summary.run),
        "requests": summary.requests,
        "answered": summary.answered,
        "failed": summary.failed,
        "seconds": round(summary.seconds, 3),
    }
