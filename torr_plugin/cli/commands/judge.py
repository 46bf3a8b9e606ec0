"""``torr judge``: a model judges the answers of a run, or compares those of two models."""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ... import recipes, workflows
from ...core.errors import InputError, counted
from .. import console
from ..command import emit, guarded, say
from .options import Chat, ExecutorName, Json, Limit, PriceOption, RunArgument, names_in, price_of_line

if TYPE_CHECKING:
    from ...scoring.judges import Judgement, PairJudgement

_LONGEST_REPLY = 80
"""Characters of a judge's reply that are shown."""


class JudgeKindName(str, Enum):
    """What a judge is asked for."""

    yes_no = "yes-no"
    score = "score"
    pair = "pair"


@guarded
def judge(
    run: RunArgument,
    *,
    model: Annotated[str, Option(help="The judge, as lm-eval names it.")],
    model_args: Annotated[str, Option("--model-args", help="Its arguments, e.g. pretrained=...")] = "",
    name: Annotated[str | None, Option(help="A name for the judge.  [default: its model's]")] = None,
    kind: Annotated[
        JudgeKindName,
        Option(
            help="Ask for yes or no; for a score from 0 to 100, for which the judge sees the table; or "
            "which of two models' answers is better."
        ),
    ] = JudgeKindName.yes_no,
    baseline: Annotated[str | None, Option(help="Of pairs: compare all others with this model.")] = None,
    scale: Annotated[int | None, Option(min=2, max=100, help="Of pairs: also rate, from 1 to this.")] = None,
    one_order: Annotated[bool, Option("--one-order", help="Of pairs: ask in one order alone.")] = False,
    with_table: Annotated[bool, Option("--with-table", help="Of pairs: show the judge the table.")] = False,
    plan: Annotated[bool, Option("--plan", help="Say what would be asked, and ask nothing.")] = False,
    price: PriceOption = None,
    chat: Chat = None,
    executor: Annotated[ExecutorName, Option(help="In this process, or on Ray.")] = ExecutorName.local,
    limit: Limit = None,
    cards: Annotated[str | None, Option(help="Only answers to these cards: scigen,wikitq.")] = None,
    max_tokens: Annotated[int | None, Option(min=1, help="Of a reply; else 1024, of pairs 2048.")] = None,
    retry_failed: Annotated[bool, Option("--retry-failed", help="Send failed requests again.")] = False,
    as_json: Json = False,
) -> int:
    """Let a model judge a run's answers, or compare those of two models (--kind pair).

    Verdicts on answers become scores, named judge.NAME; those of yes and no are compared with complete
    containment. Verdicts on pairs become battles, for 'torr rate'.
    """
    of_pairs = {
        "--baseline": baseline is not None,
        "--scale": scale is not None,
        "--one-order": one_order,
        "--with-table": with_table,
    }
    if kind is not JudgeKindName.pair and (given := [option for option, there in of_pairs.items() if there]):
        raise InputError(f"{given[0]}: found with --kind {kind.value}; expected --kind pair")
    asked = recipes.model_entry(model, model_args)
    entry = recipes.JudgeEntry.model_validate(
        {
            "model": asked.model,
            "args": asked.args,
            "name": name,
            "chat": chat,
            "price": price_of_line(price),
            "kind": kind.value,
            "max_tokens": max_tokens,
            "baseline": baseline,
            "scale": scale,
            "orders": "one" if one_order else None,
            "table": with_table or None,
        }
    )
    entry = recipes.trusted(entry, asked.trust)
    datasets = names_in(cards) or None
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
        emit(_record(found))
    else:
        _show(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


def _is_pairs(found: Judgement | PairJudgement) -> bool:
    return not hasattr(found, "kind")


def _record(found: Any) -> dict[str, Any]:
    """The result for ``--json``."""
    names = ("judge", "asked", "failed", "unclear", "cut", "overall", "models")
    common = {"judged": found.folder, **{name: getattr(found, name) for name in names}}
    if _is_pairs(found):
        return {**common, "kind": "pair", "baseline": found.baseline, "battles": found.path}
    return {**common, "kind": found.kind, "metric": found.metric, "datasets": found.datasets}


def _show(found: Any) -> None:
    if _is_pairs(found):
        _show_battles(found)
    else:
        _show_verdicts(found)
    if found.unclear is not None:
        nothing = "no battles" if _is_pairs(found) else "no scores"
        shown = found.unclear[:_LONGEST_REPLY]
        console.say_in_columns(f"Replies without a verdict are {nothing}; the first of them: {shown!r}")
    if found.cut:
        cut = counted(found.cut, "reply", "replies")
        console.say_in_columns(f"{cut} cut at the most tokens, and unclear; --max-tokens gives more room")
    if _is_pairs(found):
        say(f"Every verdict: {found.folder / 'battles.parquet'}")
        say(f"Ratings: torr rate {found.path} --out ratings")
    else:
        say(f"Every verdict: {found.folder / 'verdicts.parquet'}")
        say(f"As scores: {found.metric}")


def _show_verdicts(found: Judgement) -> None:
    """Verdicts overall, by data set and by model; those of yes and no beside complete containment."""
    figures: tuple[str, ...] = ("judged_right", "contained", "accuracy", "kappa")
    counts: tuple[str, ...] = ("unclear", "n")
    if found.kind == "score":
        figures, counts = ("judge", "main"), ("unclear", "failed", "n")
    parts: dict[str, Any] = {"all": found.overall, **found.datasets, **found.models}
    rows = [
        {
            "of": name,
            **{figure.replace("_", " "): _four_digits(part[figure]) for figure in figures},
            **{count: part[count] for count in counts},
        }
        for name, part in parts.items()
    ]
    console.print_rows(rows, left=["of"])


def _show_battles(found: PairJudgement) -> None:
    """The wins of each model, but of a baseline, and how much the order of answers matters."""
    rows = [{"model": name, **row} for name, row in found.models.items() if name != found.baseline]
    title = "Battles" if found.baseline is None else f"Battles against {found.baseline}"
    console.show_sections([(title, rows)], left=["model"])
    overall = found.overall
    if overall["both"]:
        share = overall["differ"] / overall["both"]
        console.say_in_columns(
            f"{counted(overall['both'], 'battle')} judged in both orders, of which {overall['differ']:,} "
            f"({share:.1%}) with two verdicts, which are ties"
        )
    if overall["decided"]:
        share = overall["first"] / overall["decided"]
        verdicts = counted(overall["decided"], "verdict")
        console.say_in_columns(f"The answer shown first won {share:.1%} of {verdicts}")


def _four_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
