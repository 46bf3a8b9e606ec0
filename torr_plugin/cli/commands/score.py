"""``torr score``: predictions made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import catalog
from .. import console
from ..command import emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ...scoring import ScoreReport

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
