"""``torr score``: predictions made elsewhere. ``torr judge``: a model judges the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import recipes
from .. import console
from ..command import emit, guarded, say, writing
from .options import Chat, ExecutorName, Json, Limit

if TYPE_CHECKING:
    from ...scoring.judges import Judgement


By = Annotated[
    str | None,
    typer.Option(
        help='Also per group (source), property ("table:Row Nesting") or all properties (table:all).',
        show_default=False,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="Metrics to rate by instead of the card's, e.g. hctqa_vision; commas between.",
        show_default=False,
    ),
]


@guarded
def score(
    card: Annotated[
        str, typer.Option(help="The card the predictions answer, e.g. cards.hctqa.real.", show_default=False)
    ],
    predictions: Annotated[
        Path,
        typer.Option(
            help="Parquet, CSV or JSONL (also .gz): example, prediction[, model, config].", show_default=False
        ),
    ],
    by: By = None,
    metrics: Metrics = None,
    example_column: Annotated[
        str | None, typer.Option(help="The column with example ids, if not 'example'.", show_default=False)
    ] = None,
    prediction_column: Annotated[
        str | None, typer.Option(help="The column with answers, if not 'prediction'.", show_default=False)
    ] = None,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write the scores of every example there (Parquet).", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    """Score predictions made elsewhere against a card's references."""
    from ...catalog import load_card, with_metrics
    from ...scoring import score_predictions

    names = [name.strip() for name in metrics.split(",")] if metrics else None
    report = score_predictions(
        with_metrics(load_card(card), names),
        predictions,
        example_column=example_column,
        prediction_column=prediction_column,
        by=by,
        resamples=resamples,
    )
    for line in report.notes:
        console.say_in_columns(line)
    if as_json and len(report.by_model) > 1:
        say(f"the figures are over all {len(report.by_model)} models and configurations of the file together")
    if out is not None:
        with writing(out), out.open("wb") as file:
            report.frame.to_parquet(file, index=False)
    if as_json:
        emit({**report.metrics, **({"by": {by: report.groups}} if by else {})})
    else:
        console.show_scores(report)
    return 0


@guarded
def judge(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    *,
    model: Annotated[str, typer.Option(help="The judge, as lm-eval names it.", show_default=False)],
    model_args: Annotated[
        str, typer.Option("--model-args", help="Its arguments, e.g. pretrained=...", show_default=False)
    ] = "",
    name: Annotated[
        str | None,
        typer.Option(help="What the judge is called, if not as its model.", show_default=False),
    ] = None,
    chat: Chat = None,
    executor: Annotated[ExecutorName, typer.Option(help="In this process, or on Ray.")] = ExecutorName.local,
    limit: Limit = None,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Of a verdict; more for a model that thinks aloud.")
    ] = 64,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed in an earlier attempt.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Have a model judge a run's answers, and say how far it agrees with complete containment."""
    from ...scoring.judges import judge_run

    entry = recipes.model_entry(model, model_args).model_copy(update={"name": name, "chat": chat})
    with console.RunProgress() as progress:
        found = judge_run(
            run,
            entry,
            executor=executor.value,
            limit=limit,
            max_tokens=max_tokens,
            progress=progress,
            retry_failed=retry_failed,
        )
    if as_json:
        emit(report(found))
    else:
        console.show_agreement(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


def report(found: Judgement) -> dict[str, Any]:
    """The result for ``--json``."""
    return {
        "judge": found.judge,
        "judged": str(found.folder),
        "asked": found.asked,
        "failed": found.failed,
        "overall": found.overall,
        "datasets": found.datasets,
        "models": found.models,
    }
