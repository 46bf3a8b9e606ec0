"""``torr score``: predictions made elsewhere, scored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import Json


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
    by: Annotated[
        str | None,
        typer.Option(
            help='Also per group (source), property ("table:Row Nesting") or all properties (table:all).',
            show_default=False,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Metrics to rate by instead of the card's, e.g. hctqa_vision; commas between.",
            show_default=False,
        ),
    ] = None,
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
    from ..console import say_in_columns, show_scores

    report = score_predictions(
        with_metrics(load_card(card), [name.strip() for name in metrics.split(",")] if metrics else None),
        predictions,
        example_column=example_column,
        prediction_column=prediction_column,
        by=by,
        resamples=resamples,
    )
    for line in report.notes:
        say_in_columns(line)
    if as_json and len(report.by_model) > 1:
        say(f"the figures are over all {len(report.by_model)} models and configurations of the file together")
    if out is not None:
        with writing(out), out.open("wb") as file:
            report.frame.to_parquet(file, index=False)
    if as_json:
        emit({**report.metrics, **({"by": {by: report.groups}} if by else {})})
    else:
        show_scores(report)
    return 0
