"""``torr judge``: a model judges the answers of a run, or compares those of two models."""

from __future__ import annotations

import dataclasses
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import recipes, workflows
from ...core.errors import InputError
from .. import console
from ..command import emit, guarded, say
from .options import Chat, ExecutorName, Json, Limit, PriceOption, price_of_line

if TYPE_CHECKING:
    from ...recipes import JudgeEntry
    from ...scoring.judges import Judgement, PairJudgement


class JudgeKindName(str, Enum):
    """What a judge is asked for."""

    yes_no = "yes-no"
    score = "score"
    pair = "pair"


@guarded
def judge(
    run: Annotated[Path, typer.Argument(help="A run directory.")],
    *,
    model: Annotated[str, typer.Option(help="The judge, as lm-eval names it.")],
    model_args: Annotated[str, typer.Option("--model-args", help="Its arguments, e.g. pretrained=...")] = "",
    name: Annotated[str | None, typer.Option(help="A name for the judge.  [default: its model's]")] = None,
    kind: Annotated[
        JudgeKindName,
        typer.Option(
            help="Ask for yes or no; for a score from 0 to 100, for which the judge sees the table; or "
            "which of two models' answers is better."
        ),
    ] = JudgeKindName.yes_no,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Of pairs: compare all others with this one.  [default: each with each]"
        ),
    ] = None,
    scale: Annotated[
        int | None, typer.Option(min=2, max=100, help="Of pairs: also ask for ratings from 1 to this number.")
    ] = None,
    one_order: Annotated[
        bool, typer.Option("--one-order", help="Of pairs: ask once, not with either answer first.")
    ] = False,
    with_table: Annotated[
        bool, typer.Option("--with-table", help="Of pairs: show the judge the table that is asked about.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be asked, and ask nothing.")] = False,
    price: PriceOption = None,
    chat: Chat = None,
    executor: Annotated[ExecutorName, typer.Option(help="In this process, or on Ray.")] = ExecutorName.local,
    limit: Limit = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Judge only the answers to these cards, e.g. scigen,wikitq."),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="At most this many tokens per reply; more for a model that thinks long, as a reply that is "
            "cut is unclear.  [default: 1024; of pairs 2048]",
        ),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Send failed requests again.")] = False,
    as_json: Json = False,
) -> int:
    """Let a model judge a run's answers, or compare those of two models (--kind pair).

    Verdicts on answers become scores, named judge.NAME; those of yes and no are compared with complete
    containment. Verdicts on pairs become battles, for 'torr rate'.
    """
    from ...scoring import judges  # takes a third of the time of `torr --help`

    entry = _entry(
        recipes.model_entry(model, model_args),
        name=name,
        chat=chat,
        price=price_of_line(price),
        kind=kind.value,
        max_tokens=max_tokens,
        baseline=baseline,
        scale=scale,
        orders="one" if one_order else None,
        table=with_table or None,
    )
    datasets = [each.strip() for each in cards.split(",")] if cards else None
    if plan:
        planned = workflows.plan_judge(run, entry, limit=limit, datasets=datasets)
        if as_json:
            emit(dataclasses.asdict(planned))
        else:
            console.show_lines([planned.line, *planned.notes])
        return 0
    with console.RunProgress() as progress:
        found = workflows.ask_judge(
            run,
            entry,
            executor=executor.value,
            limit=limit,
            datasets=datasets,
            progress=progress,
            retry_failed=retry_failed,
            tell=console.say_in_columns,
        )
    if as_json:
        emit(report(found))
    elif isinstance(found, judges.PairJudgement):
        console.show_battles(found)
    else:
        console.show_judgement(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


_PAIR_OPTIONS = {
    "baseline": "--baseline",
    "scale": "--scale",
    "orders": "--one-order",
    "table": "--with-table",
}


def _entry(model: recipes.ModelEntry, **settings: Any) -> JudgeEntry:
    given = [option for name, option in _PAIR_OPTIONS.items() if settings[name] is not None]
    if given and settings["kind"] != "pair":
        raise InputError(f"{given[0]}: found with --kind {settings['kind']}; expected --kind pair")
    judge = recipes.JudgeEntry.model_validate({"model": model.model, "args": model.args, **settings})
    return recipes.trusted(judge, model.trust)


def report(found: Judgement | PairJudgement) -> dict[str, Any]:
    """The result for ``--json``."""
    common = {
        "judge": found.judge,
        "judged": found.folder,
        "asked": found.asked,
        "failed": found.failed,
        "unclear": found.unclear,
        "cut": found.cut,
        "overall": found.overall,
        "models": found.models,
    }
    from ...scoring.judges import PairJudgement  # as above

    if isinstance(found, PairJudgement):
        return {**common, "kind": "pair", "baseline": found.baseline, "battles": found.path}
    return {**common, "kind": found.kind, "metric": found.metric, "datasets": found.datasets}
