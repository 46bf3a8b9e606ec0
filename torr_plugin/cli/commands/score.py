"""``torr score``: predictions made elsewhere. ``torr judge``: a model judges the answers of a run."""

from __future__ import annotations

import dataclasses
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import catalog, recipes
from .. import console
from ..command import emit, guarded, say, writing
from .options import Chat, ExecutorName, Json, Limit

if TYPE_CHECKING:
    from ...scoring import ScoreReport
    from ...scoring.judges import Judgement


class JudgeKindName(str, Enum):
    """What a judge is asked for."""

    yes_no = "yes-no"
    score = "score"


By = Annotated[
    str | None,
    typer.Option(
        help='Also score by group (source), by a property ("table:Row Nesting") or by all (table:all).'
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(help="Use these metrics instead of the card's, e.g. hctqa_vision,exact_match."),
]


@guarded
def score(
    card: Annotated[str, typer.Option(help="The card whose questions were answered, e.g. cards.hctqa.real.")],
    predictions: Annotated[
        Path, typer.Option(help="Parquet, CSV or JSONL (also .gz): example, prediction[, model, config].")
    ],
    by: By = None,
    metrics: Metrics = None,
    example_column: Annotated[
        str | None, typer.Option(help="The column with example ids, if not 'example'.")
    ] = None,
    prediction_column: Annotated[
        str | None, typer.Option(help="The column with answers, if not 'prediction'.")
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    out: Annotated[
        Path | None, typer.Option(help="Also write the score of every example to this Parquet file.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Score predictions made elsewhere against a card's references."""
    from ... import scoring  # takes a third of the time of `torr --help`

    names = [name.strip() for name in metrics.split(",")] if metrics else None
    report = scoring.score_predictions(
        catalog.with_metrics(catalog.load_card(card), names),
        predictions,
        example_column=example_column,
        prediction_column=prediction_column,
        by=by,
        resamples=resamples,
    )
    for line in report.notes:
        console.say_in_columns(line)
    if as_json and len(report.by_model) > 1:
        say(
            f"'models' has the figures of each of the {len(report.by_model)} models and configurations; "
            "the others are over all of them together"
        )
    if out is not None:
        with writing(out), out.open("wb") as file:
            report.frame.to_parquet(file, index=False)
    if as_json:
        emit(_as_json(report, by))
    else:
        console.show_scores(report)
    return 0


def _as_json(found: ScoreReport, by: str | None) -> dict[str, Any]:
    """The figures for ``--json``, by metric; of several models and configurations also of each of them."""
    whole = {**found.metrics, **({"by": {by: found.groups}} if by else {})}
    if len(found.by_model) == 1:
        return whole
    models = [
        {
            "model": of[0],
            "config": of[1],
            "metrics": figures,
            **({"by": {by: found.groups_by_model[of]}} if by else {}),
        }
        for of, figures in found.by_model.items()
    ]
    return {**whole, "models": models}


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
            help="Ask for yes or no, or for a score from 0 to 100, for which the judge sees the table."
        ),
    ] = JudgeKindName.yes_no,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be asked, and ask nothing.")] = False,
    chat: Chat = None,
    executor: Annotated[ExecutorName, typer.Option(help="In this process, or on Ray.")] = ExecutorName.local,
    limit: Limit = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Judge only the answers to these cards, e.g. scigen,wikitq."),
    ] = None,
    max_tokens: Annotated[
        int,
        typer.Option(
            min=1, help="At most this many tokens per verdict; more for a model that reasons first."
        ),
    ] = 64,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Send failed requests again.")] = False,
    as_json: Json = False,
) -> int:
    """Let a model judge a run's answers; its verdicts become scores, named judge.NAME.

    Verdicts of yes and no are compared with complete containment.
    """
    from ...scoring import judges  # as above

    entry = recipes.model_entry(model, model_args).model_copy(update={"name": name, "chat": chat})
    datasets = [each.strip() for each in cards.split(",")] if cards else None
    if plan:
        planned = judges.plan_judging(
            run, entry, kind=kind.value, limit=limit, datasets=datasets, max_tokens=max_tokens
        )
        if as_json:
            emit(dataclasses.asdict(planned))
        else:
            console.show_lines([planned.line])
        return 0
    with console.RunProgress() as progress:
        found = judges.judge_run(
            run,
            entry,
            kind=kind.value,
            executor=executor.value,
            limit=limit,
            datasets=datasets,
            max_tokens=max_tokens,
            progress=progress,
            retry_failed=retry_failed,
            tell=console.say_in_columns,
        )
    if as_json:
        emit(report(found))
    else:
        console.show_judgement(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


def report(found: Judgement) -> dict[str, Any]:
    """The result for ``--json``."""
    return {
        "judge": found.judge,
        "kind": found.kind,
        "metric": found.metric,
        "judged": found.folder,
        "asked": found.asked,
        "failed": found.failed,
        "unclear": found.unclear,
        "overall": found.overall,
        "datasets": found.datasets,
        "models": found.models,
    }
