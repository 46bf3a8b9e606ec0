"""``torr budget``: what a ranking of a wished reliability needs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, writing
from .options import Json, ScoresArgument


class Measure(str, Enum):
    """How the reliability of a ranking is measured."""

    generalizability = "generalizability"
    w = "w"


@guarded
def budget(
    scores: ScoresArgument,
    target: Annotated[float, typer.Option(help="The wished reliability, between 0 and 1.")] = 0.9,
    measure: Annotated[
        Measure,
        typer.Option(help="The generalizability coefficient, or the expected Kendall's W of ten rankings."),
    ] = Measure.generalizability,
    dataset: Annotated[
        str | None, typer.Option(help="One data set alone, not the mean over all.", show_default=False)
    ] = None,
    label_keeping: Annotated[
        bool, typer.Option("--label-keeping", help="Only perturbations under which the labels stay true.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Also write the result there, as JSON.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Say how many configurations and examples a ranking of a wished reliability needs, and their cost."""
    from ...workflows.budget import budget_report, sections, write_report
    from ...workflows.scores_input import scores_at
    from ..console import say_in_columns, show_sections

    frame, keeps_labels = scores_at(scores)
    report = budget_report(
        scores,
        frame,
        keeps_labels,
        target=target,
        measure=measure.value,
        dataset=dataset,
        kept_labels_only=label_keeping,
        seed=seed,
    )
    if out is not None:
        with writing(out):
            write_report(report, out)
    if as_json:
        emit(report)
    else:
        show_sections(sections(report), left=())
    for text in report["notes"]:
        say_in_columns(text)
    return 0
