"""``torr analyse``: every figure of a study's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import check_folder, emit, guarded, say, writing
from .options import Json, ScoresArgument


@guarded
def analyse(
    scores: ScoresArgument,
    out: Annotated[Path, typer.Option(help="Where analysis.json goes.", show_default=False)],
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 1000,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    two_way: Annotated[bool, typer.Option("--two-way", help="Resample configurations too.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    models: Annotated[
        Path | None,
        typer.Option(
            help="A YAML list of models: name, and any of family, size (billions of parameters) and open.",
            show_default=False,
        ),
    ] = None,
    card: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CARD",
            help="The card of a data set in a scores file: scores by its examples' properties. Repeatable.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="This metric's scores rather than each data set's main one.", show_default=False),
    ] = None,
    charts: Annotated[
        bool, typer.Option(help="Draw every figure as SVG and PNG; takes some seconds.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Analyse scores, from here or elsewhere: every figure with its interval, as JSON, tables and charts."""
    from ...analysis import analyse as analyse_frame
    from ...analysis import findings, write_analysis
    from ...workflows.scores_input import models_at, scores_at, told_at
    from ..console import say_in_columns, show_lines, show_summary

    check_folder(out)
    frame, keeps_labels = scores_at(scores)
    result = analyse_frame(
        frame,
        resamples=resamples,
        level=level,
        two_way=two_way,
        seed=seed,
        keeps_labels=keeps_labels,
        models=models_at(scores, models),
        metric=metric,
        **told_at(scores, card or ()),
    )
    with writing(out):
        written = write_analysis(result, out, charts=charts)
    if as_json:
        emit(result)
    else:
        show_summary(result)
        show_lines(findings(result))
    for line in written.left_out:
        say_in_columns(line)
    if not as_json:
        where = f"; as charts: {out / 'charts'}" if charts else ""
        say(f"Every figure: {out / 'analysis.json'}; as tables: {out}/*.csv{where}")
    return 0
