"""``torr judge``: a model judges the answers of a run, or compares those of two models."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ... import recipes
from ...core.errors import InputError, counted
from ...core.texts import names_in
from ...core.validation import validate
from .. import console
from ..command import emit, guarded, say, say_in_columns
from .options import Executor, Json, Limit, RetryFailed, RunArgument

if TYPE_CHECKING:
    from ...scoring.judges import Judgement

_LONGEST_REPLY = 80
"""Characters of a judge's reply that are shown."""


@guarded
def judge(
    run: RunArgument,
    *,
    model: Annotated[str, Option(help="The judge, as lm-eval names it.")],
    model_args: Annotated[str, Option("--model-args", help="Its arguments, e.g. pretrained=...")] = "",
    name: Annotated[str | None, Option(help="A name for the judge.  [default: its model's]")] = None,
    kind: Annotated[
        Literal["yes-no", "score", "pair"],
        Option(
            help="Ask for yes or no; for a score from 0 to 100, for which the judge sees the table; or "
            "which of two models' answers is better."
        ),
    ] = "yes-no",
    baseline: Annotated[str | None, Option(help="Of pairs: compare all others with this model.")] = None,
    plan: Annotated[bool, Option("--plan", help="Say what would be asked, and ask nothing.")] = False,
    executor: Executor = "local",
    limit: Limit = None,
    cards: Annotated[list[str] | None, Option(help="Only answers to these cards: scigen,wikitq.")] = None,
    max_tokens: Annotated[int | None, Option(min=1, help="Of a reply; else 1024, of pairs 2048.")] = None,
    retry_failed: RetryFailed = False,
    as_json: Json = False,
) -> int:
    """Let a model judge the answers of a run.

    Or compare those of two models (--kind pair). Verdicts on answers become scores, named judge.NAME;
    those of yes and no are compared with complete containment. Verdicts on pairs become battles, for
    'torr rate'.
    """
    from ...scoring import judges

    if baseline is not None and kind != "pair":
        raise InputError(f"--baseline: found with --kind {kind}; expected --kind pair")
    asked = recipes.model_entry(model, model_args)
    given: dict[str, Any] = {"model": asked.model, "args": asked.args, "name": name, "kind": kind}
    given |= {"max_tokens": max_tokens, "baseline": baseline}
    entry = validate(recipes.JudgeEntry, given, "torr judge")
    (entry,), notes = recipes.with_known_prices([recipes.trusted(entry, asked.trust)])
    datasets = names_in(cards) or None
    if plan:
        planned = judges.plan_judging(run, entry, limit=limit, datasets=datasets)
        lines = [planned.line, *planned.notes, *notes]
        emit(dataclasses.asdict(planned)) if as_json else console.show_lines(lines)
        return 0
    with console.run_progress() as progress:
        found = judges.judge_run(
            run,
            entry,
            executor=executor,
            limit=limit,
            datasets=datasets,
            progress=progress,
            retry_failed=retry_failed,
            tell=say_in_columns,
        )
    emit(_record(found)) if as_json else _show(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


def _record(found: Judgement) -> dict[str, Any]:
    """The result for ``--json``: all but the verdicts, which are in the folder."""
    pairs = found.kind == "pair"
    left_out = {"folder", "verdicts", *(("metric", "datasets") if pairs else ("baseline",))}
    names = [field.name for field in dataclasses.fields(found) if field.name not in left_out]
    record = {name: getattr(found, name) for name in names}
    return {"judged": found.folder, **record, **({"battles": _all_battles(found)} if pairs else {})}


def _all_battles(found: Judgement) -> Path:
    """``RUN/battles.parquet``, of all judges of the run."""
    return found.folder.parents[1] / "battles.parquet"


def _show(found: Judgement) -> None:
    if found.kind == "pair":
        _show_battles(found)
        where = [
            f"Every verdict: {found.folder / 'battles.parquet'}",
            f"Ratings: torr rate {_all_battles(found)} --out ratings",
        ]
    else:
        _show_verdicts(found)
        where = [f"Every verdict: {found.folder / 'verdicts.parquet'}", f"As scores: {found.metric}"]
    if found.unclear is not None:
        shown = found.unclear[:_LONGEST_REPLY]
        say_in_columns(f"Replies without a verdict do not count; the first of them: {shown!r}")
    if found.cut:
        cut = counted(found.cut, "reply", "replies")
        say_in_columns(f"{cut} cut at the most tokens, and unclear; --max-tokens gives more room")
    for line in where:
        say(line)


def _show_verdicts(found: Judgement) -> None:
    """Verdicts overall, by data set and by model; those of yes and no beside complete containment."""
    figures, counts = (
        (("judge", "main"), ("unclear", "failed", "n"))
        if found.kind == "score"
        else (("judged_right", "contained", "accuracy", "kappa"), ("unclear", "n"))
    )
    parts: dict[str, Any] = {"all": found.overall, **found.datasets, **found.models}
    rows = []
    for name, part in parts.items():
        shares = {each.replace("_", " "): part[each] for each in figures}
        shown = {title: "-" if share is None else f"{share:.4f}" for title, share in shares.items()}
        rows.append({"of": name, **shown, **{count: part[count] for count in counts}})
    console.print_rows(rows, left=["of"])


def _show_battles(found: Judgement) -> None:
    """The wins of each model, but of a baseline, and how much the order of answers matters."""
    rows = [{"model": name, **row} for name, row in found.models.items() if name != found.baseline]
    title = "Battles" if found.baseline is None else f"Battles against {found.baseline}"
    console.show_sections([(title, rows)], left=["model"])
    overall = found.overall
    if overall["both"]:
        share = overall["differ"] / overall["both"]
        say_in_columns(
            f"{counted(overall['both'], 'battle')} judged in both orders, of which {overall['differ']:,} "
            f"({share:.1%}) with two verdicts, which are ties"
        )
    if overall["decided"]:
        share = overall["first"] / overall["decided"]
        verdicts = counted(overall["decided"], "verdict")
        say_in_columns(f"The answer shown first won {share:.1%} of {verdicts}")
